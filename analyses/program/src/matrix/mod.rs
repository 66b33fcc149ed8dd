//! The communication matrix: messages between all pairs of processes.
//!
//! The matrix of a construct follows from the model of the program alone (Ketterlin et al., RR-8562, section V.A). That of
//! the whole program follows from the models of its locations, which need not be merged for it: the sender and the
//! receiver of a message are operands of its send.

use std::collections::BTreeMap;

use foldtrace_matching::{Traffic, Wires};

mod read;
mod show;

pub use show::{MatrixJson, matrix_csv, matrix_json, matrix_svg, matrix_text};

use foldtrace_fold::merge::{Construct, Kind};

/// The traffic between pairs of processes, by rank; `None` for a process that the trace does not identify.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// The traffic from each sender to each receiver.
    pub pairs: BTreeMap<(Option<u64>, Option<u64>), Traffic>,
}

impl Matrix {
    /// Computes the matrix of the messages sent in a construct that runs `times` times, including messages that are
    /// never received.
    #[must_use]
    pub fn of_construct(construct: &Construct, times: u64, wires: &Wires) -> Self {
        let mut matrix = Self::default();
        matrix.add(construct, times, wires);
        matrix
    }

    fn add(&mut self, construct: &Construct, times: u64, wires: &Wires) {
        match &construct.kind {
            Kind::Loop { count, body } => {
                for construct in &body.constructs {
                    self.add(construct, times.saturating_mul(*count), wires);
                }
            }
            Kind::Event { member, .. } => {
                if let Some(pair) = wires.sends(*member) {
                    let messages = &mut self.pairs.entry(pair).or_default().messages;
                    *messages = messages.saturating_add(times);
                }
            }
            Kind::Collective { .. } => (),
        }
    }

    /// Returns the traffic of all pairs together.
    #[must_use]
    pub fn total(&self) -> Traffic {
        self.pairs.values().copied().sum()
    }

    /// Returns the total number of messages.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.total().messages
    }

    /// Returns the total number of bytes, if bytes were added.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        let mut bytes = self.pairs.values().map(|traffic| traffic.bytes);
        bytes.try_fold(0, |sum: u64, bytes| Some(sum.saturating_add(bytes?)))
    }
}

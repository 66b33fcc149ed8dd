//! The communication matrix: messages between every two processes, from the model of the program alone
//! (Ketterlin et al., RR-8562, section V.A).

use std::collections::BTreeMap;
use std::iter::Sum;
use std::ops::AddAssign;

use super::Wires;
use crate::fold::merge::{Construct, Kind, System};

/// What one process sends to another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages.
    pub messages: u64,
    /// Their bytes, if they were asked for.
    pub bytes: Option<u64>,
}

impl AddAssign for Traffic {
    /// Adds messages and bytes. If the bytes of one side are unknown, the sum has those of the other side. Sums
    /// that do not fit into 64 bits are `u64::MAX`.
    fn add_assign(&mut self, other: Self) {
        self.messages = self.messages.saturating_add(other.messages);
        self.bytes = match (self.bytes, other.bytes) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
    }
}

impl Traffic {
    /// Returns whether a sum is `u64::MAX`, which means that the actual number may be greater.
    #[must_use]
    pub fn is_saturated(&self) -> bool {
        self.messages == u64::MAX || self.bytes == Some(u64::MAX)
    }
}

impl Sum for Traffic {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |mut sum, part| {
            sum += part;
            sum
        })
    }
}

/// Who sends how much to whom, by rank; `None` where the trace does not say who.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// Sender and receiver, and what is sent.
    pub pairs: BTreeMap<(Option<u64>, Option<u64>), Traffic>,
}

impl Matrix {
    /// The messages that are sent in a construct, which runs `times` times; those that are sent and never
    /// received, too.
    #[must_use]
    pub fn of_construct(construct: &Construct, times: u64, wires: &Wires) -> Self {
        let mut matrix = Self::default();
        matrix.add(construct, times, wires);
        matrix
    }

    /// The messages that are sent in a program.
    #[must_use]
    pub fn of(system: &System, wires: &Wires) -> Self {
        let mut matrix = Self::default();
        for construct in &system.constructs {
            matrix.add(construct, 1, wires);
        }
        matrix
    }

    fn add(&mut self, construct: &Construct, times: u64, wires: &Wires) {
        match &construct.kind {
            Kind::Loop { count, body } => {
                for construct in &body.constructs {
                    self.add(construct, times.saturating_mul(*count), wires);
                }
            }
            Kind::Event(member) => {
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

    /// All messages.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.total().messages
    }

    /// All bytes, if they were asked for.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        let mut bytes = self.pairs.values().map(|traffic| traffic.bytes);
        bytes.try_fold(0, |sum: u64, bytes| Some(sum.saturating_add(bytes?)))
    }
}

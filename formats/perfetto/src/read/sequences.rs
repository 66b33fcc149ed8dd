//! The state of packet sequences: what a packet may leave out because an earlier one of its sequence has it.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::read::fault::Fault;
use crate::read::names::Names;
use crate::read::wire::{Fields, Value, each_number};

/// All packet sequences, in the order of their first packets.
#[derive(Debug, Default)]
pub(crate) struct Sequences {
    sequences: Vec<Sequence>,
    /// The numbers of the sequences by their ids, and the id and the number of the last one.
    numbers: HashMap<u32, usize, RandomState>,
    last: Option<(u32, usize)>,
}

impl Sequences {
    /// Returns the number of a sequence.
    #[inline]
    pub(crate) fn number(&mut self, id: u32) -> usize {
        if let Some((last, number)) = self.last
            && last == id
        {
            return number;
        }
        let sequences = &mut self.sequences;
        let number = *self.numbers.entry(id).or_insert_with(|| {
            sequences.push(Sequence::default());
            sequences.len() - 1
        });
        self.last = Some((id, number));
        number
    }

    /// Returns the sequence with this number.
    #[inline]
    pub(crate) fn get_mut(&mut self, number: usize) -> &mut Sequence {
        &mut self.sequences[number]
    }
}

/// A packet sequence.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    /// Whether packets were lost since the state was cleared.
    pub is_broken: bool,
    /// Whether there were packets before.
    pub has_begun: bool,
    /// How often the state was cleared.
    pub state: u64,
    pub names: Names,
    pub defaults: Defaults,
    /// The process and the thread that all events belong to which have no track.
    pub thread: Option<(i64, i64)>,
    /// The last time in microseconds, for times that are differences.
    pub reference: i64,
}

impl Sequence {
    /// Forgets everything that the sequence has sent.
    pub(crate) fn clear(&mut self) {
        self.is_broken = false;
        self.state += 1;
        self.names = Names::default();
        self.defaults = Defaults::default();
    }
}

/// A message `TracePacketDefaults`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defaults {
    pub clock: Option<u32>,
    pub track: Option<u64>,
    /// The tracks of additional counter values of events: integers, and doubles.
    pub integers: Vec<u64>,
    pub doubles: Vec<u64>,
}

impl Defaults {
    pub(crate) fn parse(message: &[u8]) -> Result<Self, Fault> {
        let mut defaults = Self::default();
        for field in Fields::new(message) {
            match field? {
                (58, Value::Number(clock)) => defaults.clock = Some(clock as u32),
                (11, Value::Bytes(event)) => {
                    for field in Fields::new(event) {
                        match field? {
                            (11, Value::Number(track)) => defaults.track = Some(track),
                            (31, tracks) => {
                                each_number(tracks, false, |track| defaults.integers.push(track))?;
                            }
                            (45, tracks) => {
                                each_number(tracks, false, |track| defaults.doubles.push(track))?;
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(defaults)
    }
}

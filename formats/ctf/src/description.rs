//! What the metadata of a trace describe: its clocks, its streams and their events.

use std::collections::BTreeMap;

use crate::class::{ByteOrder, Class};
use crate::fault::Fault;

/// A UUID.
pub(crate) type Uuid = [u8; 16];

/// The origin of clocks that count from the epoch of Unix.
pub(crate) const EPOCH: &str = "unix-epoch";

/// The description of a trace.
#[derive(Debug)]
pub(crate) struct Description {
    /// Whether the metadata are in TSDL, the language of CTF 1.8.
    pub is_tsdl: bool,
    /// The byte order of fields that declare none; native as long as the trace declares none either.
    pub order: ByteOrder,
    pub uuid: Option<Uuid>,
    pub name: Option<String>,
    pub environment: Vec<(String, String)>,
    pub clocks: Vec<Clock>,
    pub packet_header: Option<Class>,
    pub streams: BTreeMap<u64, StreamClass>,
    /// The size of the metadata, which bounds what is derived from them.
    pub bytes: usize,
}

impl Description {
    /// Creates the description of a trace whose metadata have a number of bytes, before any of them is parsed.
    pub(crate) fn new(is_tsdl: bool, bytes: usize) -> Self {
        Self {
            is_tsdl,
            order: ByteOrder::Native,
            uuid: None,
            name: None,
            environment: Vec::new(),
            clocks: Vec::new(),
            packet_header: None,
            streams: BTreeMap::new(),
            bytes,
        }
    }

    /// Returns the value of a variable of the environment.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        let entry = self.environment.iter().find(|(key, _)| key == name);
        entry.map(|(_, value)| value.as_str())
    }
}

/// A clock.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    /// The name by which fields and streams refer to it.
    pub id: String,
    pub frequency: u64,
    /// The value of the origin, in cycles.
    pub offset: i128,
    /// The origin: two clocks with the same one have comparable times.
    pub origin: String,
}

/// Returns the offset of a clock in cycles.
pub(crate) fn clock_offset(seconds: i128, frequency: u64, cycles: i128) -> Result<i128, Fault> {
    const MOST: u128 = 1 << 90;
    let offset = seconds.checked_mul(frequency.into());
    let offset = offset.and_then(|offset| offset.checked_add(cycles));
    let offset = offset.filter(|offset| offset.unsigned_abs() <= MOST);
    offset.ok_or_else(|| Fault::new("the offset of a clock is too large"))
}

/// A class of streams.
#[derive(Debug, Default)]
pub(crate) struct StreamClass {
    pub packet_context: Option<Class>,
    pub event_header: Option<Class>,
    pub common_context: Option<Class>,
    /// The name of the default clock, if the metadata declare it for the stream as a whole.
    pub clock: Option<String>,
    pub events: BTreeMap<u64, EventClass>,
}

/// A class of events.
#[derive(Debug)]
pub(crate) struct EventClass {
    pub name: String,
    pub specific_context: Option<Class>,
    pub payload: Option<Class>,
}

//! The fields of a packet of another program.

use crate::messages::STATE_CLEARED;
use crate::numbers::{
    CLOCK_SNAPSHOT, FIRST_PACKET, INTERNED_DATA, PACKET_DEFAULTS, PREVIOUS_PACKET_DROPPED,
    PROCESS_DESCRIPTOR, PROCESS_TREE, SEQUENCE, SEQUENCE_FLAGS, STATE_CLEARED_OLD,
    THREAD_DESCRIPTOR, TIMESTAMP, TIMESTAMP_CLOCK, TRACK_DESCRIPTOR, TRACK_EVENT,
};
use crate::read::fault::Fault;
use crate::read::wire::{Fields, Value};

/// The fields of a packet that are needed, in the order in which they take effect.
#[derive(Default)]
pub(crate) struct Packet<'a> {
    pub sequence: u32,
    pub flags: u64,
    pub is_after_gap: bool,
    /// Whether no packets of the sequence come before, except for those of another recording.
    pub is_first: bool,
    pub timestamp: Option<u64>,
    pub clock: Option<u32>,
    pub snapshot: Option<&'a [u8]>,
    pub names: Option<&'a [u8]>,
    pub defaults: Option<&'a [u8]>,
    pub process_tree: Option<&'a [u8]>,
    pub process: Option<&'a [u8]>,
    pub thread: Option<&'a [u8]>,
    pub track: Option<&'a [u8]>,
    pub event: Option<&'a [u8]>,
    /// Another field with data.
    pub other: Option<u32>,
}

impl<'a> Packet<'a> {
    #[inline]
    pub(crate) fn parse(message: &'a [u8]) -> Result<Self, Fault> {
        let mut packet = Self::default();
        for field in Fields::new(message) {
            match field? {
                (TIMESTAMP, Value::Number(time)) => packet.timestamp = Some(time),
                (SEQUENCE, Value::Number(id)) => packet.sequence = id as u32,
                (TRACK_EVENT, Value::Bytes(event)) => packet.event = Some(event),
                (SEQUENCE_FLAGS, Value::Number(flags)) => packet.flags |= flags,
                (TIMESTAMP_CLOCK, Value::Number(id)) => packet.clock = Some(id as u32),
                (INTERNED_DATA, Value::Bytes(names)) => packet.names = Some(names),
                (STATE_CLEARED_OLD, Value::Number(1..)) => {
                    packet.flags |= u64::from(STATE_CLEARED);
                }
                (PREVIOUS_PACKET_DROPPED, Value::Number(1..)) => packet.is_after_gap = true,
                (FIRST_PACKET, Value::Number(1..)) => packet.is_first = true,
                (CLOCK_SNAPSHOT, Value::Bytes(snapshot)) => packet.snapshot = Some(snapshot),
                (PACKET_DEFAULTS, Value::Bytes(defaults)) => packet.defaults = Some(defaults),
                (PROCESS_TREE, Value::Bytes(tree)) => packet.process_tree = Some(tree),
                (PROCESS_DESCRIPTOR, Value::Bytes(process)) => packet.process = Some(process),
                (THREAD_DESCRIPTOR, Value::Bytes(thread)) => packet.thread = Some(thread),
                (TRACK_DESCRIPTOR, Value::Bytes(track)) => packet.track = Some(track),
                (number, Value::Bytes(_)) => packet.other = Some(number),
                _ => {}
            }
        }
        Ok(packet)
    }
}

//! Defines operations: the communication of one call of a location.

use foldtrace_trace::{Position, SymbolId, Timestamp};

use super::Kind;

/// The identifier of an operation while it is in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(u32);

impl Key {
    /// Creates the identifier of the operation at this place of the window.
    pub const fn new(place: usize) -> Self {
        Self(place as u32)
    }

    /// Returns the place of the operation in the window.
    pub const fn place(self) -> usize {
        self.0 as usize
    }
}

/// An operation: the communication of one call of a location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    /// The number of its location.
    pub lane: u32,
    pub kind: Kind,
    /// The symbol of the event that entered the call.
    pub call: Option<SymbolId>,
    pub position: Position,
    pub events: u64,
    pub start: Timestamp,
    pub end: Timestamp,
    pub phase: u64,
    /// The number of its events that wait for matching.
    pub unsettled: u32,
    /// Whether more events may be added.
    pub is_open: bool,
    /// Whether a later call may still wait for its immediate sends.
    pub is_held: bool,
    /// The first member of its collective operation.
    pub collective: Option<Key>,
    /// Whether its partition is in a leap.
    pub is_in_leap: bool,
}

impl Operation {
    /// Returns the number of its location.
    pub const fn lane(&self) -> usize {
        self.lane as usize
    }

    /// Returns whether everything about the operation is known.
    pub fn is_complete(&self) -> bool {
        self.unsettled == 0 && !self.is_open && !self.is_held
    }
}

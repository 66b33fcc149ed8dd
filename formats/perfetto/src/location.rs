//! What is known of a location while it is written: its sequence of packets and its open slices.

use std::collections::HashSet;

use foldtrace_trace::{CallChange, LocationId, OpenCalls, SymbolId, SymbolTable};

use crate::interned::Sent;
use crate::messages::TrackDescriptor;
use crate::tracks::TrackOf;

/// A location being written.
pub(crate) struct Location {
    /// The id of its sequence of packets.
    pub(crate) sequence: u32,
    /// The id of its track.
    pub(crate) track: u64,
    /// How its track was described last.
    pub(crate) described: TrackDescriptor,
    pub(crate) sent: Sent,
    /// The tracks of metrics that are described.
    pub(crate) counters: HashSet<(u64, u32)>,
    calls: OpenCalls,
}

/// What an event does to the slices of a track, where an end has no name and ends the innermost one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It begins or ends nothing.
    None,
    Begin,
    /// So many slices end; those of these symbols then begin again, the outermost first.
    End(usize, Vec<SymbolId>),
}

impl Location {
    pub(crate) fn new(id: LocationId, sequence: u32, described: TrackDescriptor) -> Self {
        Self {
            sequence,
            track: TrackOf::Location(id).uuid(),
            described,
            sent: Sent::default(),
            counters: HashSet::new(),
            calls: OpenCalls::default(),
        }
    }

    /// Takes the next event.
    #[inline]
    pub(crate) fn take(&mut self, symbol: SymbolId, symbols: &SymbolTable) -> Change {
        match self.calls.take(symbol, symbols) {
            CallChange::None => Change::None,
            CallChange::Entered => Change::Begin,
            CallChange::Left { depth, .. } => {
                // Calls that are left out of order: those within go on in new slices.
                let within = &self.calls.entered()[depth..];
                Change::End(within.len() + 1, within.to_vec())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldtrace_trace::{EventKind, Symbol};

    #[test]
    fn calls_within_go_on_when_one_is_left_out_of_order() {
        let mut symbols = SymbolTable::default();
        let mut location = Location::new(LocationId(0), 1, TrackDescriptor::default());
        let [outer, inner] = [1, 2].map(|id| symbols.intern(Symbol::new(EventKind::Enter, &[id])));
        let [leave_outer, leave_inner] =
            [1, 2].map(|id| symbols.intern(Symbol::new(EventKind::Leave, &[id])));
        let mut take = |symbol| location.take(symbol, &symbols);
        assert_eq!(take(leave_outer), Change::None);
        assert_eq!(take(outer), Change::Begin);
        assert_eq!(take(inner), Change::Begin);
        assert_eq!(take(leave_outer), Change::End(2, vec![inner]));
        assert_eq!(take(leave_inner), Change::End(1, Vec::new()));
    }
}

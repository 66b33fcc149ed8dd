//! The state of a location while it is written: its packet sequence and its open slices.

use std::collections::HashSet;

use foldtrace_trace::{CallChange, LocationId, OpenCalls, SymbolId, SymbolTable};

use crate::messages::TrackDescriptor;
use crate::write::interned::SentNames;
use crate::write::tracks::TrackSubject;

/// A location being written.
pub(crate) struct Location {
    /// The id of its packet sequence.
    pub(crate) sequence: u32,
    /// The id of its track.
    pub(crate) track: u64,
    /// The last description of its track.
    pub(crate) described: TrackDescriptor,
    pub(crate) sent: SentNames,
    /// The metric tracks that are already described.
    pub(crate) counters: HashSet<(u64, u32)>,
    /// The open calls, each with the index of its slice.
    calls: OpenCalls<usize>,
    /// The open slices of the track, outermost first.
    slices: Vec<Slice>,
}

/// Maximum number of slices that end and begin again when a call is left before the calls within it.
const MOST_SPLIT: usize = 16;

/// An open slice.
#[derive(Clone, Copy, Debug)]
struct Slice {
    enter: SymbolId,
    /// Whether the call was already left, and the slice waits for the slices within it to end.
    is_late: bool,
}

/// The effect of an event on the slices of a track. An end has no name and ends the innermost slice.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The event neither begins nor ends a slice.
    None,
    Begin,
    /// The given number of slices end. The slices of the given symbols then begin again, outermost first.
    End(usize, Vec<SymbolId>),
    /// The slice ends later, together with the slices within it, which are too many to split.
    EndLater,
}

impl Location {
    pub(crate) fn new(id: LocationId, sequence: u32, described: TrackDescriptor) -> Self {
        Self {
            sequence,
            track: TrackSubject::Location(id).uuid(),
            described,
            sent: SentNames::default(),
            counters: HashSet::new(),
            calls: OpenCalls::default(),
            slices: Vec::new(),
        }
    }

    /// Returns the effect of the next event.
    #[inline]
    pub(crate) fn take(&mut self, symbol: SymbolId, symbols: &SymbolTable) -> Change {
        let own = self.slices.len();
        match self.calls.take_with(symbol, symbols, |_| own) {
            CallChange::None => Change::None,
            CallChange::Entered => {
                self.slices.push(Slice {
                    enter: symbol,
                    is_late: false,
                });
                Change::Begin
            }
            CallChange::Left { call: own, .. } => self.end(own),
        }
    }

    /// Ends slice number `own`. The slices within it end too and begin again. If there are more than
    /// [`MOST_SPLIT`] of them, slice `own` waits for them to end instead, so that the size of the output
    /// is linear in the number of events.
    fn end(&mut self, own: usize) -> Change {
        let open = self.slices.len();
        if open - own > 1 + MOST_SPLIT {
            self.slices[own].is_late = true;
            return Change::EndLater;
        }
        let within = self.slices.drain(own..).skip(1);
        let again: Vec<_> = within.filter(|slice| !slice.is_late).collect();
        while self.slices.last().is_some_and(|slice| slice.is_late) {
            self.slices.pop();
        }
        let ends = open - self.slices.len();
        let first = self.slices.len();
        let calls = self.calls.calls_mut().rev().take(again.len());
        for ((_, slice), number) in calls.zip((first..first + again.len()).rev()) {
            *slice = number;
        }
        self.slices.extend_from_slice(&again);
        Change::End(ends, again.iter().map(|slice| slice.enter).collect())
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

    #[test]
    fn a_call_with_many_within_it_ends_when_they_do() {
        let mut symbols = SymbolTable::default();
        let mut location = Location::new(LocationId(0), 1, TrackDescriptor::default());
        let calls = 2 * MOST_SPLIT as u64;
        for id in 0..calls {
            let enter = symbols.intern(Symbol::new(EventKind::Enter, &[id]));
            assert_eq!(location.take(enter, &symbols), Change::Begin);
        }
        let mut open = calls as usize;
        for id in 0..calls {
            let leave = symbols.intern(Symbol::new(EventKind::Leave, &[id]));
            match location.take(leave, &symbols) {
                Change::EndLater => assert!(open - id as usize > MOST_SPLIT + 1),
                Change::End(ends, again) => {
                    assert_eq!(again.len() as u64, calls - id - 1);
                    open = open - ends + again.len();
                }
                change => panic!("{change:?}"),
            }
        }
        assert_eq!(open, 0, "each slice that began has ended");
    }
}

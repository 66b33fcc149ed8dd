//! The state of a thread: its open calls, with the collective operations that they perform, and its state.

use foldtrace_trace::SymbolId;

use crate::meaning::TypeId;

/// A collective operation of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    /// The code of the operation.
    pub code: u64,
    /// The number of its communicator, if it is known.
    pub communicator: Option<u64>,
    /// Whether the thread belongs to the root.
    pub is_root: bool,
    pub sent: u64,
    pub received: u64,
    /// Whether its beginning is an event already.
    pub has_begun: bool,
}

/// An open call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenCall {
    /// The type of the events that begin and end it.
    pub event_type: TypeId,
    pub leave: SymbolId,
    /// The time at which it began.
    pub begin: u64,
    /// The code of the collective operation that its routine performs.
    pub code: Option<u64>,
    pub operation: Option<Operation>,
}

/// The current state of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub end: u64,
    /// The event that ends it, if states are calls.
    pub leave: Option<SymbolId>,
}

/// What a thread does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity {
    /// The open calls, the innermost last.
    pub calls: Vec<OpenCall>,
    pub state: Option<State>,
    /// The CPU on which the thread was last seen; 0 if that is unknown.
    pub cpu: u64,
}

impl Activity {
    /// Returns whether a call is open that events of a type began.
    pub(crate) fn has_call(&self, event_type: TypeId) -> bool {
        let mut calls = self.calls.iter();
        calls.any(|call| call.event_type == event_type)
    }

    /// Removes and returns the innermost call that events of a type began.
    pub(crate) fn end_call(&mut self, event_type: TypeId) -> Option<OpenCall> {
        let mut places = self.calls.iter();
        let place = places.rposition(|call| call.event_type == event_type)?;
        Some(self.calls.remove(place))
    }
}

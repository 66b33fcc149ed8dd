//! What a thread of the trace that is written does: its open calls, and its state.

use foldtrace_trace::UNDEFINED;

use super::records::Place;
use super::vocabulary::CallCode;

/// An open call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenCall {
    pub region: u64,
    pub code: CallCode,
    /// The time at which it began, in nanoseconds.
    pub begin: u64,
    /// Of a call that performs a collective operation: the place of the record of its beginning, which is written when the
    /// operation is known.
    pub deferred: Option<Place>,
    pub operation: Option<Operation>,
}

/// The collective operation of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    /// The number of its communicator.
    pub communicator: Option<u64>,
    pub is_root: bool,
    pub sent: u64,
    pub received: u64,
}

impl Operation {
    /// Returns the quantities that are known, as types of events and values.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (u64, u64)> {
        use crate::extrae::{COMMUNICATOR, RECEIVED, ROOT, SENT};
        let known = |number, value: u64| (value != UNDEFINED).then_some((number, value));
        [
            known(SENT, self.sent),
            known(RECEIVED, self.received),
            self.is_root.then_some((ROOT, 1)),
            self.communicator.map(|number| (COMMUNICATOR, number)),
        ]
        .into_iter()
        .flatten()
    }
}

/// A state that lasts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub number: u64,
    pub begin: Place,
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thread {
    /// The number of its task, from 1.
    pub task: u64,
    /// The fields of the thread in a record: `0:1:TASK:THREAD:`.
    pub object: Vec<u8>,
    /// The open calls, the innermost last.
    pub calls: Vec<OpenCall>,
    pub state: Option<State>,
    /// The time of its last event, in nanoseconds.
    pub last: u64,
    pub has_begun: bool,
}

impl Thread {
    /// Returns the state that follows from the open calls.
    pub(crate) fn state_in_calls(&self) -> u64 {
        let mut states = self.calls.iter().rev().filter_map(|call| call.code.state);
        states.next().unwrap_or(crate::extrae::RUNNING)
    }

    /// Returns the innermost call, if it performs a collective operation that is not known yet.
    pub(crate) fn awaiting_operation(&mut self) -> Option<&mut OpenCall> {
        let call = self.calls.last_mut()?;
        (call.deferred.is_some() && call.operation.is_none()).then_some(call)
    }

    /// Returns whether an event that ends a call of this type would end the call at this place: whether no call of the type is
    /// open within it.
    pub(crate) fn is_innermost_of_type(&self, place: usize) -> bool {
        let event_type = self.calls[place].code.event_type;
        let inner = &self.calls[place + 1..];
        inner.iter().all(|call| call.code.event_type != event_type)
    }
}

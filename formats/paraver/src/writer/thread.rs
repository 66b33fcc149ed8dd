//! What a thread of the trace that is written does: its open calls, its state, and the records of both.

use std::io;

use foldtrace_notation::push_number;
use foldtrace_trace::UNDEFINED;

use super::numbers::{push_numbers, push_signed};
use super::records::{Place, Records};
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

    /// Writes a record of events: types and values.
    pub(crate) fn push_events(
        &self,
        records: &mut Records,
        place: Place,
        events: &[(u64, u64)],
    ) -> io::Result<()> {
        records.push(place, |out| {
            out.extend_from_slice(b"2:");
            out.extend_from_slice(&self.object);
            push_number(out, place.time);
            for &(event_type, value) in events {
                out.push(b':');
                push_number(out, event_type);
                out.push(b':');
                push_signed(out, value);
            }
            out.push(b'\n');
        })
    }

    /// Writes the beginning of a call whose record waited for its collective operation.
    pub(crate) fn begin_deferred(&self, records: &mut Records, call: &OpenCall) -> io::Result<()> {
        let Some(place) = call.deferred else {
            return Ok(());
        };
        let mut events = vec![(call.code.event_type, call.code.value)];
        events.extend(call.operation.iter().flat_map(Operation::parts));
        self.push_events(records, place, &events)
    }

    /// Ends the state, and begins another one, if there is one. States that follow from calls last until they change, and
    /// take time.
    pub(crate) fn set_state(
        &mut self,
        records: &mut Records,
        time: u64,
        state: Option<u64>,
        follows_calls: bool,
    ) -> io::Result<()> {
        if follows_calls && self.state.map(|it| it.number) == state {
            return Ok(());
        }
        let begin = records.place(time);
        let next = state.map(|number| State { number, begin });
        let Some(before) = std::mem::replace(&mut self.state, next) else {
            return Ok(());
        };
        if follows_calls && time <= before.begin.time {
            return Ok(());
        }
        records.push(before.begin, |out| {
            out.extend_from_slice(b"1:");
            out.extend_from_slice(&self.object);
            let end = time.max(before.begin.time);
            push_numbers(out, &[before.begin.time, end, before.number]);
            out.push(b'\n');
        })
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

//! Decoded events of a stream that wait for their turn.

use std::ops::Range;
use std::path::PathBuf;

use foldtrace_trace::Place;

use crate::class::Role;
use crate::leaf::{EventFields, Fields};
use crate::state::State;

/// The number of bytes of fields for each event of a chunk; a chunk with larger events has fewer of them.
const FIELD_BYTES: usize = 512;

/// A decoded event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// The index of its class in the trace.
    pub class: u32,
    /// The index of the first field that it does not share with its packet, and the one after its last field.
    pub own: u32,
    pub end: u32,
    /// The time in ticks; `None` if the stream has no clock.
    pub time: Option<u64>,
    /// The time when it has its turn: its own, or that of an earlier event of the stream if that is later.
    pub turn: u64,
    /// Where it ends in the file, in bytes.
    pub place: u64,
}

/// What identifies the location of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub thread: Option<u64>,
    pub process: Option<u64>,
    pub cpu: Option<u64>,
}

impl Owner {
    #[inline]
    pub(crate) fn new(state: &State) -> Self {
        let [thread, process, cpu] =
            [Role::Thread, Role::Process, Role::Cpu].map(|role| state.role(role));
        Self {
            thread,
            process,
            cpu,
        }
    }
}

/// Consecutive events of a stream, all from one file.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub events: Vec<Event>,
    pub fields: Fields,
    /// The size of the fields of all events.
    size: (usize, usize),
    /// The owners of the events, each with the index of its first event.
    pub owners: Vec<(u32, Owner)>,
    /// The indices of events that change how the events after them are understood, whatever their stream.
    pub barriers: Vec<u32>,
    pub file: PathBuf,
}

impl Chunk {
    /// Removes everything but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.fields.clear();
        self.size = (0, 0);
        self.owners.clear();
        self.barriers.clear();
    }

    /// Returns whether a chunk of `most` events takes no more.
    #[inline]
    pub(crate) fn is_full(&self, most: usize) -> bool {
        self.events.len() >= most || self.fields.bytes() >= FIELD_BYTES * most
    }

    /// Adds an event, whose fields have been added. `state` is the state after it.
    #[inline]
    pub(crate) fn push(&mut self, event: Event, state: &mut State, is_barrier: bool) {
        if is_barrier {
            self.barriers.push(self.events.len() as u32);
        }
        if state.take_move() || self.owners.is_empty() {
            self.note_owner(Owner::new(state));
        }
        self.events.push(event);
        self.size = self.fields.size();
    }

    fn note_owner(&mut self, owner: Owner) {
        if self.owners.last().is_none_or(|(_, last)| *last != owner) {
            self.owners.push((self.events.len() as u32, owner));
        }
    }

    /// Removes the fields of a packet that has no events.
    pub(crate) fn forget_packet(&mut self) {
        self.fields.shorten(self.size);
    }

    /// Returns the fields of an event.
    pub(crate) fn fields(&self, event: usize) -> EventFields<'_> {
        let mut one = self.events_with_fields(event..event + 1);
        one.next().map(|(.., fields)| fields).unwrap_or_default()
    }

    /// Returns events, with their indices and their fields.
    pub(crate) fn events_with_fields(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = (usize, &Event, EventFields<'_>)> {
        let before = range
            .start
            .checked_sub(1)
            .and_then(|it| self.events.get(it));
        let mut first = before.map_or(0, |before| before.end);
        let events = self.events.get(range.clone()).unwrap_or_default();
        range.zip(events).map(move |(number, event)| {
            let fields = self.fields.of_event([first, event.own, event.end]);
            first = event.end;
            (number, event, fields)
        })
    }

    /// Returns where an event ends.
    pub(crate) fn place(&self, event: usize) -> Place {
        let place = Place::file(&self.file);
        match self.events.get(event) {
            Some(event) => place.byte(event.place),
            None => place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::LeafId;

    #[test]
    fn packets_without_events_leave_nothing() {
        let mut chunk = Chunk::default();
        let add = |chunk: &mut Chunk, text: &str| {
            let start = chunk.fields.texts().len();
            chunk.fields.texts().push_str(text);
            chunk.fields.text_from(LeafId(0), start);
        };
        add(&mut chunk, "event");
        let event = Event {
            class: 0,
            own: 0,
            end: chunk.fields.count(),
            time: None,
            turn: 0,
            place: 0,
        };
        chunk.push(event, &mut State::default(), false);
        let bytes = chunk.fields.bytes();
        for _ in 0..3 {
            add(&mut chunk, "packet");
            chunk.forget_packet();
            assert_eq!(chunk.fields.bytes(), bytes);
        }
        let fields = chunk.fields(0);
        assert_eq!(fields.text(fields.own[0]), "event");
        chunk.clear();
        add(&mut chunk, "packet");
        chunk.forget_packet();
        assert_eq!(chunk.fields.bytes(), 0);
    }
}

//! Passes the communication of a trace to a visitor in an order that is possible: an event comes after all events on
//! which it depends, whatever the clocks show.
//!
//! The locations of a process share a clock, so their events come in the order of their times, as one lane. A lane waits at a
//! receive until its message is sent, and at the end of a collective operation until the operation is complete. Among
//! the lanes that do not wait, the one whose next event is earliest by the visitor's times comes first. The memory is
//! thus that of the messages and operations under way. If all lanes wait for each other, which happens only where the
//! events of a trace contradict each other, the earliest one continues.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use foldhash::fast::FixedState;
use foldtrace_matching::{
    Census, Collective, Collectives, Communicators, Matching, Message, Messages, Moment, Side,
};
use foldtrace_stream::read::{Late, Progress, Reading};
use foldtrace_trace::{
    BatchCursor, EventBatch, LocationId, Names, Position, Step, SymbolId, SymbolTable, Timestamp,
    TraceError, TraceReader,
};

use crate::dependence::Dependence;
use crate::lanes::Lanes;
use crate::role::Role;

/// The maximum number of events in all batches together, if the streams can produce such small batches.
const WAITING: usize = 1 << 17;

/// The minimum size of a batch; smaller batches are too expensive to read.
const SMALLEST_BATCH: usize = 1 << 10;

/// An event of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The number of the lane.
    pub lane: usize,
    /// The number of the location in [`Lanes::locations`].
    pub location: usize,
    /// The position in the location.
    pub position: Position,
    /// The recorded time.
    pub time: Timestamp,
}

/// An event that depends on events of other lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The event.
    pub stamp: Stamp,
    /// Whether the lane has continued after the event, because lanes would wait for each other otherwise.
    pub has_passed: bool,
}

/// The part of a location in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The beginning, if it is recorded.
    pub begin: Option<Stamp>,
    /// The end.
    pub end: Arrival,
}

/// A visitor of the events of all lanes. Each event comes once, after all events of its lane before it.
///
/// ```
/// use foldtrace_clock::{
///     Arrival, Dependence, Lanes, Participant, Replay, Replayed, Stamp, Visitor,
/// };
/// use foldtrace_matching::{Census, Communicators};
/// use foldtrace_store::StoreReader;
/// use foldtrace_stream::read::Progress;
/// use foldtrace_trace::{Timestamp, TraceReader};
///
/// /// Counts messages.
/// struct Count(u64);
///
/// impl Visitor for Count {
///     fn time(&mut self, _: usize, time: Timestamp) -> i64 {
///         time.0 as i64
///     }
///     fn event(&mut self, _: Stamp) {}
///     fn depart(&mut self, _: Stamp) {}
///     fn depart_alone(&mut self, _: Stamp) {}
///     fn arrive(&mut self, _: Stamp, _: bool) {}
///     fn message(&mut self, _: Stamp, _: Arrival) {
///         self.0 += 1;
///     }
///     fn collective(&mut self, _: Dependence, _: &[Participant]) {}
/// }
///
/// let store = StoreReader::open("../../tests/data/stores/v4/ring-4.fold".as_ref())?;
/// let (names, symbols) = (store.names(), store.symbols());
/// let progress = Progress::default();
/// let census = Census::from_store(&store, &progress)?;
/// let replayed = Replayed {
///     reader: &store,
///     names,
///     symbols,
///     lanes: &Lanes::new(store.locations(), names, &census, symbols),
///     census: &census,
///     communicators: &Communicators::new(store.definitions(), names, &census, symbols),
/// };
/// let mut count = Count(0);
/// Replay::new(replayed, &progress)?.run(&mut count)?;
/// assert_eq!(count.0, 80);
/// # Ok::<(), foldtrace_trace::TraceError>(())
/// ```
pub trait Visitor {
    /// Takes every event of a location that communicates, with its symbol, before it comes below. The events of the lane
    /// before it have come there, but not those on which this one depends.
    #[inline]
    fn pass(&mut self, _stamp: Stamp, _symbol: SymbolId) {}

    /// Returns the time by which the next event of a lane is sorted.
    fn time(&mut self, lane: usize, time: Timestamp) -> i64;

    /// Takes the first or last event of a location, unless it is one of those below.
    fn event(&mut self, stamp: Stamp);

    /// Takes a send or the beginning of a collective operation.
    fn depart(&mut self, stamp: Stamp);

    /// Ends a departure on which no event depends.
    fn depart_alone(&mut self, stamp: Stamp);

    /// Takes an event that depends on no other event, or only on events that come later: `is_awaited`.
    fn arrive(&mut self, stamp: Stamp, is_awaited: bool);

    /// Takes a receive, with its send, which came before.
    fn message(&mut self, send: Stamp, receive: Arrival);

    /// Takes the ends of a collective operation, whose beginnings came before.
    fn collective(&mut self, dependence: Dependence, participants: &[Participant]);
}

/// The next event of a location.
#[derive(Clone, Copy, Debug)]
struct Next {
    position: Position,
    time: Timestamp,
    /// The latest time so far, by which the locations of a lane are merged.
    clock: Timestamp,
    role: Role,
}

/// The state of reading a location.
struct Location<'a> {
    id: LocationId,
    reading: Reading<'a>,
    batch: EventBatch,
    cursor: BatchCursor,
    next: Option<Next>,
    /// The last event that was not needed.
    skipped: Option<(Position, Timestamp)>,
    clock: Timestamp,
}

/// The state of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    /// The lane waits at this event, as a receive or as the end of a collective operation.
    Waiting(Stamp),
}

/// A replay of the communication of a store.
pub struct Replay<'a> {
    lanes: &'a Lanes,
    communicators: &'a Communicators,
    symbols: &'a SymbolTable,
    roles: Vec<Role>,
    locations: Vec<Location<'a>>,
    numbers: HashMap<LocationId, usize, FixedState>,
    states: Vec<State>,
    queue: BinaryHeap<Reverse<(i64, usize)>>,
    messages: Messages<'a>,
    collectives: Collectives<'a>,
    /// The messages found last; kept for its memory.
    found: Vec<Message>,
    late: Late,
}

/// What is replayed: the communication of a trace whose symbols are known before its first event.
#[derive(Clone, Copy)]
pub struct Replayed<'a> {
    /// The events.
    pub reader: &'a dyn TraceReader,
    /// The names of the trace.
    pub names: &'a Names,
    /// Its symbols.
    pub symbols: &'a SymbolTable,
    /// The lanes of the locations that communicate.
    pub lanes: &'a Lanes,
    /// The counts of the events that are replayed.
    pub census: &'a Census,
    /// The communicators.
    pub communicators: &'a Communicators,
}

impl<'a> Replay<'a> {
    /// Creates a replay of all communication.
    ///
    /// # Errors
    /// Returns an error if the trace is damaged.
    pub fn new(replayed: Replayed<'a>, progress: &'a Progress) -> Result<Self, TraceError> {
        Self::of_positions(replayed, |_| Position(0)..Position(u64::MAX), progress)
    }

    /// Creates a replay of the events at `positions` of each location. The reader must be able to seek, as that of a store.
    ///
    /// # Errors
    /// Returns an error if the trace is damaged.
    pub fn of_positions(
        replayed: Replayed<'a>,
        positions: impl Fn(LocationId) -> Range<Position>,
        progress: &'a Progress,
    ) -> Result<Self, TraceError> {
        let Replayed {
            reader,
            names,
            symbols,
            lanes,
            census,
            communicators,
        } = replayed;
        let ids = lanes.locations();
        let mut late = Late::default();
        let events = (WAITING / ids.len().max(1)).max(SMALLEST_BATCH);
        let mut locations = Vec::with_capacity(ids.len());
        for it in ids {
            let positions = positions(it.id);
            let mut reading =
                Reading::open_at(reader, it.stream, positions, false, progress, &mut late)?;
            reading.batch_at_most(events);
            locations.push(Location {
                id: it.id,
                reading,
                batch: EventBatch::default(),
                cursor: BatchCursor::default(),
                next: None,
                skipped: None,
                clock: Timestamp(0),
            });
        }
        let numbers = (0..).zip(ids).map(|(number, it)| (it.id, number));
        Ok(Self {
            lanes,
            communicators,
            symbols,
            roles: symbols
                .iter()
                .map(|(_, symbol)| Role::of(symbol.kind))
                .collect(),
            locations,
            numbers: numbers.collect(),
            states: vec![State::Ready; lanes.len()],
            queue: BinaryHeap::with_capacity(lanes.len()),
            messages: Messages::new(names, communicators, census, symbols).without_completions(),
            collectives: Collectives::new(names, communicators, census, symbols),
            found: Vec::new(),
            late,
        })
    }

    /// Passes all events to a visitor.
    ///
    /// # Errors
    /// Returns an error if a table of the store is damaged, or the work was stopped.
    pub fn run(mut self, visitor: &mut impl Visitor) -> Result<(), TraceError> {
        for number in 0..self.locations.len() {
            self.seek(number, visitor)?;
        }
        for lane in 0..self.lanes.len() {
            self.schedule(lane, visitor);
        }
        loop {
            while let Some(Reverse((_, lane))) = self.queue.pop() {
                self.step(lane, visitor)?;
            }
            let Some(stamp) = self.earliest_waiting(visitor) else {
                return Ok(());
            };
            visitor.arrive(stamp, true);
            self.resume(stamp, visitor)?;
        }
    }

    /// Returns the waiting event that is earliest.
    fn earliest_waiting(&self, visitor: &mut impl Visitor) -> Option<Stamp> {
        let waiting = self.states.iter().filter_map(|state| match state {
            State::Waiting(stamp) => Some(*stamp),
            State::Ready => None,
        });
        waiting.min_by_key(|stamp| (visitor.time(stamp.lane, stamp.time), stamp.lane))
    }

    /// Processes the next event of a lane, and moves the lane on unless it has to wait.
    fn step(&mut self, lane: usize, visitor: &mut impl Visitor) -> Result<(), TraceError> {
        let Some((number, next)) = self.next_of(lane) else {
            return Ok(());
        };
        let stamp = Stamp {
            lane,
            location: number,
            position: next.position,
            time: next.time,
        };
        let location = &mut self.locations[number];
        let id = location.id;
        let event = if next.role == Role::None {
            None
        } else {
            location.cursor.next(&location.batch, self.symbols)
        };
        location.next = None;
        match (next.role, event) {
            (Role::Send, Some(event)) => {
                visitor.depart(stamp);
                self.messages.take(id, &event, self.symbols);
            }
            (Role::Identifies, Some(event)) => self.messages.take(id, &event, self.symbols),
            (Role::Begin, Some(event)) => {
                visitor.depart(stamp);
                self.collectives.take(id, &event, self.symbols);
            }
            (Role::Receive, Some(event)) => {
                self.states[lane] = State::Waiting(stamp);
                self.messages.take(id, &event, self.symbols);
            }
            (Role::End, Some(event)) => {
                self.states[lane] = State::Waiting(stamp);
                self.collectives.take(id, &event, self.symbols);
            }
            _ => visitor.event(stamp),
        }
        if self.states[lane] == State::Ready {
            self.move_on(number, lane, visitor)?;
        }
        self.conclude_messages(visitor)?;
        self.conclude_collectives(visitor)
    }

    fn conclude_messages(&mut self, visitor: &mut impl Visitor) -> Result<(), TraceError> {
        let mut found = std::mem::take(&mut self.found);
        found.extend(self.messages.found());
        for message in found.drain(..) {
            let receive = message.receive.and_then(|side| self.of_side(side));
            let send = message.send.and_then(|side| self.of_side(side));
            let Some(receive) = receive else {
                send.into_iter().for_each(|send| visitor.depart_alone(send));
                continue;
            };
            let has_passed = self.states[receive.lane] != State::Waiting(receive);
            match send {
                Some(send) => visitor.message(
                    send,
                    Arrival {
                        stamp: receive,
                        has_passed,
                    },
                ),
                None if !has_passed => visitor.arrive(receive, false),
                None => {}
            }
            if !has_passed {
                self.resume(receive, visitor)?;
            }
        }
        self.found = found;
        Ok(())
    }

    fn conclude_collectives(&mut self, visitor: &mut impl Visitor) -> Result<(), TraceError> {
        let found: Vec<Collective> = self.collectives.found().collect();
        for mut collective in found {
            let dependence = Dependence::new(&mut collective, self.communicators);
            let participants = collective.members.iter().filter_map(|member| {
                let stamp = self.stamp(member.location, member.end)?;
                Some(Participant {
                    begin: member
                        .begin
                        .and_then(|begin| self.stamp(member.location, begin)),
                    end: Arrival {
                        stamp,
                        has_passed: self.states[stamp.lane] != State::Waiting(stamp),
                    },
                })
            });
            let participants: Vec<Participant> = participants.collect();
            let waiting = participants.iter().filter(|it| !it.end.has_passed);
            match dependence {
                Some(dependence) => visitor.collective(dependence, &participants),
                None => {
                    waiting
                        .clone()
                        .for_each(|it| visitor.arrive(it.end.stamp, false));
                    let begins = participants.iter().filter_map(|it| it.begin);
                    begins.for_each(|begin| visitor.depart_alone(begin));
                }
            }
            for it in waiting {
                self.resume(it.end.stamp, visitor)?;
            }
        }
        Ok(())
    }

    fn of_side(&self, side: Side) -> Option<Stamp> {
        self.stamp(side.location, side.moment)
    }

    fn stamp(&self, location: LocationId, moment: Moment) -> Option<Stamp> {
        let number = *self.numbers.get(&location)?;
        Some(Stamp {
            lane: self.lanes.locations()[number].lane,
            location: number,
            position: moment.position,
            time: moment.time,
        })
    }

    /// Ends the waiting of a lane.
    fn resume(&mut self, stamp: Stamp, visitor: &mut impl Visitor) -> Result<(), TraceError> {
        self.states[stamp.lane] = State::Ready;
        self.move_on(stamp.location, stamp.lane, visitor)
    }

    /// Moves a location to its next event, and puts the lane into the queue.
    fn move_on(
        &mut self,
        number: usize,
        lane: usize,
        visitor: &mut impl Visitor,
    ) -> Result<(), TraceError> {
        self.seek(number, visitor)?;
        self.schedule(lane, visitor);
        Ok(())
    }

    /// Puts a lane into the queue if it has a next event.
    fn schedule(&mut self, lane: usize, visitor: &mut impl Visitor) {
        if let Some((_, next)) = self.next_of(lane) {
            let time = visitor.time(lane, next.clock);
            self.queue.push(Reverse((time, lane)));
        }
    }

    /// Returns the earliest of the next events of a lane's locations, with the number of its location.
    fn next_of(&self, lane: usize) -> Option<(usize, Next)> {
        let numbers = self.lanes.locations_of(lane).iter();
        let next = numbers.filter_map(|&number| Some((number, self.locations[number].next?)));
        next.min_by_key(|(number, next)| (next.clock, *number))
    }

    /// Moves a location to the next event that is needed, if it is not at one.
    fn seek(&mut self, number: usize, visitor: &mut impl Visitor) -> Result<(), TraceError> {
        let location = &mut self.locations[number];
        loop {
            while let Some((position, time, symbol)) = location.cursor.peek(&location.batch) {
                let role = self.roles.get(symbol.row()).copied().unwrap_or(Role::None);
                let stamp = Stamp {
                    lane: self.lanes.locations()[number].lane,
                    location: number,
                    position,
                    time,
                };
                visitor.pass(stamp, symbol);
                location.clock = location.clock.max(time);
                let is_first = position == Position(0);
                let (clock, is_needed) = (location.clock, role != Role::None);
                if is_needed || is_first {
                    if is_needed {
                        location.skipped = None;
                    } else {
                        location.cursor.skip(&location.batch, self.symbols);
                    }
                    location.next = Some(Next {
                        position,
                        time,
                        clock,
                        role,
                    });
                    return Ok(());
                }
                location.skipped = Some((position, time));
                location.cursor.skip(&location.batch, self.symbols);
            }
            let step = location
                .reading
                .next_batch(&mut location.batch, &mut self.late)?;
            location.cursor = BatchCursor::default();
            if step == Step::End && location.batch.is_empty() {
                let clock = location.clock;
                location.next = location.skipped.take().map(|(position, time)| Next {
                    position,
                    time,
                    clock,
                    role: Role::None,
                });
                return Ok(());
            }
        }
    }
}

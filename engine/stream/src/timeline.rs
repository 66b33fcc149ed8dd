//! Merges all locations of a trace into one sequence of events in the order of time.
//!
//! Each location is already in its own order, so one batch per location is kept, and the earliest event of all of
//! them comes next. The memory is that of the batches, whatever the length of the trace.
//!
//! The events of a location always keep the order of their positions. If the times of a location go backwards, an
//! event is sorted by the latest time before it, but keeps its own time. Events with the same time are sorted by
//! location.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

use foldtrace_trace::{
    BatchCursor, ErrorKind, EventBatch, EventRef, LocationId, Position, Step, SymbolId,
    SymbolTable, Timestamp, TraceError, TraceReader,
};

use crate::read::{Late, Progress, Reading};

/// The maximum number of events in all batches together, if the streams can produce such small batches.
const WAITING: usize = 1 << 19;

/// The minimum size of a batch; smaller batches are too expensive to read.
const SMALLEST_BATCH: usize = 1 << 10;

/// An event with its stream and location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineEvent {
    /// The number of the stream.
    pub stream: usize,
    /// The location of the event.
    pub location: LocationId,
    /// The event. Its symbol is an id of the stream's table.
    pub event: EventRef,
}

/// An event of a location, without its quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passing {
    /// The location of the event.
    pub location: LocationId,
    /// Its position in the location.
    pub position: Position,
    /// Its time.
    pub time: Timestamp,
    /// Its symbol, as an id of the stream's table.
    pub symbol: SymbolId,
}

/// The events of all locations in the order of time.
///
/// ```
/// # use foldtrace_stream::{read::Progress, timeline::Timeline};
/// # use foldtrace_otf2::Otf2;
/// # use foldtrace_trace::{Format, Input, ReadOptions, TraceError};
/// # fn main() -> Result<(), TraceError> {
/// let archive = Input::Path("../../examples/ring-4/eztrace_log.otf2".into());
/// let trace = Otf2.open(archive, &ReadOptions::default())?;
/// let progress = Progress::default();
/// let mut timeline = Timeline::new(&*trace, false, &progress)?;
/// let (mut events, mut latest) = (0, 0);
/// while let Some(next) = timeline.next()? {
///     assert!(next.event.time.0 >= latest);
///     (events, latest) = (events + 1, next.event.time.0);
/// }
/// assert_eq!(events, 536);
/// # Ok(())
/// # }
/// ```
pub struct Timeline<'a> {
    /// The lane of each stream that is read.
    lanes: Vec<Option<Lane<'a>>>,
    /// The next event of each location that has one.
    queue: BinaryHeap<Reverse<Next>>,
    /// Whether the first event of each location is in the queue.
    is_begun: bool,
    /// Whether the first event of the queue was returned; its batch must be kept until the next call.
    is_returned: bool,
    no_symbols: SymbolTable,
    late: Late,
}

/// The state of reading a location.
struct Lane<'a> {
    location: LocationId,
    reading: Reading<'a>,
    batch: EventBatch,
    cursor: BatchCursor,
    /// The latest time so far.
    clock: Timestamp,
}

/// The key by which the next event of a location is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    time: Timestamp,
    location: LocationId,
    stream: usize,
}

impl<'a> Timeline<'a> {
    /// Creates a timeline that begins at the first event of all. With `salvage`, the intact part of a damaged stream
    /// is kept.
    ///
    /// # Errors
    /// Returns an error if a stream mixes locations, or cannot be read.
    pub fn new(
        reader: &'a dyn TraceReader,
        salvage: bool,
        progress: &'a Progress,
    ) -> Result<Self, TraceError> {
        Self::within(reader, salvage, progress, WAITING)
    }

    /// Creates a timeline with at most `waiting` events in all batches together, if the streams can produce such
    /// small batches.
    ///
    /// # Errors
    /// Returns the same errors as [`new`](Self::new).
    pub fn within(
        reader: &'a dyn TraceReader,
        salvage: bool,
        progress: &'a Progress,
        waiting: usize,
    ) -> Result<Self, TraceError> {
        Self::of_locations(reader, |_| true, salvage, progress, waiting)
    }

    /// Creates a timeline as [`within`](Self::within) does, of the locations that are `wanted`.
    ///
    /// # Errors
    /// Returns the same errors as [`new`](Self::new).
    pub fn of_locations(
        reader: &'a dyn TraceReader,
        wanted: impl Fn(LocationId) -> bool,
        salvage: bool,
        progress: &'a Progress,
        waiting: usize,
    ) -> Result<Self, TraceError> {
        let all = Position(0)..Position(u64::MAX);
        let positions = |location| wanted(location).then(|| all.clone());
        Self::of_positions(reader, positions, salvage, progress, waiting)
    }

    /// Creates a timeline as [`within`](Self::within) does, of the events at `positions` of each location, or of none if that is
    /// `None`. The reader must be able to seek, as that of a store.
    ///
    /// # Errors
    /// Returns the same errors as [`new`](Self::new).
    pub fn of_positions(
        reader: &'a dyn TraceReader,
        positions: impl Fn(LocationId) -> Option<Range<Position>>,
        salvage: bool,
        progress: &'a Progress,
        waiting: usize,
    ) -> Result<Self, TraceError> {
        let streams = reader.streams();
        let mut timeline = Self {
            lanes: Vec::with_capacity(streams.len()),
            queue: BinaryHeap::with_capacity(streams.len()),
            is_begun: false,
            is_returned: false,
            no_symbols: SymbolTable::default(),
            late: Late::default(),
        };
        let parts = streams.iter().map(|info| {
            let location = info.location.ok_or_else(mixed)?;
            Ok(positions(location).map(|positions| (location, positions)))
        });
        let parts = parts.collect::<Result<Vec<_>, TraceError>>()?;
        let lanes = parts.iter().flatten().count();
        let events = (waiting.min(WAITING) / lanes.max(1)).max(SMALLEST_BATCH);
        for (stream, part) in parts.into_iter().enumerate() {
            let Some((location, positions)) = part else {
                timeline.lanes.push(None);
                continue;
            };
            let late = &mut timeline.late;
            let mut reading = Reading::open_at(reader, stream, positions, salvage, progress, late)?;
            reading.batch_at_most(events);
            timeline.lanes.push(Some(Lane {
                location,
                reading,
                batch: EventBatch::default(),
                cursor: BatchCursor::default(),
                clock: Timestamp(0),
            }));
        }
        Ok(timeline)
    }

    /// Returns the next event; `None` at the end.
    ///
    /// # Errors
    /// Returns an error if a stream is damaged and not salvaged, or the work was stopped.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator could return errors without end"
    )]
    pub fn next(&mut self) -> Result<Option<TimelineEvent>, TraceError> {
        self.next_of(|_, _| true)
    }

    /// Returns the next event that is wanted; `None` at the end.
    ///
    /// `is_wanted` is called once for each event. The events of a location come in order, and a wanted event is returned
    /// before the events after it come. Events of different locations come in no particular order.
    ///
    /// # Errors
    /// Returns the same errors as [`next`](Self::next).
    #[inline]
    pub fn next_of(
        &mut self,
        mut is_wanted: impl FnMut(Passing, &SymbolTable) -> bool,
    ) -> Result<Option<TimelineEvent>, TraceError> {
        if self.is_returned {
            self.advance(&mut is_wanted)?;
        } else if !self.is_begun {
            self.begin(&mut is_wanted)?;
        }
        let Some(&Reverse(Next {
            location, stream, ..
        })) = self.queue.peek()
        else {
            self.is_returned = false;
            return Ok(None);
        };
        self.is_returned = true;
        Ok(self.lane_mut(stream).and_then(|lane| {
            let symbols = lane.reading.symbols()?;
            let event = lane.cursor.next(&lane.batch, symbols)?;
            lane.clock = lane.clock.max(event.time);
            Some(TimelineEvent {
                stream,
                location,
                event,
            })
        }))
    }

    /// Puts the first wanted event of each location into the queue.
    fn begin(
        &mut self,
        is_wanted: &mut impl FnMut(Passing, &SymbolTable) -> bool,
    ) -> Result<(), TraceError> {
        self.is_begun = true;
        for (stream, lane) in self.lanes.iter_mut().enumerate() {
            if let Some(lane) = lane
                && let Some(time) = lane.seek(&mut self.late, is_wanted)?
            {
                self.queue.push(Reverse(Next {
                    time,
                    location: lane.location,
                    stream,
                }));
            }
        }
        Ok(())
    }

    /// Moves the location whose event was returned to the place of its next wanted event in the queue.
    fn advance(
        &mut self,
        is_wanted: &mut impl FnMut(Passing, &SymbolTable) -> bool,
    ) -> Result<(), TraceError> {
        let Some(mut first) = self.queue.peek_mut() else {
            return Ok(());
        };
        let time = match self.lanes.get_mut(first.0.stream) {
            Some(Some(lane)) => lane.seek(&mut self.late, is_wanted)?,
            _ => None,
        };
        match time {
            Some(time) => first.0.time = time,
            None => drop(PeekMut::pop(first)),
        }
        Ok(())
    }

    fn lane(&self, stream: usize) -> Option<&Lane<'a>> {
        self.lanes.get(stream)?.as_ref()
    }

    fn lane_mut(&mut self, stream: usize) -> Option<&mut Lane<'a>> {
        self.lanes.get_mut(stream)?.as_mut()
    }

    /// Returns the batch of the last event returned from `stream`, for its metrics and attributes.
    #[must_use]
    pub fn batch(&self, stream: usize) -> Option<&EventBatch> {
        self.lane(stream).map(|lane| &lane.batch)
    }

    /// Returns the table of symbols to which the ids of a stream refer.
    #[must_use]
    pub fn symbols(&self, stream: usize) -> &SymbolTable {
        let lane = self.lane(stream);
        lane.and_then(|lane| lane.reading.symbols())
            .unwrap_or(&self.no_symbols)
    }

    /// Returns the definitions and problems that the streams have produced in addition to events.
    #[must_use]
    pub fn into_late(self) -> Late {
        self.late
    }
}

impl Lane<'_> {
    /// Moves to the next wanted event, and reads further batches as needed. Returns the time by which the event is sorted.
    fn seek(
        &mut self,
        late: &mut Late,
        is_wanted: &mut impl FnMut(Passing, &SymbolTable) -> bool,
    ) -> Result<Option<Timestamp>, TraceError> {
        loop {
            if let Some(symbols) = self.reading.symbols() {
                while let Some((position, time, symbol)) = self.cursor.peek(&self.batch) {
                    let passing = Passing {
                        location: self.location,
                        position,
                        time,
                        symbol,
                    };
                    let clock = time.max(self.clock);
                    if is_wanted(passing, symbols) {
                        return Ok(Some(clock));
                    }
                    self.clock = clock;
                    self.cursor.skip(&self.batch, symbols);
                }
            }
            let step = self.reading.next_batch(&mut self.batch, late)?;
            self.cursor = BatchCursor::default();
            if step == Step::End && self.batch.is_empty() {
                return Ok(None);
            }
        }
    }
}

fn mixed() -> TraceError {
    TraceError::new(
        ErrorKind::Usage,
        "the streams of this trace mix locations, so its events cannot be sorted by time",
    )
    .hint("convert the trace to a store first")
}

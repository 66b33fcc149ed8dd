//! All locations of a trace as one sequence of events in the order of time.
//!
//! Each location is in its own order already, so this is a merge: a batch a location waits, and the
//! earliest event of all comes next. Memory is that of the batches, whatever the trace's length.
//!
//! The events of a location keep the order of their positions always. Where the times of a location
//! go backwards, an event is taken to be as late as the latest one before it; its own time stays as
//! it is. Events of the same time come in the order of their locations.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use foldtrace_trace::{
    BatchCursor, ErrorKind, EventBatch, EventRef, LocationId, Step, SymbolTable, Timestamp,
    TraceError, TraceReader,
};

use crate::read::{Late, Progress, Reading};

/// Events that wait in all batches together, as far as streams can give small ones.
const WAITING: usize = 1 << 19;

/// Smaller batches than this are not worth their reading.
const SMALLEST_BATCH: usize = 1 << 10;

/// An event and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineEvent {
    /// Number of its stream.
    pub stream: usize,
    /// Its location.
    pub location: LocationId,
    /// The event; its symbol is of the stream's table.
    pub event: EventRef,
}

/// The events of all locations in the order of time.
///
/// ```
/// # use foldtrace_stream::{read::Progress, timeline::Timeline};
/// # use foldtrace_text::TextFormat;
/// # use foldtrace_trace::{Format, Input, ReadOptions, TraceError};
/// # fn main() -> Result<(), TraceError> {
/// let text = "0 send 1 7 time=5\n1 recv 0 7 time=9\n0 send 1 7 time=8\n";
/// let input = Input::Stream {
///     name: "-".into(),
///     head: text.into(),
///     reader: Box::new(std::io::empty()),
/// };
/// let trace = TextFormat.open(input, &ReadOptions::default())?;
/// let progress = Progress::default();
/// let mut timeline = Timeline::new(&*trace, false, &progress)?;
/// let (mut events, mut latest) = (0, 0);
/// while let Some(next) = timeline.next()? {
///     assert!(next.event.time.0 >= latest);
///     (events, latest) = (events + 1, next.event.time.0);
/// }
/// assert_eq!(events, 3);
/// # Ok(())
/// # }
/// ```
pub struct Timeline<'a> {
    lanes: Vec<Lane<'a>>,
    /// The next event of each location that has one.
    queue: BinaryHeap<Reverse<Next>>,
    /// Whether the first of the queue was given out; its batch must last until the next call.
    is_given: bool,
    nothing: SymbolTable,
    late: Late,
}

/// A location, as far as it is read.
struct Lane<'a> {
    reading: Reading<'a>,
    batch: EventBatch,
    cursor: BatchCursor,
    /// The latest time so far.
    clock: Timestamp,
}

/// Where the next event of a location stands among those of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    time: Timestamp,
    location: LocationId,
    stream: usize,
}

impl<'a> Timeline<'a> {
    /// Begins at the first event of all. With `salvage`, what is whole of a damaged stream is kept.
    ///
    /// # Errors
    /// If a stream mixes locations, or cannot be read.
    pub fn new(
        reader: &'a dyn TraceReader,
        salvage: bool,
        progress: &'a Progress,
    ) -> Result<Self, TraceError> {
        Self::within(reader, salvage, progress, WAITING)
    }

    /// The same with no more than `waiting` events in all batches together, as far as that can be had.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn within(
        reader: &'a dyn TraceReader,
        salvage: bool,
        progress: &'a Progress,
        waiting: usize,
    ) -> Result<Self, TraceError> {
        let streams = reader.streams();
        let mut timeline = Self {
            lanes: Vec::with_capacity(streams.len()),
            queue: BinaryHeap::with_capacity(streams.len()),
            is_given: false,
            nothing: SymbolTable::default(),
            late: Late::default(),
        };
        let events = (waiting.min(WAITING) / streams.len().max(1)).max(SMALLEST_BATCH);
        for (stream, info) in streams.iter().enumerate() {
            let location = info.location.ok_or_else(mixed)?;
            let mut reading = Reading::open(reader, stream, salvage, progress, &mut timeline.late)?;
            reading.batch_at_most(events);
            let mut lane = Lane {
                reading,
                batch: EventBatch::default(),
                cursor: BatchCursor::default(),
                clock: Timestamp(0),
            };
            if let Some(time) = lane.next_time(&mut timeline.late)? {
                timeline.queue.push(Reverse(Next {
                    time,
                    location,
                    stream,
                }));
            }
            timeline.lanes.push(lane);
        }
        Ok(timeline)
    }

    /// The next event; `None` when all were given.
    ///
    /// # Errors
    /// If a stream is damaged and not salvaged, or the work was stopped.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator would give errors without an end"
    )]
    pub fn next(&mut self) -> Result<Option<TimelineEvent>, TraceError> {
        if self.is_given {
            self.is_given = false;
            self.advance()?;
        }
        let Some(&Reverse(Next {
            location, stream, ..
        })) = self.queue.peek()
        else {
            return Ok(None);
        };
        self.is_given = true;
        Ok(self.lanes.get_mut(stream).and_then(|lane| {
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

    /// Puts the location whose event was given where its next event belongs.
    fn advance(&mut self) -> Result<(), TraceError> {
        let Some(mut first) = self.queue.peek_mut() else {
            return Ok(());
        };
        let time = match self.lanes.get_mut(first.0.stream) {
            Some(lane) => lane.next_time(&mut self.late)?,
            None => None,
        };
        match time {
            Some(time) => first.0.time = time,
            None => drop(PeekMut::pop(first)),
        }
        Ok(())
    }

    /// The batch of the event of `stream` that was given last, for its metrics and attributes.
    #[must_use]
    pub fn batch(&self, stream: usize) -> Option<&EventBatch> {
        self.lanes.get(stream).map(|lane| &lane.batch)
    }

    /// The table that the symbols of a stream are ids of.
    #[must_use]
    pub fn symbols(&self, stream: usize) -> &SymbolTable {
        let lane = self.lanes.get(stream);
        lane.and_then(|lane| lane.reading.symbols())
            .unwrap_or(&self.nothing)
    }

    /// What the streams have brought besides events.
    #[must_use]
    pub fn into_late(self) -> Late {
        self.late
    }
}

impl Lane<'_> {
    /// When the next event counts as being, from the next batch where this one is at its end.
    fn next_time(&mut self, late: &mut Late) -> Result<Option<Timestamp>, TraceError> {
        loop {
            if let Some(time) = self.cursor.time(&self.batch) {
                return Ok(Some(time.max(self.clock)));
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
        "the locations of this trace are mixed, they cannot be put in the order of time",
    )
    .hint("convert it to a store first")
}

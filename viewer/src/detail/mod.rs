//! What happens in a part of a run, read from its events when somebody looks at it: buckets that are finer than those of the
//! timeline and, if there are few events, single calls and messages.
//!
//! The work for an answer is bounded: reading ends after a while, and locations that were not reached are left out.

mod calls;
mod events;
mod landmarks;
mod messages;

use std::collections::HashMap;
use std::io::Write;
use std::ops::Range;
use std::time::{Duration, Instant};
use std::{io, iter};

use foldtrace_derive::timeline::{Buckets, Effects, Levels, Row};
use foldtrace_matching::{RegionIndex, Regions};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    Diagnostics, EventBatch, EventStream, LocationId, OpenCalls, Position, Step, TimeRange,
    Timestamp, TraceError, TraceReader,
};
use rayon::prelude::*;
use serde::Serialize;

use crate::clock::PageClock;
use crate::pack::{self, Columns};

use calls::{Call, calls};
pub(crate) use events::EventLines;
use landmarks::Landmarks;
use messages::Message;
pub(crate) use messages::Messages;

/// The greatest number of events that are shown as text.
const MOST_LINES: u64 = 200;

/// The greatest number of messages of a part that are shown.
const MOST_MESSAGES: usize = 10_000;

/// The greatest number of events of a location that are read for buckets: one worker reads them within [`LIMIT`].
const MOST_OF_LOCATION: u64 = 2_000_000;

/// The time after which no more locations are begun.
const LIMIT: Duration = Duration::from_millis(50);

/// A part of a run that is looked at.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Nanoseconds since the start of the run.
    pub range: Range<f64>,
    /// Indices of locations.
    pub locations: Vec<usize>,
    /// The greatest number of buckets.
    pub buckets: u64,
}

/// The head of an answer.
#[derive(Debug, Serialize)]
struct Head<'a> {
    /// The nanoseconds from the start of the run to the part that was read, and to its end.
    begin: f64,
    end: f64,
    /// The nanoseconds of a bucket; 0 if there are too many events to read.
    width: f64,
    /// The locations that were read, as indices.
    locations: &'a [u32],
    /// Whether single calls are shown.
    has_calls: bool,
    /// Whether single messages are shown.
    has_messages: bool,
    /// Whether messages will be known later.
    awaits_messages: bool,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Detail {
    range: Range<f64>,
    width: f64,
    locations: Vec<u32>,
    has_calls: bool,
    has_messages: bool,
    awaits_messages: bool,
    columns: Columns,
}

/// Answers questions about parts of a store.
#[derive(Debug)]
pub(crate) struct Details {
    clock: PageClock,
    locations: Vec<LocationId>,
    regions: Regions,
    effects: Effects,
    /// The places of regions on the page: 1 for the first region of its list.
    places: Vec<u32>,
    landmarks: Landmarks,
}

impl Details {
    /// The greatest number of events of a part whose calls are shown.
    pub const MOST_EVENTS: u64 = 20_000;

    /// Reads the symbols of a store. `names` are the regions of the page.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn new(
        store: &StoreReader,
        clock: PageClock,
        names: &[String],
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let regions = Regions::new(store.definitions(), store.names(), store.symbols());
        let places: HashMap<&str, u32> = names.iter().map(String::as_str).zip(1..).collect();
        let place = |name: &str| places.get(name).copied().unwrap_or_default();
        let all = regions.regions().iter();
        Ok(Self {
            clock,
            locations: store.locations().collect(),
            places: all.map(|region| place(&region.name)).collect(),
            effects: Effects::new(&regions, store.symbols()),
            regions,
            landmarks: Landmarks::find(store, progress)?,
        })
    }

    /// Returns what happens in a part of a run. Messages are shown if they are known. Locations that take too long are left
    /// out.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn find(
        &self,
        store: &StoreReader,
        messages: Option<&Messages>,
        part: &Part,
    ) -> Result<Detail, TraceError> {
        let until = Some(Instant::now() + LIMIT);
        let ticks = self.clock.ticks(part.range.clone());
        let parts = self.parts(store, &part.locations, &ticks, until)?;
        let is_whole = parts.iter().all(Option::is_some);
        let parts: Vec<OfLocation> = parts.into_iter().flatten().collect();
        let mut detail = self.buckets(store, &ticks, part.buckets, &parts, until)?;
        let events: u64 = parts.iter().map(OfLocation::events).sum();
        if is_whole && events <= Self::MOST_EVENTS && detail.locations.len() == parts.len() {
            self.add_calls(store, &parts, &mut detail)?;
            detail.awaits_messages = messages.is_none();
            if let Some(messages) = messages {
                self.add_messages(store, messages, ticks, &mut detail)?;
            }
        }
        Ok(detail)
    }

    /// Returns the single calls and messages of all locations in a range of nanoseconds, with the number of events that were
    /// read; `None` if there are more than `most`.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn excerpt(
        &self,
        store: &StoreReader,
        messages: &Messages,
        range: Range<f64>,
        most: u64,
    ) -> Result<Option<(Detail, u64)>, TraceError> {
        let ticks = self.clock.ticks(range);
        let locations: Vec<usize> = (0..self.locations.len()).collect();
        let parts = self.parts(store, &locations, &ticks, None)?;
        let parts: Vec<OfLocation> = parts.into_iter().flatten().collect();
        let events: u64 = parts.iter().map(OfLocation::events).sum();
        if events > most {
            return Ok(None);
        }
        let mut detail = self.detail(&ticks, parts.iter());
        self.add_calls(store, &parts, &mut detail)?;
        self.add_messages(store, messages, ticks, &mut detail)?;
        Ok(Some((detail, events)))
    }

    /// Returns the events of each location in a range of ticks; `None` for locations that are not begun before the time `until`.
    fn parts(
        &self,
        store: &StoreReader,
        locations: &[usize],
        ticks: &Range<u64>,
        until: Option<Instant>,
    ) -> Result<Vec<Option<OfLocation>>, TraceError> {
        let range = range(ticks);
        let known = locations.iter().copied();
        let known = known.filter_map(|index| Some((index as u32, *self.locations.get(index)?)));
        let known: Vec<(u32, LocationId)> = known.collect();
        let parts = known.into_par_iter().enumerate();
        let parts = parts.map(|(number, (index, location))| {
            if is_late(number, until) {
                return Ok(None);
            }
            let events = Position(store.index().events(location));
            let Range { start, end } = store.positions_in(location, range)?;
            let positions = start.min(events)..end.min(events);
            let open = self
                .landmarks
                .open_calls(store, location, positions.start)?;
            Ok(Some(OfLocation {
                index,
                location,
                positions,
                open,
                is_over: end >= events,
            }))
        });
        parts.collect()
    }

    /// Adds the messages that are under way in a range of ticks, if they are not too many.
    fn add_messages(
        &self,
        store: &StoreReader,
        messages: &Messages,
        ticks: Range<u64>,
        detail: &mut Detail,
    ) -> Result<(), TraceError> {
        if let Some(found) = messages.within(store, ticks, MOST_MESSAGES)? {
            detail.add_messages(self.clock, &found);
        }
        Ok(())
    }

    /// Returns the events of the first location of a part of a run.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn events(&self, store: &StoreReader, part: &Part) -> Result<EventLines, TraceError> {
        let location = part
            .locations
            .first()
            .and_then(|&index| self.locations.get(index));
        let Some(&location) = location else {
            return Ok(EventLines::default());
        };
        let range = range(&self.clock.ticks(part.range.clone()));
        let Range { start, end } = store.positions_in(location, range)?;
        let end = end.0.min(store.index().events(location));
        let shown = start.0..end.min(start.0.saturating_add(MOST_LINES));
        Ok(EventLines {
            total: end.saturating_sub(start.0),
            events: events::lines(store, location, shown, |time| self.clock.time(time))?,
        })
    }

    /// Adds the single calls of locations.
    fn add_calls(
        &self,
        store: &StoreReader,
        parts: &[OfLocation],
        detail: &mut Detail,
    ) -> Result<(), TraceError> {
        let found = parts.par_iter().map(|part| {
            let positions = part.positions.clone();
            calls(store, &self.regions, part.location, positions, &part.open)
        });
        let found: Vec<Vec<Call>> = found.collect::<Result<_, TraceError>>()?;
        let all = || found.iter().flatten();
        let time = |time: Timestamp| self.clock.time(time.0);
        detail.has_calls = true;
        let columns = &mut detail.columns;
        columns.add_u32("calls.first", firsts(found.iter().map(Vec::len)));
        columns.add_f64("calls.begin", all().map(|call| time(call.begin)));
        let end = |call: &Call| call.end.map_or(f64::INFINITY, time);
        columns.add_f64("calls.end", all().map(end));
        columns.add_u32(
            "calls.place",
            all().map(|call| self.place(Some(call.region))),
        );
        columns.add_u32("calls.depth", all().map(|call| call.depth));
        columns.add_f64("calls.position", all().map(|call| call.position.0 as f64));
        Ok(())
    }

    /// Returns at most `most` buckets of each location in a range of ticks. Locations that are not begun before the time `until`
    /// are left out, and so are those with too many events.
    fn buckets(
        &self,
        store: &StoreReader,
        ticks: &Range<u64>,
        most: u64,
        parts: &[OfLocation],
        until: Option<Instant>,
    ) -> Result<Detail, TraceError> {
        let buckets = Buckets::of_range(Timestamp(ticks.start), Timestamp(ticks.end), most);
        let is_too_long = |part: &OfLocation| part.events() > MOST_OF_LOCATION;
        if parts.iter().any(is_too_long) {
            return Ok(self.detail(ticks, parts.iter()));
        }
        let found = parts.par_iter().enumerate().map(|(number, part)| {
            if is_late(number, until) {
                return Ok(None);
            }
            self.rows(store, buckets, ticks, part).map(Some)
        });
        let found: Vec<Option<Vec<Row>>> = found.collect::<Result<_, TraceError>>()?;
        let reached = parts.iter().zip(&found).filter(|(_, rows)| rows.is_some());
        let mut detail = self.detail(ticks, reached.map(|(part, _)| part));
        detail.width = buckets.width() as f64 * self.clock.tick;
        let columns = &mut detail.columns;
        columns.add_u32("first", firsts(found.iter().flatten().map(Vec::len)));
        let all = || found.iter().flatten().flatten();
        columns.add_u32("bucket", all().map(|row| row.bucket as u32));
        columns.add_u32("place", all().map(|row| self.place(row.region)));
        let time = |row: &Row| (row.share.time as f64 * self.clock.tick) as f32;
        columns.add_f32("time", all().map(time));
        columns.add_f32("calls", all().map(|row| row.share.calls as f32));
        columns.add_f64("bytes", all().map(|row| row.share.bytes as f64));
        Ok(detail)
    }

    /// Returns what a location does in each bucket.
    fn rows(
        &self,
        store: &StoreReader,
        buckets: Buckets,
        ticks: &Range<u64>,
        part: &OfLocation,
    ) -> Result<Vec<Row>, TraceError> {
        let mut levels = Levels::new(&self.effects, buckets);
        if part.positions.start > Position(0) {
            levels = levels.resume(part.open.entered(), Timestamp(ticks.start));
        }
        let mut stream = store.events_in(part.location, part.positions.clone());
        let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
        while stream.next_batch(&mut batch, &mut diagnostics)? == Step::Batch {
            levels.take(&batch);
        }
        if !part.is_over {
            levels.stay(Timestamp(ticks.end));
        }
        Ok(levels.finish())
    }

    /// Returns an answer without columns.
    fn detail<'p>(
        &self,
        ticks: &Range<u64>,
        parts: impl Iterator<Item = &'p OfLocation>,
    ) -> Detail {
        Detail {
            range: self.clock.time(ticks.start)..self.clock.time(ticks.end),
            width: 0.0,
            locations: parts.map(|part| part.index).collect(),
            has_calls: false,
            has_messages: false,
            awaits_messages: false,
            columns: Columns::default(),
        }
    }

    /// Returns the place of a region on the page; 0 if there is none.
    fn place(&self, region: Option<RegionIndex>) -> u32 {
        let place = region.and_then(|region| self.places.get(region.0 as usize));
        place.copied().unwrap_or_default()
    }
}

/// The events of a location in a part.
#[derive(Debug)]
struct OfLocation {
    index: u32,
    location: LocationId,
    positions: Range<Position>,
    /// The calls that are open before the first of them.
    open: OpenCalls<Position>,
    /// Whether the location has no later events.
    is_over: bool,
}

impl OfLocation {
    fn events(&self) -> u64 {
        self.positions.end.0.saturating_sub(self.positions.start.0)
    }
}

/// Returns whether the work for a location is not begun. That for the first one always is, so that asking again leads to an end.
fn is_late(number: usize, until: Option<Instant>) -> bool {
    number > 0 && until.is_some_and(|until| Instant::now() > until)
}

/// Returns a range of ticks as one of times.
fn range(ticks: &Range<u64>) -> TimeRange {
    TimeRange {
        from: Some(Timestamp(ticks.start)),
        to: Some(Timestamp(ticks.end)),
    }
}

/// Returns the first rows of locations with these numbers of rows, and the number of all rows.
fn firsts(lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = u32> {
    let ends = lengths.scan(0, |end, length| {
        *end += length as u32;
        Some(*end)
    });
    iter::once(0).chain(ends)
}

impl Detail {
    fn add_messages(&mut self, clock: PageClock, messages: &[Message]) {
        self.has_messages = true;
        let all = || messages.iter();
        let number = |number: Option<u64>| number.map_or(f64::NAN, |number| number as f64);
        let columns = &mut self.columns;
        columns.add_u32("messages.sender", all().map(|one| one.sender));
        columns.add_u32("messages.receiver", all().map(|one| one.receiver));
        columns.add_f64("messages.sent", all().map(|one| clock.time(one.sent)));
        columns.add_f64(
            "messages.received",
            all().map(|one| clock.time(one.received)),
        );
        columns.add_f64("messages.bytes", all().map(|one| number(one.bytes)));
        columns.add_f64("messages.tag", all().map(|one| number(one.tag)));
        let sent_at = all().map(|one| one.send_position as f64);
        columns.add_f64("messages.send_position", sent_at);
        let received_at = all().map(|one| one.receive_position as f64);
        columns.add_f64("messages.receive_position", received_at);
    }

    fn head(&self) -> Head<'_> {
        Head {
            begin: self.range.start,
            end: self.range.end,
            width: self.width,
            locations: &self.locations,
            has_calls: self.has_calls,
            has_messages: self.has_messages,
            awaits_messages: self.awaits_messages,
        }
    }

    /// Returns the answer in the form in which a page asks for it.
    ///
    /// # Errors
    /// Returns an error if the head is too long.
    pub fn pack(&self) -> io::Result<Vec<u8>> {
        let mut packed = Vec::new();
        pack::write_plain(&mut packed, &self.head(), &self.columns)?;
        Ok(packed)
    }

    /// Writes the answer in the form in which a page in one file has it.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        pack::write(out, &self.head(), &self.columns)
    }
}

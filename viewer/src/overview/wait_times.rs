//! When processes wait, for whom, and which calls wait longest.
//!
//! Wait states have corrected times, but the page shows recorded ones. Therefore, they are summed by position: each location is
//! divided into parts with equally many events. The correction at the beginning of a part is subtracted from the times in it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use foldtrace_clock::Correction;
use foldtrace_store::{Field, StoreReader};
use foldtrace_trace::{LocationId, Position, Timestamp, TraceError};
use foldtrace_waits::{Class, Sink, WaitState};

use super::loops::MeasuredLoop;
use crate::clock::PageClock;
use crate::pack::Columns;

/// The greatest number of parts of all locations together, and of one location.
const PARTS: u64 = 250_000;
const MOST_PARTS: u64 = 1024;

/// The number of wait states that are kept.
const MOST_KEPT: usize = 100;

/// The waiting of a class in a part of a location.
#[derive(Clone, Copy, Debug)]
struct Amount {
    ticks: u64,
    occurrences: u64,
    /// The corrected times of the start of the first wait state and of the end of the last one.
    first: u64,
    last: u64,
}

impl Amount {
    const NONE: Self = Self {
        ticks: 0,
        occurrences: 0,
        first: u64::MAX,
        last: 0,
    };

    fn add(&mut self, wait: &WaitState) {
        self.ticks = self.ticks.saturating_add(wait.ticks);
        self.occurrences += 1;
        self.first = self.first.min(wait.start.0);
        self.last = self.last.max(wait.start.0.saturating_add(wait.ticks));
    }
}

/// The ticks that a location waits for another one, by their indices.
pub(super) type WaitingPairs = HashMap<(u32, u32), u64>;

/// A sink that sums wait states.
#[derive(Debug)]
pub(super) struct WaitTimes<'a> {
    store: &'a StoreReader,
    locations: &'a [LocationId],
    indices: HashMap<LocationId, u32>,
    /// The number of parts of a location.
    parts: u64,
    amounts: BTreeMap<(u32, u64, Class), Amount>,
    loops: &'a [MeasuredLoop],
    /// The ticks that locations wait for others: in the program, and in each loop.
    program: WaitingPairs,
    in_loops: Vec<WaitingPairs>,
    /// The longest wait states; more than are kept at times.
    longest: Vec<WaitState>,
}

impl Sink for WaitTimes<'_> {
    fn wait(&mut self, wait: &WaitState) -> Result<(), TraceError> {
        let indices = [wait.location, wait.late].map(|location| self.indices.get(&location));
        if let [Some(&index), Some(&late)] = indices {
            let part = wait.position.0 / self.events_of_part(wait.location);
            let amount = self.amounts.entry((index, part, wait.class));
            amount.or_insert(Amount::NONE).add(wait);
            let of_loop = self
                .loops
                .iter()
                .position(|one| one.times.contains(wait.location, wait.position));
            let of_loop = of_loop.map(|number| &mut self.in_loops[number]);
            for pairs in [Some(&mut self.program), of_loop].into_iter().flatten() {
                let waited = pairs.entry((index, late)).or_default();
                *waited = waited.saturating_add(wait.ticks);
            }
        }
        self.longest.push(*wait);
        if self.longest.len() >= 2 * MOST_KEPT {
            self.keep_longest();
        }
        Ok(())
    }
}

impl<'a> WaitTimes<'a> {
    pub fn new(
        store: &'a StoreReader,
        locations: &'a [LocationId],
        loops: &'a [MeasuredLoop],
    ) -> Self {
        Self {
            store,
            locations,
            indices: locations.iter().copied().zip(0..).collect(),
            parts: (PARTS / (locations.len() as u64).max(1)).clamp(1, MOST_PARTS),
            amounts: BTreeMap::new(),
            loops,
            program: HashMap::new(),
            in_loops: vec![HashMap::new(); loops.len()],
            longest: Vec::new(),
        }
    }

    fn events_of_part(&self, location: LocationId) -> u64 {
        self.store
            .index()
            .events(location)
            .div_ceil(self.parts)
            .max(1)
    }

    fn keep_longest(&mut self) {
        self.longest.sort_by_key(|wait| Reverse(wait.ticks));
        self.longest.truncate(MOST_KEPT);
    }

    /// Returns the longest wait states, the longest one first, each with the recorded time at which its call is entered.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn longest(&mut self) -> Result<Vec<(WaitState, u64)>, TraceError> {
        self.keep_longest();
        let places: Vec<_> = self
            .longest
            .iter()
            .map(|wait| (wait.location, wait.position))
            .collect();
        let events = self.store.lookup().get_many(&places)?;
        let found = self.longest.iter().zip(events);
        Ok(found
            .filter_map(|(wait, event)| Some((*wait, event?.time.0)))
            .collect())
    }

    /// Returns the ticks that locations wait for others: in the program, and in each loop.
    pub fn into_pairs(self) -> (WaitingPairs, Vec<WaitingPairs>) {
        (self.program, self.in_loops)
    }

    /// Adds columns with the waiting in each bucket of a run of `span` nanoseconds. Returns the nanoseconds of a bucket.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn pack(
        &self,
        clock: PageClock,
        span: f64,
        correction: &Correction,
        columns: &mut Columns,
    ) -> Result<f64, TraceError> {
        let width = (span / self.parts as f64).max(clock.tick);
        let mut rows = Rows::default();
        for (index, &location) in self.locations.iter().enumerate() {
            rows.begin_location();
            let corrections = self.corrections(location, correction)?;
            let mut sums = Sums::new(width, self.parts);
            let [from, to] = [0, 1].map(|next| (index as u32 + next, 0, Class::ALL[0]));
            for (&(_, part, class), amount) in self.amounts.range(from..to) {
                let corrected = corrections.get(part as usize).copied().unwrap_or_default();
                let time =
                    |time: u64| clock.time(time.saturating_add_signed(corrected.wrapping_neg()));
                let range = time(amount.first)..time(amount.last);
                sums.add(
                    class,
                    range,
                    amount.ticks as f64 * clock.tick,
                    amount.occurrences as f64,
                );
            }
            rows.extend(sums);
        }
        rows.begin_location();
        rows.pack(columns);
        Ok(width)
    }

    /// Returns the ticks that are added to the time of the first event of each part of a location.
    fn corrections(
        &self,
        location: LocationId,
        correction: &Correction,
    ) -> Result<Vec<i64>, TraceError> {
        let events = self.store.index().events(location);
        let begins = (0..events).step_by(self.events_of_part(location) as usize);
        let positions: Vec<Position> = begins.map(Position).collect();
        let recorded = self
            .store
            .gather(location, &positions, &[Field::Time])?
            .pop();
        let recorded = recorded.unwrap_or_default().values.into_iter();
        let corrections = positions
            .into_iter()
            .zip(recorded)
            .map(|(position, recorded)| {
                let mut times = [Timestamp(recorded)];
                correction.correct(location, position, &mut times);
                times[0].0.wrapping_sub(recorded).cast_signed()
            });
        Ok(corrections.collect())
    }
}

/// The waiting of a location in buckets of time.
#[derive(Debug)]
struct Sums {
    /// The nanoseconds of a bucket.
    width: f64,
    last: u32,
    /// By bucket and class: the nanoseconds, and the number of wait states.
    sums: BTreeMap<(u32, Class), (f64, f64)>,
}

impl Sums {
    fn new(width: f64, buckets: u64) -> Self {
        Self {
            width,
            last: buckets.saturating_sub(1) as u32,
            sums: BTreeMap::new(),
        }
    }

    /// Adds waiting, which is spread evenly over a range of time.
    fn add(&mut self, class: Class, range: Range<f64>, time: f64, occurrences: f64) {
        let bucket = |time: f64| ((time / self.width) as u32).min(self.last);
        let (first, last) = (bucket(range.start), bucket(range.end));
        let length = range.end - range.start;
        for bucket in first..=last {
            let start = f64::from(bucket) * self.width;
            let inside = range.end.min(start + self.width) - range.start.max(start);
            // Times that are corrected may be after the run.
            let share = if first == last { 1.0 } else { inside / length };
            let sum = self.sums.entry((bucket, class)).or_default();
            sum.0 += share * time;
            sum.1 += share * occurrences;
        }
    }
}

/// The rows of the columns, by location, then bucket, then class.
#[derive(Debug, Default)]
struct Rows {
    firsts: Vec<u32>,
    buckets: Vec<u32>,
    places: Vec<u32>,
    times: Vec<f32>,
    calls: Vec<f32>,
}

impl Rows {
    fn begin_location(&mut self) {
        self.firsts.push(self.buckets.len() as u32);
    }

    fn extend(&mut self, sums: Sums) {
        for ((bucket, class), (time, occurrences)) in sums.sums {
            self.buckets.push(bucket);
            self.places.push(class as u32 + 1);
            self.times.push(time as f32);
            self.calls.push(occurrences as f32);
        }
    }

    fn pack(self, columns: &mut Columns) {
        columns.add_u32("waits.first", self.firsts.into_iter());
        columns.add_u32("waits.bucket", self.buckets.into_iter());
        columns.add_u32("waits.place", self.places.into_iter());
        columns.add_f32("waits.time", self.times.into_iter());
        columns.add_f32("waits.calls", self.calls.into_iter());
    }
}

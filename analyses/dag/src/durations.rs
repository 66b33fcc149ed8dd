//! Measures how long the occurrences of a node take, from the times in the store.

use foldtrace_fold::dag::{Dag, NodeId, Occurrences, Root};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{ErrorKind, LocationId, Position, Timestamp, TraceError};
use hdrhistogram::Histogram as Recorder;
use rayon::prelude::*;
use serde::Serialize;

use super::times::Clock;

/// The number of significant digits of quantiles and of the bounds of the histogram.
const DIGITS: u8 = 3;

/// The durations of all occurrences of a node, in ticks.
///
/// The count, the total, the minimum and the maximum are exact. The median and the bounds of the histogram have three
/// significant digits, so that memory does not grow with the number of occurrences.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Durations {
    /// The number of occurrences.
    pub count: u64,
    /// The sum of all durations.
    pub total: u64,
    /// The shortest duration.
    pub min: u64,
    /// The median duration: as many occurrences are shorter as are longer.
    pub median: u64,
    /// The longest duration.
    pub max: u64,
    /// The number of occurrences that end before they begin because the clock ran backwards. Their durations count
    /// as 0.
    pub negative: u64,
    /// The histogram, from the shortest duration to the longest.
    pub histogram: Vec<Histogram>,
}

impl Durations {
    /// Converts all durations to nanoseconds, which can be compared regardless of the clock.
    #[must_use]
    pub fn in_nanoseconds(mut self, ticks_per_second: u64) -> Self {
        let nanoseconds = |ticks: &mut u64| {
            let exact = u128::from(*ticks) * 1_000_000_000 / u128::from(ticks_per_second.max(1));
            *ticks = u64::try_from(exact).unwrap_or(u64::MAX);
        };
        let Self {
            total,
            min,
            median,
            max,
            histogram,
            ..
        } = &mut self;
        [total, min, median, max].into_iter().for_each(nanoseconds);
        for range in histogram {
            nanoseconds(&mut range.from);
            nanoseconds(&mut range.to);
        }
        self
    }
}

/// A range of durations in a histogram. The upper bound of a range is at most about twice its lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Histogram {
    /// The shortest duration of the range.
    pub from: u64,
    /// The longest duration of the range.
    pub to: u64,
    /// The number of durations in the range.
    pub count: u64,
}

/// The durations that were recorded at one or several locations.
struct Recorded {
    recorder: Recorder<u64>,
    total: u64,
    negative: u64,
    least: Option<u64>,
    greatest: u64,
}

impl Recorded {
    fn new() -> Result<Self, TraceError> {
        Ok(Self {
            recorder: Recorder::new(DIGITS).map_err(impossible)?,
            total: 0,
            negative: 0,
            least: None,
            greatest: 0,
        })
    }

    fn record(&mut self, ticks: i64) -> Result<(), TraceError> {
        self.negative += u64::from(ticks < 0);
        let ticks = u64::try_from(ticks).unwrap_or(0);
        self.recorder.record(ticks).map_err(impossible)?;
        self.total = self.total.saturating_add(ticks);
        self.least = Some(self.least.map_or(ticks, |least| least.min(ticks)));
        self.greatest = self.greatest.max(ticks);
        Ok(())
    }

    fn merge(mut self, other: &Self) -> Result<Self, TraceError> {
        self.recorder.add(&other.recorder).map_err(impossible)?;
        self.total = self.total.saturating_add(other.total);
        self.negative += other.negative;
        self.least = self.least.into_iter().chain(other.least).min();
        self.greatest = self.greatest.max(other.greatest);
        Ok(self)
    }
}

/// Returns the error for a duration that a histogram rejects. This does not happen: the histogram grows as necessary
/// and accepts any number.
fn impossible(error: impl std::error::Error + Send + Sync + 'static) -> TraceError {
    let message = "a histogram rejected a duration";
    TraceError::new(ErrorKind::Internal, message).caused_by(error)
}

/// Returns the durations of a node: from the first event of each occurrence to its last.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or if the work was stopped.
pub fn durations(
    store: &StoreReader,
    dag: &Dag,
    node: NodeId,
    progress: &Progress,
) -> Result<Durations, TraceError> {
    let occurrences = Occurrences::new(&dag.graph, |other| other == node);
    let of_locations = dag.roots.par_iter().map(|&root| {
        let mut recorded = Recorded::new()?;
        occurred(store, root, &occurrences, progress, |occurrence| {
            recorded.record(occurrence.duration())
        })?;
        Ok(recorded)
    });
    let all = match of_locations.try_reduce_with(|a, b| a.merge(&b)) {
        Some(all) => all?,
        None => Recorded::new()?,
    };
    let least = all.least.unwrap_or(0);
    let median = all.recorder.value_at_quantile(0.5);
    Ok(Durations {
        count: all.recorder.len(),
        total: all.total,
        min: least,
        median: median.clamp(least, all.greatest.max(least)),
        max: all.greatest,
        negative: all.negative,
        histogram: histogram(&all),
    })
}

/// Returns the ranges that contain durations.
fn histogram(all: &Recorded) -> Vec<Histogram> {
    let (least, greatest) = (all.least.unwrap_or(0), all.greatest);
    let mut ranges: Vec<Histogram> = Vec::new();
    for value in all.recorder.iter_recorded() {
        let ticks = value.value_iterated_to().clamp(least, greatest);
        let count = value.count_since_last_iteration();
        match ranges.last_mut() {
            Some(range) if ticks <= range.from.saturating_mul(2) => {
                range.to = ticks;
                range.count += count;
            }
            _ => ranges.push(Histogram {
                from: ticks,
                to: ticks,
                count,
            }),
        }
    }
    if let (Some(first), Some(least)) = (ranges.first_mut(), all.least) {
        first.from = least;
    }
    ranges
}

/// An occurrence of a node, with its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The location of the occurrence.
    pub location: LocationId,
    /// The position of its first event.
    pub position: Position,
    /// The number of its events.
    pub events: u64,
    /// The time of its first event.
    pub begin: Timestamp,
    /// The time of its last event.
    pub end: Timestamp,
}

impl Occurrence {
    /// Returns the ticks from the first event to the last; negative if the clock ran backwards.
    #[must_use]
    pub fn duration(&self) -> i64 {
        self.end.0.wrapping_sub(self.begin.0) as i64
    }
}

/// Passes all occurrences in a location to `take`, in the order of their positions.
///
/// # Errors
/// Returns an error if a table is missing or damaged, the work was stopped, or `take` fails.
pub fn occurred<E: From<TraceError>>(
    store: &StoreReader,
    root: Root,
    occurrences: &Occurrences<'_>,
    progress: &Progress,
    mut take: impl FnMut(Occurrence) -> Result<(), E>,
) -> Result<(), E> {
    let mut clock = Clock::new(store, root, progress);
    let mut next = 0;
    for found in occurrences.positions(root.node) {
        let begin = clock.nth(found.position - next)?;
        let events = occurrences.length(found.node);
        let end = match events {
            0 | 1 => begin,
            events => clock.nth(events - 2)?,
        };
        let (Some(begin), Some(end)) = (begin, end) else {
            break;
        };
        next = found.position + events;
        take(Occurrence {
            location: root.location,
            position: Position(found.position),
            events,
            begin,
            end,
        })?;
    }
    Ok(())
}

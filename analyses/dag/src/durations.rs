//! Measures how long the occurrences of a node take, from the times in the store.

use foldtrace_fold::dag::{Dag, NodeId, Occurrences, Root};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, Timestamp, TraceError};
use foldtrace_view::histogram::Histogram as Counts;
use rayon::prelude::*;
use serde::Serialize;

use super::times::Clock;

/// A histogram whose quantiles and bounds have three significant digits.
type Precise = Counts<10>;

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
#[derive(Default)]
struct Recorded {
    durations: Precise,
    negative: u64,
}

impl Recorded {
    fn record(&mut self, ticks: i64) {
        self.negative += u64::from(ticks < 0);
        self.durations.add(u64::try_from(ticks).unwrap_or(0));
    }

    fn merge(mut self, other: &Self) -> Self {
        self.durations.merge(&other.durations);
        self.negative += other.negative;
        self
    }
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
        let mut recorded = Recorded::default();
        occurred(store, root, &occurrences, progress, |occurrence| {
            recorded.record(occurrence.duration());
            Ok::<_, TraceError>(())
        })?;
        Ok(recorded)
    });
    let all = of_locations.try_reduce(Recorded::default, |a, b| Ok(a.merge(&b)))?;
    let Recorded {
        durations,
        negative,
    } = &all;
    Ok(Durations {
        count: durations.count(),
        total: u64::try_from(durations.sum()).unwrap_or(u64::MAX),
        min: durations.least(),
        median: durations.median(),
        max: durations.greatest(),
        negative: *negative,
        histogram: histogram(durations),
    })
}

/// Returns the ranges that contain durations.
fn histogram(durations: &Precise) -> Vec<Histogram> {
    let (least, greatest) = (durations.least(), durations.greatest());
    let mut ranges: Vec<Histogram> = Vec::new();
    for (_, to, count) in durations.bins() {
        let ticks = to.clamp(least, greatest);
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
    if let Some(first) = ranges.first_mut() {
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

//! The sums of the stages of a run.

use std::cmp::Reverse;

use foldtrace_trace::{Diagnostics, LocationId, Timestamp};
use serde::{Deserialize, Serialize};

use super::causes::Sums;
use super::paths::{CallPath, PathIndex, Paths};
use super::{Options, Summary, Waiting};

/// The times of the first and the last event of a location.
type Ends = Option<(Timestamp, Timestamp)>;

/// The sums of a stage.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StageSums {
    pub(super) sums: Sums,
    pub(super) paths: Vec<CallPath>,
    /// By number of the location.
    pub(super) ends: Vec<Ends>,
    /// Problems with messages and collective operations.
    pub(super) diagnostics: Diagnostics,
}

/// The sums of the stages that were added, in the order of the run.
#[derive(Debug, Default)]
pub(crate) struct RunSums {
    sums: Sums,
    paths: Paths,
    ends: Vec<Ends>,
    diagnostics: Diagnostics,
}

impl RunSums {
    /// Adds the next stage. Returns the index of each of its call paths in the run.
    pub fn add(&mut self, stage: StageSums) -> Vec<PathIndex> {
        let paths = self.paths.unite(&stage.paths);
        self.sums.merge(&stage.sums, &paths);
        self.ends.resize(stage.ends.len(), None);
        for (own, stage) in self.ends.iter_mut().zip(&stage.ends) {
            *own = union(*own, *stage);
        }
        self.diagnostics.merge(stage.diagnostics);
        paths
    }

    /// Returns the summary of a run whose other locations last for `silent` ticks together, and its problems.
    pub fn summary(
        self,
        locations: &[LocationId],
        silent: u64,
        options: Options,
    ) -> (Summary, Diagnostics) {
        let location = |lane: u32| locations[lane as usize];
        let waiting = self.sums.waiting.iter();
        let waiting = waiting.map(|(&(lane, path, class), &total)| Waiting {
            location: location(lane),
            path,
            class,
            total,
        });
        let mut waiting: Vec<Waiting> = waiting.collect();
        waiting.sort_by_key(|it| (Reverse(it.total.ticks), it.location, it.path, it.class));
        let durations = self.ends.iter().copied().map(duration);
        let summary = Summary {
            waiting,
            causes: self.sums.causes(options, location),
            total: durations.fold(silent, u64::saturating_add),
            paths: self.paths.into_all(),
        };
        (summary, self.diagnostics)
    }
}

/// Returns the ticks from the first event of a location to the last.
pub(crate) fn duration(ends: Ends) -> u64 {
    ends.map_or(0, |(first, last)| last.0.saturating_sub(first.0))
}

fn union(one: Ends, other: Ends) -> Ends {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        (one, other) => one.or(other),
    }
}

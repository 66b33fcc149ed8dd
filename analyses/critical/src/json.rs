//! The critical path as JSON.

use foldtrace_clock::ClockReport;
use serde::Serialize;

use crate::labels::CriticalLabels;
use crate::{Critical, LoopTime};

/// A critical path as JSON, which `schemas/critical.schema.json` describes. Times are in nanoseconds.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct CriticalJson {
    /// The clocks by which times of different processes were compared.
    pub clock: ClockReport,
    /// The length of the path: the time from the first event of all locations to the last.
    pub length: f64,
    /// The part of it in which its location has not begun, or has ended. It is outside of calls, too.
    pub absent: f64,
    /// The number of segments.
    pub segments: u64,
    /// The regions on the path, the longest time first.
    pub regions: Vec<RegionJson>,
    /// The processes.
    pub processes: Vec<ProcessJson>,
    /// The outermost loops of the merged model; null if the program is too irregular for a model.
    pub loops: Option<Vec<LoopJson>>,
}

/// The time of a region.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct RegionJson {
    /// The name of the region; null outside of calls.
    pub name: Option<String>,
    /// The time on the path.
    pub time: f64,
    /// Its share in the length of the path, from 0 to 1.
    pub share: f64,
    /// The mean time of a process in the region, without waiting.
    pub mean: f64,
    /// How much longer the region is on the path than in the mean of all processes.
    pub imbalance: f64,
}

/// The time of a process.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ProcessJson {
    /// The id of the location.
    pub location: u64,
    /// The name of the location on the command line.
    pub label: String,
    /// The time on the path.
    pub time: f64,
    /// Its share in the length of the path, from 0 to 1.
    pub share: f64,
}

/// The time of an outermost loop.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LoopJson {
    /// The number of the loop among the constructs of the merged model, from 1.
    pub r#loop: u64,
    /// The number of its iterations.
    pub iterations: u64,
    /// The number of processes that execute it.
    pub processes: u64,
    /// The time on the path.
    pub time: f64,
    /// Its share in the length of the path, from 0 to 1.
    pub share: f64,
    /// The iterations with the longest time on the path, the longest first.
    pub longest: Vec<IterationJson>,
}

/// The time of an iteration.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct IterationJson {
    /// The number of the iteration, from 0.
    pub iteration: u64,
    /// The time on the path.
    pub time: f64,
}

/// Returns a critical path as JSON.
#[must_use]
pub fn critical_json(critical: &Critical, labels: CriticalLabels<'_>) -> CriticalJson {
    let time = |ticks: u64| labels.nanoseconds(ticks as f64);
    let share = |ticks: u64| critical.share(ticks);
    let regions = critical.regions.iter().map(|it| RegionJson {
        name: it.region.map(|_| labels.region(critical, it)),
        time: time(it.ticks),
        share: share(it.ticks),
        mean: labels.nanoseconds(it.mean),
        imbalance: labels.nanoseconds(it.imbalance()),
    });
    let processes = critical.processes.iter().map(|it| ProcessJson {
        location: it.location.0,
        label: labels.names.label(it.location),
        time: time(it.ticks),
        share: share(it.ticks),
    });
    let of_loop = |it: &LoopTime| LoopJson {
        r#loop: it.phase.number,
        iterations: it.phase.iterations,
        processes: it.phase.processes,
        time: time(it.ticks),
        share: share(it.ticks),
        longest: it
            .longest
            .iter()
            .map(|it| IterationJson {
                iteration: it.index,
                time: time(it.ticks),
            })
            .collect(),
    };
    let is_regular = critical.irregular.is_none();
    CriticalJson {
        clock: critical.clock,
        length: time(critical.length),
        absent: time(critical.absent),
        segments: critical.segments,
        regions: regions.collect(),
        processes: processes.collect(),
        loops: is_regular.then(|| critical.loops.iter().map(of_loop).collect()),
    }
}

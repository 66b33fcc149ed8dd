//! Wait states as JSON.

use foldtrace_clock::ClockReport;
use serde::Serialize;

use crate::labels::WaitLabels;
use crate::{Class, Found, TimedIteration};

/// Wait states and their causes as JSON, which `schemas/waits.schema.json` describes. Times are in nanoseconds.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct WaitsJson {
    /// The clocks by which times of different processes were compared.
    pub clock: ClockReport,
    /// The time from the first to the last event of a location, summed over all locations.
    pub total: f64,
    /// The time of all wait states.
    pub waited: f64,
    /// The classes that occur.
    pub classes: Vec<ClassJson>,
    /// The calls that wait, by location, call path and class, the longest time first.
    pub waiting: Vec<WaitingJson>,
    /// The work that causes waiting, the greatest cause first.
    pub causes: Vec<CauseJson>,
}

/// The wait states of a class.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ClassJson {
    /// The class.
    pub name: Class,
    /// The time of its wait states.
    pub total: f64,
    /// The number of wait states.
    pub occurrences: u64,
}

/// The wait states of a class, in one location on one call path.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct WaitingJson {
    /// The id of the location.
    pub location: u64,
    /// The name of the location on the command line.
    pub label: String,
    /// The regions of the call path, the outermost first.
    pub call_path: Vec<String>,
    /// The class.
    pub class: Class,
    /// The time of these wait states.
    pub total: f64,
    /// The number of wait states.
    pub occurrences: u64,
}

/// Work that causes waiting.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct CauseJson {
    /// The id of the location that works.
    pub location: u64,
    /// The name of the location on the command line.
    pub label: String,
    /// The regions of the call path, the outermost first; empty outside of calls.
    pub call_path: Vec<String>,
    /// The time that calls of all locations wait because of it.
    pub total: f64,
    /// Its share in the time of all wait states, from 0 to 1.
    pub share: f64,
    /// The iterations that contribute most, the greatest first.
    pub iterations: Vec<IterationJson>,
}

/// An iteration of an outermost loop in the model of a location.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct IterationJson {
    /// The number of the loop among the constructs of the model, from 1.
    pub r#loop: u32,
    /// The number of the iteration, from 0.
    pub iteration: u32,
    /// The time that it contributes.
    pub total: f64,
}

/// Returns wait states as JSON.
#[must_use]
pub fn waits_json(found: &Found, labels: WaitLabels<'_>) -> WaitsJson {
    let summary = &found.summary;
    let time = |ticks: f64| labels.nanoseconds(ticks);
    let waited = summary.waited() as f64;
    let classes = summary.classes();
    let classes = classes.iter().map(|(class, total)| ClassJson {
        name: *class,
        total: time(total.ticks as f64),
        occurrences: total.occurrences,
    });
    let waiting = summary.waiting.iter().map(|row| WaitingJson {
        location: row.location.0,
        label: labels.location(row.location),
        call_path: labels.regions_of(row.path),
        class: row.class,
        total: time(row.total.ticks as f64),
        occurrences: row.total.occurrences,
    });
    let iteration = |it: &TimedIteration| IterationJson {
        r#loop: it.construct,
        iteration: it.iteration,
        total: time(it.ticks),
    };
    let causes = summary.causes.iter().map(|cause| CauseJson {
        location: cause.location.0,
        label: labels.location(cause.location),
        call_path: labels.regions_of(cause.path),
        total: time(cause.ticks),
        share: cause.ticks / waited.max(1.0),
        iterations: cause.iterations.iter().map(iteration).collect(),
    });
    WaitsJson {
        clock: found.clock,
        total: time(summary.total as f64),
        waited: time(waited),
        classes: classes.collect(),
        waiting: waiting.collect(),
        causes: causes.collect(),
    }
}

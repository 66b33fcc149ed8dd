//! Exports the loops of a program in which most time is spent, as a table and as JSON.

use foldtrace_view::units::Percent;
use foldtrace_view::units::{Seconds, grouped};
use serde::Serialize;

use super::ProgramLabels;
use crate::MainLoop;

/// A loop with its share of the time, as JSON; `schemas/main-loops.schema.json` describes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct MainLoopJson {
    /// The number of the loop, as `extract --construct` and `matrix --construct` accept it.
    #[cfg_attr(
        feature = "schema",
        schemars(regex(pattern = r"^[1-9][0-9]*(\.[1-9][0-9]*)*$"))
    )]
    pub construct: String,
    /// The number of iterations of an instance.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub iterations: u64,
    /// The number of executions of the loop, which is more than one within other loops.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub instances: u64,
    /// The processes that execute the loop, by their names on the command line.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub processes: Vec<String>,
    /// The number of events of the model within the loop, in all instances and processes.
    pub events: u64,
    /// Nanoseconds from the first event of the loop to the last, summed over its instances and averaged over its
    /// processes.
    pub nanoseconds: f64,
    /// The share of the time of all processes of the program, in percent.
    pub share: f64,
}

/// Converts loops to JSON.
#[must_use]
pub fn main_loops_json(
    loops: &[MainLoop],
    words: ProgramLabels<'_>,
    ticks_per_second: u64,
) -> Vec<MainLoopJson> {
    let loops = loops.iter().map(|one| MainLoopJson {
        construct: one.number.clone(),
        iterations: one.iterations,
        instances: one.instances,
        processes: one.processes.iter().map(|&p| words.process(p)).collect(),
        events: one.events,
        nanoseconds: 1e9 * seconds(one, ticks_per_second),
        share: 100.0 * one.share,
    });
    loops.collect()
}

/// The column headers of [`main_loop_rows`].
pub const MAIN_LOOP_COLUMNS: [&str; 7] = [
    "construct",
    "share",
    "time",
    "iterations",
    "instances",
    "events",
    "processes",
];

/// Converts loops to the rows of a table with the columns [`MAIN_LOOP_COLUMNS`].
#[must_use]
pub fn main_loop_rows(
    loops: &[MainLoop],
    words: ProgramLabels<'_>,
    ticks_per_second: u64,
) -> Vec<Vec<String>> {
    let rows = loops.iter().map(|one| {
        vec![
            one.number.clone(),
            Percent(one.share).to_string(),
            Seconds(seconds(one, ticks_per_second)).to_string(),
            grouped(one.iterations),
            grouped(one.instances),
            grouped(one.events),
            words.processes(one.processes.iter().copied()),
        ]
    });
    rows.collect()
}

/// Returns the time of a loop in seconds, averaged over its processes.
fn seconds(one: &MainLoop, ticks_per_second: u64) -> f64 {
    let processes = one.processes.len().max(1) as f64;
    one.ticks as f64 / processes / ticks_per_second.max(1) as f64
}

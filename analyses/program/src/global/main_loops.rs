//! Exports the loops of a program in which most time is spent, as a table and as JSON.

use foldtrace_view::units::Percent;
use foldtrace_view::units::{Seconds, grouped};
use serde::Serialize;

use super::Words;
use crate::MainLoop;

/// A loop as JSON; `schemas/main-loops.schema.json` describes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MainLoopJson {
    /// The number of the loop as a construct, as `extract` and `matrix` accept it.
    pub construct: String,
    /// Iterations per instance of the loop.
    pub iterations: u64,
    /// How many times the loop runs.
    pub instances: u64,
    /// The names of the processes that execute the loop.
    pub processes: Vec<String>,
    /// Events within the loop.
    pub events: u64,
    /// Nanoseconds from the first to the last event, summed over instances and averaged over the processes.
    pub nanoseconds: f64,
    /// The share of the time of all processes, in percent.
    pub share: f64,
}

/// Converts loops to JSON.
#[must_use]
pub fn main_loops_json(
    loops: &[MainLoop],
    words: Words<'_>,
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
    words: Words<'_>,
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

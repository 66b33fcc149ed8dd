//! The loops of a program in which most time is spent, as a table and as JSON.

use serde::Serialize;

use super::Words;
use crate::export::units::Percent;
use crate::export::{Seconds, grouped};
use crate::program::MainLoop;

/// A loop as JSON; `schemas/main-loops.schema.json` describes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MainLoopJson {
    /// Its number, as `extract` and `matrix` take it.
    pub construct: String,
    /// Iterations of an instance.
    pub iterations: u64,
    /// How often the loop runs.
    pub instances: u64,
    /// The processes that take part, as users name them.
    pub processes: Vec<String>,
    /// Events within it.
    pub events: u64,
    /// Nanoseconds from its first event to its last one, on average over the processes.
    pub nanoseconds: f64,
    /// Percent of the time of all processes.
    pub share: f64,
}

/// Loops as JSON.
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

/// Heads of the columns of [`main_loop_rows`].
pub const MAIN_LOOP_COLUMNS: [&str; 7] = [
    "construct",
    "share",
    "time",
    "iterations",
    "instances",
    "events",
    "processes",
];

/// Loops as rows of a table.
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

/// The time of a loop, on average over its processes.
fn seconds(one: &MainLoop, ticks_per_second: u64) -> f64 {
    let processes = one.processes.len().max(1) as f64;
    one.ticks as f64 / processes / ticks_per_second.max(1) as f64
}

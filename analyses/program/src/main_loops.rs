//! Finds the loops in which a program spends most of its time.

use std::cmp::Reverse;

use foldtrace_fold::merge::Process;
use foldtrace_store::StoreReader;
use foldtrace_trace::{Position, TraceError};

use crate::outline::outline;
use crate::{Cost, Program};

/// A loop with its cost over all of its instances and processes.
#[derive(Clone, Debug, PartialEq)]
pub struct MainLoop {
    /// The number of the loop as a construct of the program.
    pub number: String,
    /// The number of iterations in each instance.
    pub iterations: u64,
    /// How often the loop runs: more than once if it is within other loops.
    pub instances: u64,
    /// The processes that execute the loop.
    pub processes: Vec<Process>,
    /// The number of events within the loop, over all instances.
    pub events: u64,
    /// Ticks from its first event to its last one, summed over instances and processes.
    pub ticks: i64,
    /// The loop's share of the time of all processes of the program: between 0 and 1, unless clocks go
    /// backwards.
    pub share: f64,
}

/// Returns all loops of a program, sorted by time in descending order, from the costs of its constructs. A loop comes before
/// the loops within it.
///
/// # Errors
/// If a table is missing or damaged, or the program is not of this store.
pub fn main_loops(
    store: &StoreReader,
    program: &Program,
    costs: &[Cost],
) -> Result<Vec<MainLoop>, TraceError> {
    let total = total_ticks(store, program)?;
    let entries = outline(&program.model.system);
    let loops = entries.iter().zip(costs).filter_map(|(entry, cost)| {
        let (iterations, _) = entry.construct.as_loop()?;
        Some(MainLoop {
            number: entry.number.clone(),
            iterations,
            instances: entry.instances,
            processes: entry.construct.processes.to_vec(),
            events: entry.construct.events().saturating_mul(entry.instances),
            ticks: cost.ticks,
            share: cost.ticks as f64 / total.max(1) as f64,
        })
    });
    let mut loops: Vec<MainLoop> = loops.collect();
    // The sort is stable, and outer loops come first in the outline.
    loops.sort_by_key(|one| Reverse(one.ticks));
    Ok(loops)
}

/// Returns the ticks from the first to the last event of each process, summed over all processes.
fn total_ticks(store: &StoreReader, program: &Program) -> Result<i64, TraceError> {
    let mut lookup = store.lookup();
    let mut total = 0_i64;
    for &location in &program.locations {
        let last = store.index().events(location).saturating_sub(1);
        let ends = [(location, Position(0)), (location, Position(last))];
        let ends = lookup.get_many(&ends)?;
        if let [Some(first), Some(last)] = &ends[..] {
            total = total.saturating_add(last.time.0.wrapping_sub(first.time.0) as i64);
        }
    }
    Ok(total)
}

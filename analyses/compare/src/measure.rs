//! Measures runs: reads the events of each location once to fold its loops, and once to measure them.

use foldhash::fast::FixedState;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    Diagnostics, EventBatch, EventStream, LocationId, Position, Step, TraceError,
};
use indexmap::IndexMap;
use rayon::prelude::*;

use crate::ids::{Paths, Vocabulary};
use crate::outline::Outline;
use crate::plan::{Node, Plan};
use crate::series::Series;
use crate::tally::{Construct, LocationMeasures, Measured, Tally};
use crate::tokens::Tokens;
use crate::walk::Walk;

/// The number of blocks in the series of a construct in a run with few processes.
const MOST_BLOCKS: usize = 64;
/// The least number of blocks.
const LEAST_BLOCKS: usize = 16;
/// The number of blocks of all processes together, from which each has fewer.
const BLOCKS_OF_ALL: usize = 1 << 14;

/// A construct in a process.
#[derive(Clone, Debug)]
pub struct OfProcess {
    /// The index of the process.
    pub process: usize,
    /// The time in nanoseconds by iteration.
    pub series: Series,
    /// The number of calls, or of intervals of computation.
    pub occurrences: u64,
    /// The bytes that the calls sent and received.
    pub bytes: u64,
}

/// A location with calls.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name as users know it: a rank if it has one.
    pub label: String,
    /// Nanoseconds from its first event to its last.
    pub duration: i64,
    /// The number of iterations of each loop.
    pub iterations: Vec<u64>,
}

/// A run that was measured.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The processes, in the order of their ranks.
    pub processes: Vec<Process>,
    /// The constructs, each with the processes that execute it.
    pub constructs: IndexMap<Construct, Vec<OfProcess>, FixedState>,
}

impl Run {
    /// Returns the time of the longest process, in nanoseconds.
    #[must_use]
    pub fn duration(&self) -> f64 {
        let longest = self.processes.iter().map(|process| process.duration).max();
        longest.unwrap_or(0) as f64
    }
}

/// Runs that are compared with each other.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// The names of routines and functions.
    pub vocabulary: Vocabulary,
    /// The call paths.
    pub paths: Paths,
    /// The loops.
    pub nodes: Vec<Node>,
    /// The runs.
    pub runs: Vec<Run>,
}

impl Runs {
    /// Measures stores.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn measure(stores: &[&StoreReader], progress: &Progress) -> Result<Self, TraceError> {
        let mut runs = Self::default();
        let (mut locations, mut tokens, mut outlines) = (Vec::new(), Vec::new(), Vec::new());
        for &store in stores {
            let own = Tokens::new(store, &mut runs.vocabulary);
            let of = by_rank(store);
            let folded = of
                .par_iter()
                .map(|&location| Outline::fold(store, location, &own, progress));
            outlines.push(folded.collect::<Result<Vec<_>, _>>()?);
            locations.push(of);
            tokens.push(own);
        }
        let plan = Plan::new(&outlines);
        for (run, &store) in stores.iter().enumerate() {
            let (of, outlines, assigned) = (&locations[run], &outlines[run], &plan.assigned[run]);
            let blocks = (BLOCKS_OF_ALL / of.len().max(1)).clamp(LEAST_BLOCKS, MOST_BLOCKS);
            let measured = of.par_iter().zip(outlines).zip(assigned).map(
                |((&location, outline), assigned)| {
                    let walk = Walk::new(outline, assigned, plan.nodes.len());
                    measure_location(
                        store,
                        location,
                        Tally::new(&tokens[run], walk, blocks),
                        progress,
                    )
                },
            );
            let measured = measured.collect::<Result<Vec<_>, _>>()?;
            let run = runs.join(store, of, measured);
            runs.runs.push(run);
        }
        runs.nodes = plan.nodes;
        Ok(runs)
    }

    /// Joins the measurements of the locations of a store. Locations without calls are left out.
    fn join(
        &mut self,
        store: &StoreReader,
        locations: &[LocationId],
        measured: Vec<LocationMeasures>,
    ) -> Run {
        let ticks_per_second = i128::from(store.manifest().clock().ticks_per_second.max(1));
        let nanoseconds = |ticks: i64| {
            let nanoseconds = i128::from(ticks) * 1_000_000_000 / ticks_per_second;
            i64::try_from(nanoseconds).unwrap_or(if ticks < 0 { i64::MIN } else { i64::MAX })
        };
        let mut run = Run::default();
        for (&location, own) in locations.iter().zip(measured) {
            if own.constructs.is_empty() {
                continue;
            }
            let process = run.processes.len();
            run.processes.push(Process {
                label: store.names().label(location),
                duration: nanoseconds(own.duration),
                iterations: own.iterations,
            });
            let paths = self.paths.add_all(&own.paths);
            for (construct, measured) in own.constructs {
                let path = paths
                    .get(construct.path.0 as usize)
                    .copied()
                    .unwrap_or_default();
                let Measured {
                    series,
                    occurrences,
                    bytes,
                } = measured;
                let series = series.map(nanoseconds);
                let construct = Construct { path, ..construct };
                let of: &mut Vec<OfProcess> = run.constructs.entry(construct).or_default();
                of.push(OfProcess {
                    process,
                    series,
                    occurrences,
                    bytes,
                });
            }
        }
        run
    }
}

/// Returns the locations of a store in the order of ranks, those without a rank last.
fn by_rank(store: &StoreReader) -> Vec<LocationId> {
    let mut locations: Vec<LocationId> = store.locations().collect();
    locations.sort_by_key(|&location| {
        let rank = store.names().rank(location);
        (rank.is_none(), rank, location)
    });
    locations
}

fn measure_location(
    store: &StoreReader,
    location: LocationId,
    mut tally: Tally<'_>,
    progress: &Progress,
) -> Result<LocationMeasures, TraceError> {
    let mut events = store.events(location, Position(0));
    let mut batch = EventBatch::default();
    loop {
        progress.check()?;
        let step = events.next_batch(&mut batch, &mut Diagnostics::default())?;
        tally.take(&batch);
        progress.count(batch.len());
        if step == Step::End {
            return Ok(tally.finish());
        }
    }
}

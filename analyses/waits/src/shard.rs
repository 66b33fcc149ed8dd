//! The search by several tasks, each of which writes a shard: what it has found in some stages.

use foldtrace_clock::Correction;
use foldtrace_matching::{FoundByTasks, Regions, SharedSearch};
use foldtrace_store::{ShardId, StoreReader, Work};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, TraceError, TraceReader};
use serde::{Deserialize, Serialize};

use crate::algorithm::{RunSums, StageSums};
use crate::find::{Run, Trace, pass_on};
use crate::{Found, Options, Sink};

/// What all tasks have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Search {
    clock: String,
    has_causes: bool,
    stage_events: Option<u64>,
    /// Whether the shards have the wait states, not only their sums.
    has_waits: bool,
}

impl SharedSearch for Search {
    const WORK: Work = Work::WaitStates;
    type Found = StageSums;
    /// The locations that communicate, and the time of all others.
    type Outside = (Vec<LocationId>, u64);
}

/// What the shards of several tasks have.
#[derive(Clone, Copy, Debug)]
pub struct ShardRequest {
    /// The options. Those of different tasks may only differ in what the summary shows.
    pub options: Options,
    /// Whether the wait states are wanted, not only their sums.
    pub has_waits: bool,
}

/// Searches the stages of a shard, and writes what it has found, unless that is there already. Returns whether it was not.
///
/// # Errors
/// Returns an error if a table is missing or damaged, the output cannot be written, another shard is there and not to be replaced,
/// or the work was stopped.
pub fn to_shard(
    store: &StoreReader,
    correction: &Correction,
    request: ShardRequest,
    shard: ShardId,
    replace: bool,
    progress: &Progress,
) -> Result<bool, TraceError> {
    let ShardRequest { options, has_waits } = request;
    let search = Search {
        clock: correction.report().method.name().to_owned(),
        has_causes: options.has_causes(),
        stage_events: options.stage_events,
        has_waits,
    };
    foldtrace_matching::to_shard(store, search, shard, replace, progress, |task| {
        let trace = Trace::of_store(store, correction, options, progress)?;
        let run = Run::new(store, correction, &trace, options, progress);
        let stages = &trace.run.stages;
        let outside = || Ok((stages.locations().to_vec(), run.silent_ticks()?));
        task.find(stages, outside, |stage| run.search(stage, has_waits))
    })
}

/// What all tasks have found.
#[derive(Debug)]
pub struct Shards(FoundByTasks<Search>);

impl Shards {
    /// Opens the shards of a store.
    ///
    /// # Errors
    /// Returns an error if a shard is missing, is damaged, or belongs to other work than the others.
    pub fn open(store: &StoreReader) -> Result<Self, TraceError> {
        FoundByTasks::open(store).map(Self)
    }

    /// Returns what was found, and reports the wait states to `sink` if the shards have them.
    ///
    /// # Errors
    /// Returns an error if a shard is damaged, or the sink fails.
    pub fn join(
        self,
        store: &StoreReader,
        correction: &Correction,
        options: Options,
        sink: &mut impl Sink,
    ) -> Result<Found, TraceError> {
        let FoundByTasks { outside, stages } = self.0;
        let mut sums = RunSums::default();
        for stage in stages {
            let paths = sums.add(stage.found);
            stage.rows.for_each(|wait| pass_on(&wait, &paths, sink))?;
        }
        let (locations, silent) = outside;
        let regions = Regions::new(store.definitions(), store.names(), store.symbols());
        let summary = sums.summary(&locations, silent, options);
        Ok(Found::new(regions, correction, summary))
    }
}

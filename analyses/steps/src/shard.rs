//! Steps found by several tasks, each of which writes a shard: what it has found in some stages.

use foldtrace_clock::Correction;
use foldtrace_matching::{FoundByTasks, SharedSearch};
use foldtrace_store::{ShardId, StoreReader, Work};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, ErrorKind, TraceError};
use serde::{Deserialize, Serialize};

use crate::algorithm::{RunSteps, StageSteps};
use crate::find::{Run, staged_run};
use crate::{Options, Sink, Summary};

/// What all tasks have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Search {
    clock: String,
    origins: usize,
    stage_events: Option<u64>,
    /// Whether the shards have the operations and messages, not only their summary.
    has_events: bool,
}

impl SharedSearch for Search {
    const WORK: Work = Work::Steps;
    type Found = StageSteps;
    type Outside = ();
}

/// What the shards of several tasks have.
#[derive(Clone, Copy, Debug)]
pub struct ShardRequest<'a> {
    /// The options.
    pub options: &'a Options,
    /// Whether operations and messages are wanted, not only the summary.
    pub has_events: bool,
}

/// Finds the steps of the stages of a shard, and writes them, unless they are there already. Returns whether they were not.
///
/// # Errors
/// Returns an error if the options do not allow stages, a table is missing or damaged, the output cannot be written, another shard is
/// there and not to be replaced, or the work was stopped.
pub fn to_shard(
    store: &StoreReader,
    correction: &Correction,
    request: ShardRequest<'_>,
    shard: ShardId,
    replace: bool,
    progress: &Progress,
) -> Result<bool, TraceError> {
    let ShardRequest {
        options,
        has_events,
    } = request;
    if !options.has_stages() {
        let message = "several tasks cannot merge or cut partitions";
        let error = TraceError::new(ErrorKind::Usage, message);
        return Err(error.hint("leave out --leaps, --phases and --memory, or --shard"));
    }
    let search = Search {
        clock: correction.report().method.name().to_owned(),
        origins: options.origins,
        stage_events: options.stage_events,
        has_events,
    };
    foldtrace_matching::to_shard(store, search, shard, replace, progress, |task| {
        let staged = staged_run(store, correction, options, progress)?;
        let run = Run::new(store, correction, &staged, options, progress);
        let outside = || Ok(());
        task.find(&staged.stages, outside, |stage| run.find(stage, has_events))
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

    /// Returns what was found, and reports operations and messages to `sink` if the shards have them. Of its origins of lateness, at
    /// most `origins` of each ranking are kept.
    ///
    /// # Errors
    /// Returns an error if a shard is damaged, or the sink fails.
    pub fn join(
        self,
        origins: usize,
        sink: &mut impl Sink,
    ) -> Result<(Summary, Diagnostics), TraceError> {
        let mut steps = RunSteps::new(origins);
        for stage in self.0.stages {
            let offset = steps.add(stage.found);
            stage.rows.for_each(|item| offset.pass_on(&item, sink))?;
        }
        Ok(steps.finish())
    }
}

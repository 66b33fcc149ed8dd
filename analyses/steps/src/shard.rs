//! Steps found by several tasks, each of which writes a shard: what it has found in some stages.

use foldtrace_clock::Correction;
use foldtrace_matching::FoundInStage;
use foldtrace_store::{
    Shard, ShardContents, ShardId, ShardWriter, StoreReader, Work, check_has_shards, open_shards,
    prepare_shards_folder,
};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, ErrorKind, TraceError};
use serde::{Deserialize, Serialize};

use crate::algorithm::{RunSteps, StageSteps};
use crate::find::{Run, Trace};
use crate::{Options, Sink, Summary};

/// What all shards have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Common {
    /// The checksum of the manifest of the store.
    store: String,
    clock: String,
    origins: usize,
    most: Option<usize>,
    stage_events: Option<u64>,
    /// Whether the shards have the operations and messages, not only their summary.
    has_events: bool,
}

/// What a task says about its shard.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    shard: ShardId,
    common: Common,
    stages: Vec<FoundInStage<StageSteps>>,
}

impl ShardContents for About {
    const WORK: Work = Work::Steps;

    fn id(&self) -> ShardId {
        self.shard
    }

    fn belongs_with(&self, other: &Self) -> bool {
        self.common == other.common
    }
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
/// Returns an error if partitions are to be merged, a table is missing or damaged, the output cannot be written, another shard is there
/// and not to be replaced, or the work was stopped.
pub fn to_shard(
    store: &StoreReader,
    correction: &Correction,
    request: ShardRequest<'_>,
    shard: ShardId,
    replace: bool,
    progress: &Progress,
) -> Result<bool, TraceError> {
    let (target, options) = (store.path(), request.options);
    check_has_shards(target)?;
    if !options.has_stages() {
        let message = "--leaps and --phases relate what several tasks would find";
        let error = TraceError::new(ErrorKind::Usage, message);
        return Err(error.hint("leave out --shard"));
    }
    let common = Common {
        store: store.manifest().checksum().to_owned(),
        clock: correction.report().method.name().to_owned(),
        origins: options.origins,
        most: options.most,
        stage_events: options.stage_events,
        has_events: request.has_events,
    };
    let path = shard.path(target);
    if !replace
        && let Some(Shard { contents, .. }) = Shard::<About>::open(&path)?
        && contents.common == common
    {
        return Ok(false);
    }
    prepare_shards_folder(target)?;
    let writer = ShardWriter::create(&path, replace)?;
    let trace = Trace::of_store(store, correction, options, progress)?;
    let run = Run::new(store, correction, &trace, options, progress);
    let stages = trace.stages.find_share(store, (shard, &writer), |stage| {
        run.find(stage, request.has_events)
    })?;
    writer.finish(About {
        shard,
        common,
        stages,
    })?;
    Ok(true)
}

/// All shards of a store.
#[derive(Debug)]
pub struct Shards(Vec<Shard<About>>);

impl Shards {
    /// Opens the shards of a store.
    ///
    /// # Errors
    /// Returns an error if a shard is missing, is damaged, or belongs to other work than the others.
    pub fn open(store: &StoreReader) -> Result<Self, TraceError> {
        Ok(Self(open_shards(store.path())?))
    }

    /// Returns what was found, and reports operations and messages to `sink` if the shards have them.
    ///
    /// # Errors
    /// Returns an error if a shard is damaged, or the sink fails.
    pub fn join(self, sink: &mut impl Sink) -> Result<(Summary, Diagnostics), TraceError> {
        let origins = self
            .0
            .first()
            .map_or(0, |shard| shard.contents.common.origins);
        let mut stages = Vec::new();
        for shard in self.0 {
            let folder = shard.path().to_owned();
            let found = shard.contents.stages.into_iter();
            stages.extend(found.map(|found| (found, folder.clone())));
        }
        stages.sort_unstable_by_key(|(found, _)| found.stage);
        let mut steps = RunSteps::new(origins);
        for (found, folder) in stages {
            let offset = steps.add(&found.found);
            found.rows(&folder, |item| offset.pass_on(&item, sink))?;
        }
        Ok(steps.finish())
    }
}

//! The search by several tasks, each of which writes a shard: what it has found in some stages.

use foldtrace_clock::Correction;
use foldtrace_matching::{FoundInStage, Regions};
use foldtrace_store::{
    Shard, ShardContents, ShardId, ShardWriter, StoreReader, Work, check_has_shards, open_shards,
    prepare_shards_folder,
};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, TraceError, TraceReader};
use serde::{Deserialize, Serialize};

use crate::algorithm::{RunSums, StageSums};
use crate::find::{Run, Trace, pass_on};
use crate::{Found, Options, Sink};

/// What all shards have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Common {
    /// The checksum of the manifest of the store.
    store: String,
    clock: String,
    has_causes: bool,
    stage_events: Option<u64>,
    /// Whether the shards have the wait states, not only their sums.
    has_waits: bool,
}

impl Common {
    fn new(store: &StoreReader, correction: &Correction, request: ShardRequest) -> Self {
        Self {
            store: store.manifest().checksum().to_owned(),
            clock: correction.report().method.name().to_owned(),
            has_causes: request.options.has_causes(),
            stage_events: request.options.stage_events,
            has_waits: request.has_waits,
        }
    }
}

/// What a task says about its shard.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    shard: ShardId,
    common: Common,
    stages: Vec<FoundInStage<StageSums>>,
    /// The locations that communicate, and the time of all others; only the first shard has them.
    head: Option<(Vec<LocationId>, u64)>,
}

impl ShardContents for About {
    const WORK: Work = Work::WaitStates;

    fn id(&self) -> ShardId {
        self.shard
    }

    fn belongs_with(&self, other: &Self) -> bool {
        self.common == other.common
    }
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
    let target = store.path();
    check_has_shards(target)?;
    let common = Common::new(store, correction, request);
    let path = shard.path(target);
    if !replace
        && let Some(Shard { contents, .. }) = Shard::<About>::open(&path)?
        && contents.common == common
    {
        return Ok(false);
    }
    prepare_shards_folder(target)?;
    let writer = ShardWriter::create(&path, replace)?;
    let trace = Trace::of_store(store, correction, request.options, progress)?;
    let run = Run::new(store, correction, &trace, request.options, progress);
    let head = (shard.number() == 0)
        .then(|| Ok::<_, TraceError>((trace.stages.locations().to_vec(), run.silent_ticks()?)));
    let head = head.transpose()?;
    let stages = trace.stages.find_share(store, (shard, &writer), |stage| {
        run.search(stage, request.has_waits)
    })?;
    writer.finish(About {
        shard,
        common,
        stages,
        head,
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
        let (mut head, mut stages) = (None, Vec::new());
        for shard in self.0 {
            let folder = shard.path().to_owned();
            head = head.or(shard.contents.head);
            let found = shard.contents.stages.into_iter();
            stages.extend(found.map(|found| (found, folder.clone())));
        }
        stages.sort_unstable_by_key(|(found, _)| found.stage);
        let mut sums = RunSums::default();
        for (found, folder) in stages {
            let paths = sums.add(&found.found);
            found.rows(&folder, |wait| pass_on(&wait, &paths, sink))?;
        }
        let (locations, silent) = head.unwrap_or_default();
        let regions = Regions::new(store.definitions(), store.names(), store.symbols());
        let summary = sums.summary(&locations, silent, options);
        Ok(Found::new(regions, correction, summary))
    }
}

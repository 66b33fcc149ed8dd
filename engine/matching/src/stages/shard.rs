//! The work of several tasks on the stages of a run: each writes a shard, what it has found in its stages.

use std::fmt::Debug;

use foldtrace_output::Spool;
use foldtrace_store::{
    Shard, ShardContents, ShardId, ShardWriter, StoreReader, Work, check_is_local, distribute,
    open_shards, prepare_shards_folder,
};
use foldtrace_stream::read::Progress;
use foldtrace_trace::TraceError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Stages;
use super::found::{FoundInStage, Rows, RowsFile, StoredRows};

/// The file of a shard with the rows of its stages.
const ROWS: &str = ".rows";

/// A search that several tasks share: what all of them have in common, besides the store.
pub trait SharedSearch: Debug + PartialEq + Serialize + DeserializeOwned {
    /// What the tasks do.
    const WORK: Work;
    /// What is found in a stage.
    type Found: Debug + Send + Serialize + DeserializeOwned;
    /// What is found outside of stages; only the first task finds it.
    type Outside: Debug + Default + Serialize + DeserializeOwned;
}

/// What a task says about its shard.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct About<S: SharedSearch> {
    shard: ShardId,
    /// The checksum of the manifest of the store.
    store: String,
    search: S,
    found: ShareOfStages<S>,
}

impl<S: SharedSearch> ShardContents for About<S> {
    const WORK: Work = S::WORK;

    fn id(&self) -> ShardId {
        self.shard
    }

    fn belongs_with(&self, other: &Self) -> bool {
        self.search == other.search && self.store == other.store
    }
}

/// What a task has found.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ShareOfStages<S: SharedSearch> {
    outside: Option<S::Outside>,
    /// By number of the stage, with its rows if they were wanted.
    stages: Vec<(usize, S::Found, Option<StoredRows>)>,
}

/// A task that shares a search with others.
#[derive(Debug)]
pub struct SharingTask<'a> {
    store: &'a StoreReader,
    shard: ShardId,
    writer: ShardWriter,
}

impl SharingTask<'_> {
    /// Does the work of the task on its share of the stages. `search` returns what it finds in a stage, with its rows if they are
    /// wanted; `outside` returns what is found outside of stages.
    ///
    /// # Errors
    /// Returns the first error of the work, or an error if the shard cannot be written.
    pub fn find<S: SharedSearch, R: Serialize + DeserializeOwned>(
        &self,
        stages: &Stages,
        outside: impl FnOnce() -> Result<S::Outside, TraceError>,
        search: impl Fn(usize) -> Result<(S::Found, Option<Spool<R>>), TraceError> + Sync,
    ) -> Result<ShareOfStages<S>, TraceError> {
        let (number, tasks) = (self.shard.number(), self.shard.of() as usize);
        let shards = distribute(&stages.events(self.store), &vec![0; tasks]);
        let mut mine = stages.all();
        mine.retain(|&stage| shards[stage] == number);
        let mut file = RowsFile::create(self.writer.path().join(ROWS))?;
        let mut found = Vec::with_capacity(mine.len());
        let numbered = |stage| Ok((stage, search(stage)?));
        stages.for_each(&mine, numbered, |(stage, (sums, rows))| {
            let rows = rows.map(|rows| file.append(rows)).transpose()?;
            found.push((stage, sums, rows));
            Ok(())
        })?;
        file.finish()?;
        Ok(ShareOfStages {
            outside: (number == 0).then(outside).transpose()?,
            stages: found,
        })
    }
}

/// Writes a shard with what `find` finds, unless it is there already. Returns whether it was not.
///
/// # Errors
/// Returns an error if the output cannot be written, another shard is there and not to be replaced, or `find` fails.
pub fn to_shard<S: SharedSearch>(
    store: &StoreReader,
    search: S,
    shard: ShardId,
    replace: bool,
    progress: &Progress,
    find: impl FnOnce(&SharingTask<'_>) -> Result<ShareOfStages<S>, TraceError>,
) -> Result<bool, TraceError> {
    let target = store.path();
    check_is_local(target)?;
    let checksum = store.manifest().checksum();
    if !replace
        && let Some(Shard { contents, .. }) = Shard::<About<S>>::open(target, shard)?
        && contents.search == search
        && contents.store == checksum
    {
        return Ok(false);
    }
    prepare_shards_folder(target)?;
    let task = SharingTask {
        store,
        shard,
        writer: ShardWriter::create(target, shard, replace)?,
    };
    let found = find(&task)?;
    let about = About {
        shard,
        store: checksum.to_owned(),
        search,
        found,
    };
    task.writer.finish(about, progress)?;
    Ok(true)
}

/// What all tasks have found.
#[derive(Debug)]
pub struct FoundByTasks<S: SharedSearch> {
    /// What was found outside of stages.
    pub outside: S::Outside,
    /// What was found in each stage, in the order of the run.
    pub stages: Vec<FoundInStage<S::Found>>,
}

impl<S: SharedSearch> FoundByTasks<S> {
    /// Opens all shards of the search in a store.
    ///
    /// # Errors
    /// Returns an error if a shard is missing, is damaged, or belongs to other work than the others.
    pub fn open(store: &StoreReader) -> Result<Self, TraceError> {
        let (mut outside, mut stages) = (None, Vec::new());
        for shard in open_shards::<About<S>>(store.path())? {
            let rows = shard.path().join(ROWS);
            let found = shard.contents.found;
            outside = outside.or(found.outside);
            let found = found.stages.into_iter();
            stages.extend(found.map(|(stage, found, stored)| {
                let rows = Rows(stored.map(|stored| (stored, rows.clone())));
                (stage, FoundInStage { found, rows })
            }));
        }
        stages.sort_unstable_by_key(|&(stage, _)| stage);
        Ok(Self {
            outside: outside.unwrap_or_default(),
            stages: stages.into_iter().map(|(_, found)| found).collect(),
        })
    }
}

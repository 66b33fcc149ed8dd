//! Deriving by several tasks, each of which writes a shard: tables of some parts of the store, and messages to some processes.
//!
//! A shard has the files of its parts as the store will have them. What a table of the whole store needs of its locations is in hidden
//! files: call trees, rows of the timeline, and messages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use foldtrace_calltree::Trees;
use foldtrace_fold::dag::Rules;
use foldtrace_matching::RankRange;
use foldtrace_store::{
    CompleteStore, Derived, DerivedFolder, Shard, ShardContents, ShardId, ShardWriter, StoreReader,
    Work, Written, are_joined, check_is_local, has_all_shards, is_joined_by_another, note_joined,
    open_shards, prepare_shards_folder, remove_joined, remove_shards, shards_of,
};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, ErrorKind, Place, TraceError};
use serde::{Deserialize, Serialize};

use crate::kept::{Kept, KeptPlace, keep};
use crate::share::TaskShare;
use crate::timeline::LocationRows;
use crate::{Added, Request, Rows, Tables, complete, write_share};

/// The files of a shard with the results of its locations.
const TREES: &str = ".trees";
const TIMELINE: &str = ".timeline";

/// What all shards have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Common {
    /// The checksum of the manifest of the store.
    store: String,
    tables: Vec<String>,
    clock: String,
    buckets: Option<u64>,
    events_per_group: u64,
}

/// A table in a shard.
#[derive(Debug, Serialize, Deserialize)]
struct TableOfShard {
    /// The path in the shard.
    path: PathBuf,
    /// The columns with a value that needs the 64th bit.
    wide: BTreeSet<usize>,
}

/// What a task says about its shard.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    shard: ShardId,
    common: Common,
    rows: Rows,
    files: Vec<TableOfShard>,
    of_messages: Vec<TableOfShard>,
    trees: Vec<KeptPlace>,
    timeline: Vec<KeptPlace>,
    /// The problems of the calls of each part, and those of messages and collective operations.
    of_calls: Vec<(u32, Diagnostics)>,
    diagnostics: Diagnostics,
}

impl ShardContents for About {
    const WORK: Work = Work::Derivation;

    fn id(&self) -> ShardId {
        self.shard
    }

    fn belongs_with(&self, other: &Self) -> bool {
        self.common == other.common
    }
}

/// The result of writing a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenShard {
    /// The shard is written.
    New,
    /// The same shard was there already.
    Before,
}

/// Writes a shard of tables that are derived from the store at `path`, unless it is there already.
///
/// # Errors
/// Returns an error if there is no intact store; if tables of some processes, or patterns, are requested; if the output cannot be
/// written; if another shard is there and not to be replaced; or if the work was stopped.
pub fn to_shard(
    path: &Path,
    request: Request<'_>,
    shard: ShardId,
    replace: bool,
    progress: &Progress,
) -> Result<WrittenShard, TraceError> {
    check_is_local(path)?;
    check_can_be_divided(&request)?;
    if !replace && are_joined(path) {
        return Ok(WrittenShard::Before);
    }
    let store = StoreReader::open(path)?;
    let tables = request.tables.iter().map(|table| table.name().to_owned());
    let common = Common {
        store: store.manifest().checksum().to_owned(),
        tables: tables.collect(),
        clock: request.clock.name().to_owned(),
        buckets: request.buckets,
        events_per_group: request.events_per_group,
    };
    if !replace
        && let Some(Shard { contents, .. }) = Shard::<About>::open(path, shard)?
        && contents.common == common
    {
        return Ok(WrittenShard::Before);
    }
    prepare_shards_folder(path)?;
    let writer = ShardWriter::create(path, shard, replace)?;
    let folder = DerivedFolder {
        store: &store,
        path: writer.path(),
    };
    let about = write(folder, &request, shard, common, progress)?;
    writer.finish(about, progress)?;
    Ok(WrittenShard::New)
}

/// Refuses what only one task can do.
fn check_can_be_divided(request: &Request<'_>) -> Result<(), TraceError> {
    if request.ranks != RankRange::ALL {
        let message = "shards have the tables of all processes";
        return Err(TraceError::new(ErrorKind::Usage, message));
    }
    if !request.patterns.is_empty() {
        let error = TraceError::new(ErrorKind::Usage, "patterns are found by one task");
        return Err(error.hint("leave out --pattern, or derive the table dag without --shard"));
    }
    Ok(())
}

/// Writes the files of a shard.
fn write(
    folder: DerivedFolder<'_>,
    request: &Request<'_>,
    shard: ShardId,
    common: Common,
    progress: &Progress,
) -> Result<About, TraceError> {
    let store = folder.store;
    let share = TaskShare::of_shard(store, request, shard);
    let written = write_share(folder, request, &share, progress)?;
    let locations = share.locations(store);
    let (mut trees, mut timeline) = (Vec::new(), Vec::new());
    if request.tables.contains(&Derived::Dag) {
        let grown = Trees::new(store, Rules::default(), progress);
        let tree = |location, _| grown.of(location);
        trees = keep(&folder.path.join(TREES), &locations, tree)?;
    }
    if request.tables.contains(&Derived::Timeline) {
        let computed = LocationRows::new(store, request.buckets, progress)?;
        let rows = |_, stream| computed.of(stream);
        timeline = keep(&folder.path.join(TIMELINE), &locations, rows)?;
    }
    let of_shard = |file: Written| TableOfShard {
        path: file
            .path
            .strip_prefix(folder.path)
            .unwrap_or(&file.path)
            .to_owned(),
        wide: file.wide,
    };
    Ok(About {
        shard,
        common,
        rows: written.rows,
        files: written.files.into_iter().map(of_shard).collect(),
        of_messages: written.of_messages.into_iter().map(of_shard).collect(),
        trees,
        timeline,
        of_calls: written.of_calls,
        diagnostics: written.diagnostics,
    })
}

/// Joins the shards of derived tables if all of them are written and no other task joins them. `replace` tells whether tasks replace
/// shards of earlier work.
///
/// # Errors
/// Returns an error if a shard is damaged or belongs to another store, or if the output cannot be written.
pub fn join_if_last(
    path: &Path,
    of: u32,
    replace: bool,
    progress: &Progress,
) -> Result<Option<Added>, TraceError> {
    if remove_joined(path)? || !has_all_shards(path, of)? {
        return Ok(None);
    }
    match join(path, progress) {
        Err(error) if is_joined_by_another(&error, path, replace) => Ok(None),
        joined => joined.map(Some),
    }
}

/// Adds the derived tables of all shards to the store at `path`, and removes the shards. A new store replaces the old one, which
/// stays unchanged until then.
///
/// # Errors
/// Returns an error if a shard is missing, is damaged, or belongs to another store; or if the output cannot be written.
pub fn join(path: &Path, progress: &Progress) -> Result<Added, TraceError> {
    check_is_local(path)?;
    let shards = open_shards::<About>(path)?;
    let common = shards[0].contents.common.clone();
    let mut store = CompleteStore::copy_of(path)?;
    if store.manifest().checksum() != common.store {
        let message = "the shards are of another store, or it has been changed since";
        return Err(TraceError::new(ErrorKind::Usage, message)
            .at(Place::file(shards_of(path)))
            .hint("remove them, and write them again"));
    }
    let names = common.tables.iter();
    let tables: Vec<Derived> = names.filter_map(|name| Derived::from_name(name)).collect();
    store.remove_derived(&tables)?;
    let mut files = shards.iter().flat_map(|shard| &shard.contents.files);
    let is_changed = files.any(|file| !file.wide.is_empty());
    store.adopt(&shards, is_changed, progress)?;
    let (mut written, kept) = contents_of(shards, store.path())?;
    let reader = StoreReader::open(store.path())?;
    let request = Request {
        buckets: common.buckets,
        ..Request::new(&tables)
    };
    let folder = DerivedFolder::of(&reader);
    complete(folder, &request, Some(&kept), &mut written, progress)?;
    store.add_derived(&tables, &written.files, &written.diagnostics)?;
    note_joined(path, store.manifest().checksum())?;
    let manifest = store.appear(progress)?;
    remove_shards(path)?;
    Ok(Added {
        tables,
        manifest,
        rows: written.rows,
        diagnostics: written.diagnostics,
    })
}

/// Returns what all shards have written, whose files are in the folder `store` too.
fn contents_of(
    shards: Vec<Shard<About>>,
    store: &Path,
) -> Result<(Tables, KeptOfShards), TraceError> {
    let (mut written, mut kept) = (Tables::default(), KeptOfShards::default());
    let mut of_calls = BTreeMap::new();
    for shard in shards {
        let path = shard.path();
        let about = shard.contents;
        written.rows.add(about.rows);
        let table = |folder: &Path, TableOfShard { path, wide }| {
            Written::from_file(folder.join(path), wide)
        };
        for file in about.files {
            written.files.push(table(store, file)?);
        }
        for file in about.of_messages {
            written.of_messages.push(table(&path, file)?);
        }
        kept.trees.add(path.join(TREES), about.trees)?;
        kept.timeline.add(path.join(TIMELINE), about.timeline)?;
        of_calls.extend(about.of_calls);
        written.diagnostics.merge(about.diagnostics);
    }
    written.of_calls = of_calls.into_iter().collect();
    Ok((written, kept))
}

/// The results of locations that all shards have kept.
#[derive(Debug, Default)]
pub(crate) struct KeptOfShards {
    pub trees: Kept,
    pub timeline: Kept,
}

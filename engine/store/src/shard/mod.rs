//! Shards: what several tasks contribute to a store, each in a folder of its own, until one of them joins them.
//!
//! The shards of `run.fold` are in the folder `run.fold.shards`. A shard has files as the store will have them, hidden files for the
//! task that joins the shards, and the file `shard`, which is written last: what the task has to say about its work. Files are
//! linked into the folder of the store, or copied from an object store, so that the shards stay whole until the store is complete.

mod balance;
mod folder;
mod id;
mod local;
mod parts;
#[cfg_attr(not(feature = "objects"), path = "no_remote.rs")]
mod remote;
mod set;

use std::fs;
use std::path::{Path, PathBuf};

use foldtrace_output::OutputFolder;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{ErrorKind, Place, TraceError, is_object_url};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Reading, Writing};
use crate::folder::{HashedFile, hash_files};
use crate::zstandard;
use folder::ShardsFolder;
use local::LocalShards;
use remote::{ShardUpload, open_url};

pub use balance::distribute;
pub(crate) use folder::Wanted;
pub use id::{ShardId, shards_of};
pub use parts::{AdoptedPart, PartsOfShard, PartsWriter};
pub use set::{
    are_joined, begin_joining, check_is_local, has_all_shards, is_joined_by_another, note_joined,
    open_shards, prepare_shards_folder, remove_joined, remove_shards, work_of_shards,
};

/// The file that makes a folder a shard.
const SHARD: &str = "shard";

/// The number of bytes of the hash after the first line, and of the length after it. The hash is that of everything after it.
const HASH: usize = 32;
const LENGTH: usize = 8;

/// What several tasks do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// They convert a trace to a store.
    Conversion,
    /// They derive tables of a store.
    Derivation,
    /// They search the wait states of a store.
    WaitStates,
    /// They find the steps of a store.
    Steps,
}

impl Work {
    const ALL: [Self; 4] = [
        Self::Conversion,
        Self::Derivation,
        Self::WaitStates,
        Self::Steps,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Conversion => "conversion",
            Self::Derivation => "derivation",
            Self::WaitStates => "search for wait states",
            Self::Steps => "search for steps",
        }
    }

    /// Returns the command that writes a shard of a store.
    fn command(self, store: &Path, shard: ShardId) -> String {
        let store = store.display();
        match self {
            Self::Conversion => format!("foldtrace convert INPUT {store} --shard {shard}"),
            Self::Derivation => format!("foldtrace derive {store} TABLES --shard {shard}"),
            Self::WaitStates => format!("foldtrace waits {store} --shard {shard}"),
            Self::Steps => format!("foldtrace steps {store} --shard {shard}"),
        }
    }
}

/// What a task has to say about its shard.
pub trait ShardContents: Serialize + DeserializeOwned {
    /// What the tasks do.
    const WORK: Work;

    /// Returns the id of the shard.
    fn id(&self) -> ShardId;

    /// Returns whether two shards have the same input and options.
    fn belongs_with(&self, other: &Self) -> bool;
}

/// A shard that is being written.
#[derive(Debug)]
pub struct ShardWriter(ShardFolder);

/// The folder in which a shard is written.
#[derive(Debug)]
enum ShardFolder {
    /// Next to its final name.
    Local(OutputFolder),
    /// In the folder for temporary files, until its objects are written.
    Remote(ShardUpload),
}

/// A complete shard.
#[derive(Debug)]
pub struct Shard<T> {
    store: PathBuf,
    files: Vec<HashedFile>,
    /// What the task has to say about it.
    pub contents: T,
}

/// The contents of the file of a shard.
#[derive(Serialize, Deserialize)]
struct Sealed<T> {
    /// The files that the store will have, so that they are not hashed again when the shards are joined.
    files: Vec<HashedFile>,
    contents: T,
}

impl ShardWriter {
    /// Creates a shard of a store.
    ///
    /// # Errors
    /// Returns an error if its path exists, unless it is a shard and `replace` is set; if another writer is using it; or if the folder
    /// around it cannot be written.
    pub fn create(store: &Path, id: ShardId, replace: bool) -> Result<Self, TraceError> {
        let target = id.path(store);
        if is_object_url(store) {
            let upload = ShardUpload::create(&target, replace)?;
            return Ok(Self(ShardFolder::Remote(upload)));
        }
        let check = move |target: &Path| match target.symlink_metadata() {
            Err(_) => Ok(()),
            Ok(_) if !target.join(SHARD).is_file() => {
                let reason = "it already exists, is not a shard, and will not be replaced";
                Err(TraceError::refused(target, reason))
            }
            Ok(_) if replace => Ok(()),
            Ok(_) => Err(TraceError::exists(target)),
        };
        let folder = OutputFolder::create(target, check)?;
        Ok(Self(ShardFolder::Local(folder)))
    }

    /// Returns the folder that contains the shard until it appears.
    #[must_use]
    pub fn path(&self) -> &Path {
        match &self.0 {
            ShardFolder::Local(folder) => folder.path(),
            ShardFolder::Remote(upload) => upload.path(),
        }
    }

    /// Completes the shard, and gives it its final name.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written, or the upload was stopped.
    pub fn finish<T: ShardContents>(
        self,
        contents: T,
        progress: &Progress,
    ) -> Result<(), TraceError> {
        let path = self.path().join(SHARD);
        let files = hash_files(self.path(), |path| is_for_joining(Path::new(path)))?;
        let plain = postcard::to_stdvec(&Sealed { files, contents }).map_err(|error| {
            let message = format!("cannot encode {}", path.display());
            TraceError::new(ErrorKind::Internal, message).caused_by(error)
        })?;
        let packed = zstandard::compress(&plain).writing(&path)?;
        let mut sealed = (plain.len() as u64).to_le_bytes().to_vec();
        sealed.extend(packed);
        let hash = blake3::hash(&sealed);
        let bytes = [first_line(T::WORK).as_bytes(), hash.as_bytes(), &sealed].concat();
        fs::write(&path, bytes).writing(&path)?;
        match self.0 {
            ShardFolder::Local(folder) => folder.complete(),
            ShardFolder::Remote(upload) => upload.complete(progress),
        }
    }
}

impl<T: ShardContents> Shard<T> {
    /// Opens a shard of a store; `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if the shard cannot be read, is damaged, or was written by another version of foldtrace.
    pub fn open(store: &Path, id: ShardId) -> Result<Option<Self>, TraceError> {
        let path = id.path(store);
        let file = path.join(SHARD);
        let Some(bytes) = read(store, id)? else {
            return Ok(None);
        };
        let (work, bytes) = work_and_rest(&path, &bytes)?;
        if work != T::WORK {
            let message = format!("{} is a shard of a {}", path.display(), work.name());
            return Err(TraceError::new(ErrorKind::Usage, message)
                .at(Place::file(&file))
                .hint("join these shards first, or remove them"));
        }
        let broken = |why: &str| wrong(&file, why);
        let (hash, sealed) = bytes
            .split_first_chunk::<HASH>()
            .ok_or_else(|| broken("it is too short"))?;
        if blake3::hash(sealed) != *hash {
            return Err(broken("its contents do not match their hash"));
        }
        let (length, packed) = sealed
            .split_first_chunk::<LENGTH>()
            .ok_or_else(|| broken("it is too short"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let plain = zstandard::decompress(packed, length).reading(&file)?;
        let sealed: Sealed<T> = postcard::from_bytes(&plain)
            .map_err(|error| broken("it cannot be decoded").caused_by(error))?;
        Ok(Some(Self {
            store: store.to_owned(),
            files: sealed.files,
            contents: sealed.contents,
        }))
    }

    /// Returns the folder of the shard.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.contents.id().path(&self.store)
    }

    /// Takes the files of the shard that are `wanted` into the folder of a store: links, copies of those that are changed there, or
    /// what an object store has. Adds those that are not changed to `hashed`.
    pub(crate) fn take_into(
        &self,
        store: &Path,
        wanted: &Wanted<'_>,
        hashed: &mut Vec<HashedFile>,
        progress: &Progress,
    ) -> Result<(), TraceError> {
        let shards = folder_of(&self.store)?;
        shards.take(&self.contents.id().name(), store, wanted, progress)?;
        let is_same = |file: &&HashedFile| !(wanted.is_changed)(Path::new(&file.entry.path));
        hashed.extend(self.files.iter().filter(is_same).cloned());
        Ok(())
    }
}

/// Returns what the task does that has written a shard of a store; `None` if there is none.
fn work_of(store: &Path, id: ShardId) -> Result<Option<Work>, TraceError> {
    let bytes = read(store, id)?;
    let work = bytes.map(|bytes| Ok(work_and_rest(&id.path(store), &bytes)?.0));
    work.transpose()
}

/// Returns the folder of the shards of a store.
///
/// # Errors
/// Returns an error if it is on an object store that cannot be used.
fn folder_of(store: &Path) -> Result<Box<dyn ShardsFolder>, TraceError> {
    let path = shards_of(store);
    if is_object_url(store) {
        return open_url(&path);
    }
    Ok(Box::new(LocalShards(path)))
}

/// Reads the file of a shard, if there is one.
fn read(store: &Path, id: ShardId) -> Result<Option<Vec<u8>>, TraceError> {
    folder_of(store)?.read(&format!("{}/{SHARD}", id.name()))
}

/// Returns the first line of the file of a shard. Only the same version of foldtrace joins shards.
fn first_line(work: Work) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("foldtrace shard {version} {}\n", work.name())
}

/// Splits the file of the shard at `path` after its first line.
fn work_and_rest<'a>(path: &Path, bytes: &'a [u8]) -> Result<(Work, &'a [u8]), TraceError> {
    let file = path.join(SHARD);
    let end = bytes.iter().position(|&byte| byte == b'\n');
    let (line, rest) = bytes.split_at(end.ok_or_else(|| wrong(&file, "it is too short"))? + 1);
    let found = Work::ALL
        .into_iter()
        .find(|work| line == first_line(*work).as_bytes());
    let work = found.ok_or_else(|| {
        let message = format!("{} is from another version of foldtrace", path.display());
        TraceError::new(ErrorKind::Malformed, message)
            .at(Place::file(&file))
            .hint("write all shards with the version that joins them")
    })?;
    Ok((work, rest))
}

/// Returns whether a file of a shard is for the task that joins the shards, so that the store will not have it.
pub(crate) fn is_for_joining(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().starts_with(b".") || path == Path::new(SHARD)
}

/// Returns the error for a damaged file of a shard.
fn wrong(file: &Path, why: &str) -> TraceError {
    TraceError::new(ErrorKind::Malformed, format!("the shard is damaged: {why}"))
        .at(Place::file(file))
        .hint("write this shard again")
}

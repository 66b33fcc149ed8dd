//! Shards: what several tasks contribute to a store, each in a folder of its own, until one of them joins them.
//!
//! The shards of `run.fold` are in the folder `run.fold.shards`. A shard has files as the store will have them, hidden files for the
//! task that joins the shards, and the file `shard`, which is written last: what the task has to say about its work. Files are
//! linked into the folder of the store, so that the shards stay whole until the store is complete.

mod balance;
mod id;
mod parts;
mod set;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_output::OutputFolder;
use foldtrace_trace::{ErrorKind, Place, TraceError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Reading, Writing};
use crate::folder::{HashedFile, hash_files};
use crate::zstandard;

pub use balance::distribute;
pub use id::{ShardId, shards_of};
pub use parts::{AdoptedPart, PartsOfShard, PartsWriter};
pub use set::{
    are_joined, begin_joining, check_has_shards, has_all_shards, is_joined_by_another, note_joined,
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
pub struct ShardWriter {
    folder: OutputFolder,
}

/// A complete shard.
#[derive(Debug)]
pub struct Shard<T> {
    path: PathBuf,
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
    /// Creates a shard that will appear at `target`.
    ///
    /// # Errors
    /// Returns an error if `target` exists, unless it is a shard and `replace` is set; if another writer is using `target`; or if
    /// the folder around it cannot be written.
    pub fn create(target: &Path, replace: bool) -> Result<Self, TraceError> {
        let check = move |target: &Path| match target.symlink_metadata() {
            Err(_) => Ok(()),
            Ok(_) if !target.join(SHARD).is_file() => {
                let reason = "it already exists, is not a shard, and will not be replaced";
                Err(TraceError::refused(target, reason))
            }
            Ok(_) if replace => Ok(()),
            Ok(_) => Err(TraceError::exists(target)),
        };
        let folder = OutputFolder::create(target.to_owned(), check)?;
        Ok(Self { folder })
    }

    /// Returns the hidden folder that contains the shard until it appears.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Completes the shard, and gives it its final name.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish<T: ShardContents>(self, contents: T) -> Result<(), TraceError> {
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
        self.folder.complete()
    }
}

impl<T: ShardContents> Shard<T> {
    /// Opens the shard at `path`; `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if the shard cannot be read, is damaged, or was written by another version of foldtrace.
    pub fn open(path: &Path) -> Result<Option<Self>, TraceError> {
        let file = path.join(SHARD);
        let Some(bytes) = read(&file)? else {
            return Ok(None);
        };
        let (work, bytes) = work_and_rest(path, &bytes)?;
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
            path: path.to_owned(),
            files: sealed.files,
            contents: sealed.contents,
        }))
    }

    /// Returns the folder of the shard.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Links the files of the shard that `is_wanted` into the folder of a store, or copies those that `is_changed` there. Adds those
    /// that are not changed to `hashed`.
    pub(crate) fn link_into(
        &self,
        store: &Path,
        is_wanted: &impl Fn(&Path) -> bool,
        is_changed: &impl Fn(&Path) -> bool,
        hashed: &mut Vec<HashedFile>,
    ) -> Result<(), TraceError> {
        link_files(&self.path, store, is_wanted, is_changed)?;
        let is_same = |file: &&HashedFile| !is_changed(Path::new(&file.entry.path));
        hashed.extend(self.files.iter().filter(is_same).cloned());
        Ok(())
    }
}

/// Returns what the task does that has written the shard at `path`; `None` if there is none.
fn work_of(path: &Path) -> Result<Option<Work>, TraceError> {
    let bytes = read(&path.join(SHARD))?;
    let work = bytes.map(|bytes| Ok(work_and_rest(path, &bytes)?.0));
    work.transpose()
}

/// Returns the first line of the file of a shard. Only the same version of foldtrace joins shards.
fn first_line(work: Work) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("foldtrace shard {version} {}\n", work.name())
}

/// Reads a file, if there is one.
fn read(file: &Path) -> Result<Option<Vec<u8>>, TraceError> {
    match fs::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.reading(file).map(Some),
    }
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

/// Links the files of a shard that `is_wanted` into the folder of a store, or copies those that `is_changed` there.
fn link_files(
    shard: &Path,
    store: &Path,
    is_wanted: &impl Fn(&Path) -> bool,
    is_changed: &impl Fn(&Path) -> bool,
) -> Result<(), TraceError> {
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let from = shard.join(&folder);
        for entry in fs::read_dir(&from).reading(&from)? {
            let entry = entry.reading(&from)?;
            let path = folder.join(entry.file_name());
            let (from, to) = (entry.path(), store.join(&path));
            if entry.file_type().reading(&from)?.is_dir() {
                fs::create_dir_all(&to).writing(&to)?;
                folders.push(path);
            } else if path != Path::new(SHARD) && is_wanted(&path) {
                let is_linked = !is_changed(&path) && fs::hard_link(&from, &to).is_ok();
                if !is_linked {
                    fs::copy(&from, &to).map(drop).writing(&to)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the error for a damaged file of a shard.
fn wrong(file: &Path, why: &str) -> TraceError {
    TraceError::new(ErrorKind::Malformed, format!("the shard is damaged: {why}"))
        .at(Place::file(file))
        .hint("write this shard again")
}

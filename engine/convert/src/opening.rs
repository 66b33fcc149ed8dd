//! Opens a trace once for all tasks that write shards of a store.
//!
//! The task that comes first leaves what it has read, beside the shards, and the others wait for it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use foldtrace_output::{OutputFile, has_writer};
use foldtrace_store::{prepare_shards_folder, shards_of};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Output, TraceError, TraceReader, is_object_url};

/// The name of the file in the folder of the shards.
const FILE: &str = "opening";

/// The first line of the file. Other versions of foldtrace open the trace themselves.
const MAGIC: &str = concat!("foldtrace opening ", env!("CARGO_PKG_VERSION"), "\n");

/// The number of bytes of the hash after the first line: that of everything after it.
const HASH: usize = 32;

/// The time after which a task looks again for what another one has read.
const PATIENCE: Duration = Duration::from_millis(50);

/// The part of a task in opening a trace.
pub enum TaskOpening {
    /// Another task has opened it, and has read this.
    Kept {
        /// What [`TraceReader::keep`] returned.
        bytes: Vec<u8>,
        /// The file that contains it.
        path: PathBuf,
    },
    /// The task is the first one, and the others wait for this file.
    First(Box<OutputFile>),
    /// The task opens the trace alone.
    Alone,
}

impl TaskOpening {
    /// Returns the part of this task among those that write shards of the store at `target`, which they `replace` if it exists.
    ///
    /// # Errors
    /// Returns an error if the folder of the shards cannot be created, or the work was stopped.
    pub fn new(target: &Path, replace: bool, progress: &Progress) -> Result<Self, TraceError> {
        if is_object_url(target) {
            // Without locks, each task opens the trace.
            return Ok(Self::Alone);
        }
        if !replace && target.symlink_metadata().is_ok() {
            // The shard will be refused, unless the store has what it contributes.
            return Ok(Self::Alone);
        }
        prepare_shards_folder(target)?;
        let path = shards_of(target).join(FILE);
        loop {
            match fs::read(&path) {
                Ok(contents) => {
                    let kept = contents_of(&contents).filter(|bytes| !bytes.is_empty());
                    return Ok(kept.map_or(Self::Alone, |bytes| Self::Kept {
                        bytes: bytes.to_vec(),
                        path,
                    }));
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Ok(Self::Alone),
                Err(_) => {}
            }
            let output = Output::Path {
                path: path.clone(),
                replace: false,
            };
            match OutputFile::create(output) {
                Ok(file) => return Ok(Self::First(Box::new(file))),
                Err(_) if has_writer(&path) || path.exists() => {
                    progress.check()?;
                    thread::sleep(PATIENCE);
                }
                // Without locks, each task opens the trace.
                Err(_) => return Ok(Self::Alone),
            }
        }
    }

    /// Returns what another task has read.
    #[must_use]
    pub fn kept(&self) -> Option<&[u8]> {
        match self {
            Self::Kept { bytes, .. } => Some(bytes),
            Self::First(_) | Self::Alone => None,
        }
    }

    /// Leaves what this task has read for the others, if it is the first one. If another task has left something that is of no use, it
    /// is removed.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn finish(self, reader: &dyn TraceReader) -> Result<(), TraceError> {
        match self {
            Self::First(mut file) => {
                let kept = reader.keep().unwrap_or_default();
                let path = file.path().to_owned();
                let hash = blake3::hash(&kept);
                [MAGIC.as_bytes(), hash.as_bytes(), &kept]
                    .into_iter()
                    .try_for_each(|bytes| file.write_all(bytes))
                    .map_err(|error| TraceError::unwritable(&path, error))?;
                file.complete()
            }
            Self::Kept { path, .. } => {
                // The next task leaves a new one.
                let _ = fs::remove_file(path);
                Ok(())
            }
            Self::Alone => Ok(()),
        }
    }
}

/// Returns what a file contains, unless it is damaged or from another version.
fn contents_of(file: &[u8]) -> Option<&[u8]> {
    let (hash, contents) = file
        .strip_prefix(MAGIC.as_bytes())?
        .split_first_chunk::<HASH>()?;
    (blake3::hash(contents) == *hash).then_some(contents)
}

//! What one of several tasks finds in a stage, and keeps in its shard for the task that joins the shards.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use foldtrace_output::Spool;
use foldtrace_trace::{ErrorKind, Place, TraceError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The rows of a stage in the file of a shard.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct StoredRows {
    offset: u64,
    bytes: u64,
    count: u64,
    /// The hash of these bytes.
    hash: [u8; 32],
}

/// What was found in a stage.
#[derive(Clone, Debug)]
pub struct FoundInStage<T> {
    /// What was found, without rows.
    pub found: T,
    /// The rows.
    pub rows: Rows,
}

/// The rows of a stage, if they were wanted, with their file.
#[derive(Clone, Debug)]
pub struct Rows(pub(super) Option<(StoredRows, PathBuf)>);

impl Rows {
    /// Passes the rows on.
    ///
    /// # Errors
    /// Returns an error if the rows are missing or damaged, or if `take` fails.
    pub fn for_each<R: Serialize + DeserializeOwned>(
        self,
        take: impl FnMut(R) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let Some((rows, path)) = self.0 else {
            return Ok(());
        };
        Spool::read(rows.open(&path)?, rows.count, take)
    }
}

/// Writes the rows of stages to the file of a shard.
pub(super) struct RowsFile {
    file: BufWriter<File>,
    path: PathBuf,
    bytes: u64,
}

impl RowsFile {
    /// Creates the file.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn create(path: PathBuf) -> Result<Self, TraceError> {
        let file = File::create(&path).map_err(|error| TraceError::unwritable(&path, error))?;
        Ok(Self {
            file: BufWriter::new(file),
            path,
            bytes: 0,
        })
    }

    /// Appends the rows of a stage. Returns their place.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn append<R: Serialize + DeserializeOwned>(
        &mut self,
        rows: Spool<R>,
    ) -> Result<StoredRows, TraceError> {
        let (file, count) = rows.finish()?;
        let mut hashing = Hashing {
            inner: &mut self.file,
            hasher: blake3::Hasher::new(),
        };
        let bytes = io::copy(&mut BufReader::new(file), &mut hashing)
            .map_err(|error| TraceError::unwritable(&self.path, error))?;
        let offset = self.bytes;
        self.bytes += bytes;
        Ok(StoredRows {
            offset,
            bytes,
            count,
            hash: *hashing.hasher.finalize().as_bytes(),
        })
    }

    /// Completes the file.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    pub fn finish(mut self) -> Result<(), TraceError> {
        let flushed = self.file.flush();
        flushed.map_err(|error| TraceError::unwritable(&self.path, error))
    }
}

/// Hashes what is written.
struct Hashing<W> {
    inner: W,
    hasher: blake3::Hasher,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl StoredRows {
    /// Opens the rows in a file, and checks that they are not damaged.
    fn open(&self, path: &Path) -> Result<impl Read, TraceError> {
        let unreadable = |error| TraceError::unreadable(path, error);
        let mut file = File::open(path).map_err(unreadable)?;
        file.seek(SeekFrom::Start(self.offset))
            .map_err(unreadable)?;
        let mut hasher = blake3::Hasher::new();
        let hashed = hasher.update_reader((&file).take(self.bytes));
        hashed.map_err(unreadable)?;
        if hasher.finalize() != self.hash {
            let message = "the shard is damaged: the rows of a stage do not match their hash";
            return Err(TraceError::new(ErrorKind::Malformed, message)
                .at(Place::file(path).byte(self.offset))
                .hint("write this shard again"));
        }
        file.seek(SeekFrom::Start(self.offset))
            .map_err(unreadable)?;
        Ok(file.take(self.bytes))
    }
}

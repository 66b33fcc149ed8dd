//! What one of several tasks finds in its stages, and keeps in its shard for the task that joins the shards.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use foldtrace_output::Spool;
use foldtrace_store::{ShardId, ShardWriter, StoreReader, distribute};
use foldtrace_trace::{ErrorKind, Place, TraceError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Stages;

/// The file of a shard with the rows of its stages.
const ROWS: &str = ".rows";

/// The rows of a stage in the file of a shard.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct RowsOfStage {
    offset: u64,
    bytes: u64,
    count: u64,
    /// The hash of these bytes.
    hash: [u8; 32],
}

/// What was found in a stage.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FoundInStage<T> {
    /// The number of the stage.
    pub stage: usize,
    /// What was found.
    pub found: T,
    rows: Option<RowsOfStage>,
}

impl Stages {
    /// Does the work of a task on its share of the stages. `work` returns what it finds in a stage, with its rows if they are wanted, which
    /// are written to the shard.
    ///
    /// # Errors
    /// Returns the first error of the work, or an error if the shard cannot be written.
    pub fn find_share<T, R>(
        &self,
        store: &StoreReader,
        (id, shard): (ShardId, &ShardWriter),
        work: impl Fn(usize) -> Result<(T, Option<Spool<R>>), TraceError> + Sync,
    ) -> Result<Vec<FoundInStage<T>>, TraceError>
    where
        T: Send,
        R: Serialize + DeserializeOwned,
    {
        let shards = distribute(&self.events(store), &vec![0; id.of() as usize]);
        let mut mine = self.all();
        mine.retain(|&stage| shards[stage] == id.number());
        let mut file = RowsFile::create(shard.path().join(ROWS))?;
        let mut all = Vec::with_capacity(mine.len());
        let numbered = |stage| Ok((stage, work(stage)?));
        self.for_each(&mine, numbered, |(stage, (found, rows))| {
            let rows = rows.map(|rows| file.append(rows)).transpose()?;
            all.push(FoundInStage { stage, found, rows });
            Ok(())
        })?;
        file.finish()?;
        Ok(all)
    }
}

impl<T> FoundInStage<T> {
    /// Passes the rows of the stage on, if they were wanted, from the folder of its shard.
    ///
    /// # Errors
    /// Returns an error if the rows are missing or damaged, or if `take` fails.
    pub fn rows<R: Serialize + DeserializeOwned>(
        &self,
        shard: &Path,
        take: impl FnMut(R) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let Some(rows) = self.rows else { return Ok(()) };
        Spool::read(rows.open(&shard.join(ROWS))?, rows.count, take)
    }
}

/// Writes the rows of stages to the file of a shard.
struct RowsFile {
    file: BufWriter<File>,
    path: PathBuf,
    bytes: u64,
}

impl RowsFile {
    fn create(path: PathBuf) -> Result<Self, TraceError> {
        let file = File::create(&path).map_err(|error| TraceError::unwritable(&path, error))?;
        Ok(Self {
            file: BufWriter::new(file),
            path,
            bytes: 0,
        })
    }

    fn append<R: Serialize + DeserializeOwned>(
        &mut self,
        rows: Spool<R>,
    ) -> Result<RowsOfStage, TraceError> {
        let (file, count) = rows.finish()?;
        let mut hashing = Hashing {
            inner: &mut self.file,
            hasher: blake3::Hasher::new(),
        };
        let bytes = io::copy(&mut BufReader::new(file), &mut hashing)
            .map_err(|error| TraceError::unwritable(&self.path, error))?;
        let offset = self.bytes;
        self.bytes += bytes;
        Ok(RowsOfStage {
            offset,
            bytes,
            count,
            hash: *hashing.hasher.finalize().as_bytes(),
        })
    }

    fn finish(mut self) -> Result<(), TraceError> {
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

impl RowsOfStage {
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

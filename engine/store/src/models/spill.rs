//! Stores constructs of a part on disk until all locations are complete.
//!
//! Locations take turns, so each has many blocks in the file; the list of blocks stays in memory. The file is open
//! only while it is written, because there may be hundreds of parts.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use foldtrace_fold::Construct;
use foldtrace_trace::{ErrorKind, LocationId, TraceError};
use serde::{Deserialize, Serialize};

use super::rows::{ConstructRow, flatten};
use crate::error::Writing;
use crate::zstandard;

/// The number of bytes that are buffered before they are written together.
const WAITING: usize = 1 << 18;

/// Consecutive constructs of one location.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct ConstructBlock {
    pub location: LocationId,
    /// The number of rows.
    pub rows: usize,
    offset: u64,
    /// The length in the file, in bytes.
    packed: usize,
    /// The decompressed length in bytes.
    plain: usize,
}

/// A writer of the constructs of a part, in the order in which they settle.
#[derive(Debug)]
pub struct ModelSpill {
    models: PartModels,
    /// The offset in the file at which `waiting` will be written.
    written: u64,
    waiting: Vec<u8>,
    rows: Vec<ConstructRow>,
}

/// The models of a part, with its symbols, on disk.
#[derive(Debug, Serialize, Deserialize)]
pub struct PartModels {
    #[serde(skip)]
    path: PathBuf,
    blocks: Vec<ConstructBlock>,
}

impl ModelSpill {
    /// Creates the writer for the models of part `number`.
    pub fn new(store: &Path, number: u32) -> Self {
        Self {
            models: PartModels {
                path: path(store, number),
                blocks: Vec::new(),
            },
            written: 0,
            waiting: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Appends the next constructs of a location.
    pub fn append(
        &mut self,
        location: LocationId,
        constructs: &[Construct],
    ) -> Result<(), TraceError> {
        if constructs.is_empty() {
            return Ok(());
        }
        self.rows.clear();
        flatten(constructs, 0, &mut self.rows);
        let path = &self.models.path;
        let plain = postcard::to_stdvec(&self.rows).map_err(|error| unpackable(path, error))?;
        let packed = zstandard::compress(&plain).writing(path)?;
        self.models.blocks.push(ConstructBlock {
            location,
            rows: self.rows.len(),
            offset: self.written + self.waiting.len() as u64,
            packed: packed.len(),
            plain: plain.len(),
        });
        self.waiting.extend_from_slice(&packed);
        if self.waiting.len() < WAITING {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let path = &self.models.path;
        let mut file = File::options()
            .create(true)
            .append(true)
            .open(path)
            .writing(path)?;
        file.write_all(&self.waiting).writing(path)?;
        self.written += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    /// Writes the remaining constructs, and returns the models of the part.
    pub fn finish(mut self) -> Result<PartModels, TraceError> {
        if !self.waiting.is_empty() {
            self.flush()?;
        }
        self.models.blocks.sort_by_key(|block| block.location);
        Ok(self.models)
    }
}

/// Returns the path of the file of part `number`.
fn path(store: &Path, number: u32) -> PathBuf {
    store.join(format!(".models-{number:05}"))
}

impl PartModels {
    /// The file is now that of part `number` in the folder of a store.
    pub(crate) fn move_to(&mut self, store: &Path, number: u32) {
        self.path = path(store, number);
    }

    /// Returns the blocks sorted by location, those of a location in the order in which they were written.
    pub(super) fn blocks(&self) -> &[ConstructBlock] {
        &self.blocks
    }

    /// Opens the file, for [`PartModels::rows`].
    pub(super) fn open(&self) -> Result<File, TraceError> {
        File::open(&self.path).writing(&self.path)
    }

    /// Reads the rows of a block.
    pub(super) fn rows(
        &self,
        file: &mut File,
        block: &ConstructBlock,
    ) -> Result<Vec<ConstructRow>, TraceError> {
        let path = &self.path;
        let mut packed = vec![0; block.packed];
        file.seek(SeekFrom::Start(block.offset)).writing(path)?;
        file.read_exact(&mut packed).writing(path)?;
        let plain = zstandard::decompress(&packed, block.plain).writing(path)?;
        postcard::from_bytes(&plain).map_err(|error| unpackable(path, error))
    }

    /// Removes the file.
    pub(super) fn remove(self) -> Result<(), TraceError> {
        if self.blocks.is_empty() {
            return Ok(());
        }
        fs::remove_file(&self.path).writing(&self.path)
    }
}

fn unpackable(path: &Path, error: postcard::Error) -> TraceError {
    let message = format!("cannot encode or decode the models in {}", path.display());
    TraceError::new(ErrorKind::Internal, message).caused_by(error)
}

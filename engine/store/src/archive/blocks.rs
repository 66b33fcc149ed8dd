//! Files of blocks: one file per part, one block per segment. The index contains the place of each block.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use foldtrace_trace::TraceError;

use crate::error::{Writing, wrong};
use crate::folder::StoreFolder;
use crate::index::Block;

/// The folder of block files in a store.
const FOLDER: &str = "archive";

/// Returns the path of a part's file within the store.
fn file(part: u32) -> String {
    format!("{FOLDER}/part-{part:05}.coded")
}

/// A writer of the blocks of a part.
#[derive(Debug)]
pub(crate) struct BlockWriter {
    path: PathBuf,
    file: BufWriter<File>,
    offset: u64,
}

impl BlockWriter {
    /// Creates the file of part `part`.
    pub fn create(store: &Path, part: u32) -> Result<Self, TraceError> {
        let folder = store.join(FOLDER);
        fs::create_dir_all(&folder).writing(&folder)?;
        let path = store.join(file(part));
        let file = BufWriter::new(File::create(&path).writing(&path)?);
        Ok(Self {
            path,
            file,
            offset: 0,
        })
    }

    /// Appends a block and returns its place.
    pub fn append(&mut self, block: &[u8]) -> Result<Block, TraceError> {
        self.file.write_all(block).writing(&self.path)?;
        let place = Block {
            offset: self.offset,
            bytes: block.len() as u64,
        };
        self.offset += place.bytes;
        Ok(place)
    }

    /// Completes the file.
    pub fn finish(mut self) -> Result<(), TraceError> {
        self.file.flush().writing(&self.path)
    }
}

/// Reads a block.
///
/// # Errors
/// Returns an error if the file is missing, or does not contain the block.
pub(super) fn read(store: &StoreFolder, part: u32, block: Block) -> Result<Bytes, TraceError> {
    let end = block.offset.saturating_add(block.bytes);
    store.file(&file(part))?.bytes(block.offset..end)
}

/// Returns the error for a block that cannot be decoded.
pub(super) fn damaged(store: &StoreFolder, part: u32, block: Block) -> TraceError {
    let message = format!(
        "the block at byte {} does not fit to the events of its segment",
        block.offset
    );
    wrong(&store.path_of(&file(part)), &message)
}

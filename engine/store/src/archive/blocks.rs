//! Files of blocks: one file per part, one block per segment. The index contains the place of each block.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use foldtrace_trace::TraceError;

use crate::error::{Writing, wrong};
use crate::folder::StoreFolder;
use crate::index::Block;
use crate::paths::coded_part;

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
        let path = store.join(coded_part(part));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).writing(folder)?;
        }
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
        let appended = Block {
            offset: self.offset,
            bytes: block.len() as u64,
        };
        self.offset += appended.bytes;
        Ok(appended)
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
    store.file(&coded_part(part))?.bytes(block.offset..end)
}

/// Returns the error for a block that cannot be decoded.
pub(super) fn damaged(store: &StoreFolder, part: u32, block: Block) -> TraceError {
    let message = format!(
        "the block at byte {} does not match the events of its segment",
        block.offset
    );
    wrong(&store.path_of(&coded_part(part)), &message)
}

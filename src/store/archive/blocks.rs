//! Files of blocks: one a part, a block a segment. The index says where each block is.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use foldtrace_trace::TraceError;

use crate::store::error::{Reading, Writing, wrong};
use crate::store::index::Block;

/// The folder of these files in a store.
const FOLDER: &str = "archive";

/// The file of a part.
fn path(store: &Path, part: u32) -> PathBuf {
    store.join(FOLDER).join(format!("part-{part:05}.coded"))
}

/// Writes the blocks of a part.
#[derive(Debug)]
pub(in crate::store) struct BlockWriter {
    path: PathBuf,
    file: BufWriter<File>,
    offset: u64,
}

impl BlockWriter {
    /// Begins the file of part number `part`.
    pub fn create(store: &Path, part: u32) -> Result<Self, TraceError> {
        let folder = store.join(FOLDER);
        fs::create_dir_all(&folder).writing(&folder)?;
        let path = path(store, part);
        let file = BufWriter::new(File::create(&path).writing(&path)?);
        Ok(Self {
            path,
            file,
            offset: 0,
        })
    }

    /// Appends a block; gives where it is.
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
/// If the file is missing, or has no such block.
pub(super) fn read(store: &Path, part: u32, block: Block) -> Result<Vec<u8>, TraceError> {
    let path = path(store, part);
    let mut file = File::open(&path).reading(&path)?;
    file.seek(SeekFrom::Start(block.offset)).reading(&path)?;
    let mut bytes = Vec::new();
    file.take(block.bytes)
        .read_to_end(&mut bytes)
        .reading(&path)?;
    if bytes.len() as u64 == block.bytes {
        Ok(bytes)
    } else {
        Err(wrong(
            &path,
            "the file ends before a block that the index has in it",
        ))
    }
}

/// The error for a block that cannot be decoded.
pub(super) fn damaged(store: &Path, part: u32, block: Block) -> TraceError {
    let message = format!(
        "the block at byte {} does not fit to the events of its segment",
        block.offset
    );
    wrong(&path(store, part), &message)
}

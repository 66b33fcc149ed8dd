//! Stores symbols of a part temporarily, until their final ids are known.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use foldtrace_trace::{SymbolId, TraceError};

use crate::error::Writing;
use crate::zstandard;

/// Compressed symbols of row groups, in a temporary file until their final ids are known.
#[derive(Debug)]
pub(crate) struct Spill {
    path: PathBuf,
    writer: BufWriter<File>,
}

impl Spill {
    /// Returns the path of the file of part `number`.
    pub fn path(store: &Path, number: u32) -> PathBuf {
        store.join(format!(".symbols-{number:05}"))
    }

    /// Creates the file of part `number`.
    pub fn create(store: &Path, number: u32) -> Result<Self, TraceError> {
        let path = Self::path(store, number);
        let writer = BufWriter::new(File::create(&path).writing(&path)?);
        Ok(Self { path, writer })
    }

    /// Appends the symbols of a row group. Uses the memory of `bytes`.
    pub fn append<'a>(
        &mut self,
        symbols: impl Iterator<Item = &'a [SymbolId]> + Clone,
        bytes: &mut Vec<u8>,
    ) -> Result<(), TraceError> {
        bytes.clear();
        let mut tags = 0;
        for symbols in symbols.clone() {
            tags = symbols
                .iter()
                .fold(tags, |tags, symbol| tags | symbol.tag());
            append_numbers(bytes, symbols, SymbolId::row_number);
        }
        let rows = bytes.len() / size_of::<u32>();
        if tags != 0 {
            symbols.for_each(|symbols| append_numbers(bytes, symbols, SymbolId::tag));
        }
        let block = zstandard::compress(bytes).writing(&self.path)?;
        let sizes = [rows, bytes.len(), block.len()].map(|size| size as u64);
        for size in sizes {
            self.writer
                .write_all(&size.to_le_bytes())
                .writing(&self.path)?;
        }
        self.writer.write_all(&block).writing(&self.path)
    }

    /// Completes the file and returns its path.
    pub fn finish(mut self) -> Result<PathBuf, TraceError> {
        self.writer.flush().writing(&self.path)?;
        Ok(self.path)
    }
}

/// Appends a number of each symbol to `bytes`.
fn append_numbers(bytes: &mut Vec<u8>, symbols: &[SymbolId], number: impl Fn(SymbolId) -> u32) {
    let first = bytes.len();
    bytes.resize(first + size_of::<u32>() * symbols.len(), 0);
    let numbers = bytes[first..].as_chunks_mut().0;
    for (bytes, &symbol) in numbers.iter_mut().zip(symbols) {
        *bytes = number(symbol).to_le_bytes();
    }
}

/// A reader of the row groups of a spill file, in order.
#[derive(Debug)]
pub(crate) struct SpillBlocks<'a> {
    path: &'a Path,
    reader: BufReader<File>,
    block: Vec<u8>,
}

impl<'a> SpillBlocks<'a> {
    /// Opens a completed file.
    pub fn open(path: &'a Path) -> Result<Self, TraceError> {
        let file = File::open(path).writing(path)?;
        Ok(Self {
            path,
            reader: BufReader::new(file),
            block: Vec::new(),
        })
    }

    /// Replaces `symbols` with the symbols of the next row group.
    pub fn next(&mut self, symbols: &mut Vec<SymbolId>) -> Result<(), TraceError> {
        let mut sizes = [[0; 8]; 3];
        for size in &mut sizes {
            self.reader.read_exact(size).writing(self.path)?;
        }
        let [rows, bytes, block] = sizes.map(|size| u64::from_le_bytes(size) as usize);
        self.block.resize(block, 0);
        self.reader.read_exact(&mut self.block).writing(self.path)?;
        let plain = zstandard::decompress(&self.block, bytes).writing(self.path)?;
        let numbers = plain.as_chunks::<4>().0;
        let mut numbers = numbers.iter().map(|bytes| u32::from_le_bytes(*bytes));
        symbols.clear();
        symbols.extend(numbers.by_ref().take(rows).map(SymbolId::new));
        // The tags come after all rows, and are absent if all of them are 0.
        for (symbol, tag) in symbols.iter_mut().zip(numbers) {
            *symbol = symbol.with_tag(tag);
        }
        Ok(())
    }
}

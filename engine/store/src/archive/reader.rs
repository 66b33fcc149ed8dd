//! Reads the coded quantities of segments.

use foldtrace_trace::{Quantity, SymbolId, SymbolTable, TraceError};

use super::blocks;
use super::cursor::Cursor;
use super::quantities::{DamagedBlock, QuantityCodec};
use crate::folder::StoreFolder;
use crate::index::Segment;

/// A reader of the quantities of an archive.
#[derive(Debug)]
pub(crate) struct ArchiveReader {
    folder: StoreFolder,
    codec: QuantityCodec,
}

impl ArchiveReader {
    /// Creates a reader of the archive in `folder`, whose symbols are `symbols`.
    pub fn new(folder: &StoreFolder, symbols: &SymbolTable) -> Self {
        let mut codec = QuantityCodec::new(folder.manifest().version);
        codec.update(symbols);
        Self {
            folder: folder.clone(),
            codec,
        }
    }

    /// Decodes the quantities of a whole segment, whose events have these symbols.
    ///
    /// # Errors
    /// Returns an error if the block of the segment is missing or damaged.
    pub fn decode(&self, segment: &Segment, symbols: &[SymbolId]) -> Result<Cursor, TraceError> {
        let block = blocks::read(&self.folder, segment.part, segment.block)?;
        let columns = self.codec.decode(symbols, &block);
        let columns = columns.map_err(|DamagedBlock| self.damaged(segment))?;
        Ok(Cursor::new(columns, self.codec.masks(symbols)))
    }

    /// Decodes one quantity of a whole segment, whose events have these symbols. Returns the values of the events
    /// that have it.
    ///
    /// # Errors
    /// Returns an error if the block of the segment is missing or damaged.
    pub fn decode_one(
        &self,
        segment: &Segment,
        quantity: Quantity,
        symbols: &[SymbolId],
    ) -> Result<Vec<(SymbolId, u64)>, TraceError> {
        let block = blocks::read(&self.folder, segment.part, segment.block)?;
        let values = self.codec.decode_one(quantity, symbols, &block);
        values.map_err(|DamagedBlock| self.damaged(segment))
    }

    fn damaged(&self, segment: &Segment) -> TraceError {
        blocks::damaged(&self.folder, segment.part, segment.block)
    }
}

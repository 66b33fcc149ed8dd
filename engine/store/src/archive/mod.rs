//! Archives: stores whose quantities are coded with the help of the topology, to make them as small as possible.
//!
//! The topology contains the symbol of each event, so a block need not repeat it: the [`quantities`] of an event are
//! coded under [contexts](number) that are made of its symbol and of preceding events, each bit with the
//! [probability](coder) learned in its context. The models are reset for each segment, so that a segment can be read
//! without the others. `schemas/archive.md` describes the bytes.

mod blocks;
mod coder;
mod cursor;
mod number;
mod quantities;
mod unit;

use foldtrace_trace::{Quantity, SymbolId, TraceError};

use super::StoreReader;
use super::index::Segment;

pub(super) use blocks::BlockWriter;
pub(super) use cursor::Cursor;
pub(super) use quantities::{Columns, Known};

/// Decodes the quantities of a whole segment, whose events are `symbols`.
///
/// # Errors
/// Returns an error if the block of the segment is missing or damaged.
pub(super) fn decode(
    store: &StoreReader,
    segment: &Segment,
    symbols: &[SymbolId],
) -> Result<Cursor, TraceError> {
    let block = blocks::read(store.folder(), segment.part, segment.block)?;
    match store.known().decode(symbols, &block) {
        Ok(columns) => Ok(Cursor::new(columns, symbols, store.symbols())),
        Err(_) => Err(blocks::damaged(store.folder(), segment.part, segment.block)),
    }
}

/// Decodes one quantity of a whole segment, whose events are `symbols`. Returns the values of the events that have
/// it.
///
/// # Errors
/// Returns an error if the block of the segment is missing or damaged.
pub(super) fn decode_one(
    store: &StoreReader,
    segment: &Segment,
    quantity: Quantity,
    symbols: &[SymbolId],
) -> Result<Vec<(SymbolId, u64)>, TraceError> {
    let block = blocks::read(store.folder(), segment.part, segment.block)?;
    let values = store.known().decode_one(quantity, symbols, &block);
    values.map_err(|_| blocks::damaged(store.folder(), segment.part, segment.block))
}

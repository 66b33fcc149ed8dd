//! Archives: stores whose quantities are coded by what happened, as small as we can make them.
//!
//! Topology says what each event is, so it need not be said again beside its time: the
//! [`quantities`] of an event are coded under [contexts](number) made of its symbol and of what came
//! before it, each bit with the [probability](coder) learned there. Models begin anew with each
//! segment, so that one can be read without the others. `schemas/archive.md` describes the bytes.

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
/// If its block is missing or damaged.
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

/// One quantity of a whole segment, whose events are `symbols`, for those that have it.
///
/// # Errors
/// If its block is missing or damaged.
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

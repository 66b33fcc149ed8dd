//! Reads the symbols of a location's events from a store.

use std::ops::Range;

use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, SymbolId, TraceError};

/// The positions of all events.
pub(super) const ALL: Range<Position> = Position(0)..Position(u64::MAX);

/// Passes the symbols of a location's events at some positions, in batches, to `add`. Returns what `add` has made of them.
///
/// # Errors
/// Returns an error if a table of the store is missing or damaged, or the work was stopped.
pub(super) fn fold_symbols<T: Default>(
    store: &StoreReader,
    location: LocationId,
    positions: Range<Position>,
    progress: &Progress,
    mut add: impl FnMut(&mut T, &[SymbolId]),
) -> Result<T, TraceError> {
    let mut sum = T::default();
    let mut events = store.events_in(location, positions);
    let mut batch = Vec::new();
    loop {
        progress.check()?;
        events.next_symbols(&mut batch)?;
        if batch.is_empty() {
            return Ok(sum);
        }
        add(&mut sum, &batch);
    }
}

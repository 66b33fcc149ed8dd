//! Reads the symbols of a location's events from a store.

use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, SymbolId, TraceError};

/// Passes the symbols of a location's events, in batches, to `add`. Returns what `add` has made of them.
///
/// # Errors
/// Returns an error if a table of the store is missing or damaged, or the work was stopped.
pub(super) fn fold_symbols<T: Default>(
    store: &StoreReader,
    location: LocationId,
    progress: &Progress,
    mut add: impl FnMut(&mut T, &[SymbolId]),
) -> Result<T, TraceError> {
    let mut sum = T::default();
    let mut events = store.events(location, Position(0));
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

//! The single events of a location, as text.

use foldtrace_store::StoreReader;
use foldtrace_trace::{LocationId, Position, TraceError};
use serde::Serialize;

/// An event.
#[derive(Debug, Serialize)]
pub(crate) struct EventLine {
    position: u64,
    /// Nanoseconds since the start of the run.
    time: f64,
    /// The event as `foldtrace print` shows it.
    text: String,
}

/// The events of a location in a range.
#[derive(Debug, Default, Serialize)]
pub(crate) struct EventLines {
    /// The number of all events in the range.
    pub total: u64,
    /// The first ones.
    pub events: Vec<EventLine>,
}

/// Returns events of a location, as text. `time` converts their times.
///
/// # Errors
/// Returns an error if a table is missing or damaged.
pub(super) fn lines(
    store: &StoreReader,
    location: LocationId,
    positions: impl Iterator<Item = u64>,
    time: impl Fn(u64) -> f64,
) -> Result<Vec<EventLine>, TraceError> {
    let places = positions.map(|position| (location, Position(position)));
    let places: Vec<_> = places.collect();
    let events = store.lookup().get_many(&places)?;
    let lines = events.into_iter().flatten().map(|event| EventLine {
        position: event.position.0,
        time: time(event.time.0),
        text: event.text(store.names(), store.symbols()).to_string(),
    });
    Ok(lines.collect())
}

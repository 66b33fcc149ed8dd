//! Collects the messages that the program of a store sends: their number from the models, their bytes from one
//! column.

use foldtrace_fold::Selection;
use foldtrace_matching::Meaning;
use foldtrace_matching::{Census, Communicators, Exchange};
use foldtrace_program::volumes;
use foldtrace_store::StoreReader;
use foldtrace_store::models_with;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, TraceError};

/// The messages of a program, and its communicators.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    /// How often each communication symbol occurs in each location, according to the models of the store.
    pub census: Census,
    /// The communicators.
    pub communicators: Communicators,
    /// The traffic between processes.
    pub exchange: Exchange,
}

/// Collects the messages that the program of a store sends.
///
/// # Errors
/// If a table is missing or damaged, or the work was stopped.
pub(super) fn sent(store: &StoreReader, progress: &Progress) -> Result<Sent, TraceError> {
    let census = census(store, progress)?;
    let locations = census.locations().filter(|(_, counts)| !counts.is_empty());
    let locations: Vec<LocationId> = locations.map(|(location, _)| location).collect();
    let volumes = volumes(store, &locations, progress)?;
    let communicators = Meaning::new(store).communicators(&census);
    let (names, symbols) = (store.names(), store.symbols());
    Ok(Sent {
        exchange: Exchange::new(names, &communicators, &census, symbols, &volumes),
        communicators,
        census,
    })
}

fn census(store: &StoreReader, progress: &Progress) -> Result<Census, TraceError> {
    let locations: Vec<LocationId> = store.locations().collect();
    let symbols = store.symbols();
    let models = models_with(store, &locations, Selection::All, None, progress)?;
    let counted = models.map(|stored| {
        progress.check()?;
        let stored = stored?;
        Ok(Census::from_model(stored.location, &stored.model, symbols))
    });
    counted.collect()
}

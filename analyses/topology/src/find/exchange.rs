//! What is sent in the program of a store: messages from its models, bytes from one column.

use foldtrace_fold::Selection;
use foldtrace_matching::Meaning;
use foldtrace_matching::{Census, Communicators, Exchange};
use foldtrace_program::volumes;
use foldtrace_store::StoreReader;
use foldtrace_store::models_with;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, TraceError};

/// What is sent in a program, and in which communicators.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    /// How often each location has which symbols of communication, by the models of the store.
    pub census: Census,
    /// The communicators.
    pub communicators: Communicators,
    /// Who sends how much to whom.
    pub exchange: Exchange,
}

/// What the program of a store sends.
///
/// # Errors
/// If a table is missing or damaged, or the work was stopped.
pub(super) fn sent(store: &StoreReader, progress: &Progress) -> Result<Sent, TraceError> {
    let census = census(store, progress)?;
    let locations = census.locations().filter(|(_, counts)| !counts.is_empty());
    let locations: Vec<LocationId> = locations.map(|(location, _)| location).collect();
    let volumes = volumes(store, &locations, progress)?;
    let communicators = Meaning::of(store).communicators(&census);
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
        Ok(Census::of_model(stored.location, &stored.model, symbols))
    });
    counted.collect()
}

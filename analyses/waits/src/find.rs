//! Finds the wait states of a store: passes its events, with corrected times, to the algorithm.

use std::collections::HashMap;

use foldtrace_clock::{ClockReport, Corrected, Correction};
use foldtrace_fold::{Model, Selection};
use foldtrace_matching::{Census, CollectiveCalls, Communicators, Regions};
use foldtrace_store::{StoreReader, models_with};
use foldtrace_stream::read::Progress;
use foldtrace_stream::timeline::Timeline;
use foldtrace_trace::{Diagnostics, LocationId, TraceError, TraceReader};

use crate::{Options, Sink, Subject, Summary, Waits};

/// The wait states of a store.
#[derive(Clone, Debug)]
pub struct Found {
    /// The sums.
    pub summary: Summary,
    /// The clocks by which times were compared.
    pub clock: ClockReport,
    /// The regions to which call paths refer.
    pub regions: Regions,
    /// Problems with messages and collective operations.
    pub diagnostics: Diagnostics,
}

/// Finds the wait states of a store, with times as `correction` corrects them, and reports them to `sink`.
///
/// # Errors
/// Returns an error if a table is missing or damaged, the sink fails, or the work was stopped.
pub fn find(
    store: &StoreReader,
    correction: &Correction,
    options: Options,
    progress: &Progress,
    sink: &mut impl Sink,
) -> Result<Found, TraceError> {
    let (definitions, names, symbols) = (store.definitions(), store.names(), store.symbols());
    let census = Census::from_store(store, progress)?;
    let communicators = Communicators::new(definitions, names, &census, symbols);
    let regions = Regions::new(definitions, names, symbols);
    let correct =
        |location, position, times: &mut [_]| correction.correct(location, position, times);
    let calls = CollectiveCalls::from_store(store, &census, correct, progress)?;
    let subject = Subject {
        names,
        regions: &regions,
        communicators: &communicators,
        census: &census,
        calls: &calls,
        symbols,
    };
    let models = if options.has_causes() {
        models(store, progress)?
    } else {
        HashMap::new()
    };
    let mut waits = Waits::new(subject, &models, options);
    drop(models);
    let corrected = Corrected::new(store, correction);
    let mut timeline = Timeline::new(&corrected, false, progress)?;
    while let Some(next) = timeline.next_of(|event, _| waits.pass(event))? {
        waits.take(next.location, &next.event, symbols, sink)?;
    }
    let (summary, diagnostics) = waits.finish(sink)?;
    Ok(Found {
        summary,
        clock: correction.report(),
        regions,
        diagnostics,
    })
}

/// Returns the models of all locations.
fn models(
    store: &StoreReader,
    progress: &Progress,
) -> Result<HashMap<LocationId, Model>, TraceError> {
    let locations: Vec<LocationId> = store.locations().collect();
    let models = models_with(store, &locations, Selection::All, None, progress)?;
    models
        .map(|stored| stored.map(|stored| (stored.location, stored.model)))
        .collect()
}

//! Loop models of a store's locations: the stored models, or models folded from the topology.

use std::collections::HashSet;

use foldtrace_fold::{DEFAULT_MAX_BODY, Folder, Selection, Shapes};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, TraceError};
use rayon::prelude::*;

use super::store_reader::StoreReader;
use crate::models::StoredModel;

/// An iterator over the models of locations.
pub type LocationModels<'a> = Box<dyn Iterator<Item = Result<StoredModel, TraceError>> + 'a>;

/// Returns an iterator over the models of `locations`. It holds only a few models at a time, because the model of a
/// location without repetition is long. For all events and the `max_body` of the store, these are the stored models.
/// Other models are folded from the topology, in parallel over locations, with bodies of at most `max_body` terms.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or the work was stopped.
pub fn models_with<'a>(
    store: &'a StoreReader,
    locations: &'a [LocationId],
    selection: Selection,
    max_body: Option<usize>,
    progress: &'a Progress,
) -> Result<LocationModels<'a>, TraceError> {
    let stored_body = usize::try_from(store.manifest().max_body).unwrap_or(DEFAULT_MAX_BODY);
    let max_body = max_body.unwrap_or(stored_body);
    if selection == Selection::All && max_body == stored_body {
        return Ok(Box::new(store.models_of(locations.to_vec())?));
    }
    let mut shapes = Shapes::default();
    shapes.update(store.symbols());
    let at_once = rayon::current_num_threads();
    Ok(Box::new(locations.chunks(at_once).flat_map(move |some| {
        let models = some.par_iter();
        let models =
            models.map(|&one| fold_location(store, one, selection, max_body, &shapes, progress));
        models.collect::<Vec<_>>()
    })))
}

fn fold_location(
    store: &StoreReader,
    location: LocationId,
    selection: Selection,
    max_body: usize,
    shapes: &Shapes,
    progress: &Progress,
) -> Result<StoredModel, TraceError> {
    let table = store.symbols();
    let mut folder = Folder::new(max_body);
    let mut stream = store.events(location, Position(0));
    let mut symbols = Vec::new();
    loop {
        progress.check()?;
        stream.next_symbols(&mut symbols)?;
        progress.count(symbols.len());
        if symbols.is_empty() {
            return Ok(StoredModel {
                location,
                model: folder.finish(table, shapes),
            });
        }
        symbols.retain(|&symbol| selection.contains(table.kind(symbol)));
        folder.push(&symbols, table, shapes);
    }
}

/// Returns the locations among `locations` that have only metric events, which contain no control flow.
///
/// # Errors
/// Returns an error if the table of models is missing or damaged.
pub fn locations_with_only_metrics(
    store: &StoreReader,
    locations: &[LocationId],
) -> Result<HashSet<LocationId>, TraceError> {
    let mut with_only_metrics = HashSet::new();
    for stored in store.models_of(locations.to_vec())? {
        let stored = stored?;
        if stored.model.has_only_metrics(store.symbols()) {
            with_only_metrics.insert(stored.location);
        }
    }
    Ok(with_only_metrics)
}

//! Loop models of a store's locations: the stored ones, or others that are folded from the topology.

use std::collections::HashSet;

use foldtrace_fold::{DEFAULT_MAX_BODY, Folder, Selection, Shapes};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, TraceError};
use rayon::prelude::*;

use crate::{StoreReader, StoredModel};

/// Models, one after the other.
pub type LocationModels<'a> = Box<dyn Iterator<Item = Result<StoredModel, TraceError>> + 'a>;

/// Returns the models of `locations`, a few at a time, because a model of what does not repeat is long. If all events
/// are wanted, with bodies of at most `max_body` terms as in the store, they are the stored models. Others are folded
/// from the topology, in parallel over locations.
///
/// # Errors
/// If a table is missing or damaged, or the work was stopped.
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

/// Returns the locations among `locations` that have only metric events, which say nothing about control
/// flow.
///
/// # Errors
/// If the table of models is missing or damaged.
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

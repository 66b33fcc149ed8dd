//! Loop models of a store's locations: the stored ones, or folded anew from the topology.

use foldtrace_trace::{LocationId, Position, TraceError};
use rayon::prelude::*;

use crate::fold::{DEFAULT_MAX_BODY, Folder, Selection, Shapes};
use crate::store::{StoreReader, StoredModel};

/// The models of `locations`. All events with the bodies they were folded with are in the store;
/// anything else is folded from the topology, in parallel over locations.
///
/// # Errors
/// If a table is missing or damaged.
pub fn of(
    store: &StoreReader,
    locations: &[LocationId],
    selection: Selection,
    max_body: Option<usize>,
) -> Result<Vec<StoredModel>, TraceError> {
    let stored_body = usize::try_from(store.manifest().max_body).unwrap_or(DEFAULT_MAX_BODY);
    let max_body = max_body.unwrap_or(stored_body);
    if selection == Selection::All && max_body == stored_body {
        let mut models = store.models()?;
        models.retain(|stored| locations.contains(&stored.location));
        return Ok(models);
    }
    let mut shapes = Shapes::default();
    shapes.update(store.symbols());
    locations
        .par_iter()
        .map(|&location| fold_location(store, location, selection, max_body, &shapes))
        .collect()
}

fn fold_location(
    store: &StoreReader,
    location: LocationId,
    selection: Selection,
    max_body: usize,
    shapes: &Shapes,
) -> Result<StoredModel, TraceError> {
    let table = store.symbols();
    let mut folder = Folder::new(max_body);
    let mut stream = store.events(location, Position(0));
    let mut symbols = Vec::new();
    loop {
        stream.next_symbols(&mut symbols)?;
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

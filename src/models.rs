//! Loop models of a store's locations: the stored ones, or folded anew from the topology.

use foldtrace_trace::{LocationId, Position, TraceError};
use rayon::prelude::*;

use crate::fold::{DEFAULT_MAX_BODY, Folder, Selection, Shapes};
use crate::read::Progress;
use crate::store::{StoreReader, StoredModel};

/// Models, one after the other.
pub type Models<'a> = Box<dyn Iterator<Item = Result<StoredModel, TraceError>> + 'a>;

/// The models of `locations`, one or a few at a time, because a model of what does not repeat is long. All events with the bodies they were folded with are in the store;
/// anything else is folded from the topology, in parallel over locations.
///
/// # Errors
/// If a table is missing or damaged, or the work was stopped.
pub fn of<'a>(
    store: &'a StoreReader,
    locations: &'a [LocationId],
    selection: Selection,
    max_body: Option<usize>,
    progress: &'a Progress,
) -> Result<Models<'a>, TraceError> {
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

//! Loop models of a store's locations: the stored ones, or folded anew from the topology; and what they
//! say of how often something happens.

use std::collections::HashSet;

use foldtrace_trace::{EventKind, LocationId, Position, SymbolTable, TraceError};
use rayon::prelude::*;

use crate::analysis::Census;
use crate::fold::{Construct, DEFAULT_MAX_BODY, Folder, Model, Selection, Shapes};
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

/// How often a location has which symbols of communication, as its model says.
#[must_use]
pub fn census(location: LocationId, model: &Model, symbols: &SymbolTable) -> Census {
    Census::of(location, &counts(model, symbols), symbols)
}

/// Returns how often each symbol occurs in the expansion of a model.
#[must_use]
pub fn counts(model: &Model, symbols: &SymbolTable) -> Vec<u64> {
    let mut counts = vec![0; symbols.len()];
    add(&model.constructs, 1, &mut counts).unwrap_or_else(|Varying| {
        counts.fill(0);
        for symbol in model.expand(symbols) {
            counts[symbol.index()] += 1;
        }
    });
    counts
}

/// Returns whether a model has at least one event and all of its events are metrics.
#[must_use]
pub fn has_only_metrics(model: &Model, symbols: &SymbolTable) -> bool {
    fn all(constructs: &[Construct], symbols: &SymbolTable) -> bool {
        constructs.iter().all(|construct| match construct {
            Construct::Event(event) => symbols.kind(event.symbol) == EventKind::Metric,
            Construct::Loop(l) => all(&l.body, symbols),
        })
    }
    model.events > 0 && all(&model.constructs, symbols)
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
        if has_only_metrics(&stored.model, store.symbols()) {
            with_only_metrics.insert(stored.location);
        }
    }
    Ok(with_only_metrics)
}

/// Numbers of the model differ from iteration to iteration.
struct Varying;

fn add(constructs: &[Construct], times: u64, counts: &mut [u64]) -> Result<(), Varying> {
    for construct in constructs {
        match construct {
            Construct::Event(event) => match counts.get_mut(event.symbol.index()) {
                Some(count) if event.steps.is_empty() => *count = count.saturating_add(times),
                _ => return Err(Varying),
            },
            Construct::Loop(l) if l.count.steps.is_empty() => {
                add(
                    &l.body,
                    times.saturating_mul(u64::try_from(l.count.base).unwrap_or(0)),
                    counts,
                )?;
            }
            Construct::Loop(_) => return Err(Varying),
        }
    }
    Ok(())
}

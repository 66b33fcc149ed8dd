//! Prepares the steps of a store for a picture, with the names of calls.

use std::collections::HashMap;

use foldtrace_store::StoreReader;
use foldtrace_trace::{LocationId, Printable, TraceError};

use crate::picture::{Gatherer, Grid};
use crate::{Kind, Origin, StepEvent, Summary};

/// Returns the grid of a store: the gathered steps, and where lateness begins.
///
/// # Errors
/// Returns an error if a table of the store is missing or damaged.
pub fn picture(
    store: &StoreReader,
    mut gathered: Gatherer,
    summary: &Summary,
) -> Result<Grid, TraceError> {
    let (names, symbols) = (store.names(), store.symbols());
    let operations = gathered.events().iter();
    let operations = operations.filter(|event| event.kind != Kind::Aggregate);
    let places: Vec<_> = operations
        .clone()
        .map(|event| (event.location, event.position))
        .collect();
    // An aggregate is named after the operation that follows it.
    let steps: Vec<_> = operations
        .map(|event| (event.location, event.step))
        .collect();
    let found = store.lookup().get_many(&places)?;
    let mut calls: HashMap<(LocationId, u64), String> = HashMap::new();
    for (step, event) in steps.into_iter().zip(found) {
        let Some(event) = event else { continue };
        let symbol = symbols.symbol(event.symbol);
        let call = names.called(&symbol).unwrap_or_else(|| symbol.kind.name());
        calls.insert(step, Printable(call).to_string());
    }
    let name = |event: &StepEvent| {
        let call = calls.get(&(event.location, event.step));
        let call = call.map_or(event.kind.name(), String::as_str);
        match event.kind {
            Kind::Aggregate => format!("before {call}"),
            _ => call.to_owned(),
        }
    };
    let mut grid = gathered.finish(name);
    grid.clock = store.manifest().clock();
    let story = |origin: &Origin| {
        let call = origin.call.map(|call| symbols.symbol(call));
        let call = call.as_ref().and_then(|symbol| names.called(symbol));
        let call = call.map(Printable);
        match (origin.event.kind, call) {
            (Kind::Aggregate, Some(call)) => format!("before {call}"),
            (Kind::Aggregate, None) => "before a communication".to_owned(),
            (_, Some(call)) => call.to_string(),
            (kind, None) => kind.name().to_owned(),
        }
    };
    for (title, origins) in [
        ("between operations", &summary.origins),
        ("in operations", &summary.in_operations),
    ] {
        grid.add_origins(title, origins, |location| names.label(location), story);
    }
    Ok(grid)
}

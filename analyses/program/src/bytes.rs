//! Adds message sizes to a communication matrix: the model has the number of messages, the store their bytes.

use foldtrace_fold::merge::Kind;
use foldtrace_matching::Volumes;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Quantity, SymbolId, TraceError};
use rayon::prelude::*;

use crate::outline::{Entry, outline};
use crate::{Cost, Matrix, Program, costs};

/// Adds to a matrix the bytes of the messages sent in a construct.
///
/// # Errors
/// If a table is missing or damaged, or the work was stopped.
pub fn add_bytes(
    matrix: &mut Matrix,
    store: &StoreReader,
    program: &Program,
    construct: &Entry<'_>,
    progress: &Progress,
) -> Result<(), TraceError> {
    let costs = costs(store, program, progress)?;
    let entries = outline(&program.model.system);
    let inside = entries.iter().zip(&costs);
    let inside = inside.filter(|(entry, _)| entry.is_in(construct));
    add_costs(matrix, program, inside);
    Ok(())
}

/// Adds to a matrix the bytes of the messages sent in some constructs of a program, given the costs of these
/// constructs.
pub fn add_costs<'a>(
    matrix: &mut Matrix,
    program: &Program,
    constructs: impl Iterator<Item = (&'a Entry<'a>, &'a Cost)>,
) {
    for traffic in matrix.pairs.values_mut() {
        traffic.bytes = Some(0);
    }
    for (entry, cost) in constructs {
        if let Kind::Event { member, .. } = &entry.construct.kind
            && let Some(pair) = program.wires.sends(*member)
        {
            let traffic = matrix.pairs.entry(pair).or_default();
            let sum = traffic.bytes.get_or_insert(0);
            *sum = sum.saturating_add(cost.sent);
        }
    }
}

/// Returns the total bytes of the sends and receives of some locations, by location and symbol.
///
/// # Errors
/// If a table is missing or damaged, or the work was stopped.
pub fn volumes(
    store: &StoreReader,
    locations: &[LocationId],
    progress: &Progress,
) -> Result<Volumes, TraceError> {
    let symbols = store.symbols();
    let is_end = |id: SymbolId| symbols.kind(id).is_send() || symbols.kind(id).is_receive();
    let volumes = locations.par_iter().map(|&location| {
        let totals = store.totals(location, Quantity::Bytes, |events| {
            progress.count(events as usize);
            progress.check()
        })?;
        let totals = totals.into_iter().filter(|&(id, _)| is_end(id));
        Ok((location, totals.collect()))
    });
    let volumes: Result<Vec<_>, TraceError> = volumes.collect();
    Ok(volumes?.into_iter().collect())
}

//! Who communicates how often with whom: counted before messages and collectives are matched.
//!
//! A match needs to know what is still to come: whether anybody ever receives in the communicator that a
//! send names, whether a location will take part in another collective. Symbols tell that, and counting
//! them reads no quantity. What nothing will ever match need not wait, so memory stays that of what is
//! on its way.

use std::collections::BTreeMap;

use foldtrace_fold::Model;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{EventKind, LocationId, Position, SymbolId, SymbolTable, TraceError};
use rayon::prelude::*;

/// How often each location has which symbols of communication.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    locations: BTreeMap<LocationId, Vec<(SymbolId, u64)>>,
}

impl Census {
    /// The census of one location; `counts` says how many events of each symbol of `symbols` it has.
    #[must_use]
    pub fn of(location: LocationId, counts: &[u64], symbols: &SymbolTable) -> Self {
        let counted = symbols.iter().zip(counts);
        let communication = counted
            .filter(|&((_, symbol), &count)| count > 0 && concerns(symbol.kind))
            .map(|((id, _), &count)| (id, count));
        Self {
            locations: BTreeMap::from([(location, communication.collect())]),
        }
    }

    /// Counts the symbols of one location by its loop model.
    #[must_use]
    pub fn of_model(location: LocationId, model: &Model, symbols: &SymbolTable) -> Self {
        Self::of(location, &model.counts(symbols), symbols)
    }

    /// Counts the symbols of each location of a store. No quantity is read.
    ///
    /// # Errors
    /// If a table is missing or damaged, or the work was stopped.
    pub fn of_store(store: &StoreReader, progress: &Progress) -> Result<Self, TraceError> {
        let locations: Vec<LocationId> = store.locations().collect();
        let counted = locations.into_par_iter().map(|location| {
            let mut counts = vec![0u64; store.symbols().len()];
            let mut events = store.events(location, Position(0));
            let mut batch = Vec::new();
            loop {
                progress.check()?;
                events.next_symbols(&mut batch)?;
                if batch.is_empty() {
                    return Ok(Self::of(location, &counts, store.symbols()));
                }
                for symbol in &batch {
                    if let Some(count) = counts.get_mut(symbol.index()) {
                        *count += 1;
                    }
                }
            }
        });
        let counted = counted.collect::<Result<Vec<_>, TraceError>>()?;
        Ok(counted.into_iter().collect())
    }

    /// The locations with their symbols and counts, in order of their ids.
    pub fn locations(&self) -> impl Iterator<Item = (LocationId, &[(SymbolId, u64)])> {
        self.locations.iter().map(|(&id, counts)| (id, &**counts))
    }
}

impl FromIterator<Census> for Census {
    /// The census of different locations.
    fn from_iter<T: IntoIterator<Item = Self>>(parts: T) -> Self {
        let locations = parts.into_iter().flat_map(|part| part.locations);
        Self {
            locations: locations.collect(),
        }
    }
}

/// Whether events of this kind decide what is matched with what.
fn concerns(kind: EventKind) -> bool {
    kind.is_communication() || matches!(kind, EventKind::MpiProbe | EventKind::MpiIsendComplete)
}

//! Counts the communication of each location, before messages and collective operations are matched.
//!
//! Matching needs to know what is still to come: whether any process ever receives in the communicator that a send
//! names, or whether a location will take part in another collective operation. The symbols contain this information,
//! and counting them reads no quantities. Events that will never be matched need not be kept, so memory is
//! proportional to the messages and operations in progress.

use std::collections::BTreeMap;
use std::ops::Range;

use foldtrace_fold::Model;
use foldtrace_store::{StoreReader, StoredModel};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    EventKind, LocationId, Operand, Position, RowSums, Symbol, SymbolId, SymbolTable, TraceError,
};
use rayon::prelude::*;

use super::scan::{ALL, fold_symbols};

/// The minimum number of events per term for models to be read faster than events.
const EVENTS_PER_TERM: u64 = 32;

/// The number of communication events, by location and row of the table of symbols. Symbols that share a row, because
/// they differ only in their tags, are counted together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    locations: BTreeMap<LocationId, Vec<(SymbolId, u64)>>,
}

impl Census {
    /// Returns the census of one location; `counts` contains the number of its events for each row of `symbols`.
    #[must_use]
    pub fn from_counts(location: LocationId, counts: RowSums, symbols: &SymbolTable) -> Self {
        let mut counts = counts.sorted();
        counts.retain(|&(id, _)| concerns(symbols.kind(id)));
        Self {
            locations: BTreeMap::from([(location, counts)]),
        }
    }

    /// Counts the events of one location from its loop model.
    #[must_use]
    pub fn from_model(location: LocationId, model: &Model, symbols: &SymbolTable) -> Self {
        Self::from_counts(location, model.counts(symbols), symbols)
    }

    /// Counts the events of each location of a store: from its models if they are short, otherwise from the topology.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn from_store(store: &StoreReader, progress: &Progress) -> Result<Self, TraceError> {
        let models = store.models()?;
        if models.terms() > store.manifest().counts.events / EVENTS_PER_TERM {
            return Self::from_topology(store, progress);
        }
        let counted = models.map(|stored| {
            progress.check()?;
            let StoredModel { location, model } = stored?;
            Ok(Self::from_model(location, &model, store.symbols()))
        });
        counted.collect()
    }

    fn from_topology(store: &StoreReader, progress: &Progress) -> Result<Self, TraceError> {
        let parts: Vec<_> = store.locations().map(|location| (location, ALL)).collect();
        Self::of_parts(store, parts, progress)
    }

    /// Counts the events of a store at some positions of some locations.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn of_parts(
        store: &StoreReader,
        parts: Vec<(LocationId, Range<Position>)>,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let counted = parts.into_par_iter().map(|(location, positions)| {
            let add = |counts: &mut RowSums, batch: &[SymbolId]| {
                counts.extend(batch.iter().copied());
            };
            let counts = fold_symbols(store, location, positions, progress, add)?;
            Ok(Self::from_counts(location, counts, store.symbols()))
        });
        let counted = counted.collect::<Result<Vec<_>, TraceError>>()?;
        Ok(counted.into_iter().collect())
    }

    /// Returns the number of distinct sends and receives of all locations, apart from their tags: each has a channel of
    /// its own.
    #[must_use]
    pub fn routes(&self, symbols: &SymbolTable) -> u64 {
        let of_location = |counts: &Vec<(SymbolId, u64)>| {
            let symbols = counts.iter().map(|&(id, _)| symbols.symbol(id));
            let messages =
                symbols.filter(|symbol| symbol.kind.is_send() || symbol.kind.is_receive());
            let routes = messages.map(|Symbol { kind, mut operands }| {
                if let Some(tag) = kind.slot(Operand::Tag) {
                    operands[tag] = 0;
                }
                (kind as u8, operands)
            });
            let mut routes: Vec<_> = routes.collect();
            routes.sort_unstable();
            routes.dedup();
            routes.len() as u64
        };
        self.locations
            .par_iter()
            .map(|(_, counts)| of_location(counts))
            .sum()
    }

    /// Returns the counts of some locations.
    #[must_use]
    pub fn only(&self, locations: &[LocationId]) -> Self {
        let counts = locations
            .iter()
            .filter_map(|id| Some((*id, self.locations.get(id)?.clone())));
        Self {
            locations: counts.collect(),
        }
    }

    /// Returns the locations with their rows and counts, sorted by id. Each row is given by the id of its symbol,
    /// without a tag.
    pub fn locations(&self) -> impl Iterator<Item = (LocationId, &[(SymbolId, u64)])> {
        self.locations.iter().map(|(&id, counts)| (id, &**counts))
    }
}

impl FromIterator<Census> for Census {
    /// Merges the censuses of different locations.
    fn from_iter<T: IntoIterator<Item = Self>>(parts: T) -> Self {
        let locations = parts.into_iter().flat_map(|part| part.locations);
        Self {
            locations: locations.collect(),
        }
    }
}

/// Returns whether events of this kind affect matching, or are part of communication.
fn concerns(kind: EventKind) -> bool {
    kind.is_communication()
        || matches!(
            kind,
            EventKind::MpiProbe
                | EventKind::MpiIsendComplete
                | EventKind::MpiMrecv
                | EventKind::MpiImrecv
                | EventKind::MpiCollectiveBegin
                | EventKind::RmaCollectiveBegin
        )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn models_and_topology_give_the_same_census() {
        for name in ["ring-4", "everything", "tags", "ring-4-archive"] {
            let path = format!("../../tests/data/stores/v4/{name}.fold");
            let store = StoreReader::open(Path::new(&path)).unwrap();
            let models = store.models().unwrap().map(|stored| {
                let StoredModel { location, model } = stored.unwrap();
                Census::from_model(location, &model, store.symbols())
            });
            let models: Census = models.collect();
            let topology = Census::from_topology(&store, &Progress::default()).unwrap();
            assert_eq!(models, topology, "{name}");
            assert!(topology.locations().any(|(_, counts)| !counts.is_empty()));
        }
    }
}

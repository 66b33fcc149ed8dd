//! Who communicates how often with whom: counted before messages and collectives are matched.
//!
//! A match needs to know what is still to come: whether anybody ever receives in the communicator that a
//! send names, whether a location will take part in another collective. Symbols tell that, and counting
//! them reads no quantity. What nothing will ever match need not wait, so memory stays that of what is
//! on its way.

use std::collections::BTreeMap;

use foldtrace_trace::{EventKind, LocationId, SymbolId, SymbolTable};

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

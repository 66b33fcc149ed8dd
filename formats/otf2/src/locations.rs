//! Finds the locations of an archive: defined locations, and locations that only have a file of events.

use std::fs;

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostic, LocationId, Place, Severity, UNDEFINED,
};

use serde::{Deserialize, Serialize};

use crate::paths::Paths;

/// OTF2's location type for a thread of a process.
const CPU_THREAD: u64 = 1;

/// A location before its events are read.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Location {
    pub(crate) id: u64,
    /// Number of events according to the definition.
    pub(crate) events: u64,
    /// Whether the location has definitions of its own to apply.
    pub(crate) has_definitions: bool,
}

impl Location {
    /// Returns the report that the location was recovered.
    pub(crate) fn recovery(self, paths: &Paths) -> Diagnostic {
        let message = "the definition of the location is lost; its events are read from their file, \
                       but its name and its process are unknown";
        Diagnostic::new(Severity::Loss, "otf2.recovered_location", message)
            .at(Place::file(paths.events(self.id)).location(LocationId(self.id)))
    }
}

/// Returns the defined locations, sorted by id.
pub(crate) fn defined(definitions: &Definitions) -> Vec<Location> {
    let mut locations: Vec<Location> = definitions
        .records(DefinitionKind::Location)
        .map(|record| Location {
            id: record.get(0),
            events: record.field("number_of_events").unwrap_or(UNDEFINED),
            has_definitions: false,
        })
        .collect();
    // The last definition of an id counts; sorting keeps the order of equal ones.
    locations.reverse();
    locations.sort_by_key(|location| location.id);
    locations.dedup_by_key(|location| location.id);
    locations
}

/// Returns whether the file of events of one of the locations is missing.
pub(crate) fn lacks_events(locations: &[Location], paths: &Paths) -> bool {
    let mut locations = locations.iter();
    locations.any(|location| location.events != 0 && !paths.events(location.id).exists())
}

/// Returns the locations that have a file of events and are not in `known`, which must be sorted by id.
pub(crate) fn recovered(known: &[Location], paths: &Paths) -> Vec<Location> {
    let entries = fs::read_dir(paths.locations()).into_iter().flatten();
    let ids = entries.filter_map(|entry| paths.location_of(&entry.ok()?.path()));
    let mut ids: Vec<u64> = ids
        .filter(|id| {
            known
                .binary_search_by_key(id, |location| location.id)
                .is_err()
        })
        .collect();
    ids.sort_unstable();
    let location = |id| Location {
        id,
        events: UNDEFINED,
        has_definitions: false,
    };
    ids.into_iter().map(location).collect()
}

/// Adds a definition of a recovered location, of which only the id is known.
pub(crate) fn define(location: Location, definitions: &mut Definitions) {
    let fields = [location.id, UNDEFINED, CPU_THREAD, UNDEFINED, UNDEFINED];
    definitions.push(DefinitionKind::Location, &fields, &[], "");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_definition_of_a_location_counts() {
        let mut definitions = Definitions::default();
        for (id, events) in [(7, 1), (3, 2), (7, 5)] {
            let fields = [id, UNDEFINED, CPU_THREAD, events, UNDEFINED];
            definitions.push(DefinitionKind::Location, &fields, &[], "");
        }
        let found: Vec<_> = defined(&definitions)
            .iter()
            .map(|location| (location.id, location.events))
            .collect();
        assert_eq!(found, [(3, 2), (7, 5)]);
    }
}

//! Adds the groups of locations that strict readers need to resolve ranks.

use std::collections::HashSet;

use foldtrace_trace::{DefinitionKind, Definitions, Names, UNDEFINED};

/// The types of groups.
const LOCATIONS_OF_RANKS: u64 = 4;
const RANKS: u64 = 5;
const ONE_RANK: u64 = 6;

/// Returns the definitions, preceded by a group of the ranks' locations for each paradigm that has groups of ranks
/// but no such group.
pub(super) fn with_ranks(definitions: &Definitions) -> Definitions {
    let groups: Vec<(u64, u64)> = definitions
        .records(DefinitionKind::Group)
        .map(|group| (group.get(2), group.get(3)))
        .collect();
    let mut missing: Vec<u64> = groups
        .iter()
        .filter(|(kind, _)| matches!(*kind, RANKS | ONE_RANK))
        .map(|(_, paradigm)| *paradigm)
        .filter(|paradigm| !groups.contains(&(LOCATIONS_OF_RANKS, *paradigm)))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    let used = definitions
        .records(DefinitionKind::Group)
        .map(|group| group.get(0));
    let used: HashSet<u64> = used.collect();
    let free = (0..).filter(|id| !used.contains(id));
    let names = Names::new(definitions);
    let processes = names.processes().iter();
    let ranks: Vec<u64> = processes
        .filter_map(|process| process.locations.first())
        .map(|location| location.0)
        .collect();
    let mut completed = Definitions::default();
    for (paradigm, id) in missing.into_iter().zip(free) {
        let fields = [id, UNDEFINED, LOCATIONS_OF_RANKS, paradigm, 0];
        completed.push(DefinitionKind::Group, &fields, &ranks, "");
    }
    completed.append(definitions);
    completed
}

#[cfg(test)]
mod tests {
    use super::super::definitions::Repair;
    use super::*;

    #[test]
    fn ranks_have_locations() {
        use DefinitionKind::{Group, Location, LocationGroup};
        let mut definitions = Definitions::default();
        definitions.push(Group, &[0, UNDEFINED, RANKS, 4, 0], &[0, 1], "");
        for rank in 0..2 {
            definitions.push(LocationGroup, &[rank, UNDEFINED, 1], &[], "");
            definitions.push(Location, &[rank + 10, UNDEFINED, 1, 0, rank], &[], "");
        }
        let (completed, ..) = Repair::new(&with_ranks(&definitions)).run();
        let groups: Vec<_> = completed
            .records(Group)
            .map(|g| (g.get(2), g.list()))
            .collect();
        assert_eq!(
            groups,
            [(LOCATIONS_OF_RANKS, &[10, 11][..]), (RANKS, &[0, 1][..])]
        );
        assert_eq!(with_ranks(&completed).len(), completed.len());
    }
}

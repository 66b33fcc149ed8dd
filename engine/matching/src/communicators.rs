//! Communicators: identifies the ids that refer to the same communicator.
//!
//! Some sources define a communicator once for each of its processes; see [`Ranks::united`].

use std::collections::{BTreeSet, HashMap};

use foldtrace_trace::{Definitions, Names, Operand, Ranks, SymbolTable};

use super::Census;

/// The communicators of a trace.
#[derive(Clone, Debug, Default)]
pub struct Communicators {
    ranks: Ranks,
    canonical: HashMap<u64, u64>,
}

impl Communicators {
    /// Resolves `definitions`; the last definition of an id counts. The census contains the ranks that use each id.
    #[must_use]
    pub fn new(
        definitions: &Definitions,
        names: &Names,
        census: &Census,
        symbols: &SymbolTable,
    ) -> Self {
        let ranks = Ranks::new(definitions, names);
        let canonical = ranks.united(&users(names, census, symbols));
        Self { ranks, canonical }
    }

    /// Returns the members of the communicators.
    #[must_use]
    pub fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// Returns the canonical id of the communicator `id`, which is the same for all ids of that communicator.
    #[must_use]
    pub fn canonical(&self, id: u64) -> u64 {
        self.canonical.get(&id).copied().unwrap_or(id)
    }
}

/// Returns the ranks that communicate in each communicator.
fn users(names: &Names, census: &Census, symbols: &SymbolTable) -> HashMap<u64, BTreeSet<u64>> {
    let mut users: HashMap<u64, BTreeSet<u64>> = HashMap::new();
    for (location, counts) in census.locations() {
        let Some((rank, _)) = names.rank(location) else {
            continue;
        };
        for &(symbol, _) in counts {
            if let Some(id) = symbols.symbol(symbol).get(Operand::Communicator) {
                users.entry(id).or_default().insert(rank);
            }
        }
    }
    users
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::{DefinitionKind, EventKind, LocationId, Symbol, UNDEFINED};

    use super::*;

    const PROCESS: u64 = 1;
    const RANKS: u64 = 5;
    const COMM_LOCATIONS: u64 = 4;
    const COMM_SELF: u64 = 6;

    /// Returns definitions of two processes: group 0 contains both, 1 is each alone, 2 and 3 contain one each, 4
    /// contains their locations.
    fn definitions(comms: &[(u64, u64)]) -> Definitions {
        let mut d = Definitions::default();
        for rank in 0..2 {
            let group = [rank, UNDEFINED, PROCESS, UNDEFINED, UNDEFINED];
            d.push(DefinitionKind::LocationGroup, &group, &[], "");
            let location = [50 + rank, 0, 1, 0, rank];
            d.push(DefinitionKind::Location, &location, &[], "");
        }
        let groups: [(u64, &[u64]); 5] = [
            (RANKS, &[1, 0]),
            (COMM_SELF, &[]),
            (RANKS, &[0]),
            (RANKS, &[1]),
            (COMM_LOCATIONS, &[51, 50]),
        ];
        for (id, (kind, members)) in groups.into_iter().enumerate() {
            // The paradigm is not MPI, whose group of locations would define the ranks.
            let group = [id as u64, UNDEFINED, kind, 5, 0];
            d.push(DefinitionKind::Group, &group, members, "");
        }
        for &(id, group) in comms {
            let comm = [id, UNDEFINED, group, UNDEFINED, 0];
            d.push(DefinitionKind::Comm, &comm, &[], "");
        }
        d.push(
            DefinitionKind::InterComm,
            &[99, UNDEFINED, 2, 3, UNDEFINED, 0],
            &[],
            "",
        );
        d
    }

    /// Creates communicators; each rank sends in the communicators that `used` lists for it.
    fn communicators(comms: &[(u64, u64)], used: [&[u64]; 2]) -> Communicators {
        let (definitions, mut symbols) = (definitions(comms), SymbolTable::default());
        let census = used.iter().enumerate().map(|(rank, used)| {
            let sends = used.iter();
            let sends = sends.map(|&comm| Symbol::new(EventKind::MpiSend, &[0, comm, 0]));
            let counts = sends.map(|send| symbols.intern(send)).collect();
            Census::from_counts(LocationId(50 + rank as u64), counts, &symbols)
        });
        let census: Census = census.collect();
        Communicators::new(&definitions, &Names::new(&definitions), &census, &symbols)
    }

    #[test]
    fn ranks_are_those_of_the_group() {
        let comms = communicators(&[(7, 0), (8, 1), (9, 4)], [&[], &[]]);
        let comms = comms.ranks();
        assert_eq!(comms.rank(Some(7), 0, Some(0)), 1);
        assert_eq!(
            comms.rank(Some(7), 5, Some(0)),
            5,
            "the group has no such member"
        );
        assert_eq!(
            comms.rank(Some(8), 0, Some(1)),
            1,
            "the group contains each process alone"
        );
        assert_eq!(
            comms.rank(Some(9), 1, Some(1)),
            0,
            "the second location of the group"
        );
        assert_eq!(
            comms.rank(Some(99), 0, Some(0)),
            1,
            "the rank is in the other group"
        );
        assert_eq!(comms.rank(Some(99), 0, Some(1)), 0);
        assert_eq!(
            comms.rank(Some(42), 3, Some(1)),
            3,
            "the communicator is not defined"
        );
        assert_eq!(comms.rank(None, 3, None), 3);
        let sizes = [7, 8, 99, 42].map(|id| comms.size(id));
        assert_eq!(sizes, [Some(2), Some(1), Some(2), None]);
    }

    #[test]
    fn ids_of_single_processes_are_one_communicator() {
        // Each process has an id of its own for the communicator and for its duplicate.
        let ids = [(0, 0), (1, 0), (10, 0), (11, 0)];
        let comms = communicators(&ids, [&[0, 1], &[10, 11]]);
        let canonical = [0, 1, 10, 11].map(|id| comms.canonical(id));
        assert_eq!(canonical, [0, 1, 0, 1]);
    }

    #[test]
    fn a_duplicate_that_all_use_stays_apart() {
        let comms = communicators(&[(0, 0), (1, 0), (2, 2)], [&[0, 1, 2], &[1, 0]]);
        assert_eq!([0, 1, 2].map(|id| comms.canonical(id)), [0, 1, 2]);
    }
}

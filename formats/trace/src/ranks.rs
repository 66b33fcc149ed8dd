//! Maps ranks in communicators to ranks of the program.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;

use crate::{DefinitionKind, Definitions, LocationId, Names, UNDEFINED};

/// Type of the group of all locations that are ranks.
const COMM_LOCATIONS: u64 = 4;
/// Type of the group of a process alone.
const COMM_SELF: u64 = 6;

/// The members of a communicator, as ranks of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Members {
    /// A group: the n-th element is rank n of the communicator.
    Group(Vec<u64>),
    /// Each process has a communicator of its own, with itself as the only member.
    Alone,
    /// Two groups; a peer is a member of the group that the process itself is not in.
    Between(Vec<u64>, Vec<u64>),
}

/// The members of the communicators of a trace.
#[derive(Clone, Debug, Default)]
pub struct Ranks {
    members: IndexMap<u64, Members>,
    windows: HashMap<u64, u64>,
}

impl Ranks {
    /// Resolves `definitions`. If an id is defined several times, the last definition counts.
    #[must_use]
    pub fn new(definitions: &Definitions, names: &Names) -> Self {
        let mut ranks = Self::default();
        ranks.resolve(definitions, names);
        ranks
    }

    fn resolve(&mut self, definitions: &Definitions, names: &Names) {
        let rank = |location| match names.rank(LocationId(location)) {
            Some((rank, _)) => rank,
            None => UNDEFINED,
        };
        let groups = definitions.records(DefinitionKind::Group).map(|group| {
            let members = match group.get(2) {
                COMM_SELF => Members::Alone,
                COMM_LOCATIONS => Members::Group(group.list().iter().map(|&l| rank(l)).collect()),
                _ => Members::Group(group.list().to_vec()),
            };
            (group.get(0), members)
        });
        let groups: HashMap<u64, Members> = groups.collect();
        for comm in definitions.records(DefinitionKind::Comm) {
            if let Some(members) = groups.get(&comm.get(2)) {
                self.members.insert(comm.get(0), members.clone());
            }
        }
        for comm in definitions.records(DefinitionKind::InterComm) {
            let sides = (groups.get(&comm.get(2)), groups.get(&comm.get(3)));
            if let (Some(Members::Group(a)), Some(Members::Group(b))) = sides {
                let between = Members::Between(a.clone(), b.clone());
                self.members.insert(comm.get(0), between);
            }
        }
        for window in definitions.records(DefinitionKind::RmaWin) {
            self.windows.insert(window.get(0), window.get(2));
        }
    }

    /// Returns the members of each communicator, in the order of their definitions.
    pub fn communicators(&self) -> impl Iterator<Item = (u64, &Members)> {
        self.members.iter().map(|(&id, members)| (id, members))
    }

    /// Maps ids that mean the same communicator to the first of these ids, based on `users`, the processes that use
    /// each id: some sources define a communicator once for each of its processes. Two ids are considered the same
    /// communicator if their members are the same and no process uses both. A communicator and its duplicate, which
    /// the same processes use, are therefore distinct.
    #[must_use]
    pub fn united(&self, users: &HashMap<u64, BTreeSet<u64>>) -> HashMap<u64, u64> {
        /// The ids of one communicator: the first of them, and the processes that use any of them.
        type United = (u64, BTreeSet<u64>);
        let mut by_members: HashMap<&Members, Vec<United>> = HashMap::new();
        let mut canonical = HashMap::new();
        for (id, members) in self.communicators() {
            let Some(users) = users.get(&id) else {
                continue;
            };
            let candidates = by_members.entry(members).or_default();
            let same = candidates
                .iter_mut()
                .find(|(_, all)| users.iter().all(|user| !all.contains(user)));
            match same {
                Some((first, all)) => {
                    all.extend(users);
                    canonical.insert(id, *first);
                }
                None => candidates.push((id, users.clone())),
            }
        }
        canonical
    }

    /// Returns the rank in the program of the process that a process of rank `own` calls `peer`. If the communicator
    /// is not defined or has no such peer, `peer` is returned as a rank of the program.
    #[must_use]
    pub fn rank(&self, communicator: Option<u64>, peer: u64, own: Option<u64>) -> u64 {
        let index = usize::try_from(peer).ok();
        let of = |members: &[u64]| index.and_then(|i| members.get(i)).copied();
        let rank = match communicator.and_then(|id| self.members.get(&id)) {
            Some(Members::Group(members)) => of(members),
            Some(Members::Alone) => own,
            Some(Members::Between(a, b)) => match own {
                Some(own) if a.contains(&own) => of(b),
                _ => of(a),
            },
            None => None,
        };
        rank.filter(|&rank| rank != UNDEFINED).unwrap_or(peer)
    }

    /// Returns the members of a communicator.
    #[must_use]
    pub fn members(&self, communicator: u64) -> Option<&Members> {
        self.members.get(&communicator)
    }

    /// Returns the number of processes in a communicator.
    #[must_use]
    pub fn size(&self, communicator: u64) -> Option<u64> {
        Some(match self.members.get(&communicator)? {
            Members::Group(members) => members.len() as u64,
            Members::Alone => 1,
            Members::Between(a, b) => (a.len() + b.len()) as u64,
        })
    }

    /// Returns whether, under this id, each process has a communicator of its own.
    #[must_use]
    pub fn is_of_each_alone(&self, communicator: u64) -> bool {
        self.members.get(&communicator) == Some(&Members::Alone)
    }

    /// Returns the communicator of an RMA window.
    #[must_use]
    pub fn of_window(&self, window: u64) -> Option<u64> {
        self.windows.get(&window).copied()
    }
}

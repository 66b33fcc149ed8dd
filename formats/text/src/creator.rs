//! Creates definitions for traces written by hand.
//!
//! A trace that contains only `5 send 1 17` still has processes, regions and communicators. They receive ids when
//! they are first seen. [`Names`](foldtrace_trace::Names) numbers processes and threads densely, so all missing
//! processes and threads below the largest one are created too.

use std::collections::{HashMap, HashSet};

use foldtrace_notation::Definition;
use foldtrace_trace::{DefinitionKind, Definitions, UNDEFINED};

/// Maximum number of processes and threads that are created without being seen.
const MOST_MISSING: u64 = 1 << 16;
/// Peers from this rank on do not enlarge the world communicator.
const LARGEST_PEER: u64 = 1 << 20;

const PROCESS: u64 = 1;
const CPU_THREAD: u64 = 1;
const COMM_GROUP: u64 = 5;
const MPI: u64 = 4;

/// Creates definitions, and keeps them in `fresh` until the next batch.
#[derive(Debug, Default)]
pub(crate) struct DefinitionCreator {
    pub fresh: Definitions,
    /// Number of threads by rank.
    threads: Vec<u64>,
    missing: u64,
    strings: HashMap<String, u64>,
    regions: HashMap<String, u64>,
    communicators: HashMap<Vec<u64>, u64>,
    world: Option<World>,
    created: HashSet<(DefinitionKind, u64)>,
    /// Next free id of each created kind, see [`DefinitionCreator::next_id`].
    next: [u64; 4],
    largest_peer: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct World {
    id: u64,
    is_defined: bool,
}

impl DefinitionCreator {
    /// Records a definition of the source. Returns whether its id was already created.
    pub(crate) fn record(&mut self, definition: &Definition) -> bool {
        let Some(id) = definition.id() else {
            return false;
        };
        if let Some(slot) = slot(definition.kind) {
            self.next[slot] = self.next[slot].max(id.saturating_add(1));
        }
        self.created.contains(&(definition.kind, id))
    }

    /// Returns an unused id of a kind, which then counts as created.
    fn next_id(&mut self, kind: DefinitionKind) -> u64 {
        let Some(slot) = slot(kind) else {
            return UNDEFINED;
        };
        let id = self.next[slot];
        self.next[slot] = id.saturating_add(1);
        self.created.insert((kind, id));
        id
    }

    /// Returns the id of the location of a thread; `None` if too many processes or threads are missing below it.
    pub(crate) fn location(&mut self, rank: u64, thread: u64) -> Option<u64> {
        let ranks = self.threads.len() as u64;
        if let Some(&threads) = usize::try_from(rank)
            .ok()
            .and_then(|rank| self.threads.get(rank))
            && thread < threads
        {
            return Some(location_id(rank, thread));
        }
        let threads = usize::try_from(rank)
            .ok()
            .and_then(|rank| self.threads.get(rank))
            .copied();
        let missing = match threads {
            Some(threads) => thread - threads,
            None => (rank - ranks).saturating_add(thread),
        };
        if missing > MOST_MISSING - self.missing || rank > u64::from(u32::MAX) {
            return None;
        }
        self.missing += missing;
        for rank in ranks..=rank {
            self.fresh.push(
                DefinitionKind::LocationGroup,
                &[rank, UNDEFINED, PROCESS],
                &[],
                "",
            );
            self.created.insert((DefinitionKind::LocationGroup, rank));
            self.threads.push(0);
            self.create_thread(rank);
        }
        while self.threads[rank as usize] <= thread {
            self.create_thread(rank);
        }
        Some(location_id(rank, thread))
    }

    /// Creates the next thread of a process.
    fn create_thread(&mut self, rank: u64) {
        let threads = &mut self.threads[rank as usize];
        let id = location_id(rank, *threads);
        *threads += 1;
        self.fresh.push(
            DefinitionKind::Location,
            &[id, UNDEFINED, CPU_THREAD, UNDEFINED, rank],
            &[],
            "",
        );
        self.created.insert((DefinitionKind::Location, id));
    }

    pub(crate) fn string(&mut self, text: &str) -> u64 {
        if let Some(&id) = self.strings.get(text) {
            return id;
        }
        let id = self.next_id(DefinitionKind::String);
        self.fresh.push(DefinitionKind::String, &[id], &[], text);
        self.strings.insert(text.to_owned(), id);
        id
    }

    pub(crate) fn region(&mut self, name: &str) -> u64 {
        if let Some(&id) = self.regions.get(name) {
            return id;
        }
        let string = self.string(name);
        let id = self.next_id(DefinitionKind::Region);
        self.fresh
            .push(DefinitionKind::Region, &[id, string], &[], "");
        self.regions.insert(name.to_owned(), id);
        id
    }

    /// Records the rank of the other process of a message.
    pub(crate) fn record_peer(&mut self, rank: u64) {
        if rank < LARGEST_PEER {
            self.largest_peer = self.largest_peer.max(Some(rank));
        }
    }

    /// Returns the communicator of all processes. Its members are known only at the end.
    pub(crate) fn world(&mut self) -> u64 {
        if let Some(world) = self.world {
            return world.id;
        }
        let id = self.next_id(DefinitionKind::Comm);
        self.world = Some(World {
            id,
            is_defined: false,
        });
        id
    }

    /// Returns whether a communicator of these ranks exists.
    pub(crate) fn has_communicator(&self, members: &[u64]) -> bool {
        self.communicators.contains_key(members)
    }

    /// Returns the communicator of these ranks, and creates it if necessary. The first group of a trace is the world
    /// communicator if it begins at 0, has no gaps and contains all processes seen so far.
    pub(crate) fn communicator(&mut self, members: &[u64]) -> u64 {
        if let Some(&id) = self.communicators.get(members) {
            return id;
        }
        let is_first = self.communicators.is_empty();
        let has_no_gap = members
            .iter()
            .zip(0..)
            .all(|(&member, rank)| member == rank);
        let holds_all = members.len() as u64 >= self.ranks_seen();
        let world = self.world();
        let id = if is_first && has_no_gap && holds_all {
            self.world = Some(World {
                id: world,
                is_defined: true,
            });
            self.define_communicator(world, UNDEFINED, members);
            world
        } else {
            let id = self.next_id(DefinitionKind::Comm);
            self.define_communicator(id, world, members);
            id
        };
        self.communicators.insert(members.to_vec(), id);
        id
    }

    fn define_communicator(&mut self, id: u64, parent: u64, members: &[u64]) {
        let group = self.next_id(DefinitionKind::Group);
        self.fresh.push(
            DefinitionKind::Group,
            &[group, UNDEFINED, COMM_GROUP, MPI, 0],
            members,
            "",
        );
        self.fresh.push(
            DefinitionKind::Comm,
            &[id, UNDEFINED, group, parent, 0],
            &[],
            "",
        );
    }

    fn ranks_seen(&self) -> u64 {
        let by_peers = self.largest_peer.map_or(0, |rank| rank + 1);
        by_peers.max(self.threads.len() as u64)
    }

    /// Defines the world communicator if it is used but not defined yet.
    pub(crate) fn finish(&mut self) {
        if let Some(World {
            id,
            is_defined: false,
        }) = self.world
        {
            self.world = Some(World {
                id,
                is_defined: true,
            });
            let members: Vec<u64> = (0..self.ranks_seen()).collect();
            self.define_communicator(id, UNDEFINED, &members);
        }
    }
}

fn location_id(rank: u64, thread: u64) -> u64 {
    (thread << 32) | rank
}

const fn slot(kind: DefinitionKind) -> Option<usize> {
    match kind {
        DefinitionKind::String => Some(0),
        DefinitionKind::Region => Some(1),
        DefinitionKind::Comm => Some(2),
        DefinitionKind::Group => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldtrace_trace::{LocationId, Names};

    #[test]
    fn locations_have_their_ranks_in_any_order_and_with_gaps() {
        let mut creator = DefinitionCreator::default();
        let seen = [(5, 0), (2, 3), (0, 1), (2, 1), (7, 2)];
        let ids: Vec<_> = seen
            .map(|(rank, thread)| creator.location(rank, thread).unwrap())
            .into();
        let names = Names::new(&creator.fresh);
        for (&id, at) in ids.iter().zip(seen) {
            assert_eq!(names.rank(LocationId(id)), Some(at));
        }
        assert_eq!(ids[0], 5);
    }

    #[test]
    fn a_few_lines_cannot_create_endless_processes() {
        let mut creator = DefinitionCreator::default();
        assert!(creator.location(60_000, 0).is_some());
        assert!(creator.location(0, 6_000).is_none());
        assert!(creator.location(u64::MAX, u64::MAX).is_none());
        assert!(creator.location(60_001, 0).is_some());
        assert_eq!(creator.fresh.len(), 2 * 60_002);
    }

    #[test]
    fn the_first_whole_set_is_the_world() {
        let mut creator = DefinitionCreator::default();
        let world = creator.communicator(&[0, 1, 2]);
        let other = creator.communicator(&[0, 1]);
        assert_eq!((world, other), (0, 1));
        assert_eq!(creator.communicator(&[0, 1, 2]), 0);
        let names = Names::new(&creator.fresh);
        assert_eq!(names.world(), Some(0));
        assert_eq!(names.members(1), Some([0, 1].as_slice()));
    }

    #[test]
    fn a_set_before_the_world_is_another_communicator() {
        let mut creator = DefinitionCreator::default();
        creator.location(3, 0);
        assert_eq!(creator.communicator(&[0, 1]), 1);
        creator.finish();
        let names = Names::new(&creator.fresh);
        assert_eq!(names.world(), Some(0));
        assert_eq!(names.members(0), Some([0, 1, 2, 3].as_slice()));
    }
}

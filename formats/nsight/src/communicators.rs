//! Communicators: the handles that processes use, and the members that these stand for.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use foldtrace_trace::{Minter, UNDEFINED};

use crate::names::Membership;

/// The handle of `MPI_COMM_WORLD` in MPICH and its descendants.
const WORLD_OF_MPICH: i64 = 0x4400_0000;

/// The communicators of a trace.
#[derive(Debug, Default)]
pub(crate) struct Communicators {
    /// The communicator of all processes.
    world: Option<u64>,
    /// When a process, by its rank, began to use a handle, and for which communicator.
    handles: HashMap<(i64, i64), Vec<(i64, u64)>, RandomState>,
}

impl Communicators {
    /// Defines the communicators besides `world`, whose members have the ranks 0 to `size` - 1.
    pub(crate) fn define<'a>(
        minter: &mut Minter,
        memberships: impl Iterator<Item = &'a Membership>,
        world: Option<u64>,
        size: usize,
    ) -> Self {
        let mut groups: BTreeMap<(i64, i64), Vec<&Membership>> = BTreeMap::new();
        for membership in memberships {
            groups.entry(membership.group).or_default().push(membership);
        }
        let mut all = Self {
            world,
            ..Self::default()
        };
        for members in groups.values() {
            let communicator = define(minter, members, world, size);
            for member in members {
                let handle = all.handles.entry((member.rank, member.handle)).or_default();
                handle.push((member.time, communicator));
            }
        }
        for uses in all.handles.values_mut() {
            uses.sort_unstable();
        }
        all
    }

    /// Returns the communicator that a handle stands for in a process at a time; `None` if it is unknown. If the database has no
    /// communicators, each handle stands for that of all processes.
    pub(crate) fn find(&self, rank: i64, handle: i64, time: i64) -> Option<u64> {
        if let Some(uses) = self.handles.get(&(rank, handle)) {
            let after = uses.partition_point(|&(begin, _)| begin <= time);
            let (_, communicator) = *uses.get(after.saturating_sub(1))?;
            return (communicator != UNDEFINED).then_some(communicator);
        }
        if self.handles.is_empty() || handle == WORLD_OF_MPICH {
            return self.world;
        }
        None
    }
}

/// Returns the communicator with these members, or [`UNDEFINED`] if not all of them are known.
fn define(minter: &mut Minter, members: &[&Membership], world: Option<u64>, size: usize) -> u64 {
    let by_local_rank: BTreeMap<i64, i64> =
        members.iter().map(|it| (it.local_rank, it.rank)).collect();
    let is_whole = by_local_rank
        .keys()
        .copied()
        .eq(0..by_local_rank.len() as i64)
        && members
            .iter()
            .all(|it| it.size == by_local_rank.len() as i64);
    let ranks: Option<Vec<u64>> = by_local_rank
        .values()
        .map(|&rank| u64::try_from(rank).ok().filter(|&rank| rank < size as u64))
        .collect();
    match (world, ranks) {
        (Some(world), Some(ranks)) if is_whole => {
            if ranks.iter().copied().eq(0..size as u64) {
                return world;
            }
            let (root, number) = members.first().map_or((0, 0), |it| it.group);
            let name = format!("communicator {number} of rank {root}");
            minter.communicator(&name, world, &ranks)
        }
        _ => UNDEFINED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_stand_for_communicators_for_a_while() {
        let member = |rank, time, handle, local_rank, size, group| Membership {
            rank,
            time,
            handle,
            local_rank,
            size,
            group,
        };
        let memberships = [
            member(0, 0, 5, 0, 2, (0, 0)),
            member(1, 0, 9, 1, 2, (0, 0)),
            member(0, 10, 6, 1, 2, (1, 3)),
            member(1, 10, 6, 0, 2, (1, 3)),
            member(0, 20, 6, 0, 1, (0, 4)),
            member(1, 20, 7, 0, 3, (1, 5)),
        ];
        let mut minter = Minter::default();
        let all = Communicators::define(&mut minter, memberships.iter(), Some(0), 2);
        assert_eq!(all.find(0, 5, 3), Some(0), "the world");
        assert_eq!(all.find(1, 9, 3), Some(0));
        let swapped = all.find(0, 6, 15);
        assert_eq!(swapped, all.find(1, 6, 15));
        assert!(swapped.is_some_and(|id| id != 0));
        assert_ne!(all.find(0, 6, 20), swapped);
        assert_eq!(all.find(1, 7, 20), None, "two members are missing");
        assert_eq!(all.find(1, 1, 20), None);
        assert_eq!(all.find(1, WORLD_OF_MPICH, 20), Some(0));
        let none = Communicators::define(&mut minter, [].iter(), Some(0), 2);
        assert_eq!(none.find(0, 77, 1), Some(0));
    }
}

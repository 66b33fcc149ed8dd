//! The dependences between the members of a collective operation, by the class of the operation.

use foldtrace_matching::{Collective, Communicators, Member};
use foldtrace_mpi::synchronises;

/// The begins on which the ends of a collective operation depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// Every end depends on every begin: barriers, and operations in which all members receive from all.
    All,
    /// The ends of the other members depend on the begin of this one, the root: broadcasts and scatters.
    FromRoot(usize),
    /// The end of this member, the root, depends on all begins: reductions and gathers.
    ToRoot(usize),
    /// The end of each member depends on the begins of the members before it: scans.
    FromEarlier,
}

/// The codes of operations in which one member sends to all.
const FROM_ROOT: [u64; 3] = [1, 4, 5];

/// The codes of operations in which one member receives from all.
const TO_ROOT: [u64; 3] = [2, 3, 12];

/// The codes of operations in which members receive from those before them.
const FROM_EARLIER: [u64; 2] = [14, 15];

impl Dependence {
    /// Returns the dependence between the members of an operation, which it may sort; `None` if the operation has
    /// none, or is not recorded the same way by all members.
    #[must_use]
    pub fn new(collective: &mut Collective, communicators: &Communicators) -> Option<Self> {
        let code = collective.operation?;
        let members = &mut collective.members;
        if members.iter().any(|member| member.operation != Some(code)) {
            return None;
        }
        // The order in which the members completed the operation may depend on their clocks.
        members.sort_unstable_by_key(|member| (member.rank, member.location));
        let root = collective.root;
        let is_root = |member: &Member| root.is_some() && member.rank == root;
        if FROM_ROOT.contains(&code) {
            return Some(Self::FromRoot(members.iter().position(is_root)?));
        }
        if TO_ROOT.contains(&code) {
            return Some(Self::ToRoot(members.iter().position(is_root)?));
        }
        if FROM_EARLIER.contains(&code) {
            let communicator = collective.communicator?;
            let size = communicators.ranks().size(communicator)?;
            let mut order: Vec<Option<u64>> = Vec::new();
            for rank in 0..size {
                order.push(Some(communicators.ranks().rank(
                    Some(communicator),
                    rank,
                    None,
                )));
            }
            members.sort_by_key(|member| order.iter().position(|rank| *rank == member.rank));
            return Some(Self::FromEarlier);
        }
        let is_barrier = usize::try_from(code).is_ok_and(synchronises);
        is_barrier.then_some(Self::All)
    }

    /// Returns, for the end of each member, the latest begin of another member on which it depends.
    #[must_use]
    pub fn latest_begins<T: Copy + Ord>(self, begins: &[Option<T>]) -> Vec<Option<T>> {
        latest(self, begins)
    }

    /// Returns, for the begin of each member, the earliest end of another member that depends on it.
    #[must_use]
    pub fn earliest_ends<T: Copy + Ord>(self, ends: &[T]) -> Vec<Option<T>> {
        use std::cmp::Reverse;
        let mut ends: Vec<_> = ends.iter().map(|end| Some(Reverse(*end))).collect();
        // Seen from the ends, each dependence has the opposite direction.
        let opposite = match self {
            Self::All => Self::All,
            Self::FromRoot(root) => Self::ToRoot(root),
            Self::ToRoot(root) => Self::FromRoot(root),
            Self::FromEarlier => Self::FromEarlier,
        };
        if self == Self::FromEarlier {
            ends.reverse();
        }
        let mut earliest = latest(opposite, &ends);
        if self == Self::FromEarlier {
            earliest.reverse();
        }
        earliest
            .into_iter()
            .map(|end| end.map(|Reverse(end)| end))
            .collect()
    }

    /// Calls `relate` with pairs of members, such that the end of the second depends on the begin of the first. If all
    /// members depend on all, these are the pairs with distances that are powers of two.
    pub(crate) fn pairs(self, members: usize, mut relate: impl FnMut(usize, usize)) {
        match self {
            Self::All => {
                let distances = (0..usize::BITS).map(|bit| 1_usize << bit);
                for distance in distances.take_while(|&distance| distance < members) {
                    for member in 0..members {
                        let other = (member + distance) % members;
                        relate(member, other);
                        relate(other, member);
                    }
                }
            }
            Self::FromRoot(root) => {
                let others = (0..members).filter(|&member| member != root);
                others.for_each(|member| relate(root, member));
            }
            Self::ToRoot(root) => {
                let others = (0..members).filter(|&member| member != root);
                others.for_each(|member| relate(member, root));
            }
            Self::FromEarlier => (1..members).for_each(|member| relate(member - 1, member)),
        }
    }
}

fn latest<T: Copy + Ord>(dependence: Dependence, begins: &[Option<T>]) -> Vec<Option<T>> {
    let members = 0..begins.len();
    match dependence {
        Dependence::All => {
            let last = members.clone().max_by_key(|&member| begins[member]);
            let others = members.clone().filter(|&member| Some(member) != last);
            let second = others.filter_map(|member| begins[member]).max();
            let last_begin = last.and_then(|last| begins[last]);
            let of = |member| {
                if Some(member) == last {
                    second
                } else {
                    last_begin
                }
            };
            members.map(of).collect()
        }
        Dependence::FromRoot(root) => {
            let of = |member| if member == root { None } else { begins[root] };
            members.map(of).collect()
        }
        Dependence::ToRoot(root) => {
            let others = members.clone().filter(|&member| member != root);
            let last = others.filter_map(|member| begins[member]).max();
            let of = |member| if member == root { last } else { None };
            members.map(of).collect()
        }
        Dependence::FromEarlier => {
            let before = begins.iter().scan(None, |before, &begin| {
                let latest = *before;
                *before = latest.max(begin);
                Some(latest)
            });
            before.collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_depend_on_begins_by_the_class_of_the_operation() {
        let begins = [Some(3), Some(9), None, Some(5)];
        let latest = |it: Dependence| it.latest_begins(&begins);
        assert_eq!(
            latest(Dependence::All),
            [Some(9), Some(5), Some(9), Some(9)]
        );
        assert_eq!(
            latest(Dependence::FromRoot(1)),
            [Some(9), None, Some(9), Some(9)]
        );
        assert_eq!(latest(Dependence::ToRoot(1)), [None, Some(5), None, None]);
        assert_eq!(
            latest(Dependence::FromEarlier),
            [None, Some(3), Some(9), Some(9)]
        );
        let earliest = |it: Dependence| it.earliest_ends(&[30, 10, 20, 40]);
        assert_eq!(
            earliest(Dependence::All),
            [Some(10), Some(20), Some(10), Some(10)]
        );
        assert_eq!(
            earliest(Dependence::FromRoot(1)),
            [None, Some(20), None, None]
        );
        assert_eq!(
            earliest(Dependence::ToRoot(1)),
            [Some(10), None, Some(10), Some(10)]
        );
        assert_eq!(
            earliest(Dependence::FromEarlier),
            [Some(10), Some(20), Some(40), None]
        );
    }

    #[test]
    fn all_members_are_related_by_few_pairs() {
        let mut pairs = Vec::new();
        Dependence::All.pairs(16, |from, to| pairs.push((from, to)));
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), 16 * 7);
        assert!(
            pairs
                .iter()
                .all(|&(from, to)| from != to && pairs.contains(&(to, from)))
        );
    }
}

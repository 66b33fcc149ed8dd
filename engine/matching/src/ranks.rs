//! Processes that one of several tasks is concerned with, and groups of processes.

use std::collections::BTreeMap;
use std::ops::Range;

/// The processes of consecutive ranks. Locations that belong to no process count as rank 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankRange {
    /// The first rank.
    pub begin: u64,
    /// The rank after the last one.
    pub end: u64,
}

impl RankRange {
    /// All processes.
    pub const ALL: Self = Self {
        begin: 0,
        end: u64::MAX,
    };

    /// Returns whether a process is one of them.
    #[must_use]
    pub fn contains(self, rank: Option<u64>) -> bool {
        (self.begin..self.end).contains(&rank.unwrap_or(0))
    }
}

/// All processes, divided into groups with consecutive ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankGroups {
    /// The first rank of each group, in ascending order. That of the first group is 0.
    begins: Vec<u64>,
}

impl Default for RankGroups {
    /// One group of all processes.
    fn default() -> Self {
        Self { begins: vec![0] }
    }
}

impl RankGroups {
    /// Divides processes, given by rank with the number of their events, into at most `most` groups with about as many events.
    ///
    /// No group begins with a process that has none.
    #[must_use]
    pub fn with_events(events: &BTreeMap<u64, u64>, most: u64) -> Self {
        let total: u128 = events.values().copied().map(u128::from).sum();
        let most = u128::from(most.max(1));
        let mut groups = Self::default();
        let (mut before, mut current) = (0_u128, 0);
        for (&rank, &own) in events.iter().filter(|&(_, &own)| own > 0) {
            let number = before * most / total;
            if number > current {
                groups.begins.push(rank);
                current = number;
            }
            before += u128::from(own);
        }
        groups
    }

    /// Returns the number of groups.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.begins.len()
    }

    /// Returns the number of the group of a process.
    #[must_use]
    pub fn of(&self, rank: Option<u64>) -> usize {
        let rank = rank.unwrap_or(0);
        self.begins.partition_point(|&begin| begin <= rank) - 1
    }

    /// Returns the ranks of consecutive groups.
    #[must_use]
    pub fn ranks(&self, groups: Range<usize>) -> RankRange {
        let begin = |group: usize| self.begins.get(group).copied().unwrap_or(u64::MAX);
        RankRange {
            begin: begin(groups.start),
            end: begin(groups.end.max(groups.start)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn last_processes_without_events_are_no_group_of_their_own() {
        let events = BTreeMap::from([(0, 5), (1, 5), (2, 0)]);
        for most in 0..4 {
            let groups = RankGroups::with_events(&events, most);
            assert_eq!(groups.count() as u64, most.clamp(1, 2));
        }
    }

    proptest! {
        #[test]
        fn each_process_is_in_one_group(
            events in prop::collection::btree_map(0_u64..100, 0_u64..1000, 0..40),
            most in 0_u64..20,
        ) {
            let groups = RankGroups::with_events(&events, most);
            prop_assert!(groups.count() as u64 <= most.max(1));
            let total: u64 = events.values().sum();
            let greatest = events.values().copied().max().unwrap_or_default();
            for group in 0..groups.count() {
                let ranks = groups.ranks(group..group + 1);
                let mine = events.iter().filter(|(rank, _)| ranks.contains(Some(**rank)));
                prop_assert!(mine.clone().all(|(rank, _)| groups.of(Some(*rank)) == group));
                let sum: u64 = mine.map(|(_, events)| events).sum();
                prop_assert!(sum <= total / most.max(1) + greatest + 1);
            }
            prop_assert_eq!(groups.ranks(0..groups.count()), RankRange::ALL);
            prop_assert_eq!(groups.of(None), 0);
        }
    }
}

//! The ranks that are in the trace.

use std::collections::BTreeMap;

/// The processes of the trace, by the ranks that their files have.
#[derive(Debug, Default)]
pub(crate) struct Present {
    processes: BTreeMap<u64, u64>,
}

impl FromIterator<(u64, u64)> for Present {
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(ranks: I) -> Self {
        Self {
            processes: ranks.into_iter().collect(),
        }
    }
}

impl Present {
    /// Returns the process of a rank.
    pub(crate) fn process(&self, rank: u64) -> Option<u64> {
        self.processes.get(&rank).copied()
    }

    /// Returns the processes of ranks, without those that are not in the trace.
    pub(crate) fn processes(&self, ranks: &[u64]) -> Vec<u64> {
        let processes = ranks.iter().filter_map(|&rank| self.process(rank));
        processes.collect()
    }

    /// Returns the processes whose ranks meet a condition, in the order of their ranks.
    pub(crate) fn processes_among(&self, is_member: impl Fn(u64) -> bool) -> Vec<u64> {
        let members = self.processes.iter().filter(|&(&rank, _)| is_member(rank));
        members.map(|(_, &process)| process).collect()
    }
}

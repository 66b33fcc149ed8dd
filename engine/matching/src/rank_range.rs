//! Processes that one of several tasks is concerned with.

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

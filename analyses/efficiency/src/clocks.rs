//! The clocks on which the time of a process passes.

/// Three clocks of a process, or the ticks that have passed on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Clocks {
    /// The recorded time.
    pub recorded: u64,
    /// The time on the ideal network.
    pub ideal: u64,
    /// The time outside of MPI.
    pub useful: u64,
}

impl Clocks {
    /// Returns the ticks since an earlier moment.
    pub const fn since(self, start: Self) -> Self {
        Self {
            recorded: self.recorded.saturating_sub(start.recorded),
            ideal: self.ideal.saturating_sub(start.ideal),
            useful: self.useful.saturating_sub(start.useful),
        }
    }

    /// Returns the sum of the ticks of both.
    pub const fn plus(self, other: Self) -> Self {
        Self {
            recorded: self.recorded + other.recorded,
            ideal: self.ideal + other.ideal,
            useful: self.useful + other.useful,
        }
    }
}

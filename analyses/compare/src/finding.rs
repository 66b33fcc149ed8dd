//! What differs between two runs.

use std::ops::Range;

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It takes longer.
    Slower,
    /// It takes less time.
    Faster,
    /// Only the second run has it.
    New,
    /// Only the first run has it.
    Gone,
    /// There is more of it: processes, iterations, or bytes.
    More,
    /// There is less of it.
    Fewer,
}

impl Change {
    /// Returns the change of a time whose ratio has this logarithm.
    #[must_use]
    pub fn of(log: f64) -> Self {
        if log > 0.0 {
            Self::Slower
        } else {
            Self::Faster
        }
    }

    /// Returns the name in JSON and in texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::New => "new",
            Self::Gone => "gone",
            Self::More => "more",
            Self::Fewer => "fewer",
        }
    }
}

/// The quantity that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// The number of processes.
    Processes,
    /// The number of iterations of a loop.
    Iterations,
    /// The bytes of a call.
    Bytes,
    /// Time outside of calls of MPI and other runtimes.
    Computation,
    /// Time in such calls, if the fastest of them differ, too.
    Communication,
    /// Time in such calls, if only slower ones differ, because processes wait for each other.
    Waiting,
}

impl Quantity {
    /// Returns the name in JSON and in texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Iterations => "iterations",
            Self::Bytes => "bytes",
            Self::Computation => "computation",
            Self::Communication => "communication",
            Self::Waiting => "waiting",
        }
    }
}

/// A difference between two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The loop, call path or message size, as text.
    pub construct: String,
    /// The number of the loop, such as `2.1`; `None` outside of loops.
    pub number: Option<String>,
    /// The functions of the call path, outermost first.
    pub call_path: Vec<String>,
    /// What has changed.
    pub change: Change,
    /// The quantity that has changed.
    pub quantity: Quantity,
    /// The second run relative to the first; `None` if one of them has nothing of it.
    pub ratio: Option<f64>,
    /// The probability of a finding like this, or a stronger one, if the runs were the same: 0 for facts that need no
    /// test, such as the number of processes.
    pub significance: f64,
    /// The standard deviation of the ratio between iterations, as a fraction of it.
    pub spread: f64,
    /// Nanoseconds per process that the second run takes longer because of it.
    pub impact: f64,
    /// The quantity in both runs: nanoseconds per process, or a number.
    pub amounts: [f64; 2],
    /// The processes that differ; all if empty.
    pub processes: Vec<String>,
    /// The iterations that differ; all if `None`.
    pub iterations: Option<Range<u64>>,
    /// Whether another finding is likely to be the cause: processes wait longer in communication if others compute
    /// longer, and messages of a size are sent in loops.
    pub is_consequence: bool,
    /// Nanoseconds over the iterations, in blocks, for both runs.
    pub series: [Vec<f64>; 2],
}

impl Finding {
    /// Returns what has changed, such as `computation slower` or `more processes`.
    #[must_use]
    pub fn what(&self) -> String {
        let (change, quantity) = (self.change.name(), self.quantity.name());
        match self.change {
            Change::More | Change::Fewer => format!("{change} {quantity}"),
            Change::Slower if self.quantity == Quantity::Waiting => "waiting longer".to_owned(),
            Change::Faster if self.quantity == Quantity::Waiting => "waiting shorter".to_owned(),
            Change::Slower | Change::Faster => format!("{quantity} {change}"),
            Change::New | Change::Gone => change.to_owned(),
        }
    }
}

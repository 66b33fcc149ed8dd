//! Compares runs of a program at several scales.

use crate::Efficiency;
use crate::factors::ratio;

/// How a run scales, relative to a first run of the same program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// How many times faster it is.
    pub speedup: f64,
    /// The useful time of all processes of the first run, relative to that of this one.
    pub computation: f64,
    /// The number of instructions of the first run, relative to that of this one, if both count them.
    pub instructions: Option<f64>,
    /// The number of instructions per cycle, relative to that of the first run, if both count them.
    pub per_cycle: Option<f64>,
    /// The global efficiency: parallel efficiency × computation scaling.
    pub global: f64,
}

impl Scaling {
    /// Compares a run with the first one; `ticks_per_second` are those of the first run and of this one.
    #[must_use]
    pub fn new(first: &Efficiency, this: &Efficiency, ticks_per_second: [u64; 2]) -> Self {
        let [of_first, of_this] = ticks_per_second.map(|ticks| ticks.max(1) as f64);
        let relative =
            |first: u64, this: u64| ratio(first as f64 / of_first, this as f64 / of_this);
        let computation = relative(first.program.useful, this.program.useful);
        let both = |first: Option<f64>, this: Option<f64>| first.zip(this);
        let (before, now) = (first.counters, this.counters);
        Self {
            speedup: relative(first.program.runtime, this.program.runtime),
            computation,
            instructions: both(before.instructions, now.instructions)
                .map(|(first, this)| ratio(first, this)),
            per_cycle: both(before.per_cycle(), now.per_cycle())
                .map(|(first, this)| ratio(this, first)),
            global: this.program.parallel() * computation,
        }
    }
}

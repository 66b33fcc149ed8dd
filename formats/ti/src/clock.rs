//! The time of a rank, which is the amount of its computation.
//!
//! Time-independent traces contain no times. The time of an event is the time that a machine with
//! [`FLOPS_PER_SECOND`] would need for the computation before the event. Communication takes no time.

/// The assumed speed of the machine, which the trace does not specify: 1 Gflop/s.
pub(crate) const FLOPS_PER_SECOND: f64 = 1e9;

/// Ticks per second. A tick is a thousandth of a flop, so fractional amounts are not lost.
pub(crate) const TICKS_PER_SECOND: u64 = 1_000_000_000_000;

/// Sums amounts of computation without losing fractions of a tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    ticks: u64,
    rest: f64,
}

impl Clock {
    /// Returns the time in ticks.
    pub(crate) fn ticks(self) -> u64 {
        self.ticks
    }

    /// Advances by an amount of flops, which must not be negative.
    pub(crate) fn compute(&mut self, flops: f64) {
        self.advance(flops * (TICKS_PER_SECOND as f64 / FLOPS_PER_SECOND));
    }

    /// Advances by a number of seconds, which must not be negative.
    pub(crate) fn sleep(&mut self, seconds: f64) {
        self.advance(seconds * TICKS_PER_SECOND as f64);
    }

    /// Advances by `ticks`. The time stops before the largest 64-bit number.
    fn advance(&mut self, ticks: f64) {
        let all = self.rest + ticks;
        let whole = all.floor();
        self.rest = if whole.is_finite() { all - whole } else { 0.0 };
        self.ticks = self.ticks.saturating_add(whole as u64).min(u64::MAX - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_add_up_and_time_ends() {
        let mut clock = Clock::default();
        for _ in 0..1000 {
            clock.compute(0.0005);
        }
        assert_eq!(clock.ticks(), 500);
        clock.sleep(2.0);
        assert_eq!(clock.ticks(), 500 + 2 * TICKS_PER_SECOND);
        for amount in [1e300, f64::MAX] {
            clock.compute(amount);
        }
        assert_eq!(clock.ticks(), u64::MAX - 1);
    }
}

//! The time of a rank: how much it has computed.
//!
//! Nothing in a time-independent trace says when anything happened. What an analyst sees as time is the
//! amount of computation before an event, as a machine of [`FLOPS_PER_SECOND`] would need for it; all
//! communication takes no time at all.

/// How fast the machine is that a trace has no word of: 1 Gflop/s.
pub(crate) const FLOPS_PER_SECOND: f64 = 1e9;

/// Ticks per second: a thousandth of a flop is a tick, so that amounts with fractions tell.
pub(crate) const TICKS_PER_SECOND: u64 = 1_000_000_000_000;

/// Adds up amounts of computation without losing fractions of a tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    ticks: u64,
    rest: f64,
}

impl Clock {
    /// The time.
    pub(crate) fn ticks(self) -> u64 {
        self.ticks
    }

    /// Computes; the amount is not negative.
    pub(crate) fn compute(&mut self, flops: f64) {
        self.advance(flops * (TICKS_PER_SECOND as f64 / FLOPS_PER_SECOND));
    }

    /// Sleeps; the number is not negative.
    pub(crate) fn sleep(&mut self, seconds: f64) {
        self.advance(seconds * TICKS_PER_SECOND as f64);
    }

    /// Time stands still at the last tick that 64 bits hold.
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

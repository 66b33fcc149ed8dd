//! The estimate of a clock: an offset and a drift.

use foldtrace_trace::Timestamp;

/// The number of bits after the point of a [`Line::rate`].
const RATE_BITS: u32 = 40;

/// A linear function from the times of a clock to the times of a common clock. Results are rounded to ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// A time of the clock.
    pub origin: Timestamp,
    /// The common time at the origin.
    pub start: Timestamp,
    /// The ticks that the clock loses per tick, in units of 2^-40.
    pub rate: i64,
}

impl Line {
    /// Creates the estimate of a clock that loses `drift` ticks per tick.
    pub(crate) fn new(origin: Timestamp, start: Timestamp, drift: f64) -> Self {
        Self {
            origin,
            start,
            rate: (drift * (1_i64 << RATE_BITS) as f64).round() as i64,
        }
    }

    /// Returns the common time.
    #[inline]
    #[must_use]
    pub fn at(self, time: Timestamp) -> Timestamp {
        let since = time.0.wrapping_sub(self.origin.0);
        let shifted = self.start.0.wrapping_add(since);
        if self.rate == 0 {
            return Timestamp(shifted);
        }
        let product = i128::from(since as i64) * i128::from(self.rate);
        let rounded = (product + (1 << (RATE_BITS - 1))) >> RATE_BITS;
        Timestamp(shifted.wrapping_add(rounded as u64))
    }

    /// Replaces times of the clock with common times.
    pub fn correct(self, times: &mut [Timestamp]) {
        for time in times {
            *time = self.at(*time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_has_an_offset_and_a_drift() {
        let line = Line::new(Timestamp(1_000), Timestamp(500), 0.0);
        assert_eq!(
            [900, 1_000, 2_000].map(|time| line.at(Timestamp(time)).0),
            [400, 500, 1_500]
        );
        let line = Line::new(Timestamp(1_000), Timestamp(500), -1e-3);
        assert_eq!(
            [1_000, 1_400, 3_000].map(|time| line.at(Timestamp(time)).0),
            [500, 900, 2_498]
        );
        let mut times = [1_000, 3_000].map(Timestamp);
        line.correct(&mut times);
        assert_eq!(times, [500, 2_498].map(Timestamp));
    }
}

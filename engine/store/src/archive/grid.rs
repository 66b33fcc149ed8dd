//! The times that a clock can show: a start and whole numbers of periods after it, rounded down to ticks.
//!
//! The period is known with a finite precision, and operating systems adjust clocks, so a grid follows the times: a
//! time that deviates from the grid shifts it a little, and more if times keep deviating to the same side.

use super::number::length_of;

/// The number of bits below a tick.
const FRACTION: u32 = 32;

/// A tick.
const TICK: i64 = 1 << FRACTION;

/// The period of a clock, in units of 2^-32 ticks; at least a tick, and less than 2^16 ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Period(u64);

impl Period {
    /// The period of a clock that counts ticks.
    pub const TICK: Self = Self(TICK as u64);

    /// Creates a period of a number of ticks, if it is in range.
    pub fn new(ticks: f64) -> Option<Self> {
        Self::from_bits((ticks * TICK as f64).round() as u64)
    }

    /// Creates a period of a number of units of 2^-32 ticks, if it is in range.
    pub fn from_bits(bits: u64) -> Option<Self> {
        (1 << FRACTION..1 << (FRACTION + 16))
            .contains(&bits)
            .then_some(Self(bits))
    }

    /// Returns the period in units of 2^-32 ticks.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Returns the period in ticks.
    pub fn ticks(self) -> f64 {
        self.0 as f64 / TICK as f64
    }
}

/// A grid of times that follows a clock.
#[derive(Debug)]
pub(super) struct Grid {
    period: Period,
    /// The grid's time that belongs to the last time, minus the last time, in units of 2^-32 ticks.
    ahead: i64,
    /// The shift for the next deviation.
    shift: i64,
    /// Whether the last deviation was negative.
    was_early: bool,
}

impl Grid {
    const LEAST_SHIFT: i64 = TICK >> 8;
    const GREATEST_SHIFT: i64 = TICK >> 4;

    /// Creates a grid at time 0.
    pub fn new(period: Period) -> Self {
        Self {
            period,
            ahead: TICK / 2,
            shift: Self::GREATEST_SHIFT,
            was_early: false,
        }
    }

    /// Returns the number of periods that leads to the time of the grid closest to `ticks` after (or before) the last
    /// time.
    pub fn nearest(&self, ticks: u64, backwards: bool) -> u64 {
        // Half a tick, because times are rounded down, and half a period, because the quotient is.
        let half = (self.period.0 / 2) as i64;
        let added = if backwards {
            half - TICK / 2 + self.ahead
        } else {
            half + TICK / 2 - self.ahead
        };
        if ticks < 1 << 30 {
            let distance = ((ticks << FRACTION) as i64 + added).max(0);
            return distance as u64 / self.period.0;
        }
        let distance = (i128::from(ticks) << FRACTION) + i128::from(added);
        (distance.max(0) / i128::from(self.period.0)) as u64
    }

    /// Advances by a number of periods (or back), and returns the ticks from the last time to the grid's time, modulo
    /// 2^64.
    pub fn advance(&mut self, periods: u64, backwards: bool) -> u64 {
        let distance = i128::from(periods) * i128::from(self.period.0);
        let distance = if backwards { -distance } else { distance };
        let exact = distance + i128::from(self.ahead);
        self.ahead = exact as i64 & (TICK - 1);
        (exact >> FRACTION) as u64
    }

    /// Returns what is known about the deviation of the time after [`advance`](Self::advance) by a number of periods:
    /// the place in the tick, in sixteenths, and the magnitude of the step.
    pub fn confidence(&self, periods: u64) -> u32 {
        let place = (self.ahead >> (FRACTION - 4)) as u32;
        place << 5 | length_of(periods >> 12).div_ceil(2)
    }

    /// Corrects the grid after [`advance`](Self::advance): the actual time deviates by some ticks from the grid's time.
    pub fn correct(&mut self, deviation: i64) {
        if deviation == 0 {
            return;
        }
        let is_early = deviation < 0;
        self.shift = if is_early == self.was_early {
            (2 * self.shift).min(Self::GREATEST_SHIFT)
        } else {
            (self.shift / 2).max(Self::LEAST_SHIFT)
        };
        self.was_early = is_early;
        // A deviation by more than a tick is a jump of the clock, which the grid follows at once.
        match deviation {
            1 => self.ahead += self.shift - TICK,
            -1 => self.ahead += TICK - self.shift,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn times_of_a_clock_hardly_deviate(
            steps in prop::collection::vec(0..1_000_000_u64, 100..1000),
            period in 2.0..1000.0_f64,
            start in 0.0..1.0_f64,
        ) {
            let mut grid = Grid::new(Period::new(period).unwrap());
            let mut periods = 0;
            let (mut before, mut deviating) = (0, 0);
            for step in &steps {
                periods += step;
                let time = (periods as f64 * period + start).floor() as u64;
                let nearest = grid.nearest(time - before, false);
                prop_assert_eq!(nearest, *step);
                let deviation = (time - before).wrapping_sub(grid.advance(nearest, false)) as i64;
                prop_assert!(deviation.abs() <= 1);
                grid.correct(deviation);
                deviating += usize::from(deviation != 0);
                before = time;
            }
            // At first, and whenever the limited precision of the period has shifted the grid.
            prop_assert!(deviating < 50 + steps.len() / 10, "{deviating} of {}", steps.len());
        }

        #[test]
        fn any_time_is_reached(
            times in prop::collection::vec(any::<u64>(), 0..100),
            bits in 1_u64 << 32..1 << 48,
        ) {
            let mut grid = Grid::new(Period::from_bits(bits).unwrap());
            let mut before = 0_u64;
            for time in times {
                let step = time.wrapping_sub(before) as i64;
                let backwards = step < 0;
                let periods = grid.nearest(step.unsigned_abs(), backwards);
                let grids = grid.advance(periods, backwards);
                let deviation = (step as u64).wrapping_sub(grids) as i64;
                prop_assert!(deviation.unsigned_abs() <= (bits >> 33) + 2, "{deviation}");
                grid.correct(deviation);
                before = time;
            }
        }
    }
}

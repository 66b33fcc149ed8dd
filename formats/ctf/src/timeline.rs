//! The common time of all clocks of a trace.

use crate::description::{Clock, EPOCH};

/// The frequency to which clocks of different frequencies are converted.
const NANOSECONDS: u64 = 1_000_000_000;

/// The conversion from the values of clocks to ticks.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// Ticks per second.
    pub frequency: u64,
    /// What is added to all times because some clocks begin before their origin, in ticks.
    pub shift: i128,
    /// Whether there are clocks of which nobody knows how they are related.
    pub is_uncorrelated: bool,
}

impl Timeline {
    /// Creates the common time of clocks.
    pub(crate) fn new(clocks: &[&Clock]) -> Self {
        let frequency = match clocks {
            [first, rest @ ..] if rest.iter().all(|it| it.frequency == first.frequency) => {
                first.frequency
            }
            _ => NANOSECONDS,
        };
        let mut timeline = Self {
            frequency,
            ..Self::default()
        };
        let offsets = clocks
            .iter()
            .map(|clock| timeline.conversion(clock).ticks(0));
        timeline.shift = -offsets.min().unwrap_or(0).min(0);
        let origin = |clock: &Clock| (clock.origin != EPOCH).then(|| clock.origin.clone());
        timeline.is_uncorrelated = clocks.windows(2).any(|pair| {
            origin(pair[0]) != origin(pair[1])
                || pair[0].origin.is_empty() && pair[0].id != pair[1].id
        });
        timeline
    }

    /// Returns how the values of a clock become times.
    pub(crate) fn conversion(&self, clock: &Clock) -> Conversion {
        Conversion {
            offset: clock.offset,
            from: clock.frequency,
            to: self.frequency,
            shift: self.shift,
        }
    }
}

/// The conversion of the values of a clock to times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conversion {
    /// The value of the origin, in cycles.
    offset: i128,
    /// Cycles and ticks per second.
    from: u64,
    to: u64,
    /// What is added to all times, in ticks.
    shift: i128,
}

impl Conversion {
    /// Returns ticks since the origin.
    #[inline]
    fn ticks(&self, value: u64) -> i128 {
        let cycles = self.offset + i128::from(value);
        if self.from == self.to {
            return cycles;
        }
        (cycles * i128::from(self.to)).div_euclid(self.from.into())
    }

    /// Returns the time of a value of the clock; `None` if it does not fit into 64 bits.
    #[inline]
    pub(crate) fn time(&self, value: u64) -> Option<u64> {
        // Larger times are reserved for undefined ones.
        let time = u64::try_from(self.ticks(value) + self.shift).ok();
        time.filter(|time| *time < u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(frequency: u64, offset: i128) -> Clock {
        Clock {
            id: "a".to_owned(),
            frequency,
            offset,
            origin: EPOCH.to_owned(),
        }
    }

    #[test]
    fn clocks_have_a_common_time() {
        let (slow, fast) = (clock(1000, 5), clock(3_000_000_000, -6_000_000_000));
        let alone = Timeline::new(&[&slow]);
        assert_eq!((alone.frequency, alone.shift), (1000, 0));
        assert_eq!(alone.conversion(&slow).time(7), Some(12));
        let both = Timeline::new(&[&slow, &fast]);
        assert_eq!((both.frequency, both.shift), (NANOSECONDS, 2_000_000_000));
        assert_eq!(both.conversion(&fast).time(3), Some(1));
        assert_eq!(both.conversion(&slow).time(7), Some(2_012_000_000));
        assert_eq!(both.conversion(&slow).time(u64::MAX), None);
    }
}

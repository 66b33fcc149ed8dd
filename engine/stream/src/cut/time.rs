//! Ranges of time as users write them: `FROM..TO`, in ticks or in seconds from the beginning of the trace.

use foldtrace_trace::{Clock, ErrorKind, TimeRange, Timestamp, TraceError};

/// A range of time that is not yet bound to the clock of a trace. It includes its first instant and excludes its
/// last; either side may be open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeSpan {
    from: Option<Instant>,
    to: Option<Instant>,
}

/// A side of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instant {
    /// A time in ticks, as in events.
    Tick(u64),
    /// The time since the beginning of the trace, as a fraction of a second.
    Since { numerator: u128, denominator: u128 },
}

/// Units of time: the name, a number of units, and the number of seconds that they last.
const UNITS: [(&str, u128, u128); 6] = [
    ("min", 1, 60),
    ("ms", 1_000, 1),
    ("us", 1_000_000, 1),
    ("µs", 1_000_000, 1),
    ("ns", 1_000_000_000, 1),
    ("s", 1, 1),
];

impl TimeSpan {
    /// Parses `FROM..TO`. Each side is empty, a whole number of ticks, or a number with a unit.
    ///
    /// # Errors
    /// Returns an error if `text` is not such a range.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let (from, to) = text
            .split_once("..")
            .ok_or_else(|| wrong(format!("'{text}' is not a time range")))?;
        Ok(Self {
            from: Instant::parse(from)?,
            to: Instant::parse(to)?,
        })
    }

    /// Returns whether both sides are open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }

    /// Returns the range in ticks of `clock`. Times with a unit count from the clock's first tick.
    ///
    /// # Errors
    /// Returns an error if a side is later than any tick, or if the range is empty.
    pub fn ticks(&self, clock: Clock) -> Result<TimeRange, TraceError> {
        let tick = |side: Option<Instant>| side.map(|side| side.tick(clock)).transpose();
        let range = TimeRange {
            from: tick(self.from)?,
            to: tick(self.to)?,
        };
        if let (Some(from), Some(to)) = (range.from, range.to)
            && from >= to
        {
            let message = format!("the time range from tick {from} to tick {to} is empty");
            return Err(TraceError::new(ErrorKind::Usage, message)
                .hint("a range includes its first tick and excludes its last"));
        }
        Ok(range)
    }
}

impl Instant {
    fn parse(text: &str) -> Result<Option<Self>, TraceError> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        if let Ok(ticks) = text.parse() {
            return Ok(Some(Self::Tick(ticks)));
        }
        let not_a_time = || wrong(format!("'{text}' is not a time"));
        let (number, of_a_second, seconds) = UNITS
            .iter()
            .find_map(|&(unit, of_a_second, seconds)| {
                Some((text.strip_suffix(unit)?, of_a_second, seconds))
            })
            .ok_or_else(not_a_time)?;
        let number = number.trim_end();
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = [whole, fraction].concat();
        if whole.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(not_a_time());
        }
        let large = || too_large(text);
        let places = u32::try_from(fraction.len()).map_err(|_| large())?;
        let digits: u128 = digits.parse().map_err(|_| large())?;
        let scale = 10_u128.checked_pow(places).ok_or_else(large)?;
        Ok(Some(Self::Since {
            numerator: digits.checked_mul(seconds).ok_or_else(large)?,
            denominator: scale.checked_mul(of_a_second).ok_or_else(large)?,
        }))
    }

    /// Returns the first tick that is not earlier than this instant.
    fn tick(self, clock: Clock) -> Result<Timestamp, TraceError> {
        let (numerator, denominator) = match self {
            Self::Tick(tick) => return Ok(Timestamp(tick)),
            Self::Since {
                numerator,
                denominator,
            } => (numerator, denominator),
        };
        numerator
            .checked_mul(u128::from(clock.ticks_per_second))
            .map(|ticks| ticks.div_ceil(denominator))
            .and_then(|ticks| ticks.checked_add(u128::from(clock.global_offset)))
            .and_then(|ticks| u64::try_from(ticks).ok())
            .map(Timestamp)
            .ok_or_else(|| too_large("a side of the time range"))
    }
}

fn wrong(message: String) -> TraceError {
    TraceError::new(ErrorKind::Usage, message).hint(
        "write FROM..TO, such as 1.5s..2s, 20ms.., or ..4000 in ticks; units are min, s, ms, us and ns",
    )
}

fn too_large(time: &str) -> TraceError {
    TraceError::new(
        ErrorKind::Usage,
        format!("{time} is later than the last possible tick"),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A clock with three ticks per microsecond that begins at tick 100.
    const CLOCK: Clock = Clock {
        ticks_per_second: 3_000_000,
        global_offset: 100,
        trace_length: 0,
    };

    fn ticks(text: &str) -> (Option<u64>, Option<u64>) {
        let range = TimeSpan::parse(text).unwrap().ticks(CLOCK).unwrap();
        (range.from.map(|t| t.0), range.to.map(|t| t.0))
    }

    #[test]
    fn sides_are_ticks_or_times_since_the_beginning() {
        assert_eq!(ticks("5..7"), (Some(5), Some(7)));
        assert_eq!(ticks("..7"), (None, Some(7)));
        assert_eq!(ticks("5.."), (Some(5), None));
        assert_eq!(ticks(".."), (None, None));
        assert_eq!(ticks("0s..2us"), (Some(100), Some(106)));
        assert_eq!(ticks("0.5 us .. 1.5µs"), (Some(102), Some(105)));
        assert_eq!(ticks("1ms..0.5min"), (Some(3_100), Some(90_000_100)));
        assert_eq!(ticks("7..0.000001s"), (Some(7), Some(103)));
        assert_eq!(ticks("..18446744073709551615"), (None, Some(u64::MAX)));
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in [
            "", "5", "5-7", "a..", "1.5..2", "-1..2", "1e3s..", ".5s..", "s..", "1..2..3",
        ] {
            let error = TimeSpan::parse(text).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Usage, "{text}");
        }
        for text in [
            "7..7",
            "7..6",
            "99999999999999999999s..",
            "..1s 1000000000000000000000000000s",
        ] {
            let error = TimeSpan::parse(text).and_then(|span| span.ticks(CLOCK));
            assert_eq!(error.unwrap_err().kind, ErrorKind::Usage, "{text}");
        }
    }

    proptest! {
        /// Checks that the tick of a time is the first one that is not earlier: no tick is lost to rounding.
        #[test]
        fn a_time_is_the_first_tick_that_is_not_earlier(nanoseconds in 0..10_000_000_u64, per_second in 1..5_000_000_000_u64) {
            let clock = Clock { ticks_per_second: per_second, global_offset: 0, trace_length: 0 };
            let text = format!("{}.{:06}ms..", nanoseconds / 1_000_000, nanoseconds % 1_000_000);
            let from = TimeSpan::parse(&text).unwrap().ticks(clock).unwrap().from.unwrap().0;
            let is_late = |tick: u64| u128::from(tick) * 1_000_000_000 >= u128::from(nanoseconds) * u128::from(per_second);
            prop_assert!(is_late(from));
            prop_assert!(from == 0 || !is_late(from - 1));
        }
    }
}

//! Conversion between the ticks of a trace's clock and Perfetto's nanoseconds.

use foldtrace_trace::{Clock, Timestamp};

const NANOSECONDS: u64 = 1_000_000_000;
/// The largest number of ticks per second that 64 bits can multiply by a number of nanoseconds.
const MOST_TICKS: u64 = u64::MAX / NANOSECONDS;
/// The last time that Perfetto can represent: it has 63 bits for nanoseconds.
const LAST: u64 = i64::MAX as u64;

/// Converts ticks to nanoseconds. Fractions are cut off; later times than [`LAST`] become `LAST`.
#[inline]
pub(crate) fn nanoseconds(clock: &Clock, time: Timestamp) -> u64 {
    let nanoseconds = match clock.ticks_per_second.max(1) {
        NANOSECONDS => Some(time.0),
        // Two divisions of 64 bits are faster than one of 128.
        ticks @ ..=MOST_TICKS => {
            let rest = time.0 % ticks * NANOSECONDS / ticks;
            let whole = (time.0 / ticks).checked_mul(NANOSECONDS);
            whole.and_then(|whole| whole.checked_add(rest))
        }
        ticks => {
            let nanoseconds = u128::from(time.0) * u128::from(NANOSECONDS) / u128::from(ticks);
            u64::try_from(nanoseconds).ok()
        }
    };
    nanoseconds.map_or(LAST, |time| time.min(LAST))
}

/// Returns the ticks whose time these nanoseconds are. There is only one such number if ticks are at least as long as
/// nanoseconds; otherwise, the result is arbitrary.
#[inline]
pub(crate) fn ticks(clock: &Clock, nanoseconds: u64) -> u64 {
    match clock.ticks_per_second.max(1) {
        NANOSECONDS => nanoseconds,
        ticks @ ..=MOST_TICKS => {
            let rest = (nanoseconds % NANOSECONDS * ticks).div_ceil(NANOSECONDS);
            let whole = (nanoseconds / NANOSECONDS).saturating_mul(ticks);
            whole.saturating_add(rest)
        }
        _ => nanoseconds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nanoseconds_determine_longer_ticks(
            ticks_per_second in prop_oneof![1u64..100, 0..=NANOSECONDS],
            time in prop_oneof![0u64..100, 0u64..1 << 33],
        ) {
            let clock = Clock { ticks_per_second, ..Clock::default() };
            prop_assert_eq!(ticks(&clock, nanoseconds(&clock, Timestamp(time))), time);
        }
    }
}

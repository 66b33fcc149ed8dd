//! Converts between times in the file, which are decimal numbers, and ticks, without floating-point numbers.

use foldtrace_notation::push_number;
use foldtrace_trace::Clock;

/// Maximum number of digits after the decimal point that are read or written.
const MAX_DIGITS: usize = 19;

/// The powers of ten that fit into 64 bits.
const POWERS: [u64; MAX_DIGITS + 1] = {
    let mut powers = [1; MAX_DIGITS + 1];
    let mut i = 1;
    while i <= MAX_DIGITS {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// The number of ticks in the time unit of a file, and the tick of its time zero.
#[derive(Clone, Debug)]
pub(crate) struct TimeScale {
    per_unit: u64,
    offset: u64,
    /// Number of digits after the decimal point that are needed to distinguish ticks.
    digits: usize,
    /// TimeScale per unit of the last digit, by the number of digits after the decimal point; 0 if not a whole number.
    of_digit: [u64; MAX_DIGITS + 1],
}

/// A time in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Time {
    pub ticks: u64,
    /// Whether no digits were lost by rounding.
    pub is_exact: bool,
}

impl TimeScale {
    /// Returns a scale whose ticks are nanoseconds, with `per_unit` of them in the time unit of the file.
    pub(crate) fn nanoseconds(per_unit: u64) -> Self {
        Self::new(per_unit, 0)
    }

    /// Returns the scale of a clock, for a file in seconds since the first tick of the clock.
    pub(crate) fn from_clock(clock: &Clock) -> Self {
        Self::new(clock.ticks_per_second.max(1), clock.global_offset)
    }

    fn new(per_unit: u64, offset: u64) -> Self {
        let mut of_digit = [0; MAX_DIGITS + 1];
        for (ticks, power) in of_digit.iter_mut().zip(POWERS) {
            if per_unit.is_multiple_of(power) {
                *ticks = per_unit / power;
            }
        }
        let digits = POWERS.iter().position(|&power| power >= per_unit);
        Self {
            per_unit,
            offset,
            digits: digits.unwrap_or(MAX_DIGITS),
            of_digit,
        }
    }

    /// Parses a time; `None` if it is not a decimal number, or does not fit into 64 bits of ticks.
    #[inline]
    pub(crate) fn parse(&self, text: &[u8]) -> Option<Time> {
        let (mut whole, mut fraction, mut at) = (0u64, 0u64, 0);
        while let Some(digit) = digit(text, at) {
            whole = whole.wrapping_mul(10).wrapping_add(digit);
            at += 1;
        }
        let mut digits = 0;
        if at > 0 && at < 19 && text.get(at) == Some(&b'.') {
            at += 1;
            while let Some(digit) = digit(text, at + digits) {
                fraction = fraction.wrapping_mul(10).wrapping_add(digit);
                digits += 1;
            }
            at += digits;
        }
        if at > 0
            && at == text.len()
            && at < 19
            && let Some(&ticks) = self.of_digit.get(digits)
            && ticks > 0
        {
            return Some(Time {
                ticks: whole
                    .checked_mul(self.per_unit)?
                    .checked_add(fraction * ticks)?
                    .checked_add(self.offset)?,
                is_exact: true,
            });
        }
        self.parse_any(text)
    }

    /// Parses any decimal number, with or without an exponent, and rounds it to ticks.
    #[cold]
    fn parse_any(&self, text: &[u8]) -> Option<Time> {
        let (text, is_negative) = match text {
            [b'-', rest @ ..] => (rest, true),
            [b'+', rest @ ..] => (rest, false),
            _ => (text, false),
        };
        let e = text.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let (mantissa, exponent) = match e {
            Some(e) => (&text[..e], exponent(&text[e + 1..])?),
            None => (text, 0),
        };
        let point = mantissa.iter().position(|&byte| byte == b'.');
        let of_whole = point.unwrap_or(mantissa.len());
        let digits = || mantissa.iter().filter(|&&byte| byte != b'.');
        let dots = mantissa.len() - digits().count();
        if dots > 1 || dots == mantissa.len() || !digits().all(u8::is_ascii_digit) {
            return None;
        }
        // Location of a digit: 1 for the last digit before the decimal point, 0 for the first digit after it.
        let first = of_whole as i64 + i64::from(exponent);
        let (mut whole, mut fraction, mut is_exact) = (0u64, 0u64, true);
        let mut place = first;
        for &byte in digits() {
            let digit = u64::from(byte - b'0');
            if place > 0 {
                whole = whole.checked_mul(10)?.checked_add(digit)?;
            } else if place > -(MAX_DIGITS as i64) {
                fraction += digit * POWERS[(MAX_DIGITS as i64 - 1 + place) as usize];
            } else {
                is_exact &= digit == 0;
            }
            place -= 1;
        }
        while place > 0 && whole > 0 {
            whole = whole.checked_mul(10)?;
            place -= 1;
        }
        if is_negative && (whole, fraction) != (0, 0) {
            return None;
        }
        let unit = u128::from(POWERS[MAX_DIGITS]);
        let parts = u128::from(fraction) * u128::from(self.per_unit);
        is_exact &= parts.is_multiple_of(unit);
        let rounded = u64::try_from((parts + unit / 2) / unit).ok()?;
        Some(Time {
            ticks: whole
                .checked_mul(self.per_unit)?
                .checked_add(rounded)?
                .checked_add(self.offset)?,
            is_exact,
        })
    }

    /// Appends a time with as many digits as are needed to restore its tick. Returns `None` if no such number exists:
    /// before the first tick, or if ticks are finer than the digits. In the latter case, a rounded time is appended.
    pub(crate) fn push(&self, out: &mut Vec<u8>, ticks: u64) -> Option<()> {
        let since = ticks.checked_sub(self.offset)?;
        let (mut whole, part) = (since / self.per_unit, since % self.per_unit);
        let power = POWERS[self.digits];
        let mut fraction = part;
        if power != self.per_unit {
            let (per_unit, half) = (u128::from(self.per_unit), u128::from(self.per_unit / 2));
            let rounded = (u128::from(part) * u128::from(power) + half) / per_unit;
            fraction = rounded as u64;
            if fraction >= power {
                (whole, fraction) = (whole + 1, fraction - power);
            }
        }
        let start = out.len();
        push_number(out, whole);
        if self.digits > 0 {
            out.push(b'.');
            let mut digits = [b'0'; MAX_DIGITS];
            for digit in digits[..self.digits].iter_mut().rev() {
                *digit = b'0' + (fraction % 10) as u8;
                fraction /= 10;
            }
            out.extend_from_slice(&digits[..self.digits]);
        }
        let leads_back = power == self.per_unit
            || self.parse(&out[start..]).map(|time| time.ticks) == Some(ticks);
        leads_back.then_some(())
    }
}

#[inline]
fn digit(text: &[u8], at: usize) -> Option<u64> {
    let digit = text.get(at)?.wrapping_sub(b'0');
    (digit <= 9).then_some(u64::from(digit))
}

/// Parses an exponent. An exponent out of range becomes a very large one.
fn exponent(text: &[u8]) -> Option<i32> {
    let (digits, sign) = match text {
        [b'-', rest @ ..] => (rest, -1),
        [b'+', rest @ ..] => (rest, 1),
        _ => (text, 1),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut value = 0i32;
    for digit in digits {
        value = (value * 10 + i32::from(digit - b'0')).min(1 << 20);
    }
    Some(sign * value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clock(ticks_per_second: u64, global_offset: u64) -> TimeScale {
        TimeScale::from_clock(&Clock {
            ticks_per_second,
            global_offset,
            trace_length: 0,
        })
    }

    #[test]
    fn decimal_numbers_of_all_forms() {
        let seconds = TimeScale::nanoseconds(1_000_000_000);
        let exact = |text: &str| {
            let time = seconds.parse(text.as_bytes());
            time.inspect(|time| assert!(time.is_exact, "{text}"))
                .map(|time| time.ticks)
        };
        assert_eq!(exact("0"), Some(0));
        assert_eq!(exact("-0.0"), Some(0));
        assert_eq!(exact("1.5"), Some(1_500_000_000));
        assert_eq!(exact(".5"), Some(500_000_000));
        assert_eq!(exact("5."), Some(5_000_000_000));
        assert_eq!(exact("0.000061"), Some(61_000));
        assert_eq!(exact("6.1e-05"), Some(61_000));
        assert_eq!(exact("1.0000000000000e+01"), Some(10_000_000_000));
        assert_eq!(exact("0.00000000100000000000000000000"), Some(1));
        assert_eq!(
            exact("12345678901.123456789"),
            Some(12_345_678_901_123_456_789)
        );
        assert_eq!(exact("0e99999999999"), Some(0));
        for text in [
            "",
            ".",
            "-",
            "e5",
            "1e",
            "1e+",
            "-1",
            "x",
            "1x",
            "1.2.3",
            "1e99",
            "18446744074",
        ] {
            assert_eq!(seconds.parse(text.as_bytes()), None, "{text}");
        }
        let rounded = |text: &str, ticks| {
            let time = seconds.parse(text.as_bytes());
            assert_eq!(
                time,
                Some(Time {
                    ticks,
                    is_exact: false
                }),
                "{text}"
            );
        };
        rounded("0.0000000014", 1);
        rounded("0.0000000015", 2);
        rounded("1e-30", 0);
        let milliseconds = TimeScale::nanoseconds(1_000_000);
        assert_eq!(
            milliseconds.parse(b"0.000061000").map(|time| time.ticks),
            Some(61)
        );
    }

    proptest! {
        #[test]
        fn written_ticks_read_back(
            ticks_per_second in prop_oneof![
                Just(1), Just(1_000), Just(1_000_000_000), Just(2_400_000_000), 1u64..5_000_000_000,
                any::<u64>().prop_map(|n| n.max(1)),
            ],
            offset in prop_oneof![Just(0u64), any::<u64>()],
            since in prop_oneof![0u64..1000, any::<u64>()],
        ) {
            let clock = clock(ticks_per_second, offset);
            let ticks = offset.saturating_add(since);
            let mut text = Vec::new();
            match clock.push(&mut text, ticks) {
                Some(()) => prop_assert_eq!(clock.parse(&text).map(|time| time.ticks), Some(ticks)),
                None => prop_assert!(ticks_per_second > POWERS[MAX_DIGITS] || ticks > u64::MAX - ticks_per_second),
            }
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[-+0-9.eE]{0,12}") {
            let _ = TimeScale::nanoseconds(1_000_000_000).parse(text.as_bytes());
        }
    }

    #[test]
    fn times_before_the_first_tick_cannot_be_written() {
        assert_eq!(clock(1_000, 50).push(&mut Vec::new(), 49), None);
    }
}

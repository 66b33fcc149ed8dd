//! Reads and writes times as text, in microseconds with a fraction, without floating-point numbers.

/// The largest number of ticks per second whose times are written exactly. Ticks of finer clocks are also read back
/// unchanged, but the written times are not to scale.
const FINEST: u64 = 1_000_000_000_000_000;

/// Parses `text` as a decimal number and multiplies it by ten to the power of `digits`, rounding down. Returns `None`
/// if it is not a number, or far too large.
#[inline]
pub(crate) fn scaled(text: &str, digits: u32) -> Option<i128> {
    match parse_plain(text.as_bytes(), digits) {
        Some(number) => Some(i128::from(number)),
        None => parse_any(text, digits),
    }
}

/// Parses like [`scaled`] a number without sign and exponent; `None` if it does not fit into 64 bits with all its
/// digits.
#[inline]
fn parse_plain(text: &[u8], digits: u32) -> Option<u64> {
    /// Maximum number of digits that always fit into 64 bits.
    const MOST: usize = 19;
    let mut number = 0u64;
    let mut at = 0;
    while at < text.len().min(MOST) && text[at].is_ascii_digit() {
        number = number * 10 + u64::from(text[at] - b'0');
        at += 1;
    }
    let fraction = match text.get(at) {
        _ if at == 0 => return None,
        None => &[],
        Some(b'.') => &text[at + 1..],
        Some(_) => return None,
    };
    if fraction.len() > MOST.min(digits as usize) || (at < text.len() && fraction.is_empty()) {
        return None;
    }
    let mut below = 0u64;
    for &byte in fraction {
        below = below * 10 + u64::from(byte.is_ascii_digit().then_some(byte)? - b'0');
    }
    let below = below.checked_mul(10u64.checked_pow(digits - fraction.len() as u32)?)?;
    number
        .checked_mul(10u64.checked_pow(digits)?)?
        .checked_add(below)
}

#[cold]
fn parse_any(text: &str, digits: u32) -> Option<i128> {
    /// Limit of the mantissa; further digits are dropped.
    const MOST: i128 = 10i128.pow(30);
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut mantissa = 0i128;
    let mut exponent = digits as i32;
    let mut is_fraction = false;
    let mut has_digits = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'0'..=b'9' => {
                has_digits = true;
                if mantissa < MOST {
                    mantissa = mantissa * 10 + i128::from(byte - b'0');
                    exponent -= i32::from(is_fraction);
                } else {
                    exponent = exponent.checked_add(i32::from(!is_fraction))?;
                }
            }
            b'.' if !is_fraction => is_fraction = true,
            b'e' | b'E' if has_digits => {
                let power: i32 = text[at + 1..].parse().ok()?;
                exponent = exponent.checked_add(power)?;
                break;
            }
            _ => return None,
        }
    }
    if !has_digits {
        return None;
    }
    let signed = if is_negative { -mantissa } else { mantissa };
    if signed == 0 {
        return Some(0);
    }
    let factor = 10i128.checked_pow(exponent.unsigned_abs());
    match (exponent < 0, factor) {
        (false, factor) => signed.checked_mul(factor?),
        (true, Some(factor)) => Some(signed.div_euclid(factor)),
        (true, None) => Some(if is_negative { -1 } else { 0 }),
    }
}

/// The scale of times: writes the ticks of a clock as microseconds, so that they can be read back unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    /// Ticks per second.
    pub ticks_per_second: u64,
    /// The tick that is written as zero.
    pub first_tick: u64,
    /// Number of digits after the decimal point.
    digits: u32,
    /// Units of the last digit per second.
    unit: u128,
}

impl Scale {
    pub(crate) fn new(ticks_per_second: u64, first_tick: u64) -> Self {
        let ticks_per_second = ticks_per_second.clamp(1, FINEST);
        let mut digits = 0;
        while 10u128.pow(6 + digits) < u128::from(ticks_per_second) {
            digits += 1;
        }
        Self {
            ticks_per_second,
            first_tick,
            digits,
            unit: 10u128.pow(6 + digits),
        }
    }

    /// Appends a time.
    #[inline]
    pub(crate) fn push(&self, out: &mut Vec<u8>, tick: u64) {
        let ticks = tick.abs_diff(self.first_tick);
        if tick < self.first_tick {
            out.push(b'-');
        }
        if self.unit == u128::from(self.ticks_per_second) {
            return self.push_units(out, u128::from(ticks));
        }
        let ticks_per_second = u128::from(self.ticks_per_second);
        let scaled = u128::from(ticks) * self.unit;
        self.push_units(out, (scaled + ticks_per_second / 2) / ticks_per_second);
    }

    fn push_units(&self, out: &mut Vec<u8>, units: u128) {
        let divisor = 10u128.pow(self.digits);
        let (whole, mut fraction) = match u64::try_from(units) {
            Ok(units) => {
                let divisor = divisor as u64;
                (u128::from(units / divisor), units % divisor)
            }
            Err(_) => (units / divisor, (units % divisor) as u64),
        };
        match u64::try_from(whole) {
            Ok(whole) => foldtrace_notation::push_number(out, whole),
            Err(_) => out.extend_from_slice(whole.to_string().as_bytes()),
        }
        if fraction == 0 {
            return;
        }
        out.push(b'.');
        let start = out.len();
        out.resize(start + self.digits as usize, b'0');
        for digit in out[start..].iter_mut().rev() {
            *digit = b'0' + (fraction % 10) as u8;
            fraction /= 10;
        }
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }

    /// Returns the tick that was written as `text`.
    pub(crate) fn parse(&self, text: &str) -> Option<u64> {
        let units = scaled(text, self.digits)?;
        let unit = self.unit as i128;
        let scaled = units.checked_mul(i128::from(self.ticks_per_second))?;
        let ticks = scaled.checked_add(unit / 2)?.div_euclid(unit);
        u64::try_from(ticks.checked_add(i128::from(self.first_tick))?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_exact() {
        assert_eq!(scaled("1234567890123.456", 3), Some(1_234_567_890_123_456));
        assert_eq!(scaled("0.0009", 3), Some(0));
        assert_eq!(scaled("-0.0009", 3), Some(-1));
        assert_eq!(scaled("1.5e3", 3), Some(1_500_000));
        assert_eq!(scaled("15E-1", 0), Some(1));
        assert_eq!(scaled("7", 3), Some(7000));
        for text in [
            "",
            "-",
            ".",
            "e5",
            "1x",
            "1.2.3",
            "0x10",
            "1e99999999999",
            "1e300",
            "nan",
        ] {
            assert_eq!(scaled(text, 3), None, "{text}");
        }
        assert_eq!(scaled("1e-300", 3), Some(0));
        assert_eq!(scaled("0e300", 3), Some(0));
    }

    #[test]
    fn nanoseconds_are_short() {
        let text = |ticks_per_second, tick| {
            let mut out = Vec::new();
            Scale::new(ticks_per_second, 1000).push(&mut out, tick);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(1_000_000_000, 2500), "1.5");
        assert_eq!(text(1_000_000_000, 1000), "0");
        assert_eq!(text(1_000_000_000, 999), "-0.001");
        assert_eq!(text(1_000_000, 1007), "7");
        assert_eq!(text(3_000_000_000, 1001), "0.0003");
    }

    proptest! {
        #[test]
        fn both_parsers_agree_on_plain_numbers(
            text in "[0-9]{0,20}(\\.[0-9]{0,7})?",
            digits in 0u32..8,
        ) {
            if let Some(number) = parse_plain(text.as_bytes(), digits) {
                prop_assert_eq!(parse_any(&text, digits), Some(i128::from(number)));
            }
        }

        #[test]
        fn ticks_come_back(
            ticks_per_second in prop_oneof![
                Just(1_000_000_000u64), 1u64..100, 1_000_000u64..10_000_000_000, any::<u64>()
            ],
            first in prop_oneof![Just(0u64), any::<u64>()],
            tick in prop_oneof![0u64..1_000_000, any::<u64>()],
        ) {
            let scale = Scale::new(ticks_per_second, first);
            let mut out = Vec::new();
            scale.push(&mut out, tick);
            prop_assert_eq!(scale.parse(std::str::from_utf8(&out).unwrap()), Some(tick));
        }
    }
}

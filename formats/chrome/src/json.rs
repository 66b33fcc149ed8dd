//! Appends JSON values to bytes.

use foldtrace_notation::push_number;
use foldtrace_trace::ValueType;

/// The smallest integer that JavaScript may not represent exactly. Numbers from here on are written as strings.
const EXACT: u64 = 1 << 53;

/// Appends a string.
pub(crate) fn push_text(out: &mut Vec<u8>, text: &str) {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\' && byte != 0x7f;
    if text.bytes().all(is_plain) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
        return;
    }
    // Writing a string to memory cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// Appends an id or a number without a sign.
#[inline]
pub(crate) fn push_unsigned(out: &mut Vec<u8>, value: u64) {
    if value < EXACT {
        return push_number(out, value);
    }
    out.push(b'"');
    push_number(out, value);
    out.push(b'"');
}

/// Appends a number with a sign.
pub(crate) fn push_signed(out: &mut Vec<u8>, value: i64) {
    let magnitude = value.unsigned_abs();
    let quote = magnitude >= EXACT;
    if quote {
        out.push(b'"');
    }
    if value < 0 {
        out.push(b'-');
    }
    push_number(out, magnitude);
    if quote {
        out.push(b'"');
    }
}

/// Appends a value as a number. Returns `false` if it is not a number.
pub(crate) fn push_value(out: &mut Vec<u8>, value_type: ValueType, bits: u64) -> bool {
    use ValueType::{Double, Float, Uint8, Uint16, Uint32, Uint64};
    match value_type {
        Uint8 | Uint16 | Uint32 | Uint64 => push_unsigned(out, bits),
        kind if kind.is_signed() => push_signed(out, bits as i64),
        Float | Double => {
            let double = value_type.as_double(bits);
            let exact =
                |double: &f64| double.is_finite() && value_type.from_double(*double) == bits;
            match double.filter(exact) {
                // Writing a number to memory cannot fail.
                Some(double) => drop(serde_json::to_writer(out, &double)),
                None => return false,
            }
        }
        _ => return false,
    }
    true
}

/// Returns the bits of a value that [`push_value`] has written.
pub(crate) fn parse_value(value_type: ValueType, text: &str) -> Option<u64> {
    match value_type {
        ValueType::Float | ValueType::Double => {
            Some(value_type.from_double(text.parse::<f64>().ok()?))
        }
        kind if kind.is_signed() => Some(text.parse::<i64>().ok()? as u64),
        _ => text.parse().ok(),
    }
}

/// Appends a value of any type with its type: `"uint64:5"`.
pub(crate) fn push_typed(out: &mut Vec<u8>, value_type: ValueType, bits: u64) {
    out.push(b'"');
    out.extend_from_slice(value_type.name().as_bytes());
    out.push(b':');
    push_number(out, bits);
    out.push(b'"');
}

/// Parses a value that [`push_typed`] has written, without the quotes.
pub(crate) fn parse_typed(text: &str) -> Option<(ValueType, u64)> {
    let (value_type, bits) = text.split_once(':')?;
    Some((ValueType::from_name(value_type)?, bits.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_come_back(
            value_type in prop::sample::select(ValueType::ALL),
            bits in prop_oneof![any::<u64>(), 0u64..9, any::<f64>().prop_map(f64::to_bits)],
        ) {
            let mut out = Vec::new();
            if push_value(&mut out, value_type, bits) {
                let text = String::from_utf8(out).unwrap();
                prop_assert_eq!(parse_value(value_type, text.trim_matches('"')), Some(bits));
            }
            let mut out = Vec::new();
            push_typed(&mut out, value_type, bits);
            let text = String::from_utf8(out).unwrap();
            prop_assert_eq!(parse_typed(text.trim_matches('"')), Some((value_type, bits)));
        }

        #[test]
        fn texts_come_back(text in any::<String>()) {
            let mut out = Vec::new();
            push_text(&mut out, &text);
            prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }
}

//! Numbers of records.

use foldtrace_notation::push_number;
use foldtrace_trace::ValueType;

/// Returns a value as an integer, and whether it is exact; `None` if it is no number.
pub(super) fn integer(value_type: ValueType, bits: u64) -> Option<(u64, bool)> {
    use ValueType::{Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64};
    match value_type.as_double(bits) {
        Some(number) if number.is_finite() => {
            let whole = number.round();
            let value = whole as i64;
            Some((value as u64, value as f64 == number))
        }
        Some(_) => None,
        None => matches!(
            value_type,
            Uint8 | Uint16 | Uint32 | Uint64 | Int8 | Int16 | Int32 | Int64
        )
        .then_some((bits, bits <= i64::MAX as u64 || value_type.is_signed())),
    }
}

/// Appends numbers, separated by colons.
pub(super) fn push_numbers(out: &mut Vec<u8>, numbers: &[u64]) {
    for (index, &number) in numbers.iter().enumerate() {
        if index > 0 {
            out.push(b':');
        }
        push_number(out, number);
    }
}

/// Appends a number whose bits are those of a signed one.
pub(super) fn push_signed(out: &mut Vec<u8>, number: u64) {
    if (number as i64) < 0 {
        out.push(b'-');
        push_number(out, number.wrapping_neg());
    } else {
        push_number(out, number);
    }
}

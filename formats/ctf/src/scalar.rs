//! Decodes numbers and texts.

use crate::class::{ByteOrder, Encoding};
use crate::cursor::{Cursor, Stop, load, mask};
use crate::fault::Fault;
use crate::leaf::Fields;
use crate::program::{Block, FloatOp, IntegerOp, LengthOp, Part, TextOp};
use crate::state::State;

/// Decodes an integer.
#[inline]
pub(crate) fn integer(
    op: &IntegerOp,
    cursor: &mut Cursor<'_>,
    state: &mut State,
) -> Result<u64, Stop> {
    cursor.align(op.alignment)?;
    let (mut value, bits) = match op.bits {
        0 => cursor.variable(op.is_signed)?,
        bits if op.is_big => (cursor.big(bits)?, bits),
        bits => (cursor.little(bits)?, bits),
    };
    if op.is_reversed {
        value = value.reverse_bits() >> (64 - bits);
    }
    if op.is_signed && bits < 64 {
        let unused = 64 - bits;
        value = ((value << unused) as i64 >> unused) as u64;
    }
    if op.meaning.is_boolean {
        value = u64::from(value != 0);
    }
    let use_of = (op.meaning.is_clock, op.meaning.role, op.slot);
    state.remember(value, mask(bits), use_of);
    Ok(value)
}

/// Decodes the integers of a block.
#[inline]
pub(crate) fn block(
    block: &Block,
    cursor: &mut Cursor<'_>,
    state: &mut State,
    fields: &mut Fields,
) -> Result<(), Stop> {
    cursor.align(block.alignment)?;
    let bytes = cursor.pass(block.bits)?;
    for it in &block.remembered {
        let low = u64::MAX >> it.part.unused;
        state.remember(it.part.value(bytes), low, (it.is_clock, it.role, it.slot));
    }
    for it in &block.leaves {
        fields.number(it.leaf, it.part.value(bytes));
    }
    Ok(())
}

impl Part {
    /// Returns the integer.
    #[inline]
    fn value(&self, bytes: &[u8]) -> u64 {
        let loaded = load(bytes.get(self.byte as usize..).unwrap_or_default());
        let bits = if self.is_big {
            u64::from_be_bytes(loaded)
        } else {
            u64::from_le_bytes(loaded)
        };
        let bits = bits << self.above >> self.unused;
        if self.is_boolean {
            return u64::from(bits != 0);
        }
        (bits ^ self.sign).wrapping_sub(self.sign)
    }
}

/// Decodes a floating-point number.
pub(crate) fn float(op: &FloatOp, cursor: &mut Cursor<'_>) -> Result<f64, Stop> {
    cursor.align(op.alignment)?;
    let mut value = if op.is_big {
        cursor.big(op.bits)?
    } else {
        cursor.little(op.bits)?
    };
    if op.is_reversed {
        value = value.reverse_bits() >> (64 - op.bits);
    }
    Ok(match op.bits {
        16 => half(value as u16),
        32 => f64::from(f32::from_bits(value as u32)),
        _ => f64::from_bits(value),
    })
}

/// Returns the number that 16 bits encode.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    let magnitude = match i32::from(bits >> 10 & 0x1f) {
        0 => fraction * 2.0_f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + fraction) * 2.0_f64.powi(exponent - 15),
    };
    sign * magnitude
}

/// Returns the number of elements or bytes.
pub(crate) fn length(op: LengthOp, state: &State) -> Result<u64, Stop> {
    match op {
        LengthOp::Static(length) => Ok(length),
        LengthOp::Dynamic { slot, is_signed } => {
            let length = state.slots[slot as usize];
            if is_signed && (length as i64) < 0 {
                let message = format!("expected a length of at least 0, found {}", length as i64);
                return Err(Fault::new(message).into());
            }
            Ok(length)
        }
    }
}

/// Appends a text. Returns whether it is valid in its encoding.
#[inline]
pub(crate) fn text(
    op: &TextOp,
    cursor: &mut Cursor<'_>,
    state: &State,
    out: &mut String,
) -> Result<bool, Stop> {
    cursor.align(8)?;
    let unit = match op.encoding {
        Encoding::Utf8 => 1,
        Encoding::Utf16(_) => 2,
        Encoding::Utf32(_) => 4,
    };
    let bytes = match op.length {
        None => cursor.take_text(unit)?,
        Some(op) => cursor.take(length(op, state)?)?,
    };
    Ok(match op.encoding {
        Encoding::Utf8 if op.length.is_none() => append_utf8(bytes, out),
        Encoding::Utf8 => {
            let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
            append_utf8(&bytes[..end], out)
        }
        Encoding::Utf16(order) => {
            let units = bytes.chunks_exact(2).map(|unit| {
                let unit = [unit[0], unit[1]];
                match order {
                    ByteOrder::Big => u16::from_be_bytes(unit),
                    _ => u16::from_le_bytes(unit),
                }
            });
            let units = units.take_while(|&unit| unit != 0);
            append_chars(char::decode_utf16(units).map(Result::ok), out)
        }
        Encoding::Utf32(order) => {
            let units = bytes.chunks_exact(4).map(|unit| {
                let unit = [unit[0], unit[1], unit[2], unit[3]];
                match order {
                    ByteOrder::Big => u32::from_be_bytes(unit),
                    _ => u32::from_le_bytes(unit),
                }
            });
            let units = units.take_while(|&unit| unit != 0);
            append_chars(units.map(char::from_u32), out)
        }
    })
}

#[inline]
fn append_utf8(bytes: &[u8], out: &mut String) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(text) => {
            out.push_str(text);
            true
        }
        Err(_) => {
            out.push_str(&String::from_utf8_lossy(bytes));
            false
        }
    }
}

fn append_chars(chars: impl Iterator<Item = Option<char>>, out: &mut String) -> bool {
    let mut is_valid = true;
    for c in chars {
        is_valid &= c.is_some();
        out.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    is_valid
}

/// Appends bytes as hexadecimal digits.
pub(crate) fn bytes(
    op: LengthOp,
    cursor: &mut Cursor<'_>,
    state: &State,
    out: &mut String,
) -> Result<(), Stop> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    cursor.align(8)?;
    for &byte in cursor.take(length(op, state)?)? {
        out.push(DIGITS[usize::from(byte >> 4)].into());
        out.push(DIGITS[usize::from(byte & 15)].into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision() {
        let values = [0x3c00, 0xc000, 0x0001, 0x7c00, 0x3555].map(half);
        assert_eq!(values[..4], [1.0, -2.0, 2.0_f64.powi(-24), f64::INFINITY]);
        assert!((values[4] - 1.0 / 3.0).abs() < 1e-3);
        assert!(half(0x7e00).is_nan());
    }
}

//! Typed values of attributes, properties and parameters.

use foldtrace_trace::{UNDEFINED, ValueType};

use super::{Cursor, Encoder, Fault, TooWide, Wire};

/// Returns the encoding of a value of that type in a file. A value of an unknown type is a 64-bit number, as the
/// values of all future types will be.
const fn value_wire(value_type: ValueType) -> Wire {
    match value_type {
        ValueType::Uint8 => Wire::U8,
        ValueType::Uint16 => Wire::U16,
        ValueType::Int8 => Wire::I8,
        ValueType::Int16 => Wire::I16,
        ValueType::Int32 => Wire::I32,
        ValueType::Int64 => Wire::I64,
        ValueType::Float => Wire::Full32,
        ValueType::Double => Wire::Full64,
        ValueType::Uint64 | ValueType::Location | ValueType::None | ValueType::Argument => {
            Wire::U64
        }
        // A plain number, or any reference except a reference to a location.
        _ => Wire::U32,
    }
}

/// Reads a value of type `value_type` as 64 bits. Signed values are sign-extended, and undefined references are
/// widened to [`UNDEFINED`].
pub(crate) fn read_value(cursor: &mut Cursor<'_>, value_type: ValueType) -> Result<u64, Fault> {
    let bits = cursor.number(value_wire(value_type))?;
    Ok(match value_type {
        // For these types, the greatest number is an ordinary number and does not mean undefined.
        ValueType::Uint8 => bits & 0xff,
        ValueType::Uint32 => bits & 0xffff_ffff,
        _ => bits,
    })
}

/// Writes a value; the inverse of [`read_value`].
pub(crate) fn write_value(
    encoder: &mut Encoder,
    value_type: ValueType,
    bits: u64,
) -> Result<(), TooWide> {
    let bits = match (value_type, bits) {
        (ValueType::Uint8, 0xff) | (ValueType::Uint32, 0xffff_ffff) => UNDEFINED,
        (ValueType::Uint8 | ValueType::Uint32, UNDEFINED) => return Err(TooWide(bits)),
        (_, bits) => bits,
    };
    encoder.number(value_wire(value_type), bits)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_value_comes_back(bits in any::<u64>(), shift in 0..64_u32, undefined in any::<bool>()) {
            for &value_type in ValueType::ALL {
                let bits = match value_wire(value_type) {
                    Wire::U64 | Wire::Full64 => bits >> shift,
                    Wire::I64 => bits,
                    Wire::U8 => bits >> 56,
                    Wire::U16 => bits >> 48,
                    Wire::I8 => (bits.cast_signed() >> 56).cast_unsigned(),
                    Wire::I16 => (bits.cast_signed() >> 48).cast_unsigned(),
                    Wire::I32 => (bits.cast_signed() >> 32).cast_unsigned(),
                    Wire::Full32 => bits >> 32,
                    Wire::U32 if undefined && value_type != ValueType::Uint32 => UNDEFINED,
                    Wire::U32 => bits >> 33,
                };
                let mut encoder = Encoder::default();
                write_value(&mut encoder, value_type, bits).unwrap();
                let mut cursor = Cursor::new(&encoder.bytes, 0, encoder.bytes.len(), false);
                prop_assert_eq!(read_value(&mut cursor, value_type).unwrap(), bits);
                prop_assert!(cursor.is_at_end());
            }
        }
    }
}

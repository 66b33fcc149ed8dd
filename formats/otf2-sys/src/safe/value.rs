//! Converts numbers of any width to 64 bits, with one value for "undefined", and strings to bytes.

use std::ffi::{CStr, c_char};

use crate::bindings::{OTF2_AttributeValue, OTF2_Type};

/// The value of an undefined number, for undefined values of every width: all bits set.
pub const UNDEFINED: u64 = u64::MAX;

/// A number of a record.
pub(super) trait Widen: Copy {
    /// Returns the number as 64 bits. Undefined numbers become [`UNDEFINED`], signed numbers are in two's complement.
    fn widen(self) -> u64;
}

macro_rules! unsigned {
    ($($type:ty)*) => {$(
        impl Widen for $type {
            #[inline(always)]
            fn widen(self) -> u64 {
                if self == <$type>::MAX { UNDEFINED } else { u64::from(self) }
            }
        }
    )*};
}

unsigned! { u8 u16 u32 }

impl Widen for u64 {
    #[inline(always)]
    fn widen(self) -> u64 {
        self
    }
}

impl Widen for i64 {
    #[inline(always)]
    fn widen(self) -> u64 {
        self.cast_unsigned()
    }
}

/// Returns the bits of a typed value. Only the member of that type is read; signed values are sign-extended, and
/// undefined references become [`UNDEFINED`].
pub(super) fn value_bits(value_type: OTF2_Type, value: OTF2_AttributeValue) -> u64 {
    // SAFETY: every member is plain bits. The library sets the union from a member of the given
    // type; each arm reads no more than that member.
    unsafe {
        match value_type {
            1 => u64::from(value.uint8),
            2 => u64::from(value.uint16),
            3 => u64::from(value.uint32),
            5 => i64::from(value.int8).widen(),
            6 => i64::from(value.int16).widen(),
            7 => i64::from(value.int32).widen(),
            9 => u64::from(value.float32.to_bits()),
            10 => value.float64.to_bits(),
            // References are 32 bits wide, except references to locations.
            11 | 12 | 14..=25 => value.stringRef.widen(),
            _ => value.uint64,
        }
    }
}

/// Returns the bytes of a string of the library; empty if `pointer` is null.
///
/// # Safety
/// `pointer` is null or a string that ends with a zero and lives as long as the slice is used.
pub(super) unsafe fn bytes<'a>(pointer: *const c_char) -> &'a [u8] {
    if pointer.is_null() {
        return &[];
    }
    // SAFETY: by the contract of this function.
    unsafe { CStr::from_ptr(pointer) }.to_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_stays_undefined_and_signs_stay() {
        assert_eq!(u8::MAX.widen(), UNDEFINED);
        assert_eq!(u16::MAX.widen(), UNDEFINED);
        assert_eq!(u32::MAX.widen(), UNDEFINED);
        assert_eq!(254u8.widen(), 254);
        assert_eq!((-1i64).widen(), u64::MAX);
        let mut value = OTF2_AttributeValue {
            uint64: 0xdead_beef_dead_beef,
        };
        value.int8 = -2;
        assert_eq!(value_bits(5, value), (-2i64).cast_unsigned());
        assert_eq!(
            value_bits(3, OTF2_AttributeValue { uint32: u32::MAX }),
            0xffff_ffff
        );
        assert_eq!(
            value_bits(
                11,
                OTF2_AttributeValue {
                    stringRef: u32::MAX
                }
            ),
            UNDEFINED
        );
    }
}

//! Writes the fields of records; the inverse of [`Cursor`](super::Cursor).

use foldtrace_trace::UNDEFINED;

use super::Wire;

/// A number that does not fit into the width of its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooWide(pub(crate) u64);

/// The bytes of records, always little-endian.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    pub(crate) bytes: Vec<u8>,
}

/// The place where the length of a record is filled in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Length(usize);

impl Encoder {
    #[inline(always)]
    pub(crate) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    #[inline(always)]
    pub(crate) fn full64(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn full32(&mut self, number: u32) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// Writes the count of a number's bytes, then the bytes.
    #[inline(always)]
    fn compressed(&mut self, number: u64) {
        let size = (64 - number.leading_zeros()).div_ceil(8) as usize;
        let mut bytes = [0; 9];
        bytes[0] = size as u8;
        bytes[1..].copy_from_slice(&number.to_le_bytes());
        // All nine bytes are appended at once, then the excess is cut off.
        let end = self.bytes.len() + 1 + size;
        self.bytes.extend_from_slice(&bytes);
        self.bytes.truncate(end);
    }

    /// Writes a number in the encoding that [`Cursor::number`](super::Cursor::number) reads.
    ///
    /// # Errors
    /// Returns an error if the number needs more bits than the field has.
    #[inline(always)]
    pub(crate) fn number(&mut self, wire: Wire, number: u64) -> Result<(), TooWide> {
        match wire {
            Wire::U8 => self.byte(match number {
                UNDEFINED => u8::MAX,
                number => narrow(number)?,
            }),
            Wire::U32 if number == UNDEFINED => self.byte(u8::MAX),
            Wire::U32 => {
                let number: u32 = narrow(number)?;
                self.compressed(u64::from(number));
            }
            Wire::U64 if number == UNDEFINED => self.byte(u8::MAX),
            Wire::U64 | Wire::I64 => self.compressed(number),
            Wire::Full64 => self.full64(number),
            Wire::Full32 => self.full32(narrow(number)?),
            Wire::U16 => {
                let number: u16 = narrow(number)?;
                self.bytes.extend_from_slice(&number.to_le_bytes());
            }
            Wire::I8 => self.byte(signed::<i8>(number)?.cast_unsigned()),
            Wire::I16 => {
                let number: i16 = signed(number)?;
                self.bytes.extend_from_slice(&number.to_le_bytes());
            }
            Wire::I32 => {
                let number: i32 = signed(number)?;
                self.compressed(u64::from(number.cast_unsigned()));
            }
        }
        Ok(())
    }

    /// Writes a text and a zero byte. A zero byte within the text ends it; texts that were read contain none.
    pub(crate) fn text(&mut self, text: &str) {
        let text = text.split('\0').next().unwrap_or_default();
        self.bytes.extend_from_slice(text.as_bytes());
        self.byte(0);
    }

    /// Leaves room for the length of a record that is assumed to be short.
    #[inline(always)]
    pub(crate) fn begin(&mut self) -> Length {
        self.byte(0);
        Length(self.bytes.len())
    }

    /// Fills in the length of the record that began at `length`. The fields of a long record are moved.
    #[inline(always)]
    pub(crate) fn end(&mut self, length: Length) {
        let Length(begin) = length;
        let size = self.bytes.len() - begin;
        let short = u8::try_from(size).ok().filter(|&size| size != u8::MAX);
        if let (Some(short), Some(byte)) = (short, self.bytes.get_mut(begin - 1)) {
            *byte = short;
            return;
        }
        if let Some(byte) = self.bytes.get_mut(begin - 1) {
            *byte = u8::MAX;
        }
        self.bytes.splice(begin..begin, (size as u64).to_le_bytes());
    }
}

#[inline(always)]
fn narrow<T: TryFrom<u64>>(number: u64) -> Result<T, TooWide> {
    T::try_from(number).map_err(|_| TooWide(number))
}

fn signed<T: TryFrom<i64>>(number: u64) -> Result<T, TooWide> {
    T::try_from(number.cast_signed()).map_err(|_| TooWide(number))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::super::Cursor;
    use super::*;

    const UNSIGNED: [(Wire, u32); 4] = [
        (Wire::U8, 8),
        (Wire::U16, 16),
        (Wire::U32, 32),
        (Wire::U64, 64),
    ];
    const SIGNED: [(Wire, u32); 4] = [
        (Wire::I8, 8),
        (Wire::I16, 16),
        (Wire::I32, 32),
        (Wire::I64, 64),
    ];

    fn back(wire: Wire, number: u64) -> u64 {
        let mut encoder = Encoder::default();
        encoder.number(wire, number).unwrap();
        let bytes = &encoder.bytes;
        let mut cursor = Cursor::new(bytes, 0, bytes.len(), false);
        let read = cursor.number(wire).unwrap();
        assert!(cursor.is_at_end());
        // The same record with more bytes after it, which are not part of the record.
        let mut more = bytes.clone();
        more.extend([0xaa; 9]);
        assert_eq!(
            Cursor::new(&more, 0, bytes.len(), false)
                .number(wire)
                .unwrap(),
            read
        );
        read
    }

    proptest! {
        #[test]
        fn every_number_comes_back(bits in any::<u64>(), shift in 0..64_u32) {
            for (wire, width) in UNSIGNED {
                let number = bits >> shift.max(64 - width);
                // The greatest number of one or four bytes means "undefined", which is represented by 64 bits.
                let undefined = matches!((wire, number), (Wire::U8, 0xff) | (Wire::U32, 0xffff_ffff));
                prop_assert_eq!(back(wire, number), if undefined { UNDEFINED } else { number });
            }
            for (wire, width) in SIGNED {
                let number = (bits.cast_signed() >> shift.max(64 - width)).cast_unsigned();
                prop_assert_eq!(back(wire, number), number);
            }
            for wire in [Wire::U8, Wire::U32, Wire::U64, Wire::I64, Wire::Full64] {
                prop_assert_eq!(back(wire, UNDEFINED), UNDEFINED);
            }
            prop_assert_eq!(back(Wire::Full64, bits), bits);
            prop_assert_eq!(back(Wire::Full32, bits >> 32), bits >> 32);
        }

        #[test]
        fn records_of_any_length_come_back(size in 0..600_usize) {
            let mut encoder = Encoder::default();
            let length = encoder.begin();
            encoder.bytes.extend(std::iter::repeat_n(7, size));
            encoder.end(length);
            let header = if size < 255 { 1 } else { 9 };
            prop_assert_eq!(encoder.bytes.len(), header + size);
            if size >= 255 {
                prop_assert_eq!(&encoder.bytes[1..9], &(size as u64).to_le_bytes()[..]);
            } else {
                prop_assert_eq!(usize::from(encoder.bytes[0]), size);
            }
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let mut encoder = Encoder::default();
        assert_eq!(encoder.number(Wire::U8, 256), Err(TooWide(256)));
        assert_eq!(encoder.number(Wire::U32, 1 << 32), Err(TooWide(1 << 32)));
        assert_eq!(encoder.number(Wire::I8, 128), Err(TooWide(128)));
        assert_eq!(
            encoder.number(Wire::U16, UNDEFINED),
            Err(TooWide(UNDEFINED))
        );
    }

    #[test]
    fn big_endian_numbers_are_read() {
        let mut cursor = Cursor::new(&[2, 1, 2, 0, 0, 0, 0, 0, 0, 1, 4], 0, 11, true);
        assert_eq!(cursor.number(Wire::U32).unwrap(), 0x0102);
        assert_eq!(cursor.full64().unwrap(), 0x0104);
        let mut short = Cursor::new(&[3, 1, 2, 3], 0, 4, true);
        assert_eq!(short.number(Wire::U64).unwrap(), 0x01_0203);
    }
}

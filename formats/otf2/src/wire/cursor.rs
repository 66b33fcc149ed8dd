//! Reads the fields of one record.

use foldtrace_trace::UNDEFINED;

use super::{Fault, Wire};

/// A position in a record, which is read field by field and never beyond its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    /// The chunk, or the available part of it.
    bytes: &'a [u8],
    at: usize,
    /// The offset of the end of the record, at most the length of `bytes`.
    end: usize,
    big_endian: bool,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at offset `at` of a record that ends at `end`.
    #[inline(always)]
    pub(crate) fn new(bytes: &'a [u8], at: usize, end: usize, big_endian: bool) -> Self {
        let end = end.min(bytes.len());
        Self {
            bytes,
            at: at.min(end),
            end,
            big_endian,
        }
    }

    /// Returns whether all fields were read. Older archives lack the later fields of a record.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    /// Returns the number of remaining bytes of the record.
    pub(crate) fn left(&self) -> usize {
        self.end - self.at
    }

    #[inline(always)]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let after = self.at + N;
        if after > self.end {
            return Err(Fault::SHORT_RECORD);
        }
        let bytes = self
            .bytes
            .get(self.at..after)
            .and_then(|b| b.try_into().ok());
        self.at = after;
        bytes.ok_or(Fault::SHORT_RECORD)
    }

    /// Reads one byte.
    #[inline(always)]
    pub(crate) fn byte(&mut self) -> Result<u8, Fault> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Result<u16, Fault> {
        let bytes = self.take()?;
        Ok(if self.big_endian {
            u16::from_be_bytes(bytes)
        } else {
            u16::from_le_bytes(bytes)
        })
    }

    /// Reads four bytes as a number.
    pub(crate) fn full32(&mut self) -> Result<u32, Fault> {
        let bytes = self.take()?;
        Ok(if self.big_endian {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        })
    }

    /// Reads eight bytes as a number.
    #[inline(always)]
    pub(crate) fn full64(&mut self) -> Result<u64, Fault> {
        let bytes = self.take()?;
        Ok(if self.big_endian {
            u64::from_be_bytes(bytes)
        } else {
            u64::from_le_bytes(bytes)
        })
    }

    /// Reads a number of up to `LIMIT` bytes after their count; [`UNDEFINED`] if it is undefined.
    #[inline(always)]
    fn compressed<const LIMIT: usize>(&mut self) -> Result<u64, Fault> {
        let size = usize::from(self.byte()?);
        let after = self.at + size;
        if size > LIMIT {
            return match size {
                255 => Ok(UNDEFINED),
                _ => Err(Fault::Contained(
                    "a number has more bytes than its type allows",
                )),
            };
        }
        if after > self.end {
            return Err(Fault::SHORT_RECORD);
        }
        if size == 0 {
            return Ok(0);
        }
        let unused = 64 - 8 * size as u32;
        // Reads eight bytes at once, including bytes of the next fields, if the chunk has that many.
        let number = match self
            .bytes
            .get(self.at..self.at + 8)
            .and_then(|b| b.try_into().ok())
        {
            Some(bytes) if self.big_endian => u64::from_be_bytes(bytes) >> unused,
            Some(bytes) => u64::from_le_bytes(bytes) << unused >> unused,
            None => self.short(size),
        };
        self.at = after;
        Ok(number)
    }

    #[cold]
    fn short(&self, size: usize) -> u64 {
        let bytes = self.bytes.get(self.at..self.at + size).unwrap_or_default();
        let push = |number: u64, &byte: &u8| number << 8 | u64::from(byte);
        if self.big_endian {
            bytes.iter().fold(0, push)
        } else {
            bytes.iter().rev().fold(0, push)
        }
    }

    /// Reads a number as 64 bits. Undefined numbers become [`UNDEFINED`], and signed numbers are sign-extended.
    #[inline(always)]
    pub(crate) fn number(&mut self, wire: Wire) -> Result<u64, Fault> {
        Ok(match wire {
            Wire::U8 => match self.byte()? {
                u8::MAX => UNDEFINED,
                byte => u64::from(byte),
            },
            Wire::U32 => match self.compressed::<4>()? {
                0xffff_ffff => UNDEFINED,
                number => number,
            },
            Wire::U64 | Wire::I64 => self.compressed::<8>()?,
            Wire::Full64 => self.full64()?,
            Wire::Full32 => u64::from(self.full32()?),
            Wire::U16 => u64::from(self.u16()?),
            Wire::I8 => i64::from(self.byte()?.cast_signed()).cast_unsigned(),
            Wire::I16 => i64::from(self.u16()?.cast_signed()).cast_unsigned(),
            Wire::I32 => {
                let bits = self.compressed::<4>()? as u32;
                i64::from(bits.cast_signed()).cast_unsigned()
            }
        })
    }

    /// Reads a text up to the zero byte that ends it.
    pub(crate) fn text(&mut self) -> Result<&'a [u8], Fault> {
        let rest = self.bytes.get(self.at..self.end).unwrap_or_default();
        let length = rest
            .iter()
            .position(|&byte| byte == 0)
            .ok_or(Fault::Contained("a text is not terminated"))?;
        self.at += length + 1;
        rest.get(..length).ok_or(Fault::SHORT_RECORD)
    }

    /// Checks the count of a list whose members have at least one byte each, before memory is allocated for them.
    pub(crate) fn count(&self, count: u64) -> Result<usize, Fault> {
        usize::try_from(count)
            .ok()
            .filter(|&count| count <= self.left())
            .ok_or(Fault::Contained("a list is longer than its record"))
    }
}

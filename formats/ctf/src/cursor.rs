//! Reads bits of a packet from a window of its bytes.
//!
//! A window may end before the packet does. A reader that needs more stops with [`Stop::Starved`] and begins its event again when
//! the window has been filled; decoding itself does no input.

use crate::fault::Fault;

/// Why decoding stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The window ends within the event.
    Starved,
    /// The class of events with this number has not been compiled.
    Unknown(u64),
    Fault(Box<Fault>),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(Box::new(fault))
    }
}

/// Part of a packet, and a position in it. Positions are in bits from the beginning of the packet.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    /// The position of the first byte, in bytes.
    start: u64,
    pub at: u64,
    /// The end of the packet's content; `u64::MAX` if it is unknown.
    end: u64,
    /// Whether the file ends with the window.
    is_last: bool,
}

/// The largest position. Larger ones would not fit into 64 bits together with sizes of fields.
const FARTHEST: u64 = 1 << 62;

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], start: u64, at: u64, end: u64, is_last: bool) -> Self {
        Self {
            bytes,
            start,
            at,
            end,
            is_last,
        }
    }

    /// Passes over bits. Returns the bytes of the window from that of the first bit on, among which are those of all bits.
    #[inline]
    pub(crate) fn pass(&mut self, bits: u64) -> Result<&'a [u8], Stop> {
        let end = self.at + bits;
        if end > self.end {
            return Err(self.crosses_end());
        }
        let first = self.at / 8;
        let bytes = self.bytes.get((first - self.start) as usize..);
        let bytes = bytes.unwrap_or_default();
        if (bytes.len() as u64) < end.div_ceil(8) - first {
            return Err(self.starved());
        }
        self.at = end;
        Ok(bytes)
    }

    #[cold]
    fn crosses_end(&self) -> Stop {
        Fault::new("a field crosses the end of the content of its packet").into()
    }

    #[cold]
    fn starved(&self) -> Stop {
        if self.is_last {
            return Fault::truncated("the file ends within a packet").into();
        }
        Stop::Starved
    }

    /// Moves to the next multiple of `alignment` bits, a power of two.
    #[inline]
    pub(crate) fn align(&mut self, alignment: u64) -> Result<(), Stop> {
        let mask = alignment - 1;
        if self.at & mask == 0 {
            return Ok(());
        }
        let at = self.at.checked_add(mask);
        let at = at.map_or(u64::MAX, |at| at & !mask);
        if at > self.end || at > FARTHEST {
            return Err(self.crosses_end());
        }
        self.at = at;
        Ok(())
    }

    /// Reads a little-endian integer of at most 64 bits.
    #[inline]
    pub(crate) fn little(&mut self, bits: u32) -> Result<u64, Stop> {
        let shift = (self.at % 8) as u32;
        let bytes = self.pass(bits.into())?;
        let mut value = u64::from_le_bytes(load(bytes)) >> shift;
        if shift + bits > 64 {
            value |= u64::from(bytes[8]) << (64 - shift);
        }
        Ok(value & mask(bits))
    }

    /// Reads a big-endian integer of at most 64 bits.
    #[inline]
    pub(crate) fn big(&mut self, bits: u32) -> Result<u64, Stop> {
        let shift = (self.at % 8) as u32;
        let bytes = self.pass(bits.into())?;
        let mut value = u64::from_be_bytes(load(bytes)) << shift;
        if shift + bits > 64 {
            value |= u64::from(bytes[8]) >> (8 - shift);
        }
        Ok(value >> (64 - bits))
    }

    /// Reads an integer in LEB128. Returns its bits and the number of those that are encoded.
    pub(crate) fn variable(&mut self, is_signed: bool) -> Result<(u64, u32), Stop> {
        let mut value = 0_u128;
        let mut bits = 0;
        loop {
            let byte = self.little(8)?;
            // Further bytes may only repeat the sign.
            if bits < 98 {
                value |= u128::from(byte & 0x7f) << bits;
                bits += 7;
            } else {
                return Err(
                    Fault::new("an integer of variable length has more than 64 bits").into(),
                );
            }
            if byte & 0x80 == 0 {
                break;
            }
        }
        let fits = if is_signed {
            let extended = (value << (128 - bits)) as i128 >> (128 - bits);
            value = extended as u128;
            i64::try_from(extended).is_ok()
        } else {
            u64::try_from(value).is_ok()
        };
        if !fits {
            return Err(Fault::new("an integer of variable length has more than 64 bits").into());
        }
        Ok((value as u64, bits))
    }

    /// Returns the next bytes, at a position that is a multiple of 8.
    #[inline]
    pub(crate) fn take(&mut self, bytes: u64) -> Result<&'a [u8], Stop> {
        if bytes > FARTHEST / 8 {
            return Err(self.crosses_end());
        }
        Ok(&self.pass(8 * bytes)?[..bytes as usize])
    }

    /// Returns the next bytes up to a null character of `unit` bytes, which is passed over.
    #[inline]
    pub(crate) fn take_text(&mut self, unit: usize) -> Result<&'a [u8], Stop> {
        let first = (self.at / 8 - self.start) as usize;
        let rest = self.bytes.get(first..).unwrap_or_default();
        let length = if unit == 1 {
            memchr::memchr(0, rest)
        } else {
            let mut units = rest.chunks_exact(unit);
            units
                .position(|unit| unit.iter().all(|&byte| byte == 0))
                .map(|at| at * unit)
        };
        match length {
            Some(length) => Ok(&self.take((length + unit) as u64)?[..length]),
            None if self.at + 8 * rest.len() as u64 >= self.end => Err(self.crosses_end()),
            None => Err(self.starved()),
        }
    }
}

/// Returns the first 8 bytes; missing ones are 0.
#[inline]
pub(crate) fn load(bytes: &[u8]) -> [u8; 8] {
    match bytes.first_chunk() {
        Some(bytes) => *bytes,
        None => {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            padded
        }
    }
}

/// Returns the lowest `bits` bits.
#[inline]
pub(crate) const fn mask(bits: u32) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cursor(bytes: &[u8], at: u64) -> Cursor<'_> {
        Cursor::new(bytes, 0, at, 8 * bytes.len() as u64, true)
    }

    proptest! {
        /// Bits are numbered from the lowest one in little-endian order, from the highest one in big-endian order.
        #[test]
        fn integers_consist_of_their_bits(bytes in prop::collection::vec(any::<u8>(), 9), at in 0_u64..8, bits in 1_u32..=64) {
            let bit = |at: u64, is_big: bool| {
                let within = if is_big { 7 - at % 8 } else { at % 8 };
                u64::from(bytes[(at / 8) as usize] >> within & 1)
            };
            let range = at..at + u64::from(bits);
            let little = range.clone().rev().fold(0, |value, at| value << 1 | bit(at, false));
            let big = range.fold(0, |value, at| value << 1 | bit(at, true));
            prop_assert_eq!(cursor(&bytes, at).little(bits).unwrap(), little);
            prop_assert_eq!(cursor(&bytes, at).big(bits).unwrap(), big);
        }

        #[test]
        fn variable_integers_are_read_back(value in any::<i64>(), shift in 0..64) {
            let value: i64 = value >> shift;
            let mut bytes = Vec::new();
            let mut rest: i64 = value;
            loop {
                let byte = (rest & 0x7f) as u8;
                rest >>= 7;
                let is_last = rest == 0 && byte & 0x40 == 0 || rest == -1 && byte & 0x40 != 0;
                bytes.push(byte | if is_last { 0 } else { 0x80 });
                if is_last {
                    break;
                }
            }
            let read = cursor(&bytes, 0).variable(true).unwrap();
            prop_assert_eq!(read, (value as u64, 7 * bytes.len() as u32));
        }
    }

    #[test]
    fn windows_and_packets_end() {
        let mut starved = Cursor::new(b"abc", 10, 80, 400, false);
        assert!(matches!(starved.take(4), Err(Stop::Starved)));
        assert!(matches!(starved.take_text(1), Err(Stop::Starved)));
        assert_eq!(starved.take(3).unwrap(), b"abc");
        let mut ends = Cursor::new(b"abc\0", 0, 0, 24, false);
        assert!(matches!(ends.take_text(1), Err(Stop::Fault(_))));
        assert!(matches!(ends.take(4), Err(Stop::Fault(_))));
        let mut text = Cursor::new(b"a\0b\0\0\0", 0, 0, u64::MAX, true);
        assert_eq!(text.take_text(2).unwrap(), b"a\0b\0");
        assert!(matches!(text.take_text(2), Err(Stop::Fault(_))));
    }
}

//! Packs numbers into bits or bytes.

/// The widths of packed numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Widths {
    /// The minimum number of bits.
    Bits,
    /// The minimum number of whole bytes.
    Bytes,
}

/// Appends values of `width` bytes each.
pub(super) fn pack_bytes(
    values: impl ExactSizeIterator<Item = u64>,
    width: usize,
    bytes: &mut Vec<u8>,
) {
    let first = bytes.len();
    bytes.resize(first + values.len() * width, 0);
    if width > 0 {
        for (packed, value) in bytes[first..].chunks_exact_mut(width).zip(values) {
            packed.copy_from_slice(&value.to_le_bytes()[..width]);
        }
    }
}

/// Appends values of `width` bits each. Bits that are left over in the last byte are 0.
pub(super) fn pack_bits(values: impl Iterator<Item = u64>, width: u32, bytes: &mut Vec<u8>) {
    let (mut bits, mut count) = (0_u128, 0);
    for value in values {
        bits |= u128::from(value) << count;
        count += width;
        while count >= 8 {
            bytes.push(bits as u8);
            bits >>= 8;
            count -= 8;
        }
    }
    if count > 0 {
        bytes.push(bits as u8);
    }
}

/// Appends a number in groups of 7 bits, the least significant group first.
pub(super) fn varint(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 1 << 7 {
        bytes.push(number as u8 | 1 << 7);
        number >>= 7;
    }
    bytes.push(number as u8);
}

//! The fields of a protobuf message, one at a time, without copying.

use crate::read::fault::Fault;

/// The value of a field, by its wire type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Number(u64),
    Fixed64(u64),
    Fixed32(u32),
    /// A string, a message or packed numbers.
    Bytes(&'a [u8]),
}

/// An iterator over the fields of a message, which ends at the first fault.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(crate) const fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    #[inline]
    fn field(&mut self) -> Option<(u32, Value<'a>)> {
        let (number, wire_type) = key(take_number(&mut self.rest)?)?;
        let value = match wire_type {
            0 => Value::Number(take_number(&mut self.rest)?),
            1 => {
                let (bytes, rest) = self.rest.split_first_chunk()?;
                self.rest = rest;
                Value::Fixed64(u64::from_le_bytes(*bytes))
            }
            2 => {
                let length = usize::try_from(take_number(&mut self.rest)?).ok()?;
                let (bytes, rest) = self.rest.split_at_checked(length)?;
                self.rest = rest;
                Value::Bytes(bytes)
            }
            5 => {
                let (bytes, rest) = self.rest.split_first_chunk()?;
                self.rest = rest;
                Value::Fixed32(u32::from_le_bytes(*bytes))
            }
            _ => return None,
        };
        Some((number, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Value<'a>), Fault>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.rest = &[];
        }
        Some(field.ok_or_else(|| Fault::new("expected a field of a message, found other bytes")))
    }
}

/// Splits the key of a field into its number and its wire type; `None` for numbers that protobuf does not allow.
#[inline]
pub(crate) fn key(key: u64) -> Option<(u32, u8)> {
    const LAST: u64 = (1 << 29) - 1;
    let number = key >> 3;
    (1..=LAST)
        .contains(&number)
        .then_some((number as u32, (key & 7) as u8))
}

/// Removes a number from the front: up to ten bytes, of which the last one is below 128. Perfetto pads lengths that it
/// writes before it knows them, so a number may be longer than necessary. `None` if there is no complete number.
#[inline]
pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    const LONGEST: usize = 10;
    if let Some((&first @ ..0x80, rest)) = bytes.split_first() {
        *bytes = rest;
        return Some(u64::from(first));
    }
    let mut number = 0;
    for (index, &byte) in bytes.iter().take(LONGEST).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(number);
        }
    }
    None
}

/// Passes the numbers of a repeated field to `take`: one number, or packed numbers, which are `fixed` or not.
///
/// # Errors
/// If packed numbers end within a number.
pub(crate) fn each_number(
    value: Value<'_>,
    fixed: bool,
    mut take: impl FnMut(u64),
) -> Result<(), Fault> {
    let rest = match value {
        Value::Number(number) | Value::Fixed64(number) => {
            take(number);
            &[]
        }
        Value::Fixed32(number) => {
            take(u64::from(number));
            &[]
        }
        Value::Bytes(bytes) if fixed => {
            let (numbers, rest) = bytes.as_chunks();
            for number in numbers {
                take(u64::from_le_bytes(*number));
            }
            rest
        }
        Value::Bytes(mut bytes) => {
            while let Some(number) = take_number(&mut bytes) {
                take(number);
            }
            bytes
        }
    };
    if rest.is_empty() {
        return Ok(());
    }
    Err(Fault::new("expected packed numbers, found other bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padded_numbers_and_all_wire_types_are_read() {
        let message = [
            0x08, 0x96, 0x01, // 1: 150
            0x12, 0x82, 0x80, 0x80, 0x00, b'a', b'b', // 2: two bytes, with a padded length
            0x19, 1, 0, 0, 0, 0, 0, 0, 0, // 3: fixed64
            0x25, 2, 0, 0, 0, // 4: fixed32
        ];
        let fields: Result<Vec<_>, _> = Fields::new(&message).collect();
        let expected = [
            (1, Value::Number(150)),
            (2, Value::Bytes(b"ab")),
            (3, Value::Fixed64(1)),
            (4, Value::Fixed32(2)),
        ];
        assert_eq!(fields.unwrap(), expected);
    }

    #[test]
    fn packed_numbers_are_whole() {
        let taken = |bytes: &[u8], fixed| {
            let mut numbers = Vec::new();
            let taken = each_number(Value::Bytes(bytes), fixed, |number| numbers.push(number));
            (numbers, taken.is_ok())
        };
        assert_eq!(taken(&[1, 0x96, 0x01], false), (vec![1, 150], true));
        assert_eq!(taken(&[1, 0x96], false), (vec![1], false));
        assert_eq!(taken(&[2, 0, 0, 0, 0, 0, 0, 0], true), (vec![2], true));
        assert_eq!(taken(&[2, 0, 0, 0, 0, 0, 0, 0, 9], true), (vec![2], false));
    }

    #[test]
    fn damaged_fields_end_the_message() {
        for message in [
            &[0x00, 0x00][..],
            &[0x0b],
            &[0x12, 5, 1],
            &[0x80; 11],
            &[0x19, 1],
        ] {
            let fields: Vec<_> = Fields::new(message).collect();
            assert!(matches!(fields[..], [Err(_)]), "{message:?}");
        }
    }
}

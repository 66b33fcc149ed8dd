//! Encodes events as rows of bytes for the sorter.

use foldtrace_trace::{Carried, ValueType};
use integer_encoding::VarInt;

/// The code of [`RowKind::Communicating`].
const COMMUNICATING: u8 = 6;

/// The kind of a row, with the id that it refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A region begins.
    Begin(u64),
    /// The given region ends, or the innermost one.
    End(Option<u64>),
    /// A region begins, and ends after the duration of the row.
    Complete(u64),
    /// Any other event, with the id of its name.
    Local(u64),
    /// Values of a counter.
    Counter(u64),
    /// A region begins, and ends after the duration of the row; the call communicates.
    Communicating(u64, Communication),
}

/// The communication of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Communication {
    /// Index of the operation among those of the trace.
    pub operation: u32,
    /// Number of bytes sent; undefined if unknown.
    pub sent: u64,
    /// Number of bytes received; undefined if unknown.
    pub received: u64,
    /// Number of the operation within its process group; undefined if unknown.
    pub sequence: u64,
}

impl RowKind {
    /// Returns the kind of a complete call of a region.
    #[must_use]
    pub const fn call(region: u64, communication: Option<Communication>) -> Self {
        match communication {
            Some(communication) => Self::Communicating(region, communication),
            None => Self::Complete(region),
        }
    }

    const fn code_and_id(self) -> (u8, u64) {
        match self {
            Self::Begin(id) => (0, id),
            Self::End(Some(id)) => (1, id),
            Self::End(None) => (2, 0),
            Self::Complete(id) => (3, id),
            Self::Local(id) => (4, id),
            Self::Counter(id) => (5, id),
            Self::Communicating(id, _) => (COMMUNICATING, id),
        }
    }

    const fn from_code(code: u64, id: u64) -> Option<Self> {
        Some(match code {
            0 => Self::Begin(id),
            1 => Self::End(Some(id)),
            2 => Self::End(None),
            3 => Self::Complete(id),
            4 => Self::Local(id),
            5 => Self::Counter(id),
            _ => return None,
        })
    }
}

/// Appends a number.
#[inline]
pub(crate) fn push(out: &mut Vec<u8>, number: u64) {
    let mut bytes = [0; 10];
    let length = number.encode_var(&mut bytes);
    out.extend_from_slice(&bytes[..length]);
}

/// Removes a number from the front; `None` if there is none.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (number, length) = u64::decode_var(bytes)?;
    *bytes = bytes.get(length..)?;
    Some(number)
}

/// Appends a row.
pub fn encode(out: &mut Vec<u8>, kind: RowKind, carried: &Carried) {
    let (code, id) = kind.code_and_id();
    out.push(code);
    push(out, id);
    if let RowKind::Communicating(_, communication) = kind {
        push(out, u64::from(communication.operation));
        // Undefined numbers become 0.
        push(out, communication.sent.wrapping_add(1));
        push(out, communication.received.wrapping_add(1));
        push(out, communication.sequence.wrapping_add(1));
    }
    push(out, carried.metrics.len() as u64);
    for &(member, value_type, bits) in &carried.metrics {
        push(out, u64::from(member));
        out.push(value_type as u8);
        push(out, bits);
    }
    for &(attribute, value_type, bits) in &carried.attributes {
        push(out, attribute);
        out.push(value_type as u8);
        push(out, bits);
    }
}

/// Decodes a row; `None` if it is invalid.
pub(crate) fn decode(mut row: &[u8], carried: &mut Carried) -> Option<RowKind> {
    carried.clear();
    let code = take(&mut row)?;
    let id = take(&mut row)?;
    let kind = if code == u64::from(COMMUNICATING) {
        let operation = u32::try_from(take(&mut row)?).ok()?;
        let mut number = || Some(take(&mut row)?.wrapping_sub(1));
        let communication = Communication {
            operation,
            sent: number()?,
            received: number()?,
            sequence: number()?,
        };
        RowKind::Communicating(id, communication)
    } else {
        RowKind::from_code(code, id)?
    };
    for _ in 0..take(&mut row)? {
        let member = u32::try_from(take(&mut row)?).ok()?;
        let value_type = take_type(&mut row)?;
        carried.metrics.push((member, value_type, take(&mut row)?));
    }
    while !row.is_empty() {
        let attribute = take(&mut row)?;
        let value_type = take_type(&mut row)?;
        carried
            .attributes
            .push((attribute, value_type, take(&mut row)?));
    }
    Some(kind)
}

fn take_type(row: &mut &[u8]) -> Option<ValueType> {
    let (&code, rest) = row.split_first()?;
    *row = rest;
    ValueType::from_code(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() {
        let mut carried = Carried::default();
        carried.metrics.push((3, ValueType::Double, u64::MAX));
        carried.attributes.push((300, ValueType::String, 7));
        carried.attributes.push((0, ValueType::Int64, 0));
        for kind in [
            RowKind::Begin(1),
            RowKind::End(Some(0)),
            RowKind::End(None),
            RowKind::Complete(1 << 40),
            RowKind::Local(5),
            RowKind::Counter(0),
            RowKind::Communicating(
                7,
                Communication {
                    operation: 3,
                    sent: 0,
                    received: u64::MAX,
                    sequence: 1 << 40,
                },
            ),
        ] {
            let mut row = Vec::new();
            encode(&mut row, kind, &carried);
            let mut back = Carried::default();
            assert_eq!(decode(&row, &mut back), Some(kind));
            assert_eq!(back.metrics, carried.metrics);
            assert_eq!(back.attributes, carried.attributes);
        }
    }
}

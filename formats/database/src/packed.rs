//! Rows in few bytes, for the sorter.

use foldtrace_sort::RowTime;
use rusqlite::types::ValueRef;

use crate::Row;
use crate::rows::Chunk;

/// The first byte of a cell: the integers below [`NULL`] themselves, or what follows.
const NULL: u8 = 0xf0;
const INTEGER_16: u8 = 0xf1;
const INTEGER_32: u8 = 0xf2;
const INTEGER_64: u8 = 0xf3;
const REAL: u8 = 0xf4;
const TEXT: u8 = 0xf5;

/// Returns the place of a row in the order of time; `None` if it has no beginning. Ends before beginnings count as no ends.
pub(crate) fn when(row: &Row<'_>) -> Option<RowTime> {
    let time = row.integer(0)?;
    let length = row.integer(1).and_then(|end| end.checked_sub(time));
    let length = length.and_then(|length| u64::try_from(length).ok());
    // The sorter returns rows without a span first, but those without an end come last.
    let span = length.map_or(0, |length| length + 1);
    Some(RowTime {
        time,
        span: Some(span),
    })
}

/// Returns the end of a row; `None` if its place does not tell it.
#[inline]
pub(crate) fn end(when: RowTime) -> Option<i64> {
    let length = when.span?.checked_sub(1)?;
    Some(when.time.wrapping_add_unsigned(length))
}

/// Appends the cells of a row that do not follow from its place in the order of time.
pub(crate) fn pack(row: &Row<'_>, when: RowTime, out: &mut Vec<u8>) {
    for column in known(when)..row.len() {
        match row.value(column) {
            ValueRef::Null => out.push(NULL),
            ValueRef::Integer(number) => pack_integer(number, out),
            ValueRef::Real(number) => {
                out.push(REAL);
                out.extend_from_slice(&number.to_le_bytes());
            }
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                out.push(TEXT);
                out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
                out.extend_from_slice(bytes);
            }
        }
    }
}

#[inline]
fn pack_integer(number: i64, out: &mut Vec<u8>) {
    if let Ok(byte) = u8::try_from(number)
        && byte < NULL
    {
        out.push(byte);
    } else if let Ok(number) = i16::try_from(number) {
        out.push(INTEGER_16);
        out.extend_from_slice(&number.to_le_bytes());
    } else if let Ok(number) = i32::try_from(number) {
        out.push(INTEGER_32);
        out.extend_from_slice(&number.to_le_bytes());
    } else {
        out.push(INTEGER_64);
        out.extend_from_slice(&number.to_le_bytes());
    }
}

/// Appends a packed row of a query to a chunk.
pub(crate) fn unpack(query: usize, when: RowTime, bytes: &[u8], chunk: &mut Chunk) {
    let times = [Some(when.time), end(when)].into_iter().flatten();
    chunk.push(query, times.map(ValueRef::Integer).chain(Cells(bytes)));
}

/// Returns the number of columns that follow from the place of a row in the order of time.
fn known(when: RowTime) -> usize {
    if end(when).is_some() { 2 } else { 1 }
}

/// The cells of a packed row.
struct Cells<'a>(&'a [u8]);

impl<'a> Cells<'a> {
    #[inline]
    fn take<const LENGTH: usize>(&mut self) -> Option<[u8; LENGTH]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(u64::from_le_bytes(self.take()?)).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = ValueRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<ValueRef<'a>> {
        let [kind] = self.take()?;
        Some(match kind {
            INTEGER_16 => ValueRef::Integer(i16::from_le_bytes(self.take()?).into()),
            INTEGER_32 => ValueRef::Integer(i32::from_le_bytes(self.take()?).into()),
            INTEGER_64 => ValueRef::Integer(i64::from_le_bytes(self.take()?)),
            REAL => ValueRef::Real(f64::from_le_bytes(self.take()?)),
            TEXT => ValueRef::Text(self.text()?),
            NULL.. => ValueRef::Null,
            number => ValueRef::Integer(number.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rusqlite::types::Value;

    fn number() -> impl Strategy<Value = i64> {
        prop_oneof![
            -300..300_i64,
            any::<i16>().prop_map(i64::from),
            any::<i32>().prop_map(i64::from),
            any::<i64>()
        ]
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            number().prop_map(Value::Integer),
            any::<f64>().prop_map(Value::Real),
            ".{0,300}".prop_map(Value::Text),
            prop::collection::vec(any::<u8>(), 0..20).prop_map(Value::Blob),
        ]
    }

    proptest! {
        #[test]
        fn rows_come_back(begin in number(), values in prop::collection::vec(value(), 1..20)) {
            let values: Vec<Value> = [Value::Integer(begin)].into_iter().chain(values).collect();
            let mut chunk = Chunk::default();
            chunk.push(3, values.iter().map(ValueRef::from));
            let row = chunk.row(0).unwrap();
            let when = when(&row).unwrap();
            let mut bytes = Vec::new();
            pack(&row, when, &mut bytes);
            let mut unpacked = Chunk::default();
            unpacked.push(2, [].into_iter());
            unpack(3, when, &bytes, &mut unpacked);
            let found = unpacked.row(1).unwrap();
            prop_assert_eq!((found.query, found.len()), (3, values.len()));
            for column in 0..values.len() {
                let [expected, found] = [row.value(column), found.value(column)];
                // A number that is none equals nothing.
                let [expected, found] = [expected, found].map(|value| format!("{value:?}"));
                prop_assert_eq!(expected, found);
            }
        }
    }
}

//! The numbers of a column, which may be null.

use std::mem;

use arrow::array::{ArrowPrimitiveType, BooleanBufferBuilder, PrimitiveArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::datatypes::ArrowNativeType;
use arrow::error::ArrowError;

/// Numbers, or nulls.
///
/// As long as there are only nulls, they are only counted: most events lack most fields, and memory that is never written costs
/// nothing.
#[derive(Debug)]
pub(crate) struct Nullable<T> {
    /// The numbers; the default for a null. Empty if the nulls are only counted.
    values: Vec<T>,
    /// Which cells are not null. Empty if the nulls are only counted.
    is_valid: BooleanBufferBuilder,
    nulls: usize,
}

impl<T> Default for Nullable<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            is_valid: BooleanBufferBuilder::new(0),
            nulls: 0,
        }
    }
}

impl<T: ArrowNativeType> Nullable<T> {
    /// Appends the same cell a number of times.
    pub(crate) fn append(&mut self, cell: Option<T>, count: usize) {
        if cell.is_some() {
            self.write_nulls();
        }
        if cell.is_some() || !self.values.is_empty() {
            let rows = self.values.len() + count;
            self.values.resize(rows, cell.unwrap_or_default());
            self.is_valid.append_n(count, cell.is_some());
        }
        self.nulls += if cell.is_none() { count } else { 0 };
    }

    /// Writes the nulls that were only counted.
    fn write_nulls(&mut self) {
        if self.values.is_empty() {
            self.values.resize(self.nulls, T::default());
            self.is_valid.append_n(self.nulls, false);
        }
    }

    /// Appends cells. Returns the number of nulls among them.
    pub(crate) fn extend(&mut self, cells: impl Iterator<Item = Option<T>>) -> u64 {
        self.write_nulls();
        // Bits are collected in words, because appending each of them costs more than the numbers.
        let (mut word, mut bits, mut nulls) = (0, 0, 0);
        let is_valid = &mut self.is_valid;
        self.values.extend(cells.map(|cell| {
            word |= u64::from(cell.is_some()) << bits;
            nulls += usize::from(cell.is_none());
            bits += 1;
            if bits == u64::BITS {
                is_valid.append_word(word, bits as usize);
                (word, bits) = (0, 0);
            }
            cell.unwrap_or_default()
        }));
        self.is_valid.append_word(word, bits as usize);
        self.nulls += nulls;
        nulls as u64
    }

    /// Removes and returns the cells.
    pub(crate) fn take<A>(&mut self) -> Result<PrimitiveArray<A>, ArrowError>
    where
        A: ArrowPrimitiveType<Native = T>,
    {
        let nulls = mem::take(&mut self.nulls);
        if self.values.is_empty() {
            return Ok(PrimitiveArray::new_null(nulls));
        }
        let is_valid = self.is_valid.finish();
        let is_valid = (nulls > 0).then(|| NullBuffer::new(is_valid));
        PrimitiveArray::try_new(ScalarBuffer::from(emptied(&mut self.values)), is_valid)
    }
}

/// Removes and returns the values. The next ones have as much memory, so that they do not grow again.
pub(crate) fn emptied<T>(values: &mut Vec<T>) -> Vec<T> {
    let next = Vec::with_capacity(values.len());
    mem::replace(values, next)
}

#[cfg(test)]
mod tests {
    use arrow::array::Array;
    use arrow::datatypes::Int64Type;

    use super::*;

    #[test]
    fn cells_are_those_that_were_appended() {
        let cells = |nulls: fn(i64) -> bool| (0..150).map(move |n| (!nulls(n)).then_some(n));
        let mut column = Nullable::default();
        assert_eq!(column.extend(cells(|n| n % 7 == 0)), 22);
        column.append(None, 70);
        column.append(Some(5), 3);
        let array: PrimitiveArray<Int64Type> = column.take().unwrap();
        let expected = cells(|n| n % 7 == 0).chain([None; 70]).chain([Some(5); 3]);
        assert_eq!(array, expected.collect());
        assert_eq!(column.extend(cells(|_| false)), 0);
        let array: PrimitiveArray<Int64Type> = column.take().unwrap();
        assert!(array.nulls().is_none());
        assert_eq!(array, cells(|_| false).collect());
        column.append(None, 3);
        let array: PrimitiveArray<Int64Type> = column.take().unwrap();
        assert_eq!(array, PrimitiveArray::new_null(3));
        column.append(None, 2);
        column.append(Some(1), 1);
        let array: PrimitiveArray<Int64Type> = column.take().unwrap();
        assert_eq!(array, [None, None, Some(1)].into_iter().collect());
    }
}

//! Converts integer columns between signed and unsigned types without changing their bits.

use std::collections::BTreeSet;
use std::ops::BitOr;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray, UInt64Array};
use arrow::buffer::ScalarBuffer;
use arrow::compute::max;
use arrow::datatypes::{
    ArrowNumericType, ArrowPrimitiveType, DataType, Int32Type, Int64Type, Schema, UInt32Type,
    UInt64Type,
};

/// Converts unsigned columns to the signed types that they have in `schema`. Adds the index of each column
/// with a number too large for the signed type to `unsigned`: the caller must make these columns unsigned
/// again in the final schema, with [`without_sign`].
pub fn with_signs(
    schema: &Schema,
    columns: Vec<ArrayRef>,
    unsigned: &mut BTreeSet<usize>,
) -> Vec<ArrayRef> {
    let columns = columns.into_iter().enumerate();
    let signed = columns.map(|(index, column)| {
        let data_type = schema.fields().get(index).map(|field| field.data_type());
        let (column, is_wide) = match (data_type, column.data_type()) {
            (Some(DataType::Int64), DataType::UInt64) => {
                let numbers = column.as_primitive::<UInt64Type>();
                let signed = reinterpreted::<_, Int64Type>(numbers);
                (
                    Arc::new(signed) as ArrayRef,
                    exceeds(numbers, i64::MAX as u64),
                )
            }
            (Some(DataType::Int32), DataType::UInt32) => {
                let numbers = column.as_primitive::<UInt32Type>();
                let signed = reinterpreted::<_, Int32Type>(numbers);
                (
                    Arc::new(signed) as ArrayRef,
                    exceeds(numbers, i32::MAX as u32),
                )
            }
            _ => (column, false),
        };
        if is_wide {
            unsigned.insert(index);
        }
        column
    });
    signed.collect()
}

/// Returns whether a number is greater than `most`, all of whose bits are set.
fn exceeds<T>(numbers: &PrimitiveArray<T>, most: T::Native) -> bool
where
    T: ArrowNumericType<Native: BitOr<Output = T::Native>>,
{
    if numbers.null_count() == numbers.len() {
        return false;
    }
    // The values below nulls count here, but not in the maximum, which takes longer.
    let values = numbers.values().iter();
    let bits = values.fold(T::Native::default(), |bits, &number| bits | number);
    bits > most && max(numbers).is_some_and(|number| number > most)
}

/// Reinterprets the bits of an array as another primitive type, which must have the same width.
fn reinterpreted<From: ArrowPrimitiveType, To: ArrowPrimitiveType>(
    numbers: &PrimitiveArray<From>,
) -> PrimitiveArray<To> {
    let values = ScalarBuffer::new(numbers.values().inner().clone(), 0, numbers.len());
    PrimitiveArray::new(values, numbers.nulls().cloned())
}

/// Returns the schema with unsigned types for the integer columns whose names `is_unsigned` accepts.
#[must_use]
pub fn without_sign(schema: &Schema, is_unsigned: impl Fn(&str) -> bool) -> Schema {
    let fields = schema.fields().iter().map(|field| {
        let unsigned = match field.data_type() {
            DataType::Int64 => DataType::UInt64,
            DataType::Int32 => DataType::UInt32,
            _ => return Arc::clone(field),
        };
        if is_unsigned(field.name()) {
            Arc::new(field.as_ref().clone().with_data_type(unsigned))
        } else {
            Arc::clone(field)
        }
    });
    Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone())
}

/// Returns the bits of a signed or unsigned 64-bit column as unsigned numbers, or `None` if the column has
/// another type.
#[must_use]
pub fn numbers(column: &dyn Array) -> Option<UInt64Array> {
    if let Some(signed) = column.as_primitive_opt::<Int64Type>() {
        return Some(reinterpreted(signed));
    }
    column.as_primitive_opt::<UInt64Type>().cloned()
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int64Array, StringArray, UInt32Array};
    use arrow::datatypes::Field;

    use super::*;

    const MOST: u64 = i64::MAX as u64;

    fn schema() -> Schema {
        Schema::new(vec![
            Field::new("id", DataType::UInt64, true),
            Field::new("bytes", DataType::Int64, true),
            Field::new("depth", DataType::Int32, true),
            Field::new("latency", DataType::Int64, true),
            Field::new("name", DataType::Utf8, true),
        ])
    }

    fn columns(bytes: Option<u64>, depth: u32) -> Vec<ArrayRef> {
        vec![
            Arc::new(UInt64Array::from(vec![Some(u64::MAX), None])),
            Arc::new(UInt64Array::from(vec![bytes, Some(7)])),
            Arc::new(UInt32Array::from(vec![depth, 0])),
            Arc::new(Int64Array::from(vec![Some(-1), None])),
            Arc::new(StringArray::from(vec!["a", "b"])),
        ]
    }

    #[test]
    fn numbers_get_the_sign_of_the_schema() {
        let mut unsigned = BTreeSet::new();
        let signed = with_signs(&schema(), columns(Some(MOST), 3), &mut unsigned);
        assert_eq!(unsigned, BTreeSet::new());
        let expected: [ArrayRef; 2] = [
            Arc::new(Int64Array::from(vec![i64::MAX, 7])),
            Arc::new(arrow::array::Int32Array::from(vec![3, 0])),
        ];
        assert_eq!(&signed[1..3], &expected);
        let unchanged = columns(None, 0);
        for index in [0, 3, 4] {
            assert_eq!(&signed[index], &unchanged[index]);
        }
    }

    #[test]
    fn columns_that_need_the_last_bit_are_found_and_keep_it() {
        let mut unsigned = BTreeSet::new();
        let signed = with_signs(&schema(), columns(Some(MOST + 1), u32::MAX), &mut unsigned);
        assert_eq!(unsigned, BTreeSet::from([1, 2]));
        let bits = numbers(&signed[1]).unwrap();
        assert_eq!(bits.iter().collect::<Vec<_>>(), [Some(MOST + 1), Some(7)]);
        // A later batch removes nothing from the set.
        with_signs(&schema(), columns(None, 0), &mut unsigned);
        assert_eq!(unsigned, BTreeSet::from([1, 2]));
    }

    #[test]
    fn a_schema_loses_the_signs_of_some_columns() {
        let found = without_sign(&schema(), |name| ["bytes", "depth", "name"].contains(&name));
        let types: Vec<_> = found
            .fields()
            .iter()
            .map(|f| f.data_type().clone())
            .collect();
        let (wide, narrow) = (DataType::UInt64, DataType::UInt32);
        let expected = [wide.clone(), wide, narrow, DataType::Int64, DataType::Utf8];
        assert_eq!(types, expected);
    }
}

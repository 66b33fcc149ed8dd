//! Reads whole tables, and columns of their batches.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, DictionaryArray, RecordBatch, StringArray, UInt32Array, UInt64Array, new_null_array,
};
use arrow::datatypes::{DataType, Field, FieldRef, Int32Type, Schema, SchemaRef};
use arrow::error::ArrowError;
use foldtrace_columns::{Column, arrow_schema};
use foldtrace_trace::{TraceError, UNDEFINED};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::statistics::Statistics;

use super::guard::GuardedTable;
use crate::error::{Reading, wrong};
use crate::folder::StoreFolder;

/// Reads a whole table of a store in batches; it must have these columns.
pub(crate) fn read_table(
    folder: &StoreFolder,
    file: &str,
    columns: &[Column],
) -> Result<impl Iterator<Item = Result<RecordBatch, TraceError>> + use<>, TraceError> {
    let (path, file) = (folder.path_of(file), folder.read(file)?);
    let (_, batches) = read_batches(&path, file, columns, Portion::ALL)?;
    Ok(batches)
}

/// The portion of a table that is read.
#[derive(Clone, Copy, Debug)]
pub struct Portion {
    /// The columns that are read, the others contain nulls; `None` for all of them.
    pub columns: Option<&'static [&'static str]>,
    /// Row groups that have no row in a range are not read; `None` to read all.
    pub overlap: Option<Overlap>,
}

/// A range of times that rows overlap, each of which lasts from one of its times to the other one.
#[derive(Clone, Copy, Debug)]
pub struct Overlap {
    /// The columns of both times, which may be in any order.
    pub between: [&'static str; 2],
    /// The first tick of the range.
    pub begin: u64,
    /// The first tick after the range.
    pub end: u64,
}

impl Portion {
    /// The whole table.
    pub const ALL: Self = Self {
        columns: None,
        overlap: None,
    };

    fn has_column(&self, name: &str) -> bool {
        self.columns.is_none_or(|columns| columns.contains(&name))
    }

    fn has_rows_of(&self, group: &RowGroupMetaData) -> bool {
        self.overlap
            .is_none_or(|overlap| overlap.is_possible(group))
    }
}

impl Overlap {
    /// Returns whether a row group may have rows in the range, according to its statistics.
    fn is_possible(&self, group: &RowGroupMetaData) -> bool {
        let bounds = self.between.map(|column| bounds(group, column));
        let are_all = |is: &dyn Fn((u64, u64)) -> bool| {
            let mut bounds = bounds.iter();
            bounds.all(|bounds| bounds.is_some_and(is))
        };
        let is_after = are_all(&|(least, _)| least >= self.end);
        let is_before = are_all(&|(_, greatest)| greatest < self.begin);
        !is_after && !is_before
    }
}

/// Returns the least and the greatest value of a column of numbers, if they are known.
pub(super) fn bounds(group: &RowGroupMetaData, column: &str) -> Option<(u64, u64)> {
    let column = group.column(column_index(group, column)?);
    match column.statistics()? {
        statistics if statistics.is_min_max_deprecated() => None,
        Statistics::Int64(values) => {
            let (least, greatest) = (values.min_opt()?, values.max_opt()?);
            Some((least.cast_unsigned(), greatest.cast_unsigned()))
        }
        Statistics::Int32(values) => {
            let (least, greatest) = (values.min_opt()?, values.max_opt()?);
            Some((
                least.cast_unsigned().into(),
                greatest.cast_unsigned().into(),
            ))
        }
        _ => None,
    }
}

/// Returns the schema of the table in the file `path`, which must have these columns, and its rows in batches. Columns that
/// contain only nulls are created, not read, because most operands and fields belong to few kinds.
pub(crate) fn read_batches<R: ChunkReader + 'static>(
    path: &Path,
    file: R,
    columns: &[Column],
    portion: Portion,
) -> Result<
    (
        SchemaRef,
        impl Iterator<Item = Result<RecordBatch, TraceError>> + use<R>,
    ),
    TraceError,
> {
    let path = path.to_owned();
    let table = GuardedTable::open(&path, file)?;
    check_schema(&path, table.schema(), columns)?;
    let schema = Arc::clone(table.schema());
    let mut is_read = has_values(&schema, table.footer());
    for (is_read, field) in is_read.iter_mut().zip(schema.fields()) {
        *is_read &= portion.has_column(field.name());
    }
    let columns = (is_read.iter().enumerate()).filter_map(|(i, read)| read.then_some(i));
    let row_groups = table.footer().row_groups().iter().enumerate();
    let row_groups = row_groups.filter(|(_, group)| portion.has_rows_of(group));
    let row_groups = row_groups.map(|(number, _)| number).collect();
    let batches = table
        .batches(columns, row_groups, 1 << 16, None)
        .reading(&path)?;
    let found = Arc::clone(&schema);
    let batches = batches.map(move |batch| {
        let all = batch.and_then(|batch| with_nulls(&batch, &found, &is_read));
        all.reading(&path)
    });
    Ok((schema, batches))
}

/// Returns, for each column of a table, whether it may have values according to the statistics. In a table with
/// nested columns, all columns may, because the columns of the file do not correspond to those of the schema.
pub(super) fn has_values(schema: &Schema, metadata: &ParquetMetaData) -> Vec<bool> {
    let fields = schema.fields();
    let is_nested = fields.iter().any(|field| field.data_type().is_nested());
    let has_values = |(column, field): (usize, &FieldRef)| {
        let mut row_groups = metadata.row_groups().iter();
        is_nested || !field.is_nullable() || !row_groups.all(|group| is_null(group, column))
    };
    fields.iter().enumerate().map(has_values).collect()
}

/// Returns a batch with columns of nulls in place of the columns that were not read.
pub(super) fn with_nulls(
    batch: &RecordBatch,
    schema: &Arc<Schema>,
    is_read: &[bool],
) -> Result<RecordBatch, ArrowError> {
    let mut columns = batch.columns().iter();
    let all = schema.fields().iter().zip(is_read).map(|(field, is_read)| {
        let column = if *is_read { columns.next() } else { None };
        match column {
            Some(column) => Arc::clone(column),
            None => new_null_array(field.data_type(), batch.num_rows()),
        }
    });
    RecordBatch::try_new(Arc::clone(schema), all.collect())
}

/// Returns whether all values of a column of a row group are null, according to its statistics.
pub(crate) fn is_null(row_group: &RowGroupMetaData, column: usize) -> bool {
    let statistics = row_group.columns().get(column).and_then(|c| c.statistics());
    let nulls = statistics.and_then(|statistics| statistics.null_count_opt());
    nulls.is_some_and(|nulls| i64::try_from(nulls) == Ok(row_group.num_rows()))
}

/// Checks that a table begins with `columns`. A later version may add columns after these.
/// Numbers may be signed or unsigned, see [`numbers`].
pub(crate) fn check_schema(
    path: &Path,
    found: &Schema,
    columns: &[Column],
) -> Result<(), TraceError> {
    let expected = arrow_schema(columns);
    for (i, field) in expected.fields().iter().enumerate() {
        let same = found
            .fields()
            .get(i)
            .is_some_and(|f| f.name() == field.name() && has_type(f, field));
        if !same {
            let message = format!("column {i} of the table should be '{}'", field.name());
            return Err(wrong(path, &message));
        }
    }
    Ok(())
}

/// Returns whether two columns have the same type, except for the sign of numbers: small ones are unsigned in version 1, and
/// others if a value needs the 64th bit.
fn has_type(found: &Field, expected: &Field) -> bool {
    let signed = |field: &Field| match field.data_type() {
        DataType::UInt64 => DataType::Int64,
        DataType::UInt32 => DataType::Int32,
        other => other.clone(),
    };
    signed(found) == signed(expected)
}

/// Returns the index of a column in the row groups of a table.
pub(crate) fn column_index(row_group: &RowGroupMetaData, name: &str) -> Option<usize> {
    let mut columns = row_group.columns().iter();
    columns.position(|column| column.column_descr().name() == name)
}

/// Returns a column of a batch, downcast to its type.
pub(crate) fn column<'a, A: Array + 'static>(
    batch: &'a RecordBatch,
    name: &str,
    path: &Path,
) -> Result<&'a A, TraceError> {
    let column = batch.column_by_name(name);
    column
        .and_then(|column| column.as_any().downcast_ref::<A>())
        .ok_or_else(|| unexpected_type(name, path))
}

/// Returns a column of signed or unsigned 64-bit numbers of a batch.
pub(crate) fn numbers(
    batch: &RecordBatch,
    name: &str,
    path: &Path,
) -> Result<UInt64Array, TraceError> {
    let column = batch.column_by_name(name);
    let numbers = column.and_then(|column| foldtrace_columns::numbers(column));
    numbers.ok_or_else(|| unexpected_type(name, path))
}

fn unexpected_type(name: &str, path: &Path) -> TraceError {
    let message = format!("column '{name}' of the table has an unexpected type");
    wrong(path, &message)
}

/// Returns a column of texts, whether or not it is stored as a dictionary.
pub(crate) fn texts(
    batch: &RecordBatch,
    name: &str,
    path: &Path,
) -> Result<Vec<Option<String>>, TraceError> {
    let column = batch
        .column_by_name(name)
        .ok_or_else(|| wrong(path, &format!("column '{name}' of the table is missing")))?;
    let plain = arrow::compute::cast(column, &DataType::Utf8).reading(path)?;
    let plain = plain
        .as_any()
        .downcast_ref::<StringArray>()
        .ok_or_else(|| {
            let message = format!("column '{name}' of the table does not contain text");
            wrong(path, &message)
        })?;
    Ok(plain.iter().map(|text| text.map(str::to_owned)).collect())
}

/// Returns a column of words of a batch.
pub(crate) fn dictionary(
    batch: &RecordBatch,
    name: &str,
    path: &Path,
) -> Result<DictionaryArray<Int32Type>, TraceError> {
    let words = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let column = batch.column_by_name(name);
    let column = column.ok_or_else(|| unexpected_type(name, path))?;
    let plain = arrow::compute::cast(column, &words).reading(path)?;
    let plain = plain.as_any().downcast_ref();
    plain.cloned().ok_or_else(|| unexpected_type(name, path))
}

/// Returns the value at `row`; [`UNDEFINED`] if it is null.
pub(crate) fn defined(column: &UInt64Array, row: usize) -> u64 {
    if column.is_null(row) {
        UNDEFINED
    } else {
        column.value(row)
    }
}

/// Returns the value at `row`; `None` if it is null.
pub(crate) fn symbol_at(column: &UInt32Array, row: usize) -> Option<u32> {
    (!column.is_null(row)).then(|| column.value(row))
}

//! Parquet properties of tables, and reading and writing of whole small tables.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, UInt32Array, UInt64Array, new_null_array};
use arrow::datatypes::{DataType, Field, FieldRef, Schema};
use arrow::error::ArrowError;
use foldtrace_columns::{PANDAS, pandas, with_pandas, with_signs};
use foldtrace_trace::{Clock, TraceError, UNDEFINED};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::{KeyValue, ParquetMetaData, RowGroupMetaData, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

use super::error::{Reading, Writing, wrong};
use super::folder::StoreFolder;
use super::guard::GuardedTable;
use super::manifest::VERSION;
use super::unsigned::{Unsigned, Written};

/// The number of rows per row group: enough for fast scans, few enough to keep in memory.
pub const ROW_GROUP_ROWS: usize = 1 << 18;

/// The number of rows per data page, all of which are decoded to find one event. Smaller pages compress less well.
pub(super) const PAGE_ROWS: usize = 1 << 16;

/// Returns the properties that all tables share. Each file contains the version of the schema.
fn common(table: &str, version: u32, level: ZstdLevel) -> WriterPropertiesBuilder {
    let entry = |key: &str, value| KeyValue::new(key.to_owned(), value);
    let entries = vec![
        entry("foldtrace.version", version.to_string()),
        entry("foldtrace.table", table.to_owned()),
    ];
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(concat!("foldtrace ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(entries))
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_data_page_row_count_limit(PAGE_ROWS)
}

/// Returns the footer entries about the clock, so that times can be interpreted with the file alone.
pub(super) fn clock_entries(clock: Clock) -> impl Iterator<Item = KeyValue> {
    let entries = [
        ("foldtrace.ticks_per_second", clock.ticks_per_second),
        ("foldtrace.global_offset", clock.global_offset),
    ];
    let entry = |(key, ticks): (&str, u64)| KeyValue::new(key.to_owned(), ticks.to_string());
    entries.into_iter().map(entry)
}

/// Returns the properties of tables with one row per event: sorted by location and position, with statistics per
/// page. Increasing columns are stored as differences.
pub(super) fn event_properties(
    table: &str,
    version: u32,
    level: ZstdLevel,
) -> WriterPropertiesBuilder {
    let ascending = |column_idx| SortingColumn {
        column_idx,
        descending: false,
        nulls_first: false,
    };
    let mut properties = common(table, version, level)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_sorting_columns(Some(vec![ascending(0), ascending(1)]));
    for column in ["location", "position", "time"] {
        let path = ColumnPath::from(column);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    properties
}

/// Writes a whole table, and adds the columns that lose their sign to `unsigned`.
pub(super) fn write_table(
    path: &Path,
    schema: Schema,
    columns: Vec<ArrayRef>,
    unsigned: &mut Unsigned,
) -> Result<(), TraceError> {
    let mut table = TableWriter::create(path, schema)?;
    table.write(columns)?;
    table.finish(unsigned)
}

/// Returns whether a table has types that are not native to Parquet, so that it needs an Arrow schema.
fn needs_arrow(schema: &Schema) -> bool {
    let mut types = schema.fields().iter().map(|field| field.data_type());
    types.any(|it| it.is_nested() || matches!(it, DataType::Dictionary(..)))
}

/// Returns the entry for pandas in the footer of a table without an Arrow schema.
pub(super) fn pandas_entry(schema: &Schema) -> Option<KeyValue> {
    Some(KeyValue::new(PANDAS.to_owned(), pandas(schema)?))
}

/// A table that is written in batches.
pub(super) struct TableWriter<'a> {
    path: &'a Path,
    table: String,
    schema: Arc<Schema>,
    writer: ArrowWriter<File>,
    wide: BTreeSet<usize>,
}

impl<'a> TableWriter<'a> {
    /// Creates the table at `path`.
    pub fn create(path: &'a Path, schema: Schema) -> Result<Self, TraceError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).writing(folder)?;
        }
        let table = path.file_stem().unwrap_or_default().to_string_lossy();
        let has_arrow = needs_arrow(&schema);
        let schema = Arc::new(with_pandas(&schema));
        let file = File::create(path).writing(path)?;
        let options = ArrowWriterOptions::new()
            .with_properties(common(&table, VERSION, ZstdLevel::default()).build())
            .with_skip_arrow_metadata(!has_arrow);
        let mut writer =
            ArrowWriter::try_new_with_options(file, Arc::clone(&schema), options).writing(path)?;
        if !has_arrow {
            let entry = pandas_entry(&schema);
            entry
                .into_iter()
                .for_each(|entry| writer.append_key_value_metadata(entry));
        }
        Ok(Self {
            path,
            table: table.into_owned(),
            schema,
            writer,
            wide: BTreeSet::new(),
        })
    }

    /// Appends rows. Columns that are signed in the schema may be passed as unsigned ones.
    pub fn write(&mut self, columns: Vec<ArrayRef>) -> Result<(), TraceError> {
        let columns = with_signs(&self.schema, columns, &mut self.wide);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).writing(self.path)?;
        self.writer.write(&batch).writing(self.path)
    }

    /// Completes the table, and adds the columns that lose their sign to `unsigned`.
    pub fn finish(self, unsigned: &mut Unsigned) -> Result<(), TraceError> {
        self.writer.close().writing(self.path)?;
        unsigned.settle(&[Written {
            path: self.path.to_owned(),
            table: self.table,
            schema: self.schema,
            wide: self.wide,
        }])
    }
}

/// Reads a whole table in batches; it must have the columns of `schema`. Columns that contain only nulls are created,
/// not read, because most operands and fields belong to few kinds.
pub(super) fn read_table(
    folder: &StoreFolder,
    file: &str,
    schema: &Schema,
) -> Result<Vec<RecordBatch>, TraceError> {
    let path = &folder.path_of(file);
    let file = folder.read(file)?;
    let table = GuardedTable::open(path, file)?;
    check_schema(path, table.schema(), schema)?;
    let found = Arc::clone(table.schema());
    let is_read = has_values(&found, table.footer());
    let columns = (is_read.iter().enumerate()).filter_map(|(i, read)| read.then_some(i));
    let row_groups = (0..table.footer().num_row_groups()).collect();
    let batches = table
        .batches(columns, row_groups, 1 << 16, None)
        .reading(path)?;
    batches
        .map(|batch| with_nulls(&batch?, &found, &is_read))
        .collect::<Result<_, _>>()
        .reading(path)
}

/// Returns, for each column of a table, whether it may have values according to the statistics. In a table with
/// nested columns, all columns may, because the columns of the file do not correspond to those of the schema.
fn has_values(schema: &Schema, metadata: &ParquetMetaData) -> Vec<bool> {
    let fields = schema.fields();
    let is_nested = fields.iter().any(|field| field.data_type().is_nested());
    let has_values = |(column, field): (usize, &FieldRef)| {
        let mut row_groups = metadata.row_groups().iter();
        is_nested || !field.is_nullable() || !row_groups.all(|group| is_null(group, column))
    };
    fields.iter().enumerate().map(has_values).collect()
}

/// Returns a batch with columns of nulls in place of the columns that were not read.
fn with_nulls(
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
pub(super) fn is_null(row_group: &RowGroupMetaData, column: usize) -> bool {
    let statistics = row_group.columns().get(column).and_then(|c| c.statistics());
    let nulls = statistics.and_then(|statistics| statistics.null_count_opt());
    nulls.is_some_and(|nulls| i64::try_from(nulls) == Ok(row_group.num_rows()))
}

/// Checks that a table has the columns of `expected`. A later version may add columns after these.
/// Numbers may be signed or unsigned, see [`numbers`].
pub(super) fn check_schema(
    path: &Path,
    found: &Schema,
    expected: &Schema,
) -> Result<(), TraceError> {
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

/// Returns whether two columns have the same type, except for the sign of 64-bit numbers.
fn has_type(found: &Field, expected: &Field) -> bool {
    let is_number = |field: &Field| matches!(field.data_type(), DataType::Int64 | DataType::UInt64);
    found.data_type() == expected.data_type() || is_number(found) && is_number(expected)
}

/// Returns a column of numbers in which undefined values are null.
pub(super) fn nullable(values: impl IntoIterator<Item = u64>) -> ArrayRef {
    Arc::new(
        values
            .into_iter()
            .map(|v| (v != UNDEFINED).then_some(v))
            .collect::<UInt64Array>(),
    )
}

/// Returns a column of a batch, downcast to its type.
pub(super) fn column<'a, A: Array + 'static>(
    batch: &'a RecordBatch,
    index: usize,
    path: &Path,
) -> Result<&'a A, TraceError> {
    batch
        .columns()
        .get(index)
        .and_then(|column| column.as_any().downcast_ref::<A>())
        .ok_or_else(|| {
            wrong(
                path,
                &format!("column {index} of the table has another type"),
            )
        })
}

/// Returns a column of signed or unsigned 64-bit numbers of a batch.
pub(super) fn numbers(
    batch: &RecordBatch,
    index: usize,
    path: &Path,
) -> Result<UInt64Array, TraceError> {
    let column = batch.columns().get(index);
    let numbers = column.and_then(|column| foldtrace_columns::numbers(column));
    numbers.ok_or_else(|| {
        wrong(
            path,
            &format!("column {index} of the table has another type"),
        )
    })
}

/// Returns a column of texts, whether or not it is stored as a dictionary.
pub(super) fn texts(
    batch: &RecordBatch,
    index: usize,
    path: &Path,
) -> Result<Vec<Option<String>>, TraceError> {
    let column = batch
        .columns()
        .get(index)
        .ok_or_else(|| wrong(path, "a column is missing"))?;
    let plain = arrow::compute::cast(column, &DataType::Utf8).reading(path)?;
    let plain = plain
        .as_any()
        .downcast_ref::<arrow::array::StringArray>()
        .ok_or_else(|| wrong(path, &format!("column {index} of the table is no text")))?;
    Ok(plain.iter().map(|text| text.map(str::to_owned)).collect())
}

/// Returns the value at `row`; [`UNDEFINED`] if it is null.
pub(super) fn defined(column: &UInt64Array, row: usize) -> u64 {
    if column.is_null(row) {
        UNDEFINED
    } else {
        column.value(row)
    }
}

/// Returns the value at `row`; `None` if it is null.
pub(super) fn symbol_at(column: &UInt32Array, row: usize) -> Option<u32> {
    (!column.is_null(row)).then(|| column.value(row))
}

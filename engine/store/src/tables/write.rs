//! Writes whole tables.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Schema};
use foldtrace_columns::{with_pandas, with_signs};
use foldtrace_trace::{ErrorKind, Place, TraceError, UNDEFINED};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::properties::{PAGE_ROWS, keyed_properties, pandas_entry, whole_properties};
use super::retype::Written;
use crate::error::Writing;
use crate::folder::VERSION;
use crate::unsigned::Unsigned;

/// A column of rows, with the name that its table declares for it.
pub type NamedColumn = (&'static str, ArrayRef);

/// Returns columns without their names, which must be those of `schema` in the same order.
pub(crate) fn without_names(
    path: &Path,
    schema: &Schema,
    columns: Vec<NamedColumn>,
) -> Result<Vec<ArrayRef>, TraceError> {
    let declared = schema.fields().iter().map(|field| field.name().as_str());
    if columns.iter().map(|(name, _)| *name).eq(declared) {
        return Ok(columns.into_iter().map(|(_, column)| column).collect());
    }
    let message = "the columns of a table are not those that were declared";
    Err(TraceError::new(ErrorKind::Internal, message).at(Place::file(path)))
}

/// Writes a whole table, and adds the columns that lose their sign to `unsigned`.
pub(crate) fn write_table(
    path: &Path,
    schema: Schema,
    columns: Vec<NamedColumn>,
    unsigned: &mut Unsigned,
) -> Result<(), TraceError> {
    let mut table = TableWriter::create(path, schema)?;
    table.write(columns)?;
    table.finish(unsigned)
}

/// Writes a whole table whose rows have keys, see [`TableWriter::create_keyed`].
pub(crate) fn write_keyed_table(
    path: &Path,
    schema: Schema,
    keys: &[&str],
    columns: Vec<NamedColumn>,
    unsigned: &mut Unsigned,
) -> Result<(), TraceError> {
    let rows = columns.first().map_or(0, |(_, column)| column.len());
    let mut table = TableWriter::create_keyed(path, schema, keys, rows)?;
    table.write(columns)?;
    table.finish(unsigned)
}

/// Returns whether a table has types that are not native to Parquet, so that it needs an Arrow schema.
fn needs_arrow(schema: &Schema) -> bool {
    let mut types = schema.fields().iter().map(|field| field.data_type());
    types.any(|it| it.is_nested() || matches!(it, DataType::Dictionary(..)))
}

/// A table that is written in batches.
#[derive(Debug)]
pub(crate) struct TableWriter<W: Write + Send = File> {
    path: PathBuf,
    table: String,
    schema: Arc<Schema>,
    writer: ArrowWriter<W>,
    rows: u64,
    /// The columns with a value that needs the 64th bit.
    wide: BTreeSet<usize>,
}

impl TableWriter {
    /// Creates the table at `path`, named after its file, which is read as a whole.
    pub fn create(path: &Path, schema: Schema) -> Result<Self, TraceError> {
        let table = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::create_with(path, schema, whole_properties(&table, VERSION))
    }

    /// Creates the table at `path`, named after its file, with a number of `rows`. If these are many, rows are found by
    /// `keys`, see [`rows_with`](super::rows_with).
    pub fn create_keyed(
        path: &Path,
        schema: Schema,
        keys: &[&str],
        rows: usize,
    ) -> Result<Self, TraceError> {
        if rows <= PAGE_ROWS {
            return Self::create(path, schema);
        }
        let table = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::create_with(path, schema, keyed_properties(&table, VERSION, keys))
    }

    fn create_with(
        path: &Path,
        schema: Schema,
        properties: WriterProperties,
    ) -> Result<Self, TraceError> {
        let table = path.file_stem().unwrap_or_default().to_string_lossy();
        let has_arrow = needs_arrow(&schema);
        let options = ArrowWriterOptions::new()
            .with_properties(properties)
            .with_skip_arrow_metadata(!has_arrow);
        let entry = pandas_entry(&with_pandas(&schema)).filter(|_| !has_arrow);
        let mut writer = Self::new(create_file(path)?, path, &table, schema, options)?;
        writer.add_metadata(entry);
        Ok(writer)
    }

    /// Completes the table. Returns the number of rows, and what the manifest has to know of the table.
    pub fn close(self) -> Result<(u64, Written), TraceError> {
        self.writer.close().writing(&self.path)?;
        let written = Written {
            path: self.path,
            table: self.table,
            schema: self.schema,
            wide: self.wide,
        };
        Ok((self.rows, written))
    }

    /// Completes the table, and adds the columns that lose their sign to `unsigned`.
    pub fn finish(self, unsigned: &mut Unsigned) -> Result<(), TraceError> {
        unsigned.settle(&[self.close()?.1])
    }
}

impl<W: Write + Send> TableWriter<W> {
    /// Creates the table `table` in `out`, which error messages call `path`.
    pub fn new(
        out: W,
        path: &Path,
        table: &str,
        schema: Schema,
        options: ArrowWriterOptions,
    ) -> Result<Self, TraceError> {
        let schema = Arc::new(with_pandas(&schema));
        let writer = ArrowWriter::try_new_with_options(out, Arc::clone(&schema), options);
        Ok(Self {
            writer: writer.writing(path)?,
            path: path.to_owned(),
            table: table.to_owned(),
            schema,
            rows: 0,
            wide: BTreeSet::new(),
        })
    }

    /// Adds entries to the metadata of the table.
    pub fn add_metadata(&mut self, entries: impl IntoIterator<Item = KeyValue>) {
        let entries = entries.into_iter();
        entries.for_each(|entry| self.writer.append_key_value_metadata(entry));
    }

    /// Returns the path of the table for error messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends rows. Columns that are signed in the schema may be passed as unsigned ones.
    pub fn write(&mut self, columns: Vec<NamedColumn>) -> Result<(), TraceError> {
        let columns = without_names(&self.path, &self.schema, columns)?;
        let columns = with_signs(&self.schema, columns, &mut self.wide);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).writing(&self.path)?;
        self.rows += batch.num_rows() as u64;
        self.writer.write(&batch).writing(&self.path)
    }

    /// Completes the table. Returns the number of rows, and the output.
    pub fn into_inner(self) -> Result<(u64, W), TraceError> {
        let out = self.writer.into_inner().writing(&self.path)?;
        Ok((self.rows, out))
    }
}

/// Creates the file of a table, and the folders around it.
pub(crate) fn create_file(path: &Path) -> Result<File, TraceError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).writing(folder)?;
    }
    File::create(path).writing(path)
}

/// Returns a column of numbers in which undefined values are null.
pub(crate) fn nullable(values: impl IntoIterator<Item = u64>) -> ArrayRef {
    Arc::new(
        values
            .into_iter()
            .map(|v| (v != UNDEFINED).then_some(v))
            .collect::<UInt64Array>(),
    )
}

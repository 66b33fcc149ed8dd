//! Writes whole tables.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Schema};
use foldtrace_columns::{with_pandas, with_signs};
use foldtrace_trace::{ErrorKind, Place, TraceError, UNDEFINED};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::ZstdLevel;

use super::properties::{common_properties, pandas_entry};
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

/// Returns whether a table has types that are not native to Parquet, so that it needs an Arrow schema.
fn needs_arrow(schema: &Schema) -> bool {
    let mut types = schema.fields().iter().map(|field| field.data_type());
    types.any(|it| it.is_nested() || matches!(it, DataType::Dictionary(..)))
}

/// A table that is written in batches.
pub(crate) struct TableWriter<'a> {
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
            .with_properties(common_properties(&table, VERSION, ZstdLevel::default()).build())
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
    pub fn write(&mut self, columns: Vec<NamedColumn>) -> Result<(), TraceError> {
        let columns = without_names(self.path, &self.schema, columns)?;
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

/// Returns a column of numbers in which undefined values are null.
pub(crate) fn nullable(values: impl IntoIterator<Item = u64>) -> ArrayRef {
    Arc::new(
        values
            .into_iter()
            .map(|v| (v != UNDEFINED).then_some(v))
            .collect::<UInt64Array>(),
    )
}

//! Writes the files of derived tables.
//!
//! Derived tables are for analysis in SQL or with data frames; foldtrace itself does not read them, except for the
//! DAG. The columns are declared by the crate that computes the rows.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch};
use arrow::datatypes::{Int32Type, Schema};
use foldtrace_columns::{Column, TableColumns, with_pandas, with_signs, without_sign};
use foldtrace_trace::{Clock, TraceError};
use parquet::arrow::ArrowWriter;
use parquet::basic::ZstdLevel;

use crate::error::Writing;
use crate::folder::{Manifest, VERSION};
use crate::reader::StoreReader;
use crate::schema::in_version;
use crate::tables::{NamedColumn, Written, clock_entries, declared_properties, without_names};

/// A Parquet file of a derived table, in a store or in another output.
pub struct DerivedTable<W: Write + Send = File> {
    path: PathBuf,
    name: &'static str,
    schema: Arc<Schema>,
    writer: ArrowWriter<W>,
    rows: u64,
    wide: BTreeSet<usize>,
}

impl DerivedTable {
    /// Creates the file of a table at `path` in a store.
    pub fn create(
        store: &StoreReader,
        path: &str,
        table: &TableColumns,
    ) -> Result<Self, TraceError> {
        let path = store.path().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).writing(folder)?;
        }
        let file = File::create(&path).writing(&path)?;
        let manifest = store.manifest();
        let schema = in_version(manifest.version, table.columns);
        Self::within(
            file,
            path,
            table,
            schema,
            manifest.version,
            manifest.clock(),
        )
    }

    /// Completes the file. Returns the number of its rows, and the file.
    pub fn finish(self) -> Result<(u64, Written), TraceError> {
        self.writer.close().writing(&self.path)?;
        let file = Written {
            path: self.path,
            table: self.name.to_owned(),
            schema: self.schema,
            wide: self.wide,
        };
        Ok((self.rows, file))
    }
}

impl<W: Write + Send> DerivedTable<W> {
    /// Creates a table about the store `store` that is not part of it; error messages call the file `path`. Times are
    /// unsigned if those of the store are.
    pub fn outside(
        file: W,
        path: PathBuf,
        table: &TableColumns,
        store: &Manifest,
    ) -> Result<Self, TraceError> {
        let is_wide = store.wide_fields().is_none_or(|fields| fields.time);
        let is_time = |name: &str| table.column(name).is_some_and(Column::is_time);
        let schema = without_sign(&table.schema(), |name| is_wide && is_time(name));
        Self::within(file, path, table, schema, VERSION, store.clock())
    }

    fn within(
        file: W,
        path: PathBuf,
        table: &TableColumns,
        schema: Schema,
        version: u32,
        clock: Clock,
    ) -> Result<Self, TraceError> {
        let properties = declared_properties(table, version, ZstdLevel::default()).build();
        let schema = Arc::new(with_pandas(&schema));
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties));
        let mut writer = writer.writing(&path)?;
        if table.has_times() {
            clock_entries(clock).for_each(|entry| writer.append_key_value_metadata(entry));
        }
        Ok(Self {
            path,
            name: table.name,
            schema,
            writer,
            rows: 0,
            wide: BTreeSet::new(),
        })
    }

    /// Appends rows, given as the columns of the table in order.
    pub fn write(&mut self, columns: Vec<NamedColumn>) -> Result<(), TraceError> {
        let columns = without_names(&self.path, &self.schema, columns)?;
        let columns = with_signs(&self.schema, columns, &mut self.wide);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).writing(&self.path)?;
        self.rows += batch.num_rows() as u64;
        self.writer.write(&batch).writing(&self.path)
    }

    /// Completes the table. Returns the number of its rows, and the file.
    pub fn close(self) -> Result<(u64, W), TraceError> {
        let file = self.writer.into_inner().writing(&self.path)?;
        Ok((self.rows, file))
    }

    /// Returns a dictionary column whose values are the `words` with the given numbers.
    pub fn words(&self, numbers: Int32Array, words: &ArrayRef) -> Result<ArrayRef, TraceError> {
        let column = DictionaryArray::<Int32Type>::try_new(numbers, Arc::clone(words));
        Ok(Arc::new(column.writing(&self.path)?))
    }
}

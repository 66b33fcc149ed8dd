//! Writes the files of derived tables.
//!
//! Derived tables are for analysis in SQL or with data frames; foldtrace itself does not read them, except for the
//! DAG. The columns are declared by the crate that computes the rows.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, DictionaryArray, Int32Array};
use arrow::datatypes::{Int32Type, Schema};
use foldtrace_columns::{Column, TableColumns, without_sign};
use foldtrace_trace::{Clock, TraceError};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::ZstdLevel;
use parquet::file::properties::WriterProperties;

use crate::error::Writing;
use crate::folder::{Manifest, VERSION};
use crate::reader::StoreReader;
use crate::schema::in_version;
use crate::tables::{
    NamedColumn, ROW_GROUP_ROWS, TableWriter, Written, clock_entries, create_file,
    declared_properties, unite,
};
use crate::unsigned::Unsigned;

/// A folder for derived tables: that of a store that has not appeared yet, or one of their own.
#[derive(Clone, Copy, Debug)]
pub struct DerivedFolder<'a> {
    /// The store that the tables are derived from.
    pub store: &'a StoreReader,
    /// The folder, in which the tables have the same paths as in a store.
    pub path: &'a Path,
}

impl<'a> DerivedFolder<'a> {
    /// Returns the folder of a store.
    #[must_use]
    pub fn of(store: &'a StoreReader) -> Self {
        let path = store.path();
        Self { store, path }
    }

    /// Creates the file of a table at `path` in the folder.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn create(self, path: &str, table: &TableColumns) -> Result<DerivedTable, TraceError> {
        self.create_with(path, table, ROW_GROUP_ROWS)
    }

    /// Creates the file of a table with row groups of a number of rows. Small ones take less memory while they are written.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn create_with(
        self,
        path: &str,
        table: &TableColumns,
        row_group_rows: usize,
    ) -> Result<DerivedTable, TraceError> {
        let path = self.path.join(path);
        let manifest = self.store.manifest();
        let schema = in_version(manifest.version, table.columns);
        let clock = manifest.clock();
        let file = create_file(&path)?;
        let properties = declared_properties(table, manifest.version, ZstdLevel::default())
            .set_max_row_group_row_count(Some(row_group_rows));
        DerivedTable::within(file, &path, table, schema, properties.build(), clock)
    }

    /// Unites tables with the same columns to one at `path` in the folder, which has their row groups, one table after the other.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read, or the output cannot be written.
    pub fn unite(self, tables: &[Written], path: &str) -> Result<Written, TraceError> {
        let path = self.path.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).writing(folder)?;
        }
        unite(tables, &path)
    }

    /// Completes tables in a folder of their own: the parts of a table get the same types.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn settle(written: &[Written]) -> Result<(), TraceError> {
        Unsigned::default().settle(written)
    }
}

/// A Parquet file of a derived table, in a store or in another output.
pub struct DerivedTable<W: Write + Send = File>(TableWriter<W>);

impl DerivedTable {
    /// Completes the file. Returns the number of its rows, and the file.
    pub fn finish(self) -> Result<(u64, Written), TraceError> {
        self.0.close()
    }
}

impl<W: Write + Send> DerivedTable<W> {
    /// Creates a table about the store `store` that is not part of it; error messages call the file `path`. Times are
    /// unsigned if those of the store are.
    pub fn outside(
        file: W,
        path: &Path,
        table: &TableColumns,
        store: &Manifest,
    ) -> Result<Self, TraceError> {
        let is_wide = store.wide_fields().is_none_or(|fields| fields.time);
        let is_time = |name: &str| table.column(name).is_some_and(Column::is_time);
        let schema = without_sign(&table.schema(), |name| is_wide && is_time(name));
        let properties = declared_properties(table, VERSION, ZstdLevel::default());
        Self::within(file, path, table, schema, properties.build(), store.clock())
    }

    fn within(
        file: W,
        path: &Path,
        table: &TableColumns,
        schema: Schema,
        properties: WriterProperties,
        clock: Clock,
    ) -> Result<Self, TraceError> {
        let options = ArrowWriterOptions::new().with_properties(properties);
        let mut writer = TableWriter::new(file, path, table.name, schema, options)?;
        if table.has_times() {
            writer.add_metadata(clock_entries(clock));
        }
        Ok(Self(writer))
    }

    /// Appends rows, given as the columns of the table in order.
    pub fn write(&mut self, columns: Vec<NamedColumn>) -> Result<(), TraceError> {
        self.0.write(columns)
    }

    /// Completes the table. Returns the number of its rows, and the file.
    pub fn close(self) -> Result<(u64, W), TraceError> {
        self.0.into_inner()
    }

    /// Returns a dictionary column whose values are the `words` with the given numbers.
    pub fn words(&self, numbers: Int32Array, words: &ArrayRef) -> Result<ArrayRef, TraceError> {
        let column = DictionaryArray::<Int32Type>::try_new(numbers, Arc::clone(words));
        Ok(Arc::new(column.writing(self.0.path())?))
    }
}

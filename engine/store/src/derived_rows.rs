//! Reads derived tables, those of a store and those in a folder of their own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io, iter};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use foldtrace_columns::TableColumns;
use foldtrace_trace::TraceError;
use parquet::file::reader::ChunkReader;

use crate::reader::StoreReader;
use crate::tables::{Portion, read_batches};

/// The rows of a derived table in batches.
pub struct DerivedRows {
    schema: SchemaRef,
    batches: Batches,
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, TraceError>> + Send>;

impl DerivedRows {
    /// Returns the columns of all batches.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl fmt::Debug for DerivedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = &self.schema;
        f.debug_struct("DerivedRows")
            .field("schema", schema)
            .finish_non_exhaustive()
    }
}

impl Iterator for DerivedRows {
    type Item = Result<RecordBatch, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.next()
    }
}

impl StoreReader {
    /// Returns a portion of the rows of the derived table at `path`, which is a file or a folder of parts; `None` if it was not
    /// derived.
    /// A part is opened when the rows before it have been read.
    ///
    /// # Errors
    /// Returns an error if the table is damaged, or has other columns.
    pub fn derived_rows(
        &self,
        path: &str,
        table: &TableColumns,
        portion: Portion,
    ) -> Result<Option<DerivedRows>, TraceError> {
        let within = format!("{path}/");
        let files = self.manifest().files.iter();
        let files = files.filter(|file| file.path == path || file.path.starts_with(&within));
        let files: Vec<String> = files.map(|file| file.path.clone()).collect();
        let folder = self.folder().clone();
        let open = move |file: String| Ok((folder.path_of(&file), folder.file(&file)?));
        rows_of(files, open, table, portion)
    }
}

/// Returns a portion of the rows of the derived table at `path` in a folder that is no store; `None` if there are none.
///
/// # Errors
/// Returns an error if the table cannot be read, or has other columns.
pub fn derived_rows_in(
    folder: &Path,
    path: &str,
    table: &TableColumns,
    portion: Portion,
) -> Result<Option<DerivedRows>, TraceError> {
    let path = folder.join(path);
    let files = parts(&path).map_err(|error| TraceError::unreadable(&path, error))?;
    let open = |file: PathBuf| match File::open(&file) {
        Ok(open) => Ok((file, open)),
        Err(error) => Err(TraceError::unreadable(&file, error)),
    };
    rows_of(files, open, table, portion)
}

/// Returns the files of a table in order.
fn parts(table: &Path) -> io::Result<Vec<PathBuf>> {
    if !table.is_dir() {
        return Ok(table
            .exists()
            .then(|| table.to_owned())
            .into_iter()
            .collect());
    }
    let entries = fs::read_dir(table)?.map(|entry| Ok(entry?.path()));
    let mut files = entries.collect::<io::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

/// Returns the rows of the files of a table, the first of which is opened at once.
fn rows_of<F: Send + 'static, R: ChunkReader + 'static>(
    files: Vec<F>,
    open: impl Fn(F) -> Result<(PathBuf, R), TraceError> + Send + 'static,
    table: &TableColumns,
    portion: Portion,
) -> Result<Option<DerivedRows>, TraceError> {
    let columns = table.columns;
    let read = move |file: F| {
        let (path, file) = open(file)?;
        read_batches(&path, file, columns, portion)
    };
    let mut files = files.into_iter();
    let Some(first) = files.next() else {
        return Ok(None);
    };
    let (schema, first) = read(first)?;
    let others = files.flat_map(move |file| match read(file) {
        Ok((_, rows)) => Box::new(rows) as Batches,
        Err(error) => Box::new(iter::once(Err(error))),
    });
    let batches = Box::new(first.chain(others));
    Ok(Some(DerivedRows { schema, batches }))
}

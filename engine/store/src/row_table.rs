//! Writes tables about a store row by row.

use std::io::Write;
use std::mem;
use std::path::Path;

use foldtrace_columns::TableColumns;
use foldtrace_trace::TraceError;

use crate::derived_table::DerivedTable;
use crate::folder::Manifest;
use crate::tables::NamedColumn;

/// The number of rows that are buffered before they are encoded.
const WAITING: usize = 1 << 13;

/// A row of a table about a store.
pub trait TableRow: Sized {
    /// The table.
    const TABLE: TableColumns;

    /// Converts rows to the columns of the table, in order.
    ///
    /// # Errors
    /// Returns an error if a word has no number in `table`.
    fn columns<W: Write + Send>(
        rows: &[Self],
        table: &DerivedTable<W>,
    ) -> Result<Vec<NamedColumn>, TraceError>;
}

/// A table about a store that is not part of it. Its rows come one after the other.
pub struct RowTable<R: TableRow, W: Write + Send> {
    table: DerivedTable<W>,
    rows: Vec<R>,
}

impl<R: TableRow, W: Write + Send> RowTable<R, W> {
    /// Starts a table about the store `store` in `file`, whose path is `path`.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn new(file: W, path: &Path, store: &Manifest) -> Result<Self, TraceError> {
        Ok(Self {
            table: DerivedTable::outside(file, path, &R::TABLE, store)?,
            rows: Vec::with_capacity(WAITING),
        })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn push(&mut self, row: R) -> Result<(), TraceError> {
        self.rows.push(row);
        if self.rows.len() < WAITING {
            return Ok(());
        }
        self.flush()
    }

    /// Completes the table. Returns the number of rows, and the file.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish(mut self) -> Result<(u64, W), TraceError> {
        self.flush()?;
        self.table.close()
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let mut rows = mem::take(&mut self.rows);
        self.table.write(R::columns(&rows, &self.table)?)?;
        rows.clear();
        self.rows = rows;
        Ok(())
    }
}

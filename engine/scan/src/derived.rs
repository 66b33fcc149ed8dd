//! Reads the rows of a derived table.

use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use foldtrace_derive::Table;
use foldtrace_store::{DerivedRows, Portion, StoreReader};
use foldtrace_trace::{ErrorKind, Place, TraceError};

use crate::Nanoseconds;

/// A reader of the rows of a derived table, with times in nanoseconds.
#[derive(Debug)]
pub struct DerivedScan {
    rows: DerivedRows,
    conversion: Nanoseconds,
    table: &'static str,
}

impl DerivedScan {
    /// Begins to read a table that was derived from a store, in the store or in `folder`.
    ///
    /// # Errors
    /// Returns an error if the table was not derived there, or if it is damaged.
    pub fn open(
        store: &StoreReader,
        table: Table,
        folder: Option<&Path>,
    ) -> Result<Self, TraceError> {
        let rows = match folder {
            Some(folder) => table.rows_in(folder, Portion::ALL)?,
            None => table.rows(store, Portion::ALL)?,
        };
        let columns = table.columns();
        let missing = || {
            let message = format!("the table '{}' was not derived", columns.name);
            TraceError::new(ErrorKind::Unreadable, message)
                .at(Place::file(folder.unwrap_or(store.path())))
        };
        let rows = rows.ok_or_else(missing)?;
        Ok(Self {
            conversion: Nanoseconds::new(columns, &rows.schema(), store.manifest().clock()),
            rows,
            table: columns.name,
        })
    }

    /// Returns the columns of all batches.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.conversion.schema()
    }
}

impl Iterator for DerivedScan {
    type Item = Result<RecordBatch, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows = self.rows.next()?;
        Some(rows.and_then(|rows| {
            let converted = self.conversion.convert(&rows);
            converted.map_err(|error| {
                let message = format!("the table '{}' has other columns", self.table);
                TraceError::new(ErrorKind::Internal, message).caused_by(error)
            })
        }))
    }
}

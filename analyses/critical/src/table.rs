//! Writes the table of segments, which `analyses/critical/README.md` describes.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, UInt64Array};
use foldtrace_store::columns::ColumnType::{Id, Number};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{DerivedTable, Manifest};
use foldtrace_trace::TraceError;

use crate::{Segment, Sink};

/// The number of rows that are buffered before they are encoded.
const WAITING: usize = 1 << 13;

/// The columns of the table.
pub const SEGMENTS: TableColumns = TableColumns {
    name: "critical",
    columns: &[
        Column::required("location", Id, "the location"),
        Column::required(
            "begin",
            Number,
            "corrected time at which the segment begins, in ticks",
        )
        .unit(Unit::Time)
        .delta(),
        Column::required("end", Number, "corrected time at which it ends, in ticks")
            .unit(Unit::Time)
            .delta(),
        Column::optional(
            "waited_position",
            Number,
            "position at which the location enters the call in which it waits until the segment begins",
        )
        .delta(),
        Column::optional(
            "released_position",
            Number,
            "position at which it enters the call that ends the waiting of the next segment's location",
        )
        .delta(),
    ],
    sorted_by: &[],
};

/// A sink that writes a row for each segment.
pub struct SegmentTable<W: Write + Send> {
    table: DerivedTable<W>,
    rows: Vec<Segment>,
}

impl<W: Write + Send> SegmentTable<W> {
    /// Starts the table of the critical path of the store `store` in `file`, whose path is `path`.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn new(file: W, path: &Path, store: &Manifest) -> Result<Self, TraceError> {
        Ok(Self {
            table: DerivedTable::outside(file, path, &SEGMENTS, store)?,
            rows: Vec::with_capacity(WAITING),
        })
    }

    /// Completes the table; returns the number of rows, and the file.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish(mut self) -> Result<(u64, W), TraceError> {
        self.flush()?;
        self.table.close()
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let column = |value: fn(&Segment) -> Option<u64>| -> ArrayRef {
            Arc::new(self.rows.iter().map(value).collect::<UInt64Array>())
        };
        let columns = vec![
            ("location", column(|row| Some(row.location.0))),
            ("begin", column(|row| Some(row.begin.0))),
            ("end", column(|row| Some(row.end.0))),
            ("waited_position", column(|row| Some(row.waited?.0))),
            ("released_position", column(|row| Some(row.released?.0))),
        ];
        self.rows.clear();
        self.table.write(columns)
    }
}

impl<W: Write + Send> Sink for SegmentTable<W> {
    fn segment(&mut self, segment: &Segment) -> Result<(), TraceError> {
        self.rows.push(*segment);
        if self.rows.len() < WAITING {
            return Ok(());
        }
        self.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_are_those_of_the_page() {
        let page = include_str!("../README.md");
        for column in SEGMENTS.columns {
            assert!(column.is_described_in(page), "{column:?}");
        }
    }
}

//! Writes the table of segments, which `analyses/critical/README.md` describes.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, UInt64Array};
use foldtrace_store::columns::ColumnType::{Id, Number};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{DerivedTable, NamedColumn, RowTable, TableRow};
use foldtrace_trace::TraceError;

use crate::{Segment, Sink};

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
pub type SegmentTable<W> = RowTable<Segment, W>;

impl TableRow for Segment {
    const TABLE: TableColumns = SEGMENTS;

    fn columns<W: Write + Send>(
        rows: &[Self],
        _: &DerivedTable<W>,
    ) -> Result<Vec<NamedColumn>, TraceError> {
        let column = |value: fn(&Segment) -> Option<u64>| -> ArrayRef {
            Arc::new(rows.iter().map(value).collect::<UInt64Array>())
        };
        Ok(vec![
            ("location", column(|row| Some(row.location.0))),
            ("begin", column(|row| Some(row.begin.0))),
            ("end", column(|row| Some(row.end.0))),
            ("waited_position", column(|row| Some(row.waited?.0))),
            ("released_position", column(|row| Some(row.released?.0))),
        ])
    }
}

impl<W: Write + Send> Sink for SegmentTable<W> {
    fn segment(&mut self, segment: &Segment) -> Result<(), TraceError> {
        self.push(*segment)
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

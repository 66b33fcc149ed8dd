//! Writes the table of wait states, which `analyses/waits/README.md` describes.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, UInt64Array};
use foldtrace_store::columns::ColumnType::{Id, Number, Word};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{DerivedTable, NamedColumn, RowTable, TableRow};
use foldtrace_trace::TraceError;

use crate::{Class, Sink, WaitState};

/// The columns of the table.
pub const WAITS: TableColumns = TableColumns {
    name: "waits",
    columns: &[
        Column::required("location", Id, "the location that waits"),
        Column::required("position", Number, "position at which it enters the call").delta(),
        Column::required("class", Word, "the class of the wait state"),
        Column::required(
            "start",
            Number,
            "corrected time at which it enters the call, in ticks",
        )
        .unit(Unit::Time)
        .delta(),
        Column::required("waited", Number, "the time that it waits, in ticks").unit(Unit::Duration),
        Column::required("late_location", Id, "the location that it waits for"),
        Column::required(
            "late_position",
            Number,
            "position at which that location enters the call that ends the waiting",
        )
        .delta(),
        Column::required(
            "cause_location",
            Id,
            "the location whose work is the main cause",
        ),
        Column::optional(
            "cause_loop",
            Number,
            "the outermost loop of that work, by its number in the model of its location, from 1",
        ),
        Column::optional(
            "cause_iteration",
            Number,
            "the iteration of that loop, from 0",
        )
        .delta(),
    ],
    sorted_by: &[],
};

/// A sink that writes a row for each wait state.
pub type WaitsTable<W> = RowTable<WaitState, W>;

impl TableRow for WaitState {
    const TABLE: TableColumns = WAITS;

    fn columns<W: Write + Send>(
        rows: &[Self],
        table: &DerivedTable<W>,
    ) -> Result<Vec<NamedColumn>, TraceError> {
        let names: ArrayRef = Arc::new(StringArray::from_iter_values(Class::ALL.map(Class::name)));
        let wide = |value: fn(&WaitState) -> Option<u64>| -> ArrayRef {
            Arc::new(rows.iter().map(value).collect::<UInt64Array>())
        };
        let classes = rows.iter().map(|row| Some(row.class as i32));
        Ok(vec![
            ("location", wide(|row| Some(row.location.0))),
            ("position", wide(|row| Some(row.position.0))),
            ("class", table.words(classes.collect(), &names)?),
            ("start", wide(|row| Some(row.start.0))),
            ("waited", wide(|row| Some(row.ticks))),
            ("late_location", wide(|row| Some(row.late.0))),
            ("late_position", wide(|row| Some(row.late_position.0))),
            ("cause_location", wide(|row| Some(row.cause.0))),
            (
                "cause_loop",
                wide(|row| Some(row.cause_iteration?.0.into())),
            ),
            (
                "cause_iteration",
                wide(|row| Some(row.cause_iteration?.1.into())),
            ),
        ])
    }
}

impl<W: Write + Send> Sink for WaitsTable<W> {
    fn wait(&mut self, wait: &WaitState) -> Result<(), TraceError> {
        self.push(*wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_are_those_of_the_page() {
        let page = include_str!("../README.md");
        for column in WAITS.columns {
            assert!(column.is_described_in(page), "{column:?}");
        }
    }
}

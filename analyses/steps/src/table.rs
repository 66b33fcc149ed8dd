//! Writes the table of steps, which `analyses/steps/README.md` describes.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, UInt64Array};
use foldtrace_store::columns::ColumnType::{Id, Number, Word};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{DerivedTable, NamedColumn, RowTable, TableRow};
use foldtrace_trace::TraceError;

use crate::{Class, Kind, Sink, StepEvent};

/// The columns of the table.
pub const STEPS: TableColumns = TableColumns {
    name: "steps",
    columns: &[
        Column::required("location", Id, "its location").delta(),
        Column::required("position", Number, "position of its first event").delta(),
        Column::required("events", Number, "number of its events"),
        Column::required("kind", Word, "`aggregate`, `send`, `receive`, `collective`"),
        Column::required("partition", Number, "number of its partition").delta(),
        Column::required("step", Number, "its step").delta(),
        Column::required("start", Number, "its start, in ticks")
            .unit(Unit::Time)
            .delta(),
        Column::required("end", Number, "its end, in ticks")
            .unit(Unit::Time)
            .delta(),
        Column::required("lateness", Number, "lateness, in ticks").unit(Unit::Duration),
        Column::required(
            "differential_lateness",
            Number,
            "differential lateness, in ticks",
        )
        .unit(Unit::Duration),
        Column::optional(
            "class",
            Word,
            "`created`, `late_to_start`, `late_sender`, `message`",
        ),
    ],
    sorted_by: &["partition", "step"],
};

/// A sink that writes a row for each operation and aggregate.
pub type StepsTable<W> = RowTable<StepEvent, W>;

impl TableRow for StepEvent {
    const TABLE: TableColumns = STEPS;

    fn columns<W: Write + Send>(
        rows: &[Self],
        table: &DerivedTable<W>,
    ) -> Result<Vec<NamedColumn>, TraceError> {
        let names = |words: [&'static str; 4]| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(words))
        };
        let wide = |value: fn(&StepEvent) -> u64| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(rows.iter().map(value)))
        };
        let kinds = rows.iter().map(|row| Some(row.kind as i32));
        let classes = rows.iter().map(|row| Some(row.class? as i32));
        Ok(vec![
            ("location", wide(|row| row.location.0)),
            ("position", wide(|row| row.position.0)),
            ("events", wide(|row| row.events)),
            (
                "kind",
                table.words(kinds.collect(), &names(Kind::ALL.map(Kind::name)))?,
            ),
            ("partition", wide(|row| row.partition)),
            ("step", wide(|row| row.step)),
            ("start", wide(|row| row.start.0)),
            ("end", wide(|row| row.end.0)),
            ("lateness", wide(|row| row.lateness)),
            (
                "differential_lateness",
                wide(|row| row.differential_lateness),
            ),
            (
                "class",
                table.words(classes.collect(), &names(Class::ALL.map(Class::name)))?,
            ),
        ])
    }
}

impl<W: Write + Send> Sink for StepsTable<W> {
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.push(*event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_are_those_of_the_page() {
        let page = include_str!("../README.md");
        for column in STEPS.columns {
            assert!(column.is_described_in(page), "{column:?}");
        }
        assert_eq!(STEPS.sorting().count(), STEPS.sorted_by.len());
    }
}

//! Writes the table of steps, which `analyses/steps/README.md` describes.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, UInt64Array};
use foldtrace_store::columns::ColumnType::{Id, Number, Word};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{DerivedTable, Manifest};
use foldtrace_trace::TraceError;

use crate::{Class, Kind, Sink, StepEvent};

/// The number of rows that are buffered before they are encoded.
const WAITING: usize = 1 << 13;

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
pub struct StepsTable<W: Write + Send> {
    table: DerivedTable<W>,
    rows: Vec<StepEvent>,
    kinds: ArrayRef,
    classes: ArrayRef,
}

impl<W: Write + Send> StepsTable<W> {
    /// Starts the table of the steps of the store `store` in `file`, whose path is `path`.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn new(file: W, path: &Path, store: &Manifest) -> Result<Self, TraceError> {
        let words = |words: [&'static str; 4]| Arc::new(StringArray::from_iter_values(words));
        Ok(Self {
            table: DerivedTable::outside(file, path, &STEPS, store)?,
            rows: Vec::with_capacity(WAITING),
            kinds: words(Kind::ALL.map(Kind::name)),
            classes: words(Class::ALL.map(Class::name)),
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
        let wide = |value: fn(&StepEvent) -> u64| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(self.rows.iter().map(value)))
        };
        let kinds = self.rows.iter().map(|row| Some(row.kind as i32));
        let classes = self.rows.iter().map(|row| Some(row.class? as i32));
        let columns = vec![
            ("location", wide(|row| row.location.0)),
            ("position", wide(|row| row.position.0)),
            ("events", wide(|row| row.events)),
            ("kind", self.table.words(kinds.collect(), &self.kinds)?),
            ("partition", wide(|row| row.partition)),
            ("step", wide(|row| row.step)),
            ("start", wide(|row| row.start.0)),
            ("end", wide(|row| row.end.0)),
            ("lateness", wide(|row| row.lateness)),
            (
                "differential_lateness",
                wide(|row| row.differential_lateness),
            ),
            ("class", self.table.words(classes.collect(), &self.classes)?),
        ];
        self.rows.clear();
        self.table.write(columns)
    }
}

impl<W: Write + Send> Sink for StepsTable<W> {
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        self.rows.push(*event);
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
        for column in STEPS.columns {
            assert!(column.is_described_in(page), "{column:?}");
        }
        assert_eq!(STEPS.sorting().count(), STEPS.sorted_by.len());
    }
}

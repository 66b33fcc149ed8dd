//! The tables of a correction: the clocks of the locations, and their knots.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use foldtrace_store::columns::ColumnType::{Id, Number, Signed, Word};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{Derived, DerivedFolder, DerivedTable, Portion, StoreReader, Written};
use foldtrace_trace::{ErrorKind, LocationId, Place, Position, Timestamp, TraceError};

use crate::correction::{Correction, LocationClock, Method};
use crate::knots::{Knot, Knots};
use crate::line::Line;

/// The columns of the table of clocks.
const CLOCKS: TableColumns = TableColumns {
    name: Derived::CLOCKS_NAME,
    columns: &[
        Column::required(
            "location",
            Id,
            "id of a location that communicates or is corrected",
        ),
        Column::required(
            "method",
            Word,
            "`offset` or `controlled`, the same in all rows",
        ),
        Column::required(
            "violations_before",
            Number,
            "number of its events that are earlier than an event on which they depend",
        ),
        Column::required("violations_after", Number, "the same in corrected times"),
        Column::optional(
            "origin",
            Number,
            "a recorded time; null if times stay as recorded",
        )
        .unit(Unit::Time),
        Column::optional("start", Number, "the estimated time at `origin`").unit(Unit::Time),
        Column::optional(
            "rate",
            Signed,
            "ticks that the clock loses per tick, in units of 2^-40",
        ),
    ],
    sorted_by: &["location"],
};

/// The columns of the table of knots.
const KNOTS: TableColumns = TableColumns {
    name: Derived::KNOTS_NAME,
    columns: &[
        Column::required("location", Id, "id of the location").delta(),
        Column::required("position", Number, "position of an event").delta(),
        Column::required("estimated", Number, "its estimated time")
            .unit(Unit::Time)
            .delta(),
        Column::required("corrected", Number, "its corrected time")
            .unit(Unit::Time)
            .delta(),
    ],
    sorted_by: &["location", "position"],
};

/// The number of knots that are encoded at once.
const ROWS: usize = 1 << 13;

impl Correction {
    /// Writes the tables of the correction. Returns their files.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn write(&self, folder: DerivedFolder<'_>) -> Result<Vec<Written>, TraceError> {
        let mut table = folder.create(Derived::Clock.path(), &CLOCKS)?;
        let words: ArrayRef = Arc::new(StringArray::from(vec![self.method.name()]));
        let column = |value: fn(LocationId, &LocationClock) -> u64| -> ArrayRef {
            let values = self
                .clocks()
                .map(|(location, clock)| value(location, clock));
            Arc::new(values.collect::<UInt64Array>())
        };
        let of_line = |value: fn(Line) -> u64| -> ArrayRef {
            let values = self.clocks().map(|(_, clock)| clock.line.map(value));
            Arc::new(values.collect::<UInt64Array>())
        };
        let rates = self
            .clocks()
            .map(|(_, clock)| clock.line.map(|line| line.rate));
        let methods = table.words(Int32Array::from(vec![0; self.clocks.len()]), &words)?;
        table.write(vec![
            ("location", column(|location, _| location.0)),
            ("method", methods),
            (
                "violations_before",
                column(|_, clock| clock.violations_before),
            ),
            (
                "violations_after",
                column(|_, clock| clock.violations_after),
            ),
            ("origin", of_line(|line| line.origin.0)),
            ("start", of_line(|line| line.start.0)),
            ("rate", Arc::new(rates.collect::<Int64Array>())),
        ])?;
        let (_, clocks) = table.finish()?;
        let mut table = folder.create(Derived::KNOTS, &KNOTS)?;
        let mut rows: Vec<(LocationId, Knot)> = Vec::with_capacity(ROWS);
        for (location, clock) in self.clocks() {
            for knot in clock.knots.iter() {
                rows.push((location, knot));
                if rows.len() == ROWS {
                    write_knots(&mut table, &mut rows)?;
                }
            }
        }
        write_knots(&mut table, &mut rows)?;
        let (_, knots) = table.finish()?;
        Ok(vec![clocks, knots])
    }

    /// Returns the number of knots of all locations.
    #[must_use]
    pub fn knots(&self) -> u64 {
        self.clocks
            .values()
            .map(|clock| clock.knots.len() as u64)
            .sum()
    }
}

fn write_knots(
    table: &mut DerivedTable,
    rows: &mut Vec<(LocationId, Knot)>,
) -> Result<(), TraceError> {
    let column = |value: fn(&(LocationId, Knot)) -> u64| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<UInt64Array>())
    };
    table.write(vec![
        ("location", column(|(location, _)| location.0)),
        ("position", column(|(_, knot)| knot.position.0)),
        ("estimated", column(|(_, knot)| knot.time.0)),
        ("corrected", column(|(_, knot)| knot.corrected.0)),
    ])?;
    rows.clear();
    Ok(())
}

/// Reads the correction of a store; `None` if it has none.
///
/// # Errors
/// Returns an error if a table is damaged.
pub(crate) fn read(store: &StoreReader) -> Result<Option<Correction>, TraceError> {
    let Some(batches) = store.derived_rows(Derived::Clock.path(), &CLOCKS, Portion::ALL)? else {
        return Ok(None);
    };
    let mut correction = Correction {
        is_counted: true,
        ..Correction::default()
    };
    for batch in batches {
        let batch = batch?;
        let damaged = |message: &str| damaged(store, Derived::Clock.path(), message);
        let names = [
            "location",
            "violations_before",
            "violations_after",
            "origin",
            "start",
            "rate",
        ];
        let columns = numbers(&batch, names);
        let [locations, before, after, origins, starts, rates] =
            columns.ok_or_else(|| damaged("a column is missing"))?;
        let methods = batch
            .column_by_name("method")
            .map(|it| arrow::compute::cast(it, &arrow::datatypes::DataType::Utf8));
        let methods = methods.and_then(Result::ok);
        let methods = methods
            .as_ref()
            .and_then(|it| it.as_any().downcast_ref::<StringArray>());
        let methods = methods.ok_or_else(|| damaged("column 'method' is missing"))?;
        for row in 0..batch.num_rows() {
            correction.method = Method::from_name(methods.value(row))
                .ok_or_else(|| damaged("a method is unknown"))?;
            let line = Line {
                origin: Timestamp(origins.value(row)),
                start: Timestamp(starts.value(row)),
                rate: rates.value(row) as i64,
            };
            let clock = LocationClock {
                line: origins.is_valid(row).then_some(line),
                knots: Knots::default(),
                violations_before: before.value(row),
                violations_after: after.value(row),
            };
            correction
                .clocks
                .insert(LocationId(locations.value(row)), clock);
        }
    }
    read_knots(store, &mut correction)?;
    Ok(Some(correction))
}

fn read_knots(store: &StoreReader, correction: &mut Correction) -> Result<(), TraceError> {
    let damaged = |message: &str| damaged(store, Derived::KNOTS, message);
    let batches = store.derived_rows(Derived::KNOTS, &KNOTS, Portion::ALL)?;
    for batch in batches.ok_or_else(|| damaged("the table is missing"))? {
        let batch = batch?;
        let columns = numbers(&batch, ["location", "position", "estimated", "corrected"]);
        let [locations, positions, times, corrected] =
            columns.ok_or_else(|| damaged("a column is missing"))?;
        for row in 0..batch.num_rows() {
            let location = LocationId(locations.value(row));
            let clock = correction.clocks.get_mut(&location);
            let knots = &mut clock
                .ok_or_else(|| damaged("a location has knots and no clock"))?
                .knots;
            let knot = Knot {
                position: Position(positions.value(row)),
                time: Timestamp(times.value(row)),
                corrected: Timestamp(corrected.value(row)),
            };
            if knots
                .last()
                .is_some_and(|last| last.position >= knot.position)
            {
                return Err(damaged("the knots of a location are not in order"));
            }
            knots.push(knot);
        }
    }
    Ok(())
}

/// Returns columns of 64-bit numbers.
fn numbers<const N: usize>(batch: &RecordBatch, names: [&str; N]) -> Option<[UInt64Array; N]> {
    let columns = names.map(|name| foldtrace_store::columns::numbers(batch.column_by_name(name)?));
    let columns: Option<Vec<UInt64Array>> = columns.into_iter().collect();
    columns?.try_into().ok()
}

fn damaged(store: &StoreReader, path: &str, message: &str) -> TraceError {
    let place = Place {
        file: Some(store.path().join(path)),
        ..Place::default()
    };
    TraceError::new(ErrorKind::Malformed, message).at(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_are_those_of_store_md() {
        let page = include_str!("../../../schemas/store.md");
        for (path, table) in [(Derived::Clock.path(), &CLOCKS), (Derived::KNOTS, &KNOTS)] {
            let is_about = |section: &&str| section.starts_with(&format!("`{path}`\n"));
            let section = page.split("\n### ").find(is_about).unwrap_or_default();
            for column in table.columns {
                assert!(column.is_described_in(section), "{path}: {column:?}");
            }
        }
    }
}

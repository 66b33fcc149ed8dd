//! Writes the table of iterations, which `analyses/efficiency/README.md` describes.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, UInt64Array};
use foldtrace_store::columns::ColumnType::{Double, Number};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{DerivedTable, NamedColumn, RowTable, TableRow};
use foldtrace_trace::TraceError;

use crate::{Factors, Sink, TimedIteration};

/// The columns of the table.
pub const ITERATIONS: TableColumns = TableColumns {
    name: "iterations",
    columns: &[
        Column::required(
            "loop",
            Number,
            "the phase, by the number of its loop in the global model",
        ),
        Column::required("iteration", Number, "the number of the iteration, from 0").delta(),
        Column::required(
            "processes",
            Number,
            "the number of processes that execute it",
        ),
        Column::required(
            "runtime",
            Number,
            "the time that the slowest process takes, in ticks",
        )
        .unit(Unit::Duration),
        Column::required(
            "ideal_runtime",
            Number,
            "the same on an ideal network, in ticks",
        )
        .unit(Unit::Duration),
        Column::required(
            "useful",
            Number,
            "the useful time of all processes together, in ticks",
        )
        .unit(Unit::Duration),
        Column::required(
            "useful_max",
            Number,
            "the useful time of the process with most of it, in ticks",
        )
        .unit(Unit::Duration),
        Column::required("parallel", Double, "the parallel efficiency"),
        Column::required("load_balance", Double, "the load balance"),
        Column::required("serialisation", Double, "the serialisation efficiency"),
        Column::required("transfer", Double, "the transfer efficiency"),
    ],
    sorted_by: &[],
};

/// A sink that writes a row for each iteration.
pub type IterationTable<W> = RowTable<TimedIteration, W>;

impl TableRow for TimedIteration {
    const TABLE: TableColumns = ITERATIONS;

    fn columns<W: Write + Send>(
        rows: &[Self],
        _: &DerivedTable<W>,
    ) -> Result<Vec<NamedColumn>, TraceError> {
        let number = |value: fn(&TimedIteration) -> u64| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(rows.iter().map(value)))
        };
        let share = |value: fn(&Factors) -> f64| -> ArrayRef {
            let values = rows.iter().map(|row| value(&row.factors));
            Arc::new(Float64Array::from_iter_values(values))
        };
        Ok(vec![
            ("loop", number(|row| row.r#loop)),
            ("iteration", number(|row| row.index)),
            ("processes", number(|row| row.factors.processes)),
            ("runtime", number(|row| row.factors.runtime)),
            ("ideal_runtime", number(|row| row.factors.ideal_runtime)),
            ("useful", number(|row| row.factors.useful)),
            ("useful_max", number(|row| row.factors.useful_max)),
            ("parallel", share(Factors::parallel)),
            ("load_balance", share(Factors::load_balance)),
            ("serialisation", share(Factors::serialisation)),
            ("transfer", share(Factors::transfer)),
        ])
    }
}

impl<W: Write + Send> Sink for IterationTable<W> {
    fn iteration(&mut self, iteration: &TimedIteration) -> Result<(), TraceError> {
        self.push(*iteration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_are_those_of_the_page() {
        let page = include_str!("../README.md");
        for column in ITERATIONS.columns {
            assert!(column.is_described_in(page), "{column:?}");
        }
    }
}

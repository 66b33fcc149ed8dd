//! Writes the table of iterations: a file for each part of the store, with a row for each iteration of
//! each loop in the models of its locations.
//!
//! The model gives the positions at which iterations begin and end, in ascending order. So the times of a
//! location are read once, from the first event to the last, and a row is complete when its iteration
//! ends.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use foldtrace_fold::{Construct, Model};
use foldtrace_store::columns::ColumnType::{Id, Int32, Number, Word};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{Derived, DerivedFolder, DerivedTable, LocationStream, StoreReader, Written};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{ErrorKind, LocationId, Place, Position, SymbolId, Timestamp, TraceError};

use super::rows::{Dictionary, WAITING, place, wide, words};

/// The columns of the table.
pub(crate) const ITERATIONS: TableColumns = TableColumns {
    name: Derived::Iterations.name(),
    columns: &[
        Column::required("location", Id, "id of the location").delta(),
        Column::optional("rank", Number, "rank of its process"),
        Column::optional("thread", Number, "number of the location in its process"),
        Column::required(
            "loop",
            Word,
            "number of the loop in the model of its location: constructs count from 1, and \
             those of a body are prefixed with the number of their loop, as in `3.1`",
        ),
        Column::required("depth", Int32, "number of enclosing loops"),
        Column::required(
            "instance",
            Number,
            "number of earlier executions of the loop in its location",
        )
        .delta(),
        Column::required(
            "iteration",
            Number,
            "number of earlier iterations of this execution",
        )
        .delta(),
        Column::required("first_position", Number, "position of its first event").delta(),
        Column::required("last_position", Number, "position of its last event").delta(),
        Column::required("start", Number, "time of its first event")
            .unit(Unit::Time)
            .delta(),
        Column::required("end", Number, "time of its last event")
            .unit(Unit::Time)
            .delta(),
    ],
    sorted_by: &["location", "last_position"],
};

/// An iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Iteration {
    /// The number of the loop, as a key of the dictionary of the column `loop`.
    number: i32,
    /// The number of loops around the loop.
    depth: u32,
    /// The number of earlier executions of the loop in its location.
    instance: u64,
    /// The number of earlier iterations in the same execution of the loop.
    iteration: u64,
    first: Position,
    last: Position,
    start: Timestamp,
    end: Timestamp,
}

/// A writer of the iterations of some locations, which come one after the other.
pub(super) struct IterationsWriter<'a> {
    table: DerivedTable,
    store: &'a StoreReader,
    progress: &'a Progress,
    location: LocationId,
    numbers: Dictionary,
    rows: Vec<Iteration>,
}

impl<'a> IterationsWriter<'a> {
    /// Begins part number `number`.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn create(
        number: u32,
        folder: DerivedFolder<'a>,
        progress: &'a Progress,
    ) -> Result<Self, TraceError> {
        let path = Derived::Iterations.part_path(number);
        Ok(Self {
            table: folder.create(&path, &ITERATIONS)?,
            store: folder.store,
            progress,
            location: LocationId::default(),
            numbers: Dictionary::default(),
            rows: Vec::with_capacity(WAITING),
        })
    }

    /// Writes the iterations of a location.
    ///
    /// # Errors
    /// Returns an error if the store is damaged, the output cannot be written, or the work was stopped.
    pub fn write(&mut self, location: LocationId, model: &Model) -> Result<(), TraceError> {
        self.flush()?;
        self.location = location;
        let mut walk = Walk {
            position: 0,
            indices: Vec::new(),
            times: Times::new(self.store, self.progress, location),
        };
        let loops = numbered(&model.constructs, "", &mut self.numbers);
        walk.constructs(&model.constructs, &mut self.instances(&loops), self)
    }

    /// Returns the counters of loops that have not been executed yet.
    fn instances(&self, loops: &[Numbered]) -> Vec<Executed> {
        let executed = loops.iter().map(|inner| Executed {
            number: inner.number,
            instances: 0,
            body: self.instances(&inner.body),
        });
        executed.collect()
    }

    fn push(&mut self, iteration: Iteration) -> Result<(), TraceError> {
        self.rows.push(iteration);
        if self.rows.len() < WAITING {
            return Ok(());
        }
        self.flush()
    }

    /// Completes the part. Returns its number of rows and its file.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish(mut self) -> Result<(u64, Written), TraceError> {
        self.flush()?;
        self.table.finish()
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let rows = &self.rows;
        let depths = rows.iter().map(|row| row.depth);
        let numbers: ArrayRef = self.numbers.array();
        let mut columns = place(self.store, self.location, rows.len());
        columns.extend([
            (
                "loop",
                words(&self.table, rows, |row| Some(row.number), &numbers)?,
            ),
            ("depth", Arc::new(UInt32Array::from_iter_values(depths))),
            ("instance", wide(rows, |row| Some(row.instance))),
            ("iteration", wide(rows, |row| Some(row.iteration))),
            ("first_position", wide(rows, |row| Some(row.first.0))),
            ("last_position", wide(rows, |row| Some(row.last.0))),
            ("start", wide(rows, |row| Some(row.start.0))),
            ("end", wide(rows, |row| Some(row.end.0))),
        ]);
        self.table.write(columns)?;
        self.rows.clear();
        Ok(())
    }
}

/// A loop with its number, and the loops in its body.
struct Numbered {
    number: i32,
    body: Vec<Numbered>,
}

/// Returns the loops among `constructs`. Constructs are numbered from 1. In a body, the number of the
/// loop is a prefix: `3.1`.
fn numbered(constructs: &[Construct], around: &str, names: &mut Dictionary) -> Vec<Numbered> {
    let mut loops = Vec::new();
    for (number, construct) in (1..).zip(constructs) {
        if let Construct::Loop(inner) = construct {
            let number = format!("{around}{number}");
            loops.push(Numbered {
                number: names.number(&number),
                body: numbered(&inner.body, &format!("{number}."), names),
            });
        }
    }
    loops
}

/// The number of executions of a loop so far, with the same for the loops in its body.
struct Executed {
    number: i32,
    instances: u64,
    body: Vec<Executed>,
}

/// A walk through a model, from the first event to the last.
struct Walk<'a> {
    /// The position of the next event.
    position: u64,
    /// The indices of the loops around the next event.
    indices: Vec<i64>,
    times: Times<'a>,
}

impl Walk<'_> {
    /// Walks through constructs whose loops are `loops`, and writes their iterations.
    fn constructs(
        &mut self,
        constructs: &[Construct],
        loops: &mut [Executed],
        writer: &mut IterationsWriter<'_>,
    ) -> Result<(), TraceError> {
        let mut loops = loops.iter_mut();
        for construct in constructs {
            let Construct::Loop(inner) = construct else {
                self.position += 1;
                continue;
            };
            let Some(executed) = loops.next() else {
                continue;
            };
            let instance = executed.instances;
            executed.instances += 1;
            let count = inner.count.at(&self.indices);
            for index in 0..count {
                let first = Position(self.position);
                let start = self.times.at(first)?;
                self.indices.push(index);
                self.constructs(&inner.body, &mut executed.body, writer)?;
                self.indices.pop();
                let Some(last) = self.position.checked_sub(1).filter(|&last| last >= first.0)
                else {
                    break;
                };
                writer.push(Iteration {
                    number: executed.number,
                    depth: self.indices.len() as u32,
                    instance,
                    iteration: index as u64,
                    first,
                    last: Position(last),
                    start,
                    end: self.times.at(Position(last))?,
                })?;
            }
        }
        Ok(())
    }
}

/// The times of a location, to be requested in the order of positions.
struct Times<'a> {
    location: LocationId,
    events: LocationStream<'a>,
    progress: &'a Progress,
    symbols: Vec<SymbolId>,
    times: Vec<Timestamp>,
    /// The position of the first of `times`.
    first: u64,
}

impl<'a> Times<'a> {
    fn new(store: &'a StoreReader, progress: &'a Progress, location: LocationId) -> Self {
        Self {
            location,
            events: store.events(location, Position(0)),
            progress,
            symbols: Vec::new(),
            times: Vec::new(),
            first: 0,
        }
    }

    /// Returns the time of the event at `position`, which must not precede the position requested before.
    fn at(&mut self, position: Position) -> Result<Timestamp, TraceError> {
        loop {
            let index = position.0.saturating_sub(self.first) as usize;
            if let Some(&time) = self.times.get(index) {
                return Ok(time);
            }
            self.progress.check()?;
            self.first += self.times.len() as u64;
            self.events.next_times(&mut self.symbols, &mut self.times)?;
            self.progress.count(self.times.len());
            if self.times.is_empty() {
                let message = "the model has more events than the location";
                let place = Place::default().event(self.location, position);
                return Err(TraceError::new(ErrorKind::Malformed, message).at(place));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::check_meanings;

    #[test]
    fn meanings_are_those_of_store_md() {
        check_meanings("derived/iterations/part-NNNNN.parquet", &ITERATIONS);
    }
}

//! Writes the table of calls, in one file per part of the store.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, UInt32Array};
use foldtrace_matching::Call;
use foldtrace_store::columns::ColumnType::{Boolean, Id, Int32, Number, Signed, Word};
use foldtrace_store::columns::{Column, TableColumns, Unit};
use foldtrace_store::{Derived, DerivedFolder, DerivedTable, StoreReader, Written};
use foldtrace_trace::{DefinitionKind, LocationId, Operand, TraceError};

use super::rows::{Dictionary, WAITING, place, position, signed, time, wide, words};

/// The columns of the table.
pub(crate) const CALLS: TableColumns = TableColumns {
    name: Derived::Calls.name(),
    columns: &[
        Column::required("location", Id, "id of the location").delta(),
        Column::optional("rank", Number, "rank of its process"),
        Column::optional("thread", Number, "number of the location in its process"),
        Column::optional("name", Word, "name of the region"),
        Column::optional(
            "region",
            Id,
            "the region; for a calling context, the region of its definition",
        ),
        Column::optional(
            "calling_context",
            Id,
            "the calling context, if the call has one",
        ),
        Column::optional(
            "begin_position",
            Number,
            "position of the enter; null if the call was left without having been entered",
        )
        .delta(),
        Column::optional(
            "end_position",
            Number,
            "position of the leave; null if the call was never left",
        )
        .delta(),
        Column::optional("start", Number, "time of the enter")
            .unit(Unit::Time)
            .delta(),
        Column::optional(
            "duration",
            Signed,
            "ticks from the enter to the leave; null if one is missing",
        )
        .unit(Unit::Since("start"))
        .delta(),
        Column::optional(
            "exclusive",
            Signed,
            "exclusive time: ticks of `duration` in which no call within it was open",
        )
        .unit(Unit::Duration)
        .delta(),
        Column::required("depth", Int32, "number of enclosing calls; 0 is outermost"),
        Column::optional(
            "parent",
            Number,
            "`begin_position` of the enclosing call; null if there is none",
        )
        .delta(),
        Column::required(
            "misnested",
            Boolean,
            "whether it was left before a call within it was",
        ),
        Column::optional("mpi_name", Word, "the MPI routine, as in `symbols.parquet`"),
    ],
    sorted_by: &["location", "end_position"],
};

/// The callee of each symbol.
pub(super) struct Callees {
    of_row: Vec<Callee>,
    names: ArrayRef,
    mpi_names: ArrayRef,
}

#[derive(Clone, Copy, Default)]
struct Callee {
    name: Option<i32>,
    mpi_name: Option<i32>,
    region: Option<u64>,
    context: Option<u64>,
}

impl Callees {
    /// Finds the callees of the symbols of a store.
    #[must_use]
    pub fn new(store: &StoreReader) -> Self {
        let (mut names, mut mpi_names) = (Dictionary::default(), Dictionary::default());
        let of_row = store.symbols().iter().map(|(_, symbol)| {
            let region = store.names().callee(&symbol);
            let name = region.and_then(|id| store.names().name(DefinitionKind::Region, id));
            Callee {
                name: name
                    .filter(|name| !name.is_empty())
                    .map(|name| names.number(name)),
                mpi_name: (store.names().mpi_name(&symbol)).map(|name| mpi_names.number(&name)),
                region,
                context: symbol.get(Operand::CallingContext),
            }
        });
        Self {
            of_row: of_row.collect(),
            names: names.array(),
            mpi_names: mpi_names.array(),
        }
    }

    fn callee(&self, call: &Call) -> Callee {
        let callee = self.of_row.get(call.symbol.row());
        callee.copied().unwrap_or_default()
    }
}

/// A writer of the calls of some locations, which come one after the other.
pub(super) struct CallsWriter<'a> {
    table: DerivedTable,
    store: &'a StoreReader,
    callees: &'a Callees,
    location: LocationId,
    rows: Vec<Call>,
}

impl<'a> CallsWriter<'a> {
    /// Begins part number `number`.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn create(
        number: u32,
        folder: DerivedFolder<'a>,
        callees: &'a Callees,
    ) -> Result<Self, TraceError> {
        Ok(Self {
            table: folder.create(&Derived::Calls.part_path(number), &CALLS)?,
            store: folder.store,
            callees,
            location: LocationId::default(),
            rows: Vec::with_capacity(WAITING),
        })
    }

    /// Starts the calls of `location`.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn begin(&mut self, location: LocationId) -> Result<(), TraceError> {
        self.flush()?;
        self.location = location;
        Ok(())
    }

    /// Appends a call.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn write(&mut self, call: Call) -> Result<(), TraceError> {
        self.rows.push(call);
        if self.rows.len() < WAITING {
            return Ok(());
        }
        self.flush()
    }

    /// Completes the part. Returns its number of calls and its file.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish(mut self) -> Result<(u64, Written), TraceError> {
        self.flush()?;
        self.table.finish()
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let (rows, callees) = (&self.rows, self.callees);
        let ticks = |call: &Call| Some(call.begin?.ticks_to(call.end?));
        let name = |call: &Call| callees.callee(call).name;
        let mpi_name = |call: &Call| callees.callee(call).mpi_name;
        let depths = rows.iter().map(|call| call.depth);
        let misnested = rows.iter().map(|call| Some(call.is_misnested));
        let mut columns = place(self.store, self.location, rows.len());
        columns.extend([
            ("name", words(&self.table, rows, name, &callees.names)?),
            ("region", wide(rows, |call| callees.callee(call).region)),
            (
                "calling_context",
                wide(rows, |call| callees.callee(call).context),
            ),
            ("begin_position", wide(rows, |call| position(call.begin))),
            ("end_position", wide(rows, |call| position(call.end))),
            ("start", wide(rows, |call| time(call.begin))),
            ("duration", signed(rows, ticks)),
            ("exclusive", signed(rows, |call| call.exclusive)),
            ("depth", Arc::new(UInt32Array::from_iter_values(depths))),
            ("parent", wide(rows, |call| Some(call.parent?.0))),
            ("misnested", Arc::new(BooleanArray::from_iter(misnested))),
            (
                "mpi_name",
                words(&self.table, rows, mpi_name, &callees.mpi_names)?,
            ),
        ]);
        self.table.write(columns)?;
        self.rows.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::check_meanings;

    #[test]
    fn meanings_are_those_of_store_md() {
        check_meanings("derived/calls/part-NNNNN.parquet", &CALLS);
    }
}

//! Writes the table of calls, in one file per part of the store.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, UInt32Array};
use foldtrace_matching::Call;
use foldtrace_store::{DerivedTable, StoreReader, Written};
use foldtrace_trace::{DefinitionKind, LocationId, Operand, TraceError};

use super::rows::{Dictionary, WAITING, position, signed, time, wide, words};

/// The callee of each symbol.
pub(super) struct Callees {
    of_symbol: Vec<Callee>,
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
        let of_symbol = store.symbols().iter().map(|(_, symbol)| {
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
            of_symbol: of_symbol.collect(),
            names: names.array(),
            mpi_names: mpi_names.array(),
        }
    }

    fn callee(&self, call: &Call) -> Callee {
        let callee = self.of_symbol.get(call.symbol.index());
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
    /// Begins part number `number` in the folder of a store.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn create(
        number: u32,
        store: &'a StoreReader,
        callees: &'a Callees,
    ) -> Result<Self, TraceError> {
        Ok(Self {
            table: DerivedTable::calls(store, number)?,
            store,
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
        let location = self.location.0;
        let rank = self.store.names().rank(self.location);
        let ticks = |call: &Call| Some(call.begin?.ticks_to(call.end?));
        let name = |call: &Call| callees.callee(call).name;
        let mpi_name = |call: &Call| callees.callee(call).mpi_name;
        self.table.write(vec![
            wide(rows, |_| Some(location)),
            wide(rows, |_| rank.map(|(rank, _)| rank)),
            wide(rows, |_| rank.map(|(_, thread)| thread)),
            words(&self.table, rows, name, &callees.names)?,
            wide(rows, |call| callees.callee(call).region),
            wide(rows, |call| callees.callee(call).context),
            wide(rows, |call| position(call.begin)),
            wide(rows, |call| position(call.end)),
            wide(rows, |call| time(call.begin)),
            signed(rows, ticks),
            signed(rows, |call| call.exclusive),
            Arc::new(UInt32Array::from_iter_values(
                rows.iter().map(|call| call.depth),
            )),
            wide(rows, |call| call.parent.map(|parent| parent.0)),
            Arc::new(BooleanArray::from_iter(
                rows.iter().map(|call| Some(call.is_misnested)),
            )),
            words(&self.table, rows, mpi_name, &callees.mpi_names)?,
        ])?;
        self.rows.clear();
        Ok(())
    }
}

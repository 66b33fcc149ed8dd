//! Reads models from the table, one location at a time.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use arrow::array::{
    Array, ArrowPrimitiveType, Int64Array, ListArray, PrimitiveArray, RecordBatch, UInt16Array,
    UInt32Array, UInt64Array,
};
use arrow::datatypes::{Int64Type, UInt8Type, UInt16Type};
use foldtrace_fold::{Model, Step};
use foldtrace_trace::{LocationId, SymbolId, SymbolTable, TraceError};
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

use super::rows::{ConstructRow, LOCATION, RowContent, columns, unflatten};
use crate::error::{Reading, damaged, wrong};
use crate::folder::StoreFolder;
use crate::index::Index;
use crate::paths::LOOPS;
use crate::schema::TAG;
use crate::symbols::with_tag;
use crate::tables::{KeyedTable, column, defined, numbers, symbol_at};

/// The number of rows read at once.
const CHUNK: usize = 1 << 13;

/// The model of one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredModel {
    /// The location that the model describes.
    pub location: LocationId,
    /// The model of all its events, with the symbols of the store.
    pub model: Model,
}

/// An iterator over the models of some locations, sorted by id; locations without events have an empty model. Only
/// one model is in memory at a time.
#[derive(Debug)]
pub struct Models<'a> {
    path: PathBuf,
    symbols: &'a SymbolTable,
    index: &'a Index,
    locations: std::vec::IntoIter<LocationId>,
    table: ParquetRecordBatchReader,
    /// The number of rows of the table that may be read.
    rows: u64,
    /// Rows that were read, of locations that have not been returned yet.
    waiting: VecDeque<(LocationId, ConstructRow)>,
    /// The location of the last row that was read.
    last: LocationId,
}

impl<'a> Models<'a> {
    /// Opens the table of models of a store.
    pub(crate) fn open(
        store: &StoreFolder,
        mut locations: Vec<LocationId>,
        symbols: &'a SymbolTable,
        index: &'a Index,
    ) -> Result<Self, TraceError> {
        let path = store.path_of(LOOPS);
        locations.sort();
        locations.dedup();
        let keys = locations.iter().map(|location| location.0).collect();
        let columns = columns(store.manifest().has_tags);
        let table = KeyedTable::open(store, LOOPS, columns, LOCATION, &keys)?;
        let (all, rows) = (0..table.schema().fields().len(), table.rows() as u64);
        let table = table.batches(all, CHUNK)?;
        Ok(Self {
            path,
            symbols,
            index,
            locations: locations.into_iter(),
            table,
            rows,
            waiting: VecDeque::new(),
            last: LocationId(0),
        })
    }

    /// Returns the maximum number of terms in all models together: events and loops as written.
    #[must_use]
    pub const fn terms(&self) -> u64 {
        self.rows
    }

    /// Reads the model of `location` without checking it. Locations must be requested in ascending order.
    pub(super) fn model(&mut self, location: LocationId) -> Result<StoredModel, TraceError> {
        let mut rows = Vec::new();
        loop {
            while let Some((row_location, row)) =
                self.waiting.pop_front_if(|waiting| waiting.0 <= location)
            {
                if row_location == location {
                    rows.push(row);
                }
            }
            if !self.waiting.is_empty() {
                break;
            }
            let Some(batch) = self.table.next() else {
                break;
            };
            self.take(&batch.reading(&self.path)?)?;
        }
        let model = Model {
            constructs: unflatten(&rows, &self.path)?,
            events: self.index.events(location),
        };
        Ok(StoredModel { location, model })
    }

    /// Rejects a model that cannot describe the events of its location.
    fn check(&self, stored: StoredModel) -> Result<StoredModel, TraceError> {
        match stored.model.check(self.symbols) {
            Ok(()) => Ok(stored),
            Err(bad) => {
                let message = format!("the model of location {} is invalid", stored.location);
                Err(damaged(&self.path, &message, bad))
            }
        }
    }

    /// Appends the rows of a batch to the waiting rows.
    fn take(&mut self, batch: &RecordBatch) -> Result<(), TraceError> {
        let path = &self.path;
        let locations = column::<UInt64Array>(batch, LOCATION, path)?;
        let depth = column::<UInt16Array>(batch, "depth", path)?;
        let symbol = column::<UInt32Array>(batch, "symbol", path)?;
        let count = column::<Int64Array>(batch, "count", path)?;
        let tags = match batch.column_by_name(TAG) {
            Some(_) => Some(numbers(batch, TAG, path)?),
            None => None,
        };
        let slots = List::<UInt8Type>::from_batch(batch, "step_slot", path)?;
        let depths = List::<UInt16Type>::from_batch(batch, "step_depth", path)?;
        let coefficients = List::<Int64Type>::from_batch(batch, "step_coefficient", path)?;
        for row in 0..batch.num_rows() {
            let location = LocationId(locations.value(row));
            if location < self.last {
                return Err(wrong(path, "the locations of the table are not in order"));
            }
            self.last = location;
            let count = (!count.is_null(row)).then(|| count.value(row));
            let content = match (symbol_at(symbol, row), count) {
                (Some(symbol), None) => {
                    let mut symbol = SymbolId::new(symbol);
                    if let Some(tags) = &tags {
                        symbol = with_tag(symbol, defined(tags, row), self.symbols, path)?;
                    }
                    RowContent::Event(symbol.row_number(), symbol.tag())
                }
                (None, Some(count)) => RowContent::Loop(count),
                _ => return Err(wrong(path, "a construct is neither an event nor a loop")),
            };
            let steps = slots.at(row).iter().zip(depths.at(row));
            let steps = steps.zip(coefficients.at(row));
            let row = ConstructRow {
                depth: depth.value(row),
                content,
                steps: steps
                    .map(|((&slot, &depth), &coefficient)| Step {
                        slot,
                        depth,
                        coefficient,
                    })
                    .collect(),
            };
            self.waiting.push_back((location, row));
        }
        Ok(())
    }
}

impl Iterator for Models<'_> {
    type Item = Result<StoredModel, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let location = self.locations.next()?;
        let model = self.model(location);
        let model = model.and_then(|stored| self.check(stored));
        if model.is_err() {
            self.locations = Vec::new().into_iter();
        }
        Some(model)
    }
}

/// A column of lists of numbers.
struct List<'a, T: ArrowPrimitiveType> {
    offsets: &'a [i32],
    values: &'a PrimitiveArray<T>,
}

impl<'a, T: ArrowPrimitiveType> List<'a, T> {
    fn from_batch(batch: &'a RecordBatch, name: &str, path: &Path) -> Result<Self, TraceError> {
        let list = column::<ListArray>(batch, name, path)?;
        let values = list.values().as_any().downcast_ref();
        Ok(Self {
            offsets: list.value_offsets(),
            values: values.ok_or_else(|| wrong(path, "a list has an unexpected type"))?,
        })
    }

    fn at(&self, row: usize) -> &[T::Native] {
        let [from, to] = [row, row + 1].map(|row| self.offsets[row] as usize);
        &self.values.values()[from..to]
    }
}

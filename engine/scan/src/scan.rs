//! Selects events of a store, and reads them segment by segment.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{BooleanArray, RecordBatch};
use arrow::compute::BatchCoalescer;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use foldtrace_store::{LocationStream, StoreReader};
use foldtrace_stream::cut::{Kinds, TimeSpan};
use foldtrace_table::EventRows;
use foldtrace_trace::{
    Diagnostics, ErrorKind, EventBatch, EventStream, LocationId, Place, Position, TraceError,
    TraceReader,
};

use crate::stretches::Stretches;

/// The number of rows of a record batch.
pub(crate) const BATCH_ROWS: usize = 1 << 16;

/// The events and the columns to read. The default is all of them.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Reads these locations, by their names on the command line; all locations if empty.
    pub locations: Vec<String>,
    /// Reads events in this range of time.
    pub time: TimeSpan,
    /// Reads the events of each location at these positions; at all positions if `None`.
    pub positions: Option<Range<Position>>,
    /// Reads events of these kinds.
    pub kinds: Kinds,
    /// Reads these columns of the flat table, in this order; all columns if `None`.
    pub columns: Option<Vec<String>>,
}

impl Scan {
    /// Begins to read the events of a store.
    ///
    /// # Errors
    /// Returns an error if the store has no such location, the flat table has no such column, or the range of time is
    /// empty.
    pub fn open(&self, store: Arc<StoreReader>) -> Result<EventScan, TraceError> {
        let mut rows = self.rows()?;
        rows.add_definitions(store.definitions());
        rows.set_names(store.names().clone());
        rows.set_canonical(store.canonical_rows().clone());
        let wide = store.wide_fields().unwrap_or_default();
        let (symbols, manifest) = (store.symbols(), store.manifest());
        // The schema of some locations is that of all.
        let schema = rows.schema(wide, |operand| match symbols.has_unknown() {
            true => manifest.unsigned.has("symbols", operand.name()),
            false => symbols.is_wide(operand),
        });
        let kinds = store.symbols().iter();
        let kept: Vec<bool> = kinds
            .map(|(_, symbol)| self.kinds.contains(symbol.kind))
            .collect();
        Ok(EventScan {
            stretches: Stretches::new(&store, &self.locations, self.time)?
                .at(self.positions.clone()),
            filter: kept.contains(&false).then(|| Filter {
                kept,
                batches: BatchCoalescer::new(Arc::clone(&schema), BATCH_ROWS),
            }),
            store,
            rows,
            schema,
            events: EventBatch::default(),
            ready: VecDeque::new(),
        })
    }

    /// Returns empty rows with the columns of the scan.
    fn rows(&self) -> Result<EventRows, TraceError> {
        let Some(columns) = &self.columns else {
            return Ok(EventRows::default());
        };
        EventRows::with_columns(columns).ok_or_else(|| {
            let known: Vec<String> = EventRows::column_names().collect();
            let unknown = columns.iter().find(|column| !known.contains(column));
            let message = format!(
                "the table of events has no column '{}'",
                unknown.map_or("", String::as_str)
            );
            let hint = format!("its columns are {}", known.join(", "));
            TraceError::new(ErrorKind::Usage, message).hint(hint)
        })
    }
}

/// A reader of the selected events of a store, in order of location and position.
#[derive(Debug)]
pub struct EventScan {
    store: Arc<StoreReader>,
    stretches: Stretches,
    rows: EventRows,
    schema: SchemaRef,
    filter: Option<Filter>,
    events: EventBatch,
    ready: VecDeque<RecordBatch>,
}

/// A filter of events by their kinds.
#[derive(Debug)]
struct Filter {
    /// Whether the events of each row of the table of symbols are kept.
    kept: Vec<bool>,
    batches: BatchCoalescer,
}

impl EventScan {
    /// Returns the columns of all batches.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Returns the next batch; `None` at the end.
    ///
    /// # Errors
    /// Returns an error if a table of the store is missing or damaged.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, TraceError> {
        while self.ready.is_empty() {
            let Some((location, positions)) = self.stretches.next_of(&self.store)? else {
                return self.last_batch();
            };
            self.read(location, positions)?;
        }
        Ok(self.ready.pop_front())
    }

    /// Reads the events of a location at `positions`.
    fn read(&mut self, location: LocationId, positions: Range<Position>) -> Result<(), TraceError> {
        let store = Arc::clone(&self.store);
        let mut first = positions.start;
        let mut stream = store.events_in(location, positions);
        loop {
            self.events.reset(location, first);
            self.read_columns(&mut stream)?;
            if self.events.is_empty() {
                return Ok(());
            }
            first.0 += self.events.len() as u64;
            self.push().map_err(|error| self.mistake(error))?;
        }
    }

    /// Reads what the columns need of the next events.
    fn read_columns(&mut self, stream: &mut LocationStream<'_>) -> Result<(), TraceError> {
        let EventBatch { symbols, times, .. } = &mut self.events;
        if self.rows.needs_quantities() {
            let mut diagnostics = Diagnostics::default();
            stream.next_batch(&mut self.events, &mut diagnostics)?;
            Ok(())
        } else if self.rows.needs_times() {
            stream.next_times(symbols, times)
        } else {
            stream.next_symbols(symbols)
        }
    }

    /// Converts the events that were read to rows.
    fn push(&mut self) -> Result<(), ArrowError> {
        let symbols = self.store.symbols();
        let Some(filter) = &mut self.filter else {
            self.rows.push_batch(&self.events, symbols);
            if self.rows.count() >= BATCH_ROWS {
                self.ready.push_back(self.rows.take_batch(&self.schema)?);
            }
            return Ok(());
        };
        let events = self.events.symbols.iter();
        let kept: BooleanArray = events
            .map(|symbol| Some(filter.kept[symbol.row()]))
            .collect();
        if kept.true_count() > 0 {
            self.rows.push_batch(&self.events, symbols);
            let rows = self.rows.take_batch(&self.schema)?;
            filter.batches.push_batch_with_filter(rows, &kept)?;
        }
        while let Some(batch) = filter.batches.next_completed_batch() {
            self.ready.push_back(batch);
        }
        Ok(())
    }

    /// Returns the rows that do not fill a batch; `None` if there are none.
    fn last_batch(&mut self) -> Result<Option<RecordBatch>, TraceError> {
        let last = match &mut self.filter {
            Some(Filter { batches, .. }) => {
                let finished = batches.finish_buffered_batch();
                finished.map(|()| batches.next_completed_batch())
            }
            None if self.rows.count() == 0 => Ok(None),
            None => self.rows.take_batch(&self.schema).map(Some),
        };
        last.map_err(|error| self.mistake(error))
    }

    /// Returns the error for rows that cannot be assembled.
    fn mistake(&self, error: ArrowError) -> TraceError {
        TraceError::new(ErrorKind::Internal, "cannot assemble the table of events")
            .at(Place::file(self.store.path()))
            .caused_by(error)
    }
}

impl Iterator for EventScan {
    type Item = Result<RecordBatch, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use arrow::array::AsArray;
    use arrow::datatypes::{Int32Type, Int64Type};

    use super::*;

    fn store() -> Arc<StoreReader> {
        let path = Path::new("../../tests/data/stores/v2/ring-4.fold");
        Arc::new(StoreReader::open(path).unwrap())
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn read(scan: &Scan) -> Vec<RecordBatch> {
        scan.open(store()).unwrap().map(Result::unwrap).collect()
    }

    /// Returns the positions of the rows of all batches.
    fn positions(scan: &Scan) -> Vec<i64> {
        let batches = read(&Scan {
            columns: Some(names(&["position"])),
            ..scan.clone()
        });
        let columns = batches
            .iter()
            .map(|batch| batch.column(0).as_primitive::<Int64Type>());
        columns
            .flat_map(|column| column.values().to_vec())
            .collect()
    }

    #[test]
    fn a_column_has_the_same_values_alone_and_next_to_others() {
        let all = read(&Scan::default());
        let schema = all[0].schema();
        for (index, field) in schema.fields().iter().enumerate() {
            let alone = read(&Scan {
                columns: Some(vec![field.name().clone()]),
                ..Scan::default()
            });
            let beside: Vec<_> = all
                .iter()
                .map(|batch| batch.project(&[index]).unwrap())
                .collect();
            assert_eq!(alone, beside, "{field}");
        }
    }

    #[test]
    fn kinds_are_selected_and_keep_their_positions() {
        let all = read(&Scan::default());
        let batch = &all[0];
        let kinds = batch["kind"].as_dictionary::<Int32Type>();
        let kinds = kinds.downcast_dict::<arrow::array::StringArray>().unwrap();
        let of_kind = batch["position"]
            .as_primitive::<Int64Type>()
            .values()
            .iter();
        let of_kind = of_kind
            .zip(kinds)
            .filter(|(_, kind)| *kind == Some("mpi_send"));
        let of_kind: Vec<i64> = of_kind.map(|(&position, _)| position).collect();
        assert!(!of_kind.is_empty());
        let sends = Scan {
            kinds: Kinds::parse(&names(&["mpi_send"])).unwrap(),
            ..Scan::default()
        };
        assert_eq!(positions(&sends), of_kind);
    }

    #[test]
    fn locations_and_times_are_selected() {
        let first = Scan {
            locations: names(&["1", "0"]),
            ..Scan::default()
        };
        let all = positions(&first);
        let end = all.iter().position(|&p| p == 0 && all[0] == 0).unwrap();
        assert_eq!(end, 0);
        let late = Scan {
            time: TimeSpan::parse("508699..").unwrap(),
            ..first
        };
        let late = positions(&late);
        assert!(late.len() < all.len() && late.contains(&10));
    }

    #[test]
    fn unknown_names_are_errors() {
        let message = |scan: Scan| scan.open(store()).unwrap_err().message;
        let columns = Some(names(&["name", "nam"]));
        let unknown = message(Scan {
            columns,
            ..Scan::default()
        });
        assert_eq!(unknown, "the table of events has no column 'nam'");
        let locations = names(&["17"]);
        let unknown = message(Scan {
            locations,
            ..Scan::default()
        });
        assert_eq!(unknown, "there is no location '17'");
    }
}

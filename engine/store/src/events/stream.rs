//! Reads the events of one location from any position on.

use std::collections::VecDeque;
use std::ops::Range;

use foldtrace_trace::{
    Diagnostics, EventBatch, EventStream, Position, Step, SymbolId, SymbolTable, Timestamp,
    TraceError,
};

use super::extras::Extras;
use super::rows::{EventTables, RowReader};
use super::source::EventSource;
use crate::index::Segment;

/// The number of events per batch, unless the caller requests fewer.
const BATCH: u64 = 1 << 16;

/// The batch size below which files and pages are closed between batches. A caller that requests so few events has
/// many streams open.
const FEWEST_TO_STAY_OPEN: u64 = 1 << 12;

/// A stream of the events of one location, read in batches.
pub struct LocationStream<'a> {
    symbols: &'a SymbolTable,
    stretches: VecDeque<Stretch>,
    tables: EventTables<'a>,
    extras: Extras,
    current: Option<Current>,
    batch: u64,
    events_read: u64,
}

/// A segment, and its positions to read.
struct Stretch {
    segment: Segment,
    positions: Range<Position>,
}

/// The segment that is being read.
struct Current {
    segment: Segment,
    /// The position after the last event to read.
    end: Position,
    left: u64,
    rows: RowReader,
}

impl std::fmt::Debug for LocationStream<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let segment = self.current.as_ref().map(|current| current.segment);
        f.debug_struct("LocationStream")
            .field("segment", &segment)
            .field("events_read", &self.events_read)
            .finish_non_exhaustive()
    }
}

impl<'a> LocationStream<'a> {
    /// Creates a stream of the events of `segments` at `positions`. The segments are consecutive segments of one
    /// location.
    pub(crate) fn new(
        source: &'a EventSource,
        segments: &[Segment],
        positions: Range<Position>,
    ) -> Self {
        // A range may end before it begins; it then contains no events.
        let stretches = segments.iter().map(|segment| Stretch {
            segment: *segment,
            positions: segment.first.max(positions.start)..segment.end().min(positions.end),
        });
        Self {
            symbols: source.symbols(),
            stretches: stretches.filter(|s| !s.positions.is_empty()).collect(),
            tables: EventTables::new(source),
            extras: Extras::new(source),
            current: None,
            batch: BATCH,
            events_read: 0,
        }
    }

    /// Limits batches to at most `events` events.
    #[must_use]
    pub fn with_batch_size(mut self, events: u64) -> Self {
        self.batch_at_most(usize::try_from(events).unwrap_or(usize::MAX));
        self
    }

    /// Replaces `symbols` with the symbols of the next events, without reading their quantities. At the end,
    /// `symbols` is empty.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn next_symbols(&mut self, symbols: &mut Vec<SymbolId>) -> Result<(), TraceError> {
        symbols.clear();
        let table = self.symbols;
        if let Some((current, _)) = self.current()? {
            let count = current.left.min(BATCH);
            current.rows.read_symbols(count, table, symbols)?;
            current.left -= count;
        }
        Ok(())
    }

    /// Replaces `symbols` and `times` with the symbols and times of the next events, one per event. At the end, both
    /// are empty.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn next_times(
        &mut self,
        symbols: &mut Vec<SymbolId>,
        times: &mut Vec<Timestamp>,
    ) -> Result<(), TraceError> {
        symbols.clear();
        times.clear();
        let table = self.symbols;
        if let Some((current, tables)) = self.current()? {
            let count = current.left.min(BATCH);
            current
                .rows
                .read_times(tables, count, table, symbols, times)?;
            current.left -= count;
        }
        Ok(())
    }

    fn read_batch(&mut self, batch: &mut EventBatch) -> Result<Step, TraceError> {
        let (limit, table) = (self.batch, self.symbols);
        let Some((current, tables)) = self.current()? else {
            batch.reset(batch.location, Position(self.events_read));
            return Ok(Step::End);
        };
        let count = current.left.min(limit);
        let segment = current.segment;
        let first = Position(current.end.0 - current.left);
        let positions = first..Position(first.0 + count);
        batch.reset(segment.location, first);
        current.rows.read(tables, count, table, batch)?;
        current.left -= count;
        self.events_read += count;
        self.extras
            .read_metrics(&segment, positions.clone(), &mut batch.metrics)?;
        self.extras
            .read_attributes(&segment, positions, &mut batch.attributes)?;
        Ok(Step::Batch)
    }

    /// Closes the files; the next batch reopens them at the position where this one ends.
    fn close(&mut self) {
        if let Some(Current {
            segment, end, left, ..
        }) = self.current.take()
            && left > 0
        {
            let positions = Position(end.0 - left)..end;
            self.stretches.push_front(Stretch { segment, positions });
        }
        self.tables.close();
        self.extras.close();
    }

    /// Returns the segment that has events left, after opening the next one if needed.
    fn current(&mut self) -> Result<Option<(&mut Current, &mut EventTables<'a>)>, TraceError> {
        if self
            .current
            .as_ref()
            .is_none_or(|current| current.left == 0)
        {
            self.current = None;
            if let Some(Stretch { segment, positions }) = self.stretches.pop_front() {
                let row = u64::from(segment.row) + (positions.start.0 - segment.first.0);
                self.current = Some(Current {
                    segment,
                    end: positions.end,
                    left: positions.end.0 - positions.start.0,
                    rows: RowReader::open(&mut self.tables, &segment, row)?,
                });
            }
        }
        Ok(self
            .current
            .as_mut()
            .map(|current| (current, &mut self.tables)))
    }
}

impl EventStream for LocationStream<'_> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        _diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        let read = self.read_batch(batch);
        if read.is_err() {
            // The columns are now at different rows, so the stream ends here.
            batch.reset(batch.location, batch.first);
            self.stretches.clear();
            self.current = None;
        }
        if self.batch < FEWEST_TO_STAY_OPEN {
            self.close();
        }
        read
    }

    fn batch_at_most(&mut self, events: usize) {
        self.batch = (events as u64).clamp(1, BATCH);
    }

    fn symbols(&self) -> &SymbolTable {
        self.symbols
    }

    fn bytes_read(&self) -> u64 {
        self.events_read
    }
}

//! Looks up single events by location and position, one or many at once.
//!
//! Finding an event is a search in the index; the expensive step is decoding the pages that contain it. Events that
//! are requested together are therefore read in the order of their rows, decoding each page at most once, and only
//! the columns that an event of its kind has.

use std::ops::Range;

use foldtrace_trace::{
    AttributeColumns, EventRef, EventText, LocationId, MetricColumns, Names, Position, Quantity,
    SymbolId, SymbolTable, Timestamp, TraceError,
};

use super::extras::Extras;
use super::rows::{EventTables, RowReader};
use super::source::EventSource;
use crate::index::{Index, Segment};

/// The number of positions whose metrics and attributes are read together.
const WINDOW: u64 = 1 << 14;

/// One event with its quantities, metric values and attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The location of the event.
    pub location: LocationId,
    /// The position in the location.
    pub position: Position,
    /// The time, in ticks of the source's clock.
    pub time: Timestamp,
    /// The symbol, in the store's table of symbols.
    pub symbol: SymbolId,
    /// The quantities: one value per [`Quantity`] that the kind has, [`UNDEFINED`](foldtrace_trace::UNDEFINED) for
    /// the others.
    pub quantities: [u64; Quantity::COUNT],
    /// The values of a metric event. All have event number 0.
    pub metrics: MetricColumns,
    /// The attributes of the event. All have event number 0.
    pub attributes: AttributeColumns,
}

impl Event {
    /// Returns the event as text from which it can be restored; `symbols` is the table of its store.
    #[must_use]
    pub fn text<'a>(&'a self, names: &'a Names, symbols: &SymbolTable) -> EventText<'a> {
        EventText {
            names,
            location: self.location,
            event: EventRef {
                index: 0,
                position: self.position,
                time: self.time,
                symbol: self.symbol,
                quantities: self.quantities,
            },
            symbol: symbols.symbol(self.symbol),
            metrics: &self.metrics,
            attributes: &self.attributes,
        }
    }
}

/// A lookup of events in a store; see [`StoreReader::lookup`](crate::StoreReader::lookup).
///
/// Files and pages stay open between calls, so that events in the order of their positions are found without reading
/// a page twice. For events in any other order, [`get_many`](Self::get_many) is much faster than [`get`](Self::get).
pub struct EventLookup<'a> {
    index: &'a Index,
    symbols: &'a SymbolTable,
    tables: EventTables<'a>,
    extras: Extras,
    rows: Option<RowReader>,
}

impl std::fmt::Debug for EventLookup<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventLookup").finish_non_exhaustive()
    }
}

/// A requested event, and its place in the store.
struct RequestedEvent<'a> {
    /// The index of the request.
    number: usize,
    segment: &'a Segment,
    row: u64,
    position: Position,
}

impl RequestedEvent<'_> {
    /// Returns whether metrics and attributes of both events may be read at once.
    fn is_near(&self, other: &Self) -> bool {
        self.segment == other.segment && self.position.0 / WINDOW == other.position.0 / WINDOW
    }
}

impl<'a> EventLookup<'a> {
    pub(crate) fn new(source: &'a EventSource) -> Self {
        Self {
            index: source.index(),
            symbols: source.symbols(),
            tables: EventTables::new(source),
            extras: Extras::new(source),
            rows: None,
        }
    }

    /// Returns the event at a position of a location; `None` if the location has no such event.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn get(
        &mut self,
        location: LocationId,
        position: Position,
    ) -> Result<Option<Event>, TraceError> {
        Ok(self.get_many(&[(location, position)])?.pop().flatten())
    }

    /// Returns the events at `places`, in the same order; `None` where there is no event. All of them are in memory
    /// at once.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn get_many(
        &mut self,
        places: &[(LocationId, Position)],
    ) -> Result<Vec<Option<Event>>, TraceError> {
        let mut requested: Vec<_> = places
            .iter()
            .enumerate()
            .filter_map(|(number, &(location, position))| {
                let (segment, row) = self.index.find(location, position)?;
                Some(RequestedEvent {
                    number,
                    segment,
                    row,
                    position,
                })
            })
            .collect();
        requested.sort_by_key(|event| (event.segment.part, event.segment.row_group, event.row));
        let mut events = vec![None; places.len()];
        for near in requested.chunk_by(RequestedEvent::is_near) {
            self.read_near(near, &mut events)?;
        }
        Ok(events)
    }

    /// Reads events of one segment and one window of positions, in order.
    fn read_near(
        &mut self,
        near: &[RequestedEvent<'_>],
        events: &mut [Option<Event>],
    ) -> Result<(), TraceError> {
        let (Some(first), Some(last)) = (near.first(), near.last()) else {
            return Ok(());
        };
        let positions = first.position..Position(last.position.0 + 1);
        let (metrics, attributes) = self.extras_of(first.segment, positions)?;
        let mut previous: Option<&RequestedEvent<'_>> = None;
        for requested in near {
            let event = match previous {
                Some(same) if same.position == requested.position => {
                    events.get(same.number).cloned().flatten()
                }
                _ => {
                    let event = self.read_row(requested)?;
                    let number = (requested.position.0 - first.position.0) as u32;
                    Some(Event {
                        location: requested.segment.location,
                        position: requested.position,
                        time: event.time,
                        symbol: event.symbol,
                        quantities: event.quantities,
                        metrics: metrics.of_event(number),
                        attributes: attributes.of_event(number),
                    })
                }
            };
            if let Some(slot) = events.get_mut(requested.number) {
                *slot = event;
            }
            previous = Some(requested);
        }
        Ok(())
    }

    fn extras_of(
        &mut self,
        segment: &Segment,
        positions: Range<Position>,
    ) -> Result<(MetricColumns, AttributeColumns), TraceError> {
        let (mut metrics, mut attributes) = (MetricColumns::default(), AttributeColumns::default());
        self.extras
            .read_metrics(segment, positions.clone(), &mut metrics)?;
        self.extras
            .read_attributes(segment, positions, &mut attributes)?;
        Ok((metrics, attributes))
    }

    /// Skips to the row of an event and reads it.
    fn read_row(&mut self, requested: &RequestedEvent<'_>) -> Result<EventRef, TraceError> {
        let (segment, row) = (requested.segment, requested.row);
        let mut rows = match self.rows.take() {
            Some(rows) if rows.is_before(&self.tables, segment, row) => rows,
            _ => RowReader::open(&mut self.tables, segment, row)?,
        };
        rows.skip_to(requested.row);
        let event = rows.read_event(&mut self.tables, self.symbols, requested.position)?;
        self.rows = Some(rows);
        Ok(event)
    }
}

//! An open foreign file: all events are read and sorted, and each location is a stream.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use foldhash::fast::FixedState;

use foldtrace_trace::{
    CallStack, Carried, Definitions, Diagnostic, Diagnostics, ErrorKind, EventBatch, EventKind,
    EventStream, Place, Position, Quantity, Severity, Step, StreamInfo, Symbol, SymbolTable,
    Timestamp, TraceError, TraceHead, TraceReader, UNDEFINED, ValueType,
};

use crate::collected::{Collected, StreamSource};
use crate::elements::Elements;
use crate::foreign::{Collector, collect, scratch_error};
use crate::meaning::Plain;
use crate::rows::{Communication, RowKind, decode};
use crate::sort::{RowTime, TrackRows};

/// Maximum number of events of a batch.
const FULL: usize = 8192;

/// An open trace of another program.
pub(crate) struct SortedTrace {
    path: PathBuf,
    head: TraceHead,
    collected: Collected,
}

impl SortedTrace {
    /// Reads and sorts all events.
    ///
    /// # Errors
    /// If the file is damaged and not salvaged, or if the disk has no space for the rows to be sorted.
    pub(crate) fn read(mut elements: Elements) -> Result<Self, TraceError> {
        let path = elements.path().to_owned();
        let mut diagnostics = Diagnostics::default();
        let mut collector = Collector::new(Plain);
        collect(
            &mut elements,
            &mut collector,
            &mut diagnostics,
            Collector::property,
        )?;
        let (definitions, collected, zero) = collector.finish().map_err(scratch_error)?;
        if zero < 0 {
            diagnostics.report(shifted(-zero).at(Place::file(&path)));
        }
        Ok(Self::new(path, definitions, diagnostics, collected))
    }

    /// Opens a trace whose events are collected.
    pub(crate) fn new(
        path: PathBuf,
        definitions: Definitions,
        diagnostics: Diagnostics,
        collected: Collected,
    ) -> Self {
        let stream = |source: &StreamSource| StreamInfo {
            location: Some(source.location),
            bytes: collected.rows.size(source.track),
            part: None,
        };
        Self {
            path,
            head: TraceHead {
                definitions,
                diagnostics,
                streams: collected.sources.iter().map(stream).collect(),
                ..TraceHead::default()
            },
            collected,
        }
    }
}

/// Returns the note that all times are later than in the file, because some are before 0.
pub(crate) fn shifted(nanoseconds: i64) -> Diagnostic {
    let message = format!("all times are {nanoseconds} ns later than in the file");
    Diagnostic::new(Severity::Note, "chrome.negative_time", message)
        .hint("the file contains times before 0")
}

impl TraceReader for SortedTrace {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let Some(&source) = self.collected.sources.get(index) else {
            let message = format!("this trace has no stream {index}");
            return Err(TraceError::new(ErrorKind::Usage, message).at(Place::file(&self.path)));
        };
        let rows = self.collected.rows.rows(source.track).map_err(unreadable)?;
        let mut stream = SortedStream {
            path: &self.path,
            collected: &self.collected,
            source,
            rows,
            row: None,
            carried: Carried::default(),
            ends: BinaryHeap::new(),
            begun: 0,
            communicating: HashMap::default(),
            has_entered: None,
            open: CallStack::default(),
            position: 0,
            most: FULL,
            symbols: SymbolTable::default(),
        };
        stream.advance()?;
        Ok(Box::new(stream))
    }
}

fn unreadable(error: io::Error) -> TraceError {
    let message = "cannot read the sorted events back";
    TraceError::new(ErrorKind::Unreadable, message).caused_by(error)
}

/// The end of a complete event that has begun. Among ends of the same time, the event that began last ends first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    time: i64,
    begun: Reverse<u64>,
    region: u64,
}

/// The stream of a location.
struct SortedStream<'a> {
    path: &'a Path,
    collected: &'a Collected,
    source: StreamSource,
    rows: TrackRows<'a>,
    /// The next row; its metric values and attributes are in `carried`.
    row: Option<(RowTime, RowKind)>,
    carried: Carried,
    /// The ends of the complete events that have begun.
    ends: BinaryHeap<Reverse<End>>,
    /// The number of complete events that have begun.
    begun: u64,
    /// The operations that end with a complete event, by its number.
    communicating: HashMap<u64, (Symbol, Communication), FixedState>,
    /// The operation of the latest event, which entered a call, with the time.
    has_entered: Option<(Symbol, Communication, i64)>,
    /// Regions opened by separate begin events.
    open: CallStack<u64, u64>,
    position: u64,
    most: usize,
    symbols: SymbolTable,
}

impl SortedStream<'_> {
    /// Moves to the next row.
    fn advance(&mut self) -> Result<(), TraceError> {
        self.row = match self.rows.next().map_err(unreadable)? {
            Some((when, row)) => {
                let kind = decode(row, &mut self.carried);
                let kind = kind.ok_or_else(|| unreadable(io::ErrorKind::InvalidData.into()))?;
                Some((when, kind))
            }
            None => None,
        };
        Ok(())
    }

    fn push(&mut self, batch: &mut EventBatch, kind: EventKind, id: u64, time: i64) {
        self.push_symbol(batch, Symbol::new(kind, &[id]), time, &[]);
    }

    fn push_symbol(
        &mut self,
        batch: &mut EventBatch,
        symbol: Symbol,
        time: i64,
        quantities: &[(Quantity, u64)],
    ) {
        let symbol = self.symbols.intern(symbol);
        let time = time.wrapping_sub(self.source.zero) as u64;
        batch.push(symbol, Timestamp(time), quantities);
    }

    /// Appends the event with which an operation begins, after its call was entered: it sends, or a collective operation
    /// begins. A receive and the end of a collective operation wait for the end of the call.
    fn push_operation(
        &mut self,
        batch: &mut EventBatch,
        operation: (Symbol, Communication),
        time: i64,
    ) {
        let (symbol, communication) = operation;
        match symbol.kind {
            EventKind::MpiSend => {
                let bytes = [(Quantity::Bytes, communication.sent)];
                self.push_symbol(batch, symbol, time, &bytes);
            }
            EventKind::MpiCollectiveEnd => {
                let begin = Symbol::new(EventKind::MpiCollectiveBegin, &[]);
                self.push_symbol(batch, begin, time, &[]);
            }
            _ => return,
        }
        self.position += 1;
    }

    /// Appends the event with which the operation of a call ends. Returns whether there is one.
    fn push_end(&mut self, batch: &mut EventBatch, end: End) -> bool {
        let Some((symbol, communication)) = self.communicating.remove(&end.begun.0) else {
            return false;
        };
        let Communication { sent, received, .. } = communication;
        match symbol.kind {
            EventKind::MpiRecv => {
                let bytes = [(Quantity::Bytes, received)];
                self.push_symbol(batch, symbol, end.time, &bytes);
            }
            EventKind::MpiCollectiveEnd => {
                let bytes = [(Quantity::Bytes, sent), (Quantity::BytesReceived, received)];
                self.push_symbol(batch, symbol, end.time, &bytes);
            }
            _ => return false,
        }
        self.position += 1;
        true
    }

    /// Returns the operation of a call, unless it does not count.
    fn operation(&self, communication: Communication) -> Option<Symbol> {
        let operations = &self.collected.operations;
        let operation = operations.get(communication.operation as usize)?.as_ref()?;
        (communication.sequence >= operation.first).then_some(operation.symbol)
    }

    /// Begins a complete event.
    fn begin(&mut self, when: RowTime, region: u64) {
        self.begun += 1;
        self.ends.push(Reverse(End {
            time: when.time.saturating_add_unsigned(when.span.unwrap_or(0)),
            begun: Reverse(self.begun),
            region,
        }));
    }

    /// Appends the metric values and attributes of the row to the last event.
    fn push_carried(&self, batch: &mut EventBatch, counter: Option<u64>) {
        let index = batch.len() as u32 - 1;
        for &(series, value_type, bits) in &self.carried.metrics {
            let all_integers =
                counter.is_none_or(|counter| self.collected.counters.is_integer(counter, series));
            // All values of a series have the same type.
            let (value_type, bits) = match value_type {
                ValueType::Int64 if !all_integers => {
                    (ValueType::Double, (bits as i64 as f64).to_bits())
                }
                ValueType::Uint64 if !all_integers => (ValueType::Double, (bits as f64).to_bits()),
                _ => (value_type, bits),
            };
            batch.metrics.push(index, series, value_type, bits);
        }
        for &(attribute, value_type, bits) in &self.carried.attributes {
            batch.attributes.push(index, attribute, value_type, bits);
        }
    }

    /// Returns the region that an end event leaves.
    fn end(&mut self, region: Option<u64>, diagnostics: &mut Diagnostics) -> u64 {
        let begun = match region {
            Some(region) => self.open.leave(region),
            None => self.open.leave_innermost(),
        };
        match begun {
            Some(left) => left.call,
            None => {
                let place =
                    Place::file(self.path).event(self.source.location, Position(self.position));
                let warning = || {
                    let message = "an event of phase E has no matching event of phase B";
                    Diagnostic::new(Severity::Warning, "chrome.unmatched_end", message).at(place)
                };
                diagnostics.report_with(Severity::Warning, "chrome.unmatched_end", warning);
                region.unwrap_or(UNDEFINED)
            }
        }
    }
}

impl EventStream for SortedStream<'_> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        batch.reset(self.source.location, Position(self.position));
        while batch.len() < self.most {
            if let Some((symbol, communication, time)) = self.has_entered.take() {
                self.push_operation(batch, (symbol, communication), time);
                continue;
            }
            if let Some(&Reverse(end)) = self.ends.peek()
                && self.row.is_none_or(|(when, _)| end.time <= when.time)
            {
                if !self.communicating.is_empty() && self.push_end(batch, end) {
                    continue;
                }
                self.ends.pop();
                self.push(batch, EventKind::Leave, end.region, end.time);
                self.position += 1;
                continue;
            }
            let Some((when, row_kind)) = self.row else {
                break;
            };
            let (kind, id, counter) = match row_kind {
                RowKind::Begin(region) => {
                    self.open.enter(region, region);
                    (EventKind::Enter, region, None)
                }
                RowKind::End(region) => {
                    let region = self.end(region, diagnostics);
                    (EventKind::Leave, region, None)
                }
                RowKind::Complete(region) => {
                    self.begin(when, region);
                    (EventKind::Enter, region, None)
                }
                RowKind::Communicating(region, communication) => {
                    self.begin(when, region);
                    if let Some(symbol) = self.operation(communication) {
                        self.communicating
                            .insert(self.begun, (symbol, communication));
                        self.has_entered = Some((symbol, communication, when.time));
                    }
                    (EventKind::Enter, region, None)
                }
                RowKind::Local(string) => (EventKind::Local, string, None),
                RowKind::Counter(counter) => (EventKind::Metric, counter, Some(counter)),
            };
            self.push(batch, kind, id, when.time);
            self.push_carried(batch, counter);
            self.position += 1;
            self.advance()?;
        }
        Ok(if batch.is_empty() {
            Step::End
        } else {
            Step::Batch
        })
    }

    fn batch_at_most(&mut self, events: usize) {
        self.most = events.clamp(1, FULL);
    }

    fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    fn bytes_read(&self) -> u64 {
        self.rows.bytes_read
    }
}

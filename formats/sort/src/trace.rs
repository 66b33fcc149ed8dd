//! An open trace whose events are sorted: each location is a stream.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io;
use std::path::PathBuf;

use foldhash::fast::FixedState;
use foldtrace_trace::{
    CallStack, Carried, Diagnostic, Diagnostics, ErrorKind, EventBatch, EventKind, EventStream,
    LocationId, Place, Position, Quantity, Severity, Step, StreamInfo, Symbol, SymbolTable,
    Timestamp, TraceError, TraceHead, TraceReader, UNDEFINED, ValueType,
};

use crate::rows::{Communication, RowKind, decode};
use crate::sorter::{RowTime, SortedRows, TrackRows};

/// Maximum number of events of a batch.
const FULL: usize = 8192;

/// The diagnostic of a format for an end that has no beginning.
#[derive(Clone, Copy, Debug)]
pub struct UnmatchedEnd {
    /// The severity and the key of the diagnostic.
    pub kind: (Severity, &'static str),
    /// The message of the diagnostic.
    pub message: &'static str,
}

/// The source of the events of a location.
#[derive(Clone, Copy, Debug)]
pub struct StreamSource {
    /// The location.
    pub location: LocationId,
    /// The track with its rows.
    pub track: u32,
    /// The nanosecond of the file at time 0, which is negative if there are events before 0.
    pub zero: i64,
}

/// The operation of calls that communicate.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The symbol of the event that sends, receives, or completes a collective operation.
    pub symbol: Symbol,
    /// The number of the first operation of the group that counts. Calls without a number always count.
    pub first: u64,
}

/// An open trace, all of whose events are sorted.
pub struct SortedTrace {
    /// The file that the events are from, for messages.
    pub path: PathBuf,
    /// The part of the trace that is known before its first event. Its streams are set by
    /// [`with_streams`](Self::with_streams).
    pub head: TraceHead,
    /// The rows of all tracks. The values of a counter are numbered by its members.
    pub rows: SortedRows,
    /// The sources of the locations, in the order of their streams.
    pub sources: Vec<StreamSource>,
    /// The operations of rows that communicate, by index; `None` if the call does not count as an operation.
    pub operations: Vec<Option<Operation>>,
    /// By counter and member, whether its values are doubles. Integers of such a member are converted, because all
    /// values of a member have one type.
    pub doubles: Vec<Vec<bool>>,
    /// How an end without a beginning is reported.
    pub unmatched_end: UnmatchedEnd,
}

impl SortedTrace {
    /// Returns the trace with one stream per location.
    #[must_use]
    pub fn with_streams(mut self) -> Self {
        let stream = |source: &StreamSource| StreamInfo {
            location: Some(source.location),
            bytes: self.rows.size(source.track),
            part: None,
        };
        self.head.streams = self.sources.iter().map(stream).collect();
        self
    }

    fn is_double(&self, counter: u64, member: u32) -> bool {
        let counter = usize::try_from(counter).ok();
        let members = counter.and_then(|counter| self.doubles.get(counter));
        let is_double = members.and_then(|members| members.get(member as usize));
        is_double.copied().unwrap_or(false)
    }

    /// Returns the symbol of the operation of a call, unless it does not count.
    fn operation(&self, communication: Communication) -> Option<Symbol> {
        let operation = self.operations.get(communication.operation as usize)?;
        let operation = operation.as_ref()?;
        (communication.sequence >= operation.first).then_some(operation.symbol)
    }
}

/// Returns the error for rows that cannot be written to the temporary file.
#[must_use]
pub fn scratch_error(error: io::Error) -> TraceError {
    TraceError::unwritable(&std::env::temp_dir(), error)
        .hint("events are sorted there; set TMPDIR to use another folder")
}

fn unreadable(error: io::Error) -> TraceError {
    let message = "cannot read the sorted events back";
    TraceError::new(ErrorKind::Unreadable, message).caused_by(error)
}

impl TraceReader for SortedTrace {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let Some(&source) = self.sources.get(index) else {
            let message = format!("this trace has no stream {index}");
            return Err(TraceError::new(ErrorKind::Usage, message).at(Place::file(&self.path)));
        };
        let rows = self.rows.rows(source.track).map_err(unreadable)?;
        let mut stream = SortedStream {
            trace: self,
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

/// The end of a complete event that has begun. Among ends of the same time, the event that began last ends first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    time: i64,
    begun: Reverse<u64>,
    region: u64,
}

/// The stream of a location.
struct SortedStream<'a> {
    trace: &'a SortedTrace,
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
        self.row = match self.rows.next_row().map_err(unreadable)? {
            Some((when, row)) => {
                let kind = decode(row, &mut self.carried);
                let kind = kind.ok_or_else(|| unreadable(io::ErrorKind::InvalidData.into()))?;
                Some((when, kind))
            }
            None => None,
        };
        Ok(())
    }

    fn push(
        &mut self,
        batch: &mut EventBatch,
        symbol: Symbol,
        time: i64,
        quantities: &[(Quantity, u64)],
    ) {
        let symbol = self.symbols.intern(symbol);
        let time = time.wrapping_sub(self.source.zero) as u64;
        batch.push(symbol, Timestamp(time), quantities);
        self.position += 1;
    }

    /// Appends the event with which the operation of the call that was just entered begins: a send, or the begin of a
    /// collective operation. Receives and ends of collective operations come at the end of the call.
    fn push_operation(
        &mut self,
        batch: &mut EventBatch,
        (symbol, communication, time): (Symbol, Communication, i64),
    ) {
        match symbol.kind {
            EventKind::MpiSend => {
                let bytes = [(Quantity::Bytes, communication.sent)];
                self.push(batch, symbol, time, &bytes);
            }
            EventKind::MpiCollectiveEnd => {
                let begin = Symbol::new(EventKind::MpiCollectiveBegin, &[]);
                self.push(batch, begin, time, &[]);
            }
            _ => {}
        }
    }

    /// Appends the event with which the operation of a call ends. Returns whether there was one: each is appended only once.
    fn push_end_of_operation(&mut self, batch: &mut EventBatch, end: End) -> bool {
        let Some((symbol, communication)) = self.communicating.remove(&end.begun.0) else {
            return false;
        };
        let Communication { sent, received, .. } = communication;
        match symbol.kind {
            EventKind::MpiRecv => {
                let bytes = [(Quantity::Bytes, received)];
                self.push(batch, symbol, end.time, &bytes);
            }
            EventKind::MpiCollectiveEnd => {
                let bytes = [(Quantity::Bytes, sent), (Quantity::BytesReceived, received)];
                self.push(batch, symbol, end.time, &bytes);
            }
            _ => return false,
        }
        true
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
        for &(member, value_type, bits) in &self.carried.metrics {
            let is_double = counter.is_some_and(|counter| self.trace.is_double(counter, member));
            let (value_type, bits) = if is_double && value_type != ValueType::Double {
                (ValueType::Double, value_type.number(bits).to_bits())
            } else {
                (value_type, bits)
            };
            batch.metrics.push(index, member, value_type, bits);
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
        if let Some(left) = begun {
            return left.call;
        }
        let position = Position(self.position);
        let place = Place::file(&self.trace.path).event(self.source.location, position);
        let UnmatchedEnd { kind, message } = self.trace.unmatched_end;
        let (severity, key) = kind;
        let diagnostic = || Diagnostic::new(severity, key, message).at(place);
        diagnostics.report_with(severity, key, diagnostic);
        region.unwrap_or(UNDEFINED)
    }

    /// Returns the kind, the id and the counter of the event of a row.
    fn event(
        &mut self,
        when: RowTime,
        kind: RowKind,
        diagnostics: &mut Diagnostics,
    ) -> (EventKind, u64, Option<u64>) {
        match kind {
            RowKind::Begin(region) => {
                self.open.enter(region, region);
                (EventKind::Enter, region, None)
            }
            RowKind::End(region) => (EventKind::Leave, self.end(region, diagnostics), None),
            RowKind::Complete(region) => {
                self.begin(when, region);
                (EventKind::Enter, region, None)
            }
            RowKind::Communicating(region, communication) => {
                self.begin(when, region);
                if let Some(symbol) = self.trace.operation(communication) {
                    let operation = (symbol, communication);
                    self.communicating.insert(self.begun, operation);
                    self.has_entered = Some((symbol, communication, when.time));
                }
                (EventKind::Enter, region, None)
            }
            RowKind::Local(string) => (EventKind::Local, string, None),
            RowKind::Counter(counter) => (EventKind::Metric, counter, Some(counter)),
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
            if let Some(entered) = self.has_entered.take() {
                self.push_operation(batch, entered);
                continue;
            }
            if let Some(&Reverse(end)) = self.ends.peek()
                && self.row.is_none_or(|(when, _)| end.time <= when.time)
            {
                if !self.communicating.is_empty() && self.push_end_of_operation(batch, end) {
                    continue;
                }
                self.ends.pop();
                let leave = Symbol::new(EventKind::Leave, &[end.region]);
                self.push(batch, leave, end.time, &[]);
                continue;
            }
            let Some((when, row_kind)) = self.row else {
                break;
            };
            let (kind, id, counter) = self.event(when, row_kind, diagnostics);
            self.push(batch, Symbol::new(kind, &[id]), when.time, &[]);
            self.push_carried(batch, counter);
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
        self.rows.bytes_read()
    }
}

//! An open trace whose events are sorted: each location is a stream.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_trace::{
    CallStack, Carried, Diagnostic, Diagnostics, ErrorKind, EventBatch, EventKind, EventStream,
    LocationId, Place, Position, Quantity, Severity, Step, StreamInfo, Symbol, SymbolTable,
    Timestamp, TraceError, TraceHead, TraceReader, UNDEFINED, ValueType,
};

use crate::rows::{RowKind, decode};
use crate::sorter::{RowTime, SortedRows, TrackRows};

/// Maximum number of events of a batch.
const FULL: usize = 8192;

/// The words of a format for an end that has no beginning, as the key and the message of a diagnostic.
#[derive(Clone, Copy, Debug)]
pub struct UnmatchedEnd {
    /// The key of the diagnostic.
    pub key: &'static str,
    /// The message of the diagnostic.
    pub message: &'static str,
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
    /// The locations in the order of their streams, with their tracks.
    pub locations: Vec<(LocationId, u32)>,
    /// The nanosecond at time 0.
    pub zero: i64,
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
        let stream = |&(location, track): &(LocationId, u32)| StreamInfo {
            location: Some(location),
            bytes: self.rows.size(track),
            part: None,
        };
        self.head.streams = self.locations.iter().map(stream).collect();
        self
    }

    fn is_double(&self, counter: u64, member: u32) -> bool {
        let counter = usize::try_from(counter).ok();
        let members = counter.and_then(|counter| self.doubles.get(counter));
        let is_double = members.and_then(|members| members.get(member as usize));
        is_double.copied().unwrap_or(false)
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
        let Some(&(location, track)) = self.locations.get(index) else {
            let message = format!("this trace has no stream {index}");
            return Err(TraceError::new(ErrorKind::Usage, message).at(Place::file(&self.path)));
        };
        let rows = self.rows.rows(track).map_err(unreadable)?;
        let mut stream = SortedStream {
            path: &self.path,
            trace: self,
            location,
            rows,
            row: None,
            carried: Carried::default(),
            ends: BinaryHeap::new(),
            begun: 0,
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
    path: &'a Path,
    trace: &'a SortedTrace,
    location: LocationId,
    rows: TrackRows<'a>,
    /// The next row; its metric values and attributes are in `carried`.
    row: Option<(RowTime, RowKind)>,
    carried: Carried,
    /// The ends of the complete events that have begun.
    ends: BinaryHeap<Reverse<End>>,
    /// The number of complete events that have begun.
    begun: u64,
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
        let symbol = self.symbols.intern(Symbol::new(kind, &[id]));
        let time = time.wrapping_sub(self.trace.zero) as u64;
        batch.push(symbol, Timestamp(time), &[] as &[(Quantity, u64)]);
        self.position += 1;
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
        let place = Place::file(self.path).event(self.location, Position(self.position));
        let UnmatchedEnd { key, message } = self.trace.unmatched_end;
        let warning = || Diagnostic::new(Severity::Warning, key, message).at(place);
        diagnostics.report_with(Severity::Warning, key, warning);
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
                self.begun += 1;
                self.ends.push(Reverse(End {
                    time: when.time.saturating_add_unsigned(when.span.unwrap_or(0)),
                    begun: Reverse(self.begun),
                    region,
                }));
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
        batch.reset(self.location, Position(self.position));
        while batch.len() < self.most {
            if let Some(&Reverse(end)) = self.ends.peek()
                && self.row.is_none_or(|(when, _)| end.time <= when.time)
            {
                self.ends.pop();
                self.push(batch, EventKind::Leave, end.region, end.time);
                continue;
            }
            let Some((when, row_kind)) = self.row else {
                break;
            };
            let (kind, id, counter) = self.event(when, row_kind, diagnostics);
            self.push(batch, kind, id, when.time);
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

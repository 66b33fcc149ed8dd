//! An open foreign file: all events are read and sorted, and each location is a stream.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::path::{Path, PathBuf};

use foldtrace_sort::{RowKind, RowTime, TrackRows, decode};
use foldtrace_trace::{
    CallStack, Carried, Diagnostic, Diagnostics, ErrorKind, EventBatch, EventKind, EventStream,
    LocationId, Place, Position, Quantity, Severity, Step, StreamInfo, Symbol, SymbolTable,
    Timestamp, TraceError, TraceHead, TraceReader, UNDEFINED, ValueType,
};

use crate::elements::{ElementKind, Elements};
use crate::foreign::{Collected, Collector, Rejection};

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
        let mut collector = Collector::new();
        while let Some(element) = elements.next(&mut diagnostics)? {
            let taken = match element.kind {
                ElementKind::Event => collector.take(element.text),
                ElementKind::Property(key) => {
                    collector.property(&key, element.text);
                    Ok(())
                }
                // Files of foldtrace have definitions, but are not read here; properties that are too long were
                // already reported.
                ElementKind::Definition | ElementKind::LongProperty(_) => Ok(()),
            };
            match taken {
                Ok(()) => {}
                Err(Rejection::Fault(fault)) => elements.report_or_fail(fault, &mut diagnostics)?,
                Err(Rejection::Scratch(error)) => return Err(scratch_error(error)),
            }
        }
        let (definitions, collected) = collector.finish().map_err(scratch_error)?;
        if collected.zero < 0 {
            let message = format!(
                "all times are {} ns later than in the file",
                -collected.zero
            );
            let note = Diagnostic::new(Severity::Note, "chrome.negative_time", message);
            diagnostics.report(
                note.at(Place::file(&path))
                    .hint("the file contains times before 0"),
            );
        }
        let stream = |&(location, track): &(LocationId, u32)| StreamInfo {
            location: Some(location),
            bytes: collected.rows.size(track),
            part: None,
        };
        Ok(Self {
            path,
            head: TraceHead {
                definitions,
                diagnostics,
                streams: collected.locations.iter().map(stream).collect(),
                ..TraceHead::default()
            },
            collected,
        })
    }
}

fn scratch_error(error: io::Error) -> TraceError {
    TraceError::unwritable(&std::env::temp_dir(), error)
        .hint("events are sorted there; set TMPDIR to use another folder")
}

impl TraceReader for SortedTrace {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let Some(&(location, track)) = self.collected.locations.get(index) else {
            let message = format!("this trace has no stream {index}");
            return Err(TraceError::new(ErrorKind::Usage, message).at(Place::file(&self.path)));
        };
        let rows = self.collected.rows.rows(track).map_err(unreadable)?;
        let mut stream = SortedStream {
            path: &self.path,
            collected: &self.collected,
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

    fn push(&mut self, batch: &mut EventBatch, kind: EventKind, id: u64, time: i64) {
        let symbol = self.symbols.intern(Symbol::new(kind, &[id]));
        let time = time.wrapping_sub(self.collected.zero) as u64;
        batch.push(symbol, Timestamp(time), &[] as &[(Quantity, u64)]);
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
                let place = Place::file(self.path).event(self.location, Position(self.position));
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
        batch.reset(self.location, Position(self.position));
        while batch.len() < self.most {
            if let Some(&Reverse(end)) = self.ends.peek()
                && self.row.is_none_or(|(when, _)| end.time <= when.time)
            {
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
        self.rows.bytes_read()
    }
}

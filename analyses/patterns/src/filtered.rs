//! Reads a store without its repetitions, as a trace that can be converted to any format.
//!
//! Either both ends of a call are kept, or neither. Where events were left out, the trace contains two events that
//! switch measurement off and on: the first at the time of the first missing event, with the number of missing
//! events, and the second at the time of the last one.

use std::collections::HashMap;
use std::ops::Range;

use foldtrace_store::{LocationStream, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    BatchCursor, CallChange, DefinitionKind, Diagnostics, EventBatch, EventKind, EventRef,
    EventStream, LocationId, OpenCalls, Position, Quantity, Step, Symbol, SymbolId, SymbolTable,
    Timestamp, TraceError, TraceHead, TraceReader, UNDEFINED, ValueType,
};

use crate::occurrences::Kept;

/// The name of the attribute with the number of events that were left out.
const LEFT_OUT: &str = "foldtrace::left_out";

/// Modes of measurement, as defined by OTF2.
const ON: u64 = 1;
const OFF: u64 = 2;

/// Adds the other end of each call of which one end is kept.
pub(super) fn with_whole_calls(
    kept: Kept,
    store: &StoreReader,
    location: LocationId,
    progress: &Progress,
) -> Result<Kept, TraceError> {
    let symbols = store.symbols();
    let mut events = store.events(location, Position(0));
    // The open calls, each with the position at which it was entered.
    let mut calls: OpenCalls<u64> = OpenCalls::default();
    let mut missing: Vec<u64> = Vec::new();
    let (mut batch, mut position) = (Vec::new(), 0);
    loop {
        progress.check()?;
        events.next_symbols(&mut batch)?;
        if batch.is_empty() {
            missing.sort_unstable();
            return Ok(kept.with(&missing));
        }
        for &symbol in &batch {
            if let CallChange::Left { call: enter, .. } =
                calls.take_with(symbol, symbols, |_| position)
            {
                match (kept.contains(enter), kept.contains(position)) {
                    (true, false) => missing.push(position),
                    (false, true) => missing.push(enter),
                    _ => {}
                }
            }
            position += 1;
        }
    }
}

/// A reader of the events of a store that are kept, with marks where events were left out.
pub struct Filtered<'a> {
    store: &'a StoreReader,
    kept: HashMap<LocationId, Kept>,
    head: TraceHead,
    symbols: SymbolTable,
    marks: Marks,
}

/// The symbols and the attribute that mark where events were left out.
#[derive(Clone, Copy, Debug)]
struct Marks {
    off: SymbolId,
    on: SymbolId,
    /// The attribute with the number of events that were left out.
    left_out: u64,
}

impl<'a> Filtered<'a> {
    /// Creates a trace of the events kept of each location; locations without an entry in `kept` are not in the
    /// trace.
    #[must_use]
    pub fn new(store: &'a StoreReader, kept: HashMap<LocationId, Kept>) -> Self {
        let mut definitions = store.definitions().clone();
        let free = |kind: DefinitionKind| {
            let ids = definitions.records(kind).map(|record| record.get(0));
            let last = ids.filter(|&id| id != UNDEFINED).max();
            last.map_or(0, |last| last + 1)
        };
        let (name, left_out) = (
            free(DefinitionKind::String),
            free(DefinitionKind::Attribute),
        );
        let description = name + 1;
        let strings = [
            (name, LEFT_OUT),
            (description, "events that were left out here"),
        ];
        for (id, text) in strings {
            definitions.push(DefinitionKind::String, &[id], &[], text);
        }
        let fields = [left_out, name, description, ValueType::Uint64 as u64];
        definitions.push(DefinitionKind::Attribute, &fields, &[], "");
        let mut symbols = store.symbols().clone();
        let [off, on] =
            [OFF, ON].map(|mode| symbols.intern(Symbol::new(EventKind::MeasurementOnOff, &[mode])));
        let streams = store.streams().iter();
        let streams = streams.filter(|s| s.location.is_some_and(|l| kept.contains_key(&l)));
        Self {
            head: TraceHead {
                definitions,
                streams: streams.cloned().collect(),
                diagnostics: store.diagnostics().clone(),
                wide_fields: store.wide_fields(),
            },
            store,
            kept,
            symbols,
            marks: Marks { off, on, left_out },
        }
    }
}

impl TraceReader for Filtered<'_> {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn all_symbols(&self) -> Option<&SymbolTable> {
        Some(&self.symbols)
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let stream = self.streams().get(index);
        let location = stream
            .and_then(|stream| stream.location)
            .unwrap_or_default();
        let ranges = self
            .kept
            .get(&location)
            .map_or(&[][..], |kept| &kept.ranges);
        Ok(Box::new(FilteredStream {
            source: self.store.events(location, Position(0)),
            symbols: &self.symbols,
            marks: self.marks,
            ranges,
            batch: EventBatch::default(),
            gap: None,
            next: Position(0),
        }))
    }
}

/// A stream of the events kept of a location.
struct FilteredStream<'a> {
    source: LocationStream<'a>,
    symbols: &'a SymbolTable,
    marks: Marks,
    /// The ranges that have not been passed yet.
    ranges: &'a [Range<u64>],
    batch: EventBatch,
    gap: Option<Gap>,
    /// The position of the next event of the output.
    next: Position,
}

/// Consecutive events that are left out.
#[derive(Clone, Copy, Debug)]
struct Gap {
    first: Timestamp,
    last: Timestamp,
    events: u64,
}

impl FilteredStream<'_> {
    fn take(&mut self, event: &EventRef, out: &mut EventBatch) {
        while self
            .ranges
            .first()
            .is_some_and(|range| range.end <= event.position.0)
        {
            self.ranges = &self.ranges[1..];
        }
        let is_kept = self
            .ranges
            .first()
            .is_some_and(|range| range.contains(&event.position.0));
        if is_kept {
            self.close_gap(out);
            self.copy(event, out);
        } else {
            let gap = Gap {
                first: event.time,
                last: event.time,
                events: 0,
            };
            let gap = self.gap.get_or_insert(gap);
            gap.last = event.time;
            gap.events += 1;
        }
    }

    /// Writes the marks for the events that were left out, if any.
    fn close_gap(&mut self, out: &mut EventBatch) {
        let Some(gap) = self.gap.take() else { return };
        out.push(self.marks.off, gap.first, &[]);
        let index = out.len() as u32 - 1;
        out.attributes
            .push(index, self.marks.left_out, ValueType::Uint64, gap.events);
        out.push(self.marks.on, gap.last, &[]);
    }

    fn copy(&self, event: &EventRef, out: &mut EventBatch) {
        let index = out.len() as u32;
        let kind = self.symbols.kind(event.symbol);
        let mut quantities = [(Quantity::Bytes, 0); Quantity::COUNT];
        let all = kind.quantities();
        for (slot, &quantity) in quantities.iter_mut().zip(all) {
            *slot = (quantity, event.quantities[quantity as usize]);
        }
        out.push(event.symbol, event.time, &quantities[..all.len()]);
        let metrics = &self.batch.metrics;
        for row in metrics.rows(event.index) {
            out.metrics.push(
                index,
                metrics.member[row],
                metrics.value_type[row],
                metrics.value[row],
            );
        }
        let attributes = &self.batch.attributes;
        for row in attributes.rows(event.index) {
            let (attribute, value) = (attributes.attribute[row], attributes.value[row]);
            out.attributes
                .push(index, attribute, attributes.value_type[row], value);
        }
    }
}

impl EventStream for FilteredStream<'_> {
    fn next_batch(
        &mut self,
        out: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        loop {
            let mut batch = std::mem::take(&mut self.batch);
            let step = self.source.next_batch(&mut batch, diagnostics)?;
            out.reset(batch.location, self.next);
            self.batch = batch;
            let mut cursor = BatchCursor::default();
            while let Some(event) = cursor.next(&self.batch, self.symbols) {
                self.take(&event, out);
            }
            if step == Step::End {
                self.close_gap(out);
            }
            self.next.0 += out.len() as u64;
            if !out.is_empty() {
                return Ok(Step::Batch);
            }
            if step == Step::End {
                return Ok(Step::End);
            }
        }
    }

    fn batch_at_most(&mut self, events: usize) {
        self.source.batch_at_most(events);
    }

    fn symbols(&self) -> &SymbolTable {
        self.symbols
    }

    fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }
}

//! Reads files that foldtrace wrote. Each location is already in order, so nothing is sorted.

use std::collections::HashMap;

use foldtrace_input::{SingleReader, SingleStream};
use foldtrace_notation::{MARK, parse_definition};
use foldtrace_trace::{
    Definitions, Demultiplexer, Diagnostics, EventBatch, EventKind, EventStream, Input, LocationId,
    Position, ReadOptions, Step, Symbol, SymbolTable, TraceError, UNDEFINED,
};
use serde_json::value::RawValue;

use crate::elements::{ElementKind, Elements, OURS};
use crate::fault::Fault;
use crate::fields::{Fields, NOT_OURS, unsigned};
use crate::record::{Record, text_of, visit_object, visit_pairs};
use crate::slices::Slices;
use crate::time::Scale;
use crate::vocabulary::Vocabulary;
use crate::writer::DRAWN;

/// The stream of a trace that foldtrace wrote.
pub(crate) struct OurStream {
    elements: Elements,
    events: OurEvents,
    failure: Option<TraceError>,
    has_ended: bool,
}

impl OurStream {
    /// Opens a trace from its first element on.
    ///
    /// # Errors
    /// If the trace is damaged before its first event.
    pub(crate) fn open(
        elements: Elements,
        options: ReadOptions,
    ) -> Result<SingleReader<Self>, TraceError> {
        let mut diagnostics = Diagnostics::default();
        let path = elements.path().to_owned();
        let (stream, definitions) = Self::from_elements(elements, &mut diagnostics)?;
        Ok(SingleReader::begun(
            path,
            options,
            stream,
            definitions,
            diagnostics,
        ))
    }

    /// Reads up to the first event, and returns the definitions before it.
    fn from_elements(
        elements: Elements,
        diagnostics: &mut Diagnostics,
    ) -> Result<(Self, Definitions), TraceError> {
        let mut stream = Self {
            elements,
            events: OurEvents::default(),
            failure: None,
            has_ended: false,
        };
        while let Some(element) = stream.elements.next(diagnostics)? {
            let taken = match element.kind {
                ElementKind::Event => {
                    stream.elements.put_back();
                    break;
                }
                ElementKind::Definition => stream.events.define(element.text),
                ElementKind::Property(key) => {
                    let taken = stream.events.property(&key, element.text);
                    // The times of the trace cannot be read without its clock.
                    taken.map_err(|fault| stream.elements.refuse(fault))?;
                    Ok(())
                }
                ElementKind::LongProperty(_) => Ok(()),
            };
            if let Err(fault) = taken {
                stream.elements.report_or_fail(fault, diagnostics)?;
            }
        }
        let definitions = std::mem::take(&mut stream.events.fresh);
        Ok((stream, definitions))
    }

    /// Reads until a batch is ready, something fails, or the file ends.
    fn read(&mut self, diagnostics: &mut Diagnostics) -> Result<(), TraceError> {
        while !self.events.demultiplexer.is_ready() {
            let Some(element) = self.elements.next(diagnostics)? else {
                self.has_ended = true;
                break;
            };
            let taken = match element.kind {
                ElementKind::Event => self.events.take(element.text),
                ElementKind::Definition => self.events.define(element.text),
                ElementKind::Property(_) | ElementKind::LongProperty(_) => Ok(()),
            };
            if let Err(fault) = taken {
                self.elements.report_or_fail(fault, diagnostics)?;
            }
        }
        Ok(())
    }
}

impl SingleStream for OurStream {
    fn begin(
        input: Input,
        options: ReadOptions,
        diagnostics: &mut Diagnostics,
    ) -> Result<(Self, Definitions), TraceError> {
        Self::from_elements(Elements::open(input, options)?, diagnostics)
    }

    fn size(&self) -> u64 {
        self.elements.size()
    }

    fn is_repeatable(&self) -> bool {
        self.elements.is_repeatable()
    }
}

impl EventStream for OurStream {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        if !self.events.demultiplexer.is_ready() && !self.has_ended {
            if let Err(error) = self.read(diagnostics) {
                self.failure = Some(error);
                self.has_ended = true;
            }
            if self.has_ended {
                self.events.demultiplexer.flush();
            }
        }
        let is_batch = self.events.demultiplexer.take(batch);
        if !is_batch {
            batch.reset(LocationId::default(), Position::default());
        }
        batch.definitions = std::mem::take(&mut self.events.fresh);
        if !self.events.demultiplexer.is_ready()
            && let Some(failure) = self.failure.take()
        {
            return Err(failure);
        }
        Ok(if is_batch { Step::Batch } else { Step::End })
    }

    fn symbols(&self) -> &SymbolTable {
        &self.events.symbols
    }

    fn bytes_read(&self) -> u64 {
        self.elements.consumed()
    }
}

/// A location and its open slices.
struct Track {
    slot: u32,
    slices: Slices,
}

/// Parses the elements of a file into events and definitions.
struct OurEvents {
    scale: Scale,
    defined: Definitions,
    fresh: Definitions,
    vocabulary: Vocabulary,
    /// Whether `vocabulary` includes all definitions so far.
    is_resolved: bool,
    tracks: Vec<Track>,
    track_of: HashMap<(u64, u64), usize>,
    last: Option<((u64, u64), usize)>,
    symbols: SymbolTable,
    demultiplexer: Demultiplexer,
    fields: Fields,
}

impl Default for OurEvents {
    fn default() -> Self {
        Self {
            scale: Scale::new(1_000_000_000, 0),
            defined: Definitions::default(),
            fresh: Definitions::default(),
            vocabulary: Vocabulary::default(),
            is_resolved: true,
            tracks: Vec::new(),
            track_of: HashMap::new(),
            last: None,
            symbols: SymbolTable::default(),
            demultiplexer: Demultiplexer::default(),
            fields: Fields::default(),
        }
    }
}

impl OurEvents {
    /// Reads a property of the file.
    fn property(&mut self, key: &str, text: &[u8]) -> Result<(), Fault> {
        if key != OURS {
            return Ok(());
        }
        let text = std::str::from_utf8(text).map_err(|error| Fault::not_utf8(&error, text))?;
        let (mut ticks, mut first, mut version) = (None, None, None);
        let taken = visit_pairs(text, |key, value| match key {
            "ticks_per_second" => ticks = unsigned(value),
            "first_tick" => first = unsigned(value),
            "version" => version = unsigned(value),
            _ => {}
        });
        taken.map_err(|error| Fault::not_json(&error, text.as_bytes()))?;
        if version != Some(1) {
            let found = version.map_or("none".to_owned(), |version| version.to_string());
            let message = format!("expected version 1 of foldtrace's own data, found {found}");
            return Err(Fault::new(message).hint("a newer foldtrace may have written the file"));
        }
        let (Some(ticks @ 1..), Some(first)) = (ticks, first) else {
            return Err(Fault::new("expected the clock of the trace, found none"));
        };
        self.scale = Scale::new(ticks, first);
        Ok(())
    }

    /// Reads a definition, which is a JSON string.
    fn define(&mut self, text: &[u8]) -> Result<(), Fault> {
        let line = serde_json::from_slice::<String>(text);
        let line = line.map_err(|error| Fault::not_json(&error, text))?;
        self.define_line(&line)
    }

    fn define_line(&mut self, line: &str) -> Result<(), Fault> {
        if !line.as_bytes().starts_with(MARK) {
            return Err(Fault::expected("a definition, '#: …'", line));
        }
        let definition = parse_definition(line.as_bytes(), MARK.len())
            .map_err(|fault| Fault::new(fault.message))?;
        definition.push_to(&mut self.defined);
        definition.push_to(&mut self.fresh);
        self.is_resolved = false;
        Ok(())
    }

    /// Reads an event.
    fn take(&mut self, text: &[u8]) -> Result<(), Fault> {
        let record = Record::parse(text, |_, _| {})?;
        let phase = record.phase()?;
        if phase == b'M' {
            return self.metadata(&record);
        }
        if matches!(phase, b's' | b'f') {
            // Arrows only repeat sends and receives.
            return Ok(());
        }
        let place = (
            record.process.and_then(unsigned),
            record.thread.and_then(unsigned),
        );
        let (Some(process), Some(thread)) = place else {
            return Err(Fault::new("expected a process and a thread, found none").hint(NOT_OURS));
        };
        let track = self.track((process, thread))?;
        let category = record.category.map(text_of);
        if phase == b'E' && category.as_deref() == Some(DRAWN) {
            self.tracks[track].slices.pop();
            return Ok(());
        }
        let time = record.time.map(RawValue::get).unwrap_or_default();
        let ticks = (self.scale.parse(time))
            .ok_or_else(|| Fault::expected("a time, \"ts\"", time).hint(NOT_OURS))?;
        if !self.is_resolved {
            self.vocabulary = Vocabulary::new(&self.defined);
            self.is_resolved = true;
        }
        let kind = match (phase, category) {
            (b'E', _) => None,
            (b'C', _) => Some(EventKind::Metric),
            (b'B', None) => Some(EventKind::Enter),
            (_, category) => {
                let category = category.unwrap_or_default();
                let kind = EventKind::from_name(&category).ok_or_else(|| {
                    Fault::expected("a kind of event as category", &category).hint(NOT_OURS)
                })?;
                Some(kind)
            }
        };
        self.fields.clear();
        let symbol = match kind {
            None => {
                self.fields
                    .take_all(EventKind::Leave, record.args, &self.vocabulary)?;
                let leave = self.tracks[track].slices.pop();
                leave.ok_or_else(|| {
                    Fault::new("expected an event, found the end of a call that is not open")
                })?
            }
            Some(EventKind::Metric) => {
                let kind = EventKind::Metric;
                self.fields.take_all(kind, record.ours, &self.vocabulary)?;
                let symbol = self.symbol(kind, &record);
                if self.fields.carried.metrics.is_empty() {
                    self.fields
                        .take_values(symbol, record.args, &self.vocabulary)?;
                }
                symbol
            }
            Some(kind) => {
                self.fields.take_all(kind, record.args, &self.vocabulary)?;
                self.symbol(kind, &record)
            }
        };
        if phase == b'B' {
            self.tracks[track].slices.begin(symbol);
        }
        let id = self.symbols.intern(symbol);
        let slot = self.tracks[track].slot;
        let carried = &self.fields.carried;
        self.demultiplexer
            .push(slot, id, symbol.kind, Some(ticks), carried);
        Ok(())
    }

    /// Returns the symbol that the fields describe, together with the name if it denotes an operand.
    fn symbol(&self, kind: EventKind, record: &Record<'_>) -> Symbol {
        let mut symbol = Symbol::new(kind, &self.fields.operands[..kind.operands().len()]);
        if let Some(operand) = Vocabulary::named_operand(kind)
            && let Some(slot) = kind.slot(operand)
            && !self.fields.is_named
        {
            let name = record.name.map(text_of).unwrap_or_default();
            let named_value = self.vocabulary.operand_value(kind, &name);
            symbol.operands[slot] = named_value.unwrap_or(UNDEFINED);
        }
        symbol
    }

    fn track(&mut self, place: (u64, u64)) -> Result<usize, Fault> {
        if let Some((last, track)) = self.last
            && last == place
        {
            return Ok(track);
        }
        let track = self.track_of.get(&place).copied().ok_or_else(|| {
            let (process, thread) = place;
            let message =
                format!("expected a thread named by an earlier event, found process {process}, thread {thread}");
            Fault::new(message).hint(NOT_OURS)
        })?;
        self.last = Some((place, track));
        Ok(track)
    }

    /// Reads a metadata event, which names a thread or contains a definition.
    fn metadata(&mut self, record: &Record<'_>) -> Result<(), Fault> {
        let Some(args) = record.args else {
            return Ok(());
        };
        let (mut location, mut definition) = (None, None);
        visit_object(args, |key, value| match key {
            "location" => location = unsigned(value),
            "definition" => definition = Some(text_of(value).into_owned()),
            _ => {}
        })?;
        match &*record.name.map(text_of).unwrap_or_default() {
            OURS => self.define_line(&definition.unwrap_or_default()),
            "thread_name" => {
                let place = (
                    record.process.and_then(unsigned),
                    record.thread.and_then(unsigned),
                );
                if let (Some(location), (Some(process), Some(thread))) = (location, place) {
                    let slot = self.demultiplexer.slot(LocationId(location));
                    let slices = Slices::default();
                    self.tracks.push(Track { slot, slices });
                    self.track_of
                        .insert((process, thread), self.tracks.len() - 1);
                    self.last = None;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

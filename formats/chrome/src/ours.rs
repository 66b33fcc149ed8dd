//! Reading back what foldtrace wrote: each location is in order already, and nothing is sorted.

use std::collections::HashMap;

use foldtrace_input::{SingleReader, SingleStream};
use foldtrace_notation::{MARK, parse_definition};
use foldtrace_trace::{
    Carried, Definitions, Demultiplexer, Diagnostics, EventBatch, EventKind, EventStream, Input,
    LocationId, Operand, Position, Quantity, ReadOptions, Step, Symbol, SymbolTable, TraceError,
    UNDEFINED, ValueType,
};
use serde_json::value::RawValue;

use crate::elements::{Elements, Fault, Kind, OURS};
use crate::json::{parse_typed, parse_value};
use crate::record::{Record, pairs, text_of};
use crate::slices::Slices;
use crate::time::Scale;
use crate::vocabulary::Vocabulary;
use crate::writer::DRAWN;

const NOT_OURS: &str = "without its key \"foldtrace\", the file is read as that of any program";

/// A trace of ours, being read.
pub(crate) struct OurStream {
    elements: Elements,
    events: OurEvents,
    failure: Option<TraceError>,
    has_ended: bool,
}

impl OurStream {
    /// Opens a trace whose first elements were not read yet.
    ///
    /// # Errors
    /// If it is damaged before its first event.
    pub(crate) fn open(
        elements: Elements,
        options: ReadOptions,
    ) -> Result<SingleReader<Self>, TraceError> {
        let mut diagnostics = Diagnostics::default();
        let path = elements.path().to_owned();
        let (stream, definitions) = Self::of(elements, &mut diagnostics)?;
        Ok(SingleReader::begun(
            path,
            options,
            stream,
            definitions,
            diagnostics,
        ))
    }

    fn of(
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
                Kind::Event => {
                    stream.elements.put_back();
                    break;
                }
                Kind::Definition => stream.events.define(element.text),
                Kind::Property(key) => stream.events.property(&key, element.text),
            };
            if let Err(fault) = taken {
                stream.elements.judge(fault, diagnostics)?;
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
                Kind::Event => self.events.take(element.text),
                Kind::Definition => self.events.define(element.text),
                Kind::Property(_) => Ok(()),
            };
            if let Err(fault) = taken {
                self.elements.judge(fault, diagnostics)?;
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
        Self::of(Elements::open(input, options)?, diagnostics)
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

/// A location, and what is open there.
struct Track {
    slot: u32,
    slices: Slices,
}

/// What the elements say.
struct OurEvents {
    scale: Scale,
    defined: Definitions,
    fresh: Definitions,
    vocabulary: Vocabulary,
    /// Whether names are those of what was defined.
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
    /// Takes what the file says of itself.
    fn property(&mut self, key: &str, text: &[u8]) -> Result<(), Fault> {
        if key != OURS {
            return Ok(());
        }
        let (mut ticks, mut first, mut version) = (None, None, None);
        let taken = pairs(text, |key, value| match key {
            "ticks_per_second" => ticks = unsigned(value),
            "first_tick" => first = unsigned(value),
            "version" => version = unsigned(value),
            _ => {}
        });
        taken.map_err(|error| Fault::of_json(&error, text))?;
        if version != Some(1) {
            return Err(
                Fault::new("expected version 1 of what foldtrace adds to such files")
                    .hint("a newer foldtrace wrote it"),
            );
        }
        let (Some(ticks @ 1..), Some(first)) = (ticks, first) else {
            return Err(Fault::new("expected the clock of the trace, found none"));
        };
        self.scale = Scale::new(ticks, first);
        Ok(())
    }

    /// Takes a definition: a string of JSON.
    fn define(&mut self, text: &[u8]) -> Result<(), Fault> {
        let line = serde_json::from_slice::<String>(text);
        let line = line.map_err(|error| Fault::of_json(&error, text))?;
        self.define_line(&line)
    }

    fn define_line(&mut self, line: &str) -> Result<(), Fault> {
        if !line.as_bytes().starts_with(MARK) {
            return Err(Fault::expected("a definition, '#: …'", line));
        }
        let definition = parse_definition(line.as_bytes(), MARK.len());
        let definition = definition.map_err(|fault| Fault::new(fault.message))?;
        definition.push_to(&mut self.defined);
        definition.push_to(&mut self.fresh);
        self.is_resolved = false;
        Ok(())
    }

    /// Takes an event.
    fn take(&mut self, text: &[u8]) -> Result<(), Fault> {
        let record = Record::parse(text, |_, _| {})?;
        let phase = record.phase()?;
        if phase == b'M' {
            return self.metadata(&record);
        }
        if matches!(phase, b's' | b'f') {
            // Arrows are drawn from what sends and receives say.
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
        let ticks = self.scale.parse(time);
        let ticks = ticks.ok_or_else(|| Fault::expected("a time, \"ts\"", time).hint(NOT_OURS))?;
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
                let kind = EventKind::from_name(&category);
                let kind = kind.ok_or_else(|| {
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
                leave.ok_or_else(|| Fault::new("expected an event, found the end of none"))?
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

    /// The symbol of the fields, and of the name where it stands for one.
    fn symbol(&self, kind: EventKind, record: &Record<'_>) -> Symbol {
        let mut symbol = Symbol::new(kind, &self.fields.operands[..kind.operands().len()]);
        if let Some(operand) = Vocabulary::named(kind)
            && let Some(slot) = kind.slot(operand)
            && !self.fields.is_named
        {
            let name = record.name.map(text_of).unwrap_or_default();
            let leads_to = self.vocabulary.lead_back(kind, &name);
            symbol.operands[slot] = leads_to.unwrap_or(UNDEFINED);
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
                format!("expected a thread that was named above, found {process}/{thread}");
            Fault::new(message).hint(NOT_OURS)
        })?;
        self.last = Some((place, track));
        Ok(track)
    }

    /// Takes an event that names a thread or defines something.
    fn metadata(&mut self, record: &Record<'_>) -> Result<(), Fault> {
        let Some(args) = record.args else {
            return Ok(());
        };
        let (mut location, mut definition) = (None, None);
        each(args, |key, value| match key {
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

/// What an event has beside its name and its time.
struct Fields {
    operands: [u64; foldtrace_trace::MAX_OPERANDS],
    /// Whether the operand that the name may stand for is among the fields.
    is_named: bool,
    carried: Carried,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            operands: [UNDEFINED; foldtrace_trace::MAX_OPERANDS],
            is_named: false,
            carried: Carried::default(),
        }
    }
}

impl Fields {
    fn clear(&mut self) {
        self.operands = [UNDEFINED; foldtrace_trace::MAX_OPERANDS];
        self.is_named = false;
        self.carried.clear();
    }

    fn take_all(
        &mut self,
        kind: EventKind,
        object: Option<&RawValue>,
        vocabulary: &Vocabulary,
    ) -> Result<(), Fault> {
        let Some(object) = object else {
            return Ok(());
        };
        let mut outcome = Ok(());
        each(object, |key, value| {
            if outcome.is_ok() && self.take(kind, key, value, vocabulary).is_none() {
                let found = format!("{key}: {}", value.get());
                let message = format!("a field of {kind}");
                outcome = Err(Fault::expected(&message, &found).hint(NOT_OURS));
            }
        })?;
        outcome
    }

    fn take(
        &mut self,
        kind: EventKind,
        key: &str,
        value: &RawValue,
        vocabulary: &Vocabulary,
    ) -> Option<()> {
        if let Some(operand) = Operand::from_name(key) {
            self.operands[kind.slot(operand)?] = unsigned(value)?;
            self.is_named |= Vocabulary::named(kind) == Some(operand);
            return Some(());
        }
        if let Some(quantity) = Quantity::from_name(key) {
            let text = text_of(value);
            let number = text.parse::<i64>().ok().map(|number| number as u64);
            let number = number.or_else(|| text.parse().ok())?;
            kind.quantities().contains(&quantity).then_some(())?;
            self.carried.quantities[quantity as usize] = number;
            return Some(());
        }
        let text = text_of(value);
        if let Some(member) = key.strip_prefix("value.") {
            let (value_type, bits) = parse_typed(&text)?;
            self.carried
                .metrics
                .push((member.parse().ok()?, value_type, bits));
            return Some(());
        }
        if let Some(id) = key.strip_prefix("attribute.") {
            let (value_type, bits) = parse_typed(&text)?;
            self.carried
                .attributes
                .push((id.parse().ok()?, value_type, bits));
            return Some(());
        }
        let is_string = value.get().starts_with('"');
        let mut found = None;
        if is_string && let Some(id) = vocabulary.attribute_called(key, true) {
            found = vocabulary
                .string(&text)
                .map(|bits| (id, ValueType::String, bits));
        }
        // A large number is a string, too.
        if found.is_none() {
            let id = vocabulary.attribute_called(key, false)?;
            let value_type = vocabulary.attribute(id)?.value_type;
            found = Some((id, value_type, parse_value(value_type, &text)?));
        }
        self.carried.attributes.extend(found);
        Some(())
    }

    /// Takes the values of a metric event in the order of the members.
    fn take_values(
        &mut self,
        symbol: Symbol,
        args: Option<&RawValue>,
        vocabulary: &Vocabulary,
    ) -> Result<(), Fault> {
        let Some(args) = args else {
            return Ok(());
        };
        let metric = symbol
            .get(Operand::Metric)
            .and_then(|id| vocabulary.metric(id));
        let members = metric.map_or(&[][..], |metric| metric.members.as_slice());
        let mut member = 0;
        let mut is_known = true;
        each(args, |_, value| {
            let value_type = members
                .get(member as usize)
                .map(|(_, value_type)| *value_type);
            let bits = value_type.and_then(|value_type| parse_value(value_type, &text_of(value)));
            match (value_type, bits) {
                (Some(value_type), Some(bits)) => {
                    self.carried.metrics.push((member, value_type, bits));
                }
                _ => is_known = false,
            }
            member += 1;
        })?;
        if is_known {
            Ok(())
        } else {
            Err(Fault::expected("values of the metric's members", args.get()).hint(NOT_OURS))
        }
    }
}

fn each<'a>(object: &'a RawValue, take: impl FnMut(&str, &'a RawValue)) -> Result<(), Fault> {
    let text = object.get().as_bytes();
    pairs(text, take).map_err(|error| Fault::of_json(&error, text))
}

/// A number without a sign, in quotes or not; `null` is one that is not known.
fn unsigned(value: &RawValue) -> Option<u64> {
    match value.get() {
        "null" => Some(UNDEFINED),
        text => text.trim_matches('"').parse().ok(),
    }
}

//! Writing: slices, instants, counters and arrows for those who look at them, with all that it takes
//! to read the trace back as it was.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::ops::Range;

use foldtrace_notation::{push_definition, push_number};
use foldtrace_output::OutputFile;
use foldtrace_trace::{
    Arrow, Arrows, DefinitionKind, Definitions, Diagnostics, EventBatch, EventKind, EventRef,
    LocationId, Names, Operand, Output, Quantity, Ranks, Symbol, SymbolId, SymbolTable, TraceError,
    TraceWriter, UNDEFINED, ValueType,
};

use crate::elements::{OUR_DEFINITIONS, OURS};
use crate::json::{push_signed, push_text, push_typed, push_unsigned, push_value};
use crate::slices::{End, Slices};
use crate::time::Scale;
use crate::vocabulary::Vocabulary;

/// Bytes collected before they are written.
const BLOCK: usize = 1 << 18;
/// Process of the locations that belong to none.
const NO_PROCESS: u64 = i32::MAX as u64;
/// Category of what is drawn, and is no event of the trace.
pub(crate) const DRAWN: &str = "drawn";
/// Category and name of the arrows from sends to receives.
pub(crate) const MESSAGE: &str = "message";

/// Writes a trace.
pub(crate) struct ChromeWriter {
    file: OutputFile,
    out: Vec<u8>,
    defined: Definitions,
    vocabulary: Vocabulary,
    ranks: Ranks,
    /// Whether names and ranks are those of what was defined.
    is_resolved: bool,
    /// Once the first event has come.
    scale: Option<Scale>,
    is_first: bool,
    tracks: HashMap<LocationId, Track>,
    taken: HashSet<(u64, u64)>,
    named: HashSet<u64>,
    arrows: Arrows,
    texts: Texts,
}

/// Where events of a location are drawn.
struct Track {
    process: u64,
    thread: u64,
    slices: Slices,
}

/// Texts of the symbols of one batch.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    /// By symbol: the batch that it was last in, and where in `bytes` its text is.
    ranges: Vec<(u64, Range<usize>)>,
    batch: u64,
}

impl ChromeWriter {
    pub(crate) fn create(output: Output) -> Result<Self, TraceError> {
        Ok(Self {
            file: OutputFile::create(output)?,
            out: Vec::with_capacity(BLOCK + BLOCK / 4),
            defined: Definitions::default(),
            vocabulary: Vocabulary::default(),
            ranks: Ranks::default(),
            is_resolved: true,
            scale: None,
            is_first: true,
            tracks: HashMap::new(),
            taken: HashSet::new(),
            named: HashSet::new(),
            arrows: Arrows::default(),
            texts: Texts::default(),
        })
    }

    fn define(&mut self, definitions: &Definitions) {
        if definitions.is_empty() {
            return;
        }
        self.defined.append(definitions);
        self.is_resolved = false;
        if self.scale.is_some() {
            for definition in lines(definitions) {
                self.begin_event();
                self.out.extend_from_slice(
                    b"{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"foldtrace\",\"args\":{\"definition\":",
                );
                push_text(&mut self.out, &definition);
                self.out.extend_from_slice(b"}}");
            }
        }
    }

    fn resolve(&mut self) {
        if !self.is_resolved {
            self.vocabulary = Vocabulary::new(&self.defined);
            self.ranks = Ranks::new(&self.defined, &self.vocabulary.names);
            self.is_resolved = true;
        }
    }

    /// The scale of time; writes all that comes before the first event if it has not been written.
    fn scale(&mut self) -> Scale {
        if let Some(scale) = self.scale {
            return scale;
        }
        let clock = self.defined.clock();
        let scale = Scale::new(clock.ticks_per_second, clock.global_offset);
        self.scale = Some(scale);
        let out = &mut self.out;
        // First of all, so that a reader knows from the beginning.
        out.extend_from_slice(b"{\"");
        out.extend_from_slice(OURS.as_bytes());
        out.extend_from_slice(b"\":{\"version\":1,\"ticks_per_second\":");
        push_unsigned(out, scale.ticks_per_second);
        out.extend_from_slice(b",\"first_tick\":");
        push_unsigned(out, scale.first_tick);
        out.extend_from_slice(b"},\n\"displayTimeUnit\":\"ns\",\n\"");
        out.extend_from_slice(OUR_DEFINITIONS.as_bytes());
        out.extend_from_slice(b"\":[");
        let mut separator: &[u8] = b"\n";
        for definition in lines(&self.defined) {
            out.extend_from_slice(separator);
            push_text(out, &definition);
            separator = b",\n";
        }
        out.extend_from_slice(b"],\n\"traceEvents\":[");
        self.resolve();
        let locations = self.defined.records(DefinitionKind::Location);
        let locations: Vec<_> = locations.map(|record| LocationId(record.get(0))).collect();
        for location in locations {
            self.track(location);
        }
        scale
    }

    /// Begins a line.
    fn begin_event(&mut self) {
        let separator: &[u8] = if self.is_first { b"\n" } else { b",\n" };
        self.out.extend_from_slice(separator);
        self.is_first = false;
    }

    /// Gives a location its track, and names that.
    fn track(&mut self, location: LocationId) -> (u64, u64) {
        if let Some(track) = self.tracks.get(&location) {
            return (track.process, track.thread);
        }
        let place = self.vocabulary.names.rank(location);
        let place = place.filter(|place| place.0 < NO_PROCESS && self.taken.insert(*place));
        let (process, thread) = place.unwrap_or_else(|| {
            let place = (NO_PROCESS, self.tracks.len() as u64);
            self.taken.insert(place);
            place
        });
        let slices = Slices::default();
        let track = Track {
            process,
            thread,
            slices,
        };
        self.tracks.insert(location, track);
        let names = &self.vocabulary.names;
        let name = names.name(DefinitionKind::Location, location.0);
        let name = name.filter(|name| !name.is_empty()).map(str::to_owned);
        let name = name.unwrap_or_else(|| format!("thread {thread}"));
        if self.named.insert(process) {
            let group = names.process(process).map(|process| process.group);
            let title = group.and_then(|id| names.name(DefinitionKind::LocationGroup, id));
            let title = match title.filter(|title| !title.is_empty()) {
                Some(title) => title.to_owned(),
                None if process == NO_PROCESS => "no process".to_owned(),
                None => format!("rank {process}"),
            };
            self.push_title((process, thread), "process_name", |out| {
                out.extend_from_slice(b"\"name\":");
                push_text(out, &title);
            });
            self.push_title((process, thread), "process_sort_index", |out| {
                out.extend_from_slice(b"\"sort_index\":");
                push_number(out, process);
            });
        }
        self.push_title((process, thread), "thread_name", |out| {
            out.extend_from_slice(b"\"name\":");
            push_text(out, &name);
            out.extend_from_slice(b",\"location\":");
            push_unsigned(out, location.0);
        });
        self.push_title((process, thread), "thread_sort_index", |out| {
            out.extend_from_slice(b"\"sort_index\":");
            push_number(out, thread);
        });
        (process, thread)
    }

    fn push_title(&mut self, at: (u64, u64), what: &str, args: impl FnOnce(&mut Vec<u8>)) {
        self.begin_event();
        self.out.extend_from_slice(b"{\"ph\":\"M\"");
        push_place(&mut self.out, at);
        self.out.extend_from_slice(b",\"name\":\"");
        self.out.extend_from_slice(what.as_bytes());
        self.out.extend_from_slice(b"\",\"args\":{");
        args(&mut self.out);
        self.out.extend_from_slice(b"}}");
    }

    /// The text of a symbol of the batch being written: all from the process up to the fields that
    /// events of this symbol have in common.
    fn text(&mut self, at: (u64, u64), id: SymbolId, symbols: &SymbolTable) -> Range<usize> {
        if let Some((batch, range)) = self.texts.ranges.get(id.index())
            && *batch == self.texts.batch
        {
            return range.clone();
        }
        let start = self.texts.bytes.len();
        push_symbol(
            &mut self.texts.bytes,
            at,
            &symbols.symbol(id),
            &self.vocabulary,
        );
        let range = start..self.texts.bytes.len();
        if self.texts.ranges.len() <= id.index() {
            self.texts.ranges.resize(symbols.len(), (0, 0..0));
        }
        self.texts.ranges[id.index()] = (self.texts.batch, range.clone());
        range
    }

    fn begin_timed(&mut self, scale: &Scale, time: u64) {
        self.begin_event();
        self.out.extend_from_slice(b"{\"ts\":");
        scale.push(&mut self.out, time);
    }

    /// Writes an event that is the end of the innermost slice, and ends those around it that were
    /// left before.
    fn push_end(&mut self, scale: &Scale, at: (u64, u64), time: u64, around: usize, args: &[u8]) {
        self.begin_timed(scale, time);
        push_place(&mut self.out, at);
        self.out.extend_from_slice(b",\"ph\":\"E\"");
        if !args.is_empty() {
            self.out.extend_from_slice(b",\"args\":{");
            self.out.extend_from_slice(args);
            self.out.push(b'}');
        }
        self.out.push(b'}');
        for _ in 0..around {
            self.begin_timed(scale, time);
            push_place(&mut self.out, at);
            self.out.extend_from_slice(b",\"ph\":\"E\",\"cat\":\"");
            self.out.extend_from_slice(DRAWN.as_bytes());
            self.out.extend_from_slice(b"\"}");
        }
    }

    fn push_arrow(&mut self, scale: &Scale, at: (u64, u64), time: u64, arrow: Arrow) {
        self.begin_timed(scale, time);
        push_place(&mut self.out, at);
        let phase = if arrow.is_send { "s" } else { "f" };
        let bound = if arrow.is_send { "" } else { ",\"bp\":\"e\"" };
        let id = arrow.id;
        // Writing to memory cannot fail.
        let _ = write!(
            self.out,
            ",\"ph\":\"{phase}\",\"cat\":\"{MESSAGE}\",\"name\":\"{MESSAGE}\",\"id\":\"{id:#x}\"{bound}}}"
        );
    }

    fn settle(&mut self) -> Result<(), TraceError> {
        if self.out.len() >= BLOCK {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let written = self.file.write_all(&self.out);
        self.out.clear();
        written.map_err(|error| TraceError::unwritable(self.file.path(), error))
    }
}

/// Definitions as texts, without the end of the line.
fn lines(definitions: &Definitions) -> impl Iterator<Item = String> {
    definitions.in_order().into_iter().map(|record| {
        let mut line = Vec::new();
        push_definition(&mut line, &record);
        line.pop();
        String::from_utf8_lossy(&line).into_owned()
    })
}

fn push_place(out: &mut Vec<u8>, (process, thread): (u64, u64)) {
    out.extend_from_slice(b",\"pid\":");
    push_number(out, process);
    out.extend_from_slice(b",\"tid\":");
    push_number(out, thread);
}

fn push_key(out: &mut Vec<u8>, key: &str) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    out.push(b'"');
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
}

/// Appends what a symbol is, up to the brace that opens its arguments and those that belong to it.
fn push_symbol(out: &mut Vec<u8>, at: (u64, u64), symbol: &Symbol, vocabulary: &Vocabulary) {
    let kind = symbol.kind;
    let name = vocabulary.called(symbol);
    push_place(out, at);
    match kind {
        EventKind::Enter => out.extend_from_slice(b",\"ph\":\"B\""),
        EventKind::Metric => {
            out.extend_from_slice(b",\"ph\":\"C\"");
            // Counters belong to a process; those of its other threads are told apart by an id.
            if at.1 > 0 {
                out.extend_from_slice(b",\"id\":\"");
                push_number(out, at.1);
                out.push(b'"');
            }
        }
        _ => {
            let phase: &[u8] = match kind {
                EventKind::CallingContextEnter => b",\"ph\":\"B\"",
                _ => b",\"ph\":\"i\",\"s\":\"t\"",
            };
            out.extend_from_slice(phase);
            out.extend_from_slice(b",\"cat\":\"");
            out.extend_from_slice(kind.name().as_bytes());
            out.push(b'"');
        }
    }
    out.extend_from_slice(b",\"name\":");
    push_text(out, name);
    if kind == EventKind::Metric {
        return;
    }
    out.extend_from_slice(b",\"args\":{");
    let named = Vocabulary::named(kind);
    for (slot, operand) in kind.operands().iter().enumerate() {
        let value = symbol.operands[slot];
        if named == Some(*operand) {
            let leads_to = vocabulary.lead_back(kind, name).unwrap_or(UNDEFINED);
            if leads_to == value {
                continue;
            }
            if value == UNDEFINED {
                push_key(out, operand.name());
                out.extend_from_slice(b"null");
                continue;
            }
        }
        if value != UNDEFINED {
            push_key(out, operand.name());
            push_unsigned(out, value);
        }
    }
}

fn push_quantities(out: &mut Vec<u8>, kind: EventKind, event: &EventRef) {
    for &quantity in kind.quantities() {
        let value = event.quantities[quantity as usize];
        if value == UNDEFINED {
            continue;
        }
        push_key(out, quantity.name());
        if quantity == Quantity::Value && kind.has_signed_value() {
            push_signed(out, value as i64);
        } else {
            push_unsigned(out, value);
        }
    }
}

/// Goes through the metric values and attributes of a batch along with its events.
#[derive(Default)]
struct Extras {
    metric: usize,
    attribute: usize,
}

impl Extras {
    /// The values of event number `event`.
    fn metrics(&mut self, batch: &EventBatch, event: u32) -> Range<usize> {
        let start = self.metric;
        while batch.metrics.event.get(self.metric) == Some(&event) {
            self.metric += 1;
        }
        start..self.metric
    }

    /// Appends the attributes of event number `event`.
    fn push_attributes(
        &mut self,
        out: &mut Vec<u8>,
        batch: &EventBatch,
        event: u32,
        vocabulary: &Vocabulary,
    ) {
        let attributes = &batch.attributes;
        while attributes.event.get(self.attribute) == Some(&event) {
            let row = self.attribute;
            self.attribute += 1;
            let (id, bits) = (attributes.attribute[row], attributes.value[row]);
            push_attribute(out, id, attributes.value_type[row], bits, vocabulary);
        }
    }
}

/// Appends an attribute: by its name, if that and its value lead back to it, else by its id.
fn push_attribute(
    out: &mut Vec<u8>,
    id: u64,
    value_type: ValueType,
    bits: u64,
    vocabulary: &Vocabulary,
) {
    let length = out.len();
    if let Some(attribute) = vocabulary.attribute(id)
        && attribute.leads_back
        && attribute.value_type == value_type
    {
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        push_text(out, &attribute.name);
        out.push(b':');
        let text = vocabulary.names.string(bits);
        if value_type == ValueType::String && vocabulary.string(text) == Some(bits) {
            return push_text(out, text);
        }
        let start = out.len();
        let is_value = push_value(out, value_type, bits);
        // A string by that name would be mistaken for a number too large for JavaScript.
        let is_ambiguous = || vocabulary.attribute_called(&attribute.name, true).is_some();
        if is_value && (out[start] != b'"' || !is_ambiguous()) {
            return;
        }
        out.truncate(length);
    }
    push_key(out, "attribute.");
    out.truncate(out.len() - 2);
    push_number(out, id);
    out.extend_from_slice(b"\":");
    push_typed(out, value_type, bits);
}

/// Appends the arguments of a metric event: numbers for those who look at them, and what they do not
/// tell.
fn push_metric(
    out: &mut Vec<u8>,
    batch: &EventBatch,
    rows: Range<usize>,
    symbol: &Symbol,
    vocabulary: &Vocabulary,
    attributes: impl FnOnce(&mut Vec<u8>),
) {
    let metrics = &batch.metrics;
    let id = symbol.get(Operand::Metric);
    let metric = id.and_then(|id| vocabulary.metric(id));
    let members = metric.map_or(&[][..], |metric| metric.members.as_slice());
    let is_alone = members.len() == 1;
    // Whether the numbers tell all, in the order of the members.
    let mut is_told = rows.is_empty()
        || metric.is_some_and(|metric| metric.is_distinct && rows.len() == members.len());
    out.extend_from_slice(b",\"args\":{");
    for (place, row) in rows.clone().enumerate() {
        let (member, value_type) = (metrics.member[row] as usize, metrics.value_type[row]);
        let length = out.len();
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        match members.get(member) {
            Some((name, of_member)) => {
                is_told &= member == place && *of_member == value_type;
                push_text(out, if is_alone { "value" } else { name });
            }
            None => {
                is_told = false;
                push_text(out, &member.to_string());
            }
        }
        out.push(b':');
        if !push_value(out, value_type, metrics.value[row]) {
            out.truncate(length);
            is_told = false;
        }
    }
    out.push(b'}');
    let start = out.len();
    out.extend_from_slice(b",\"foldtrace\":{");
    let empty = out.len();
    let name = vocabulary.called(symbol);
    if vocabulary.lead_back(EventKind::Metric, name) != id {
        push_key(out, Operand::Metric.name());
        match id {
            Some(id) => push_unsigned(out, id),
            None => out.extend_from_slice(b"null"),
        }
    }
    if !is_told {
        for row in rows {
            push_key(out, "value.");
            out.truncate(out.len() - 2);
            push_number(out, u64::from(metrics.member[row]));
            out.extend_from_slice(b"\":");
            push_typed(out, metrics.value_type[row], metrics.value[row]);
        }
    }
    attributes(out);
    if out.len() == empty {
        out.truncate(start);
    } else {
        out.push(b'}');
    }
    out.push(b'}');
}

impl TraceWriter for ChromeWriter {
    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.define(definitions);
        self.settle()
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.define(&batch.definitions);
        if batch.is_empty() {
            return self.settle();
        }
        let scale = self.scale();
        self.resolve();
        let at = self.track(batch.location);
        self.texts.batch += 1;
        self.texts.bytes.clear();
        let mut extras = Extras::default();
        let mut args = Vec::new();
        for event in batch.iter(symbols) {
            let (kind, time) = (symbols.kind(event.symbol), event.time.0);
            let mut is_end = None;
            if let Some(track) = self.tracks.get_mut(&batch.location) {
                use EventKind::{CallingContextEnter, CallingContextLeave, Enter, Leave};
                match kind {
                    Enter | CallingContextEnter => track.slices.begin(symbols.symbol(event.symbol)),
                    Leave | CallingContextLeave => {
                        is_end = Some(track.slices.end(symbols.symbol(event.symbol)));
                    }
                    _ => {}
                }
            }
            if let Some(End::Innermost(around)) = is_end {
                // As if behind a brace.
                args.clear();
                args.push(b'{');
                extras.push_attributes(&mut args, batch, event.index, &self.vocabulary);
                self.push_end(&scale, at, time, around, &args[1..]);
                self.settle()?;
                continue;
            }
            let text = self.text(at, event.symbol, symbols);
            self.begin_timed(&scale, time);
            self.out.extend_from_slice(&self.texts.bytes[text]);
            let rows = extras.metrics(batch, event.index);
            let (out, vocabulary) = (&mut self.out, &self.vocabulary);
            if kind == EventKind::Metric {
                let symbol = symbols.symbol(event.symbol);
                push_metric(out, batch, rows, &symbol, vocabulary, |out| {
                    extras.push_attributes(out, batch, event.index, vocabulary);
                });
            } else {
                push_quantities(out, kind, &event);
                for row in rows {
                    push_key(out, "value.");
                    out.truncate(out.len() - 2);
                    push_number(out, u64::from(batch.metrics.member[row]));
                    out.extend_from_slice(b"\":");
                    push_typed(out, batch.metrics.value_type[row], batch.metrics.value[row]);
                }
                extras.push_attributes(out, batch, event.index, vocabulary);
                close(out);
            }
            if kind.is_send() || kind.is_receive() || kind == EventKind::MpiProbe {
                let symbol = symbols.symbol(event.symbol);
                let names: &Names = &self.vocabulary.names;
                let arrow = self.arrows.end(batch.location, &symbol, names, &self.ranks);
                if let Some(arrow) = arrow {
                    self.push_arrow(&scale, at, time, arrow);
                }
            }
            self.settle()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Diagnostics, TraceError> {
        self.scale();
        self.out.extend_from_slice(b"\n]}\n");
        self.flush()?;
        self.file.complete()?;
        Ok(Diagnostics::default())
    }
}

/// Closes the arguments of an event, or takes them back if there are none, and the event.
fn close(out: &mut Vec<u8>) {
    const EMPTY: &[u8] = b",\"args\":{";
    if out.ends_with(EMPTY) {
        out.truncate(out.len() - EMPTY.len());
        out.push(b'}');
    } else {
        out.extend_from_slice(b"}}");
    }
}

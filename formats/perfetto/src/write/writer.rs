//! Writes slices, instants, counters and flows, with one packet sequence per location.
//!
//! Only a block of bytes and the names sent by each sequence are kept in memory. The locations of events may
//! alternate in any order.

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;

use foldtrace_notation::push_definition;
use foldtrace_output::OutputFile;
use foldtrace_trace::{
    Arrows, AttributeColumns, Clock, DefinitionKind, Definitions, Diagnostic, Diagnostics,
    EventBatch, EventKind, EventRef, LocationId, Output, Quantity, Severity, SymbolId, SymbolTable,
    TraceError, TraceWriter, UNDEFINED, ValueType,
};
use prost::Message as _;

use crate::exact;
use crate::messages::{
    AnnotationValue, NEEDS_STATE, Ours, STATE_CLEARED, TracePacket, TrackDescriptor, TrackEvent,
    Type,
};
use crate::numbers::VERSION;
use crate::time::{nanoseconds, ticks};
use crate::write::interned::{Interner, NameTable, interned_data};
use crate::write::location::{Change, Location};
use crate::write::packets::{number, push_annotation, push_event, push_packet};
use crate::write::tracks::{self, TrackSubject};
use crate::write::vocabulary::Vocabulary;

/// Size of a block that is written at once, in bytes.
const BLOCK: usize = 1 << 18;
/// Number of definitions in a packet.
const DEFINITIONS: usize = 1 << 10;

/// Writes a Perfetto trace.
pub(crate) struct PerfettoWriter {
    file: OutputFile,
    out: Vec<u8>,
    defined: Definitions,
    clock: Clock,
    vocabulary: Vocabulary,
    interner: Interner,
    /// The numbers of the names of quantities.
    quantities: [u64; Quantity::COUNT],
    arrows: Arrows,
    locations: HashMap<LocationId, Location>,
    /// The last descriptions of processes, by rank.
    processes: BTreeMap<u64, TrackDescriptor>,
    /// By row of the table of symbols, the last symbol that was prepared.
    symbols: Vec<PreparedSymbol>,
    batch: u64,
    /// The bytes of the current event.
    event: Vec<u8>,
    /// Its exact content.
    exact: Vec<u8>,
    /// Number of events so far.
    events: u64,
    has_begun: bool,
    splits: u64,
    late_ends: u64,
}

/// The part that a symbol contributes to its events, at the location of the current batch.
#[derive(Default)]
struct PreparedSymbol {
    /// The last batch that contains a symbol of the row.
    batch: u64,
    /// The last of these symbols.
    id: SymbolId,
    /// The bytes of its `TrackEvent`.
    event: Vec<u8>,
}

impl PerfettoWriter {
    pub(crate) fn create(output: Output) -> Result<Self, TraceError> {
        let mut interner = Interner::default();
        let mut quantities = [0; Quantity::COUNT];
        for &quantity in Quantity::ALL {
            quantities[quantity as usize] = interner.iid(NameTable::Annotations, quantity.name());
        }
        Ok(Self {
            file: OutputFile::create(output)?,
            out: Vec::new(),
            defined: Definitions::default(),
            clock: Clock::default(),
            vocabulary: Vocabulary::default(),
            interner,
            quantities,
            arrows: Arrows::default(),
            locations: HashMap::new(),
            processes: BTreeMap::new(),
            symbols: Vec::new(),
            batch: 0,
            event: Vec::new(),
            exact: Vec::new(),
            events: 0,
            has_begun: false,
            splits: 0,
            late_ends: 0,
        })
    }

    fn define(&mut self, definitions: &Definitions) {
        if definitions.is_empty() {
            return;
        }
        let records = definitions.in_order();
        for records in records.chunks(DEFINITIONS) {
            let line = |record| {
                let mut line = Vec::new();
                push_definition(&mut line, record);
                line.pop();
                String::from_utf8_lossy(&line).into_owned()
            };
            self.push_ours(Ours {
                definitions: records.iter().map(line).collect(),
                ..Ours::default()
            });
        }
        self.defined.append(definitions);
        self.clock = self.defined.clock();
        self.vocabulary = Vocabulary::new(&self.defined);
    }

    /// Writes a packet that only foldtrace reads. The first one of a file has the version and the kinds of events.
    fn push_ours(&mut self, ours: Ours) {
        let ours = if self.has_begun {
            ours
        } else {
            self.has_begun = true;
            let kinds = EventKind::ALL.iter().map(|kind| kind.name().to_owned());
            Ours {
                version: Some(VERSION),
                kinds: kinds.collect(),
                ..ours
            }
        };
        let packet = TracePacket {
            ours: Some(ours),
            ..TracePacket::default()
        };
        push_packet(&mut self.out, &packet);
    }

    fn settle(&mut self) -> Result<(), TraceError> {
        let written = self.file.write_all(&self.out);
        self.out.clear();
        written.map_err(|error| TraceError::unwritable(self.file.path(), error))
    }

    /// Describes the process of a location, unless it is already described.
    fn describe_process(&mut self, location: LocationId) {
        let names = &self.vocabulary.names;
        let Some((rank, _)) = names.rank(location) else {
            return;
        };
        if let Some(track) = tracks::process_track(location, names)
            && self.processes.get(&rank) != Some(&track)
        {
            let packet = TracePacket {
                track_descriptor: Some(track.clone()),
                ..TracePacket::default()
            };
            push_packet(&mut self.out, &packet);
            self.processes.insert(rank, track);
        }
    }

    /// Begins the packet sequence of a location.
    fn begin(&mut self, id: LocationId) -> Location {
        if !self.has_begun {
            self.push_ours(Ours::default());
        }
        self.describe_process(id);
        let track = tracks::location_track(id, &self.vocabulary.names);
        // 0 means no sequence.
        let sequence = u32::try_from(self.locations.len() + 1).unwrap_or(u32::MAX);
        let packet = TracePacket {
            trusted_packet_sequence_id: Some(sequence),
            sequence_flags: Some(STATE_CLEARED),
            track_descriptor: Some(track.clone()),
            ours: Some(Ours {
                location: Some(id.0),
                ..Ours::default()
            }),
            ..TracePacket::default()
        };
        push_packet(&mut self.out, &packet);
        Location::new(id, sequence, track)
    }

    /// Prepares a symbol for the current batch, and sends the names that it needs.
    fn prepare(&mut self, location: &mut Location, id: SymbolId, symbols: &SymbolTable) {
        if self.symbols.len() <= id.row() {
            self.symbols
                .resize_with(symbols.len(), PreparedSymbol::default);
        }
        let prepared = &self.symbols[id.row()];
        if prepared.batch == self.batch && prepared.id == id {
            return;
        }
        let symbol = symbols.symbol(id);
        let track_uuid = Some(location.track);
        let mut event = std::mem::take(&mut self.symbols[id.row()].event);
        event.clear();
        let mut needs = Vec::new();
        let mut need = |interner: &mut Interner, table, name: &str| {
            let iid = interner.iid(table, name);
            needs.push((table, iid));
            iid
        };
        let interner = &mut self.interner;
        let name_iid = Some(need(
            interner,
            NameTable::Events,
            self.vocabulary.event_name(&symbol),
        ));
        let category = need(interner, NameTable::Categories, symbol.kind.name());
        let is_call = matches!(
            symbol.kind,
            EventKind::Enter | EventKind::CallingContextEnter
        );
        let track_event = TrackEvent {
            category_iids: vec![category],
            r#type: Some(if is_call {
                Type::SliceBegin
            } else {
                Type::Instant
            } as i32),
            name_iid,
            track_uuid,
            ..TrackEvent::default()
        };
        track_event.encode_raw(&mut event);
        for (&operand, &value) in symbol.kind.operands().iter().zip(&symbol.operands) {
            // The name of a call is already that of its region.
            if value == UNDEFINED || is_call {
                continue;
            }
            let name = need(interner, NameTable::Annotations, operand.name());
            let value = match self.vocabulary.operand_name(operand, value) {
                Some(text) => AnnotationValue::StringIid(need(interner, NameTable::Strings, text)),
                None => AnnotationValue::Uint(value),
            };
            push_annotation(&mut event, name, value);
        }
        for quantity in symbol.kind.quantities() {
            needs.push((NameTable::Annotations, self.quantities[*quantity as usize]));
        }
        self.symbols[id.row()] = PreparedSymbol {
            batch: self.batch,
            id,
            event,
        };
        self.send(location, &mut needs);
    }

    /// Sends the names that the sequence has not sent yet.
    fn send(&mut self, location: &mut Location, names: &mut Vec<(NameTable, u64)>) {
        names.retain(|&(table, iid)| location.sent.insert(table, iid));
        if names.is_empty() {
            return;
        }
        let packet = TracePacket {
            trusted_packet_sequence_id: Some(location.sequence),
            sequence_flags: Some(NEEDS_STATE),
            interned_data: Some(interned_data(&self.interner, names)),
            ..TracePacket::default()
        };
        push_packet(&mut self.out, &packet);
    }

    /// Appends the quantities of an event to its bytes.
    #[inline]
    fn push_quantities(&mut self, kind: EventKind, event: &EventRef) {
        for &quantity in kind.quantities() {
            let value = event.quantities[quantity as usize];
            let is_signed = quantity == Quantity::Value && kind.has_signed_value();
            if value == UNDEFINED && !is_signed {
                continue;
            }
            let name = self.quantities[quantity as usize];
            let value = if is_signed {
                AnnotationValue::Int(value.cast_signed())
            } else {
                AnnotationValue::Uint(value)
            };
            push_annotation(&mut self.event, name, value);
        }
    }

    /// Appends the attributes of an event to its bytes.
    fn push_attributes(
        &mut self,
        location: &mut Location,
        columns: &AttributeColumns,
        rows: std::ops::Range<usize>,
    ) {
        let mut needs = Vec::new();
        for row in rows {
            let (id, value_type) = (columns.attribute[row], columns.value_type[row]);
            let bits = columns.value[row];
            let names = &self.vocabulary.names;
            let name = match value_type {
                ValueType::Argument => format!("argument {id}").into(),
                _ => match names.name(DefinitionKind::Attribute, id) {
                    Some(name) if !name.is_empty() => std::borrow::Cow::Borrowed(name),
                    _ => format!("attribute {id}").into(),
                },
            };
            let name = self.interner.iid(NameTable::Annotations, &name);
            needs.push((NameTable::Annotations, name));
            let text = match value_type.refers_to() {
                Some(DefinitionKind::String) => Some(names.string(bits)),
                Some(kind) => names.name(kind, bits),
                None => None,
            };
            let value = match text {
                Some(text) => {
                    let iid = self.interner.iid(NameTable::Strings, text);
                    needs.push((NameTable::Strings, iid));
                    AnnotationValue::StringIid(iid)
                }
                None => number(value_type, bits),
            };
            push_annotation(&mut self.event, name, value);
        }
        self.send(location, &mut needs);
    }

    /// Appends to the bytes of an event the flow that begins or ends there, if the event is an end of a message.
    fn push_arrow(&mut self, location: LocationId, id: SymbolId, symbols: &SymbolTable) {
        let Vocabulary { names, ranks, .. } = &self.vocabulary;
        let end = self.arrows.end(location, &symbols.symbol(id), names, ranks);
        if let Some(end) = end {
            let flow = vec![end.id];
            let mut event = TrackEvent::default();
            if end.is_send {
                event.flow_ids = flow;
            } else {
                event.terminating_flow_ids = flow;
            }
            event.encode_raw(&mut self.event);
        }
    }

    /// Writes the values of a metric, one counter packet per value.
    fn push_metric(
        &mut self,
        location: &mut Location,
        batch: &EventBatch,
        metric: u64,
        event: &EventRef,
        time: u64,
    ) {
        let columns = &batch.metrics;
        let rows = columns.rows(event.index);
        if rows.is_empty() {
            push_event(&mut self.out, time, location.sequence, &[], &self.exact);
        }
        let mut exact = &self.exact[..];
        for row in rows {
            let (member, value_type) = (columns.member[row], columns.value_type[row]);
            let track = TrackSubject::Metric(batch.location, metric, member);
            if location.counters.insert((metric, member)) {
                let unnamed = format!("metric {metric}.{member}");
                let (name, unit) = match self.vocabulary.member(metric, member) {
                    Some(member) => (member.name.as_str(), member.unit.as_str()),
                    None => (unnamed.as_str(), ""),
                };
                let packet = TracePacket {
                    track_descriptor: Some(tracks::metric_track(track, batch.location, name, unit)),
                    ..TracePacket::default()
                };
                push_packet(&mut self.out, &packet);
            }
            let mut counter = TrackEvent {
                r#type: Some(Type::Counter as i32),
                track_uuid: Some(track.uuid()),
                ..TrackEvent::default()
            };
            match number(value_type, columns.value[row]) {
                AnnotationValue::Double(value) => counter.double_counter_value = Some(value),
                AnnotationValue::Int(value) => counter.counter_value = Some(value),
                AnnotationValue::Uint(value) | AnnotationValue::StringIid(value) => {
                    match i64::try_from(value) {
                        Ok(value) => counter.counter_value = Some(value),
                        Err(_) => counter.double_counter_value = Some(value as f64),
                    }
                }
            }
            self.event.clear();
            counter.encode_raw(&mut self.event);
            push_event(
                &mut self.out,
                time,
                location.sequence,
                &self.event,
                std::mem::take(&mut exact),
            );
        }
    }

    /// Ends the given number of slices, and begins the slices again that continue.
    fn push_ends(
        &mut self,
        location: &mut Location,
        (ends, again): (usize, &[SymbolId]),
        symbols: &SymbolTable,
        time: u64,
    ) {
        let end = TrackEvent {
            r#type: Some(Type::SliceEnd as i32),
            track_uuid: Some(location.track),
            ..TrackEvent::default()
        };
        for number in 0..ends {
            if number > 0 {
                self.event.clear();
                end.encode_raw(&mut self.event);
                self.exact.clear();
            }
            push_event(
                &mut self.out,
                time,
                location.sequence,
                &self.event,
                &self.exact,
            );
        }
        self.splits += again.len() as u64;
        for &id in again {
            self.prepare(location, id, symbols);
            let begin = &self.symbols[id.row()].event;
            push_event(&mut self.out, time, location.sequence, begin, &[]);
        }
    }

    fn write_batch(
        &mut self,
        location: &mut Location,
        batch: &EventBatch,
        symbols: &SymbolTable,
    ) -> Result<(), TraceError> {
        self.batch += 1;
        for event in batch.iter(symbols) {
            if self.out.len() >= BLOCK {
                self.settle()?;
            }
            let kind = symbols.kind(event.symbol);
            let time = nanoseconds(&self.clock, event.time);
            let exact_ticks = (ticks(&self.clock, time) != event.time.0).then_some(event.time.0);
            let symbol = symbols.symbol(event.symbol);
            self.exact.clear();
            let extras = (&batch.metrics, &batch.attributes);
            exact::push_event(&mut self.exact, &symbol, &event, exact_ticks, extras);
            self.events += 1;
            let change = location.take(event.symbol, symbols);
            self.late_ends += u64::from(change == Change::EndLater);
            self.event.clear();
            let attributes = batch.attributes.rows(event.index);
            if kind == EventKind::Metric {
                self.push_metric(location, batch, symbol.operands[0], &event, time);
                continue;
            }
            if let Change::End(..) = change {
                let end = TrackEvent {
                    r#type: Some(Type::SliceEnd as i32),
                    track_uuid: Some(location.track),
                    ..TrackEvent::default()
                };
                end.encode_raw(&mut self.event);
            } else {
                self.prepare(location, event.symbol, symbols);
                self.event
                    .extend_from_slice(&self.symbols[event.symbol.row()].event);
                self.push_quantities(kind, &event);
                self.push_arrow(batch.location, event.symbol, symbols);
            }
            if !attributes.is_empty() {
                self.push_attributes(location, &batch.attributes, attributes);
            }
            match change {
                Change::End(ends, again) => {
                    self.push_ends(location, (ends, &again), symbols, time);
                }
                Change::None | Change::Begin | Change::EndLater => {
                    push_event(
                        &mut self.out,
                        time,
                        location.sequence,
                        &self.event,
                        &self.exact,
                    );
                }
            }
        }
        Ok(())
    }

    /// Describes the tracks again whose descriptions changed with later definitions.
    fn describe_again(&mut self) {
        let mut locations: Vec<_> = self.locations.keys().copied().collect();
        locations.sort_unstable();
        for id in locations {
            self.describe_process(id);
            let track = tracks::location_track(id, &self.vocabulary.names);
            let has_changed = self
                .locations
                .get(&id)
                .is_some_and(|location| location.described != track);
            if has_changed {
                let packet = TracePacket {
                    track_descriptor: Some(track),
                    ..TracePacket::default()
                };
                push_packet(&mut self.out, &packet);
            }
        }
    }
}

impl TraceWriter for PerfettoWriter {
    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.define(definitions);
        Ok(())
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.define(&batch.definitions);
        if batch.is_empty() {
            return Ok(());
        }
        let mut location = match self.locations.remove(&batch.location) {
            Some(location) => location,
            None => self.begin(batch.location),
        };
        let written = self.write_batch(&mut location, batch, symbols);
        self.locations.insert(batch.location, location);
        written
    }

    fn finish(mut self: Box<Self>) -> Result<Diagnostics, TraceError> {
        self.describe_again();
        self.push_ours(Ours {
            events: Some(self.events),
            ..Ours::default()
        });
        self.settle()?;
        self.file.complete()?;
        let mut diagnostics = Diagnostics::default();
        if self.splits > 0 {
            let message = format!(
                "{} calls have two slices each, because a call around them was left first",
                self.splits
            );
            let split = Diagnostic::new(Severity::Note, "perfetto.split_call", message);
            diagnostics.report_many(split, self.splits);
        }
        if self.late_ends > 0 {
            let message = format!(
                "{} calls were left before many calls within them; their slices end with the slices of those calls",
                self.late_ends
            );
            let late = Diagnostic::new(Severity::Note, "perfetto.late_end", message);
            diagnostics.report_many(late, self.late_ends);
        }
        Ok(diagnostics)
    }
}

//! Reads files that foldtrace wrote. Each location is already in order, so nothing is sorted.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_input::{SingleReader, SingleStream, show};
use foldtrace_notation::{MARK, parse_definition};
use foldtrace_trace::{
    Carried, Clock, DefinitionKind, Definitions, Demultiplexer, Diagnostic, Diagnostics,
    EventBatch, EventKind, EventStream, Input, LocationId, Place, Position, ReadOptions, Severity,
    Step, SymbolTable, TraceError,
};
use prost::Message as _;

use crate::exact::take_event;
use crate::messages::Ours;
use crate::numbers::{OUR_EVENT, OURS, SEQUENCE, TIMESTAMP, TRACK_EVENT, VERSION};
use crate::read::fault::Fault;
use crate::read::packets::Packets;
use crate::read::wire::{Fields, Value};
use crate::time::ticks;

const NOT_OURS: &str = "another program may have changed the file";

/// Returns whether foldtrace wrote a file, according to its first packet.
pub(crate) fn is_ours(packet: &[u8]) -> bool {
    let first = Fields::new(packet).next();
    matches!(first, Some(Ok((OURS, Value::Bytes(_)))))
}

/// The stream of a trace that foldtrace wrote.
pub(crate) struct OurStream {
    packets: Packets,
    events: OurEvents,
    failure: Option<TraceError>,
    has_ended: bool,
}

impl OurStream {
    /// Opens a trace from its first packet on.
    ///
    /// # Errors
    /// If the trace is damaged before its first event.
    pub(crate) fn open(
        packets: Packets,
        options: ReadOptions,
        mut diagnostics: Diagnostics,
    ) -> Result<SingleReader<Self>, TraceError> {
        let path = packets.path().to_owned();
        let (stream, definitions) = Self::from_packets(packets, &mut diagnostics)?;
        Ok(SingleReader::begun(
            path,
            options,
            stream,
            definitions,
            diagnostics,
        ))
    }

    /// Reads up to the first event, and returns the definitions before it.
    fn from_packets(
        packets: Packets,
        diagnostics: &mut Diagnostics,
    ) -> Result<(Self, Definitions), TraceError> {
        let mut stream = Self {
            packets,
            events: OurEvents::default(),
            failure: None,
            has_ended: false,
        };
        while let Some(packet) = stream.packets.next(diagnostics)? {
            match stream.events.take(packet, true) {
                Ok(true) => {}
                Ok(false) => {
                    stream.packets.put_back();
                    break;
                }
                Err(fault) => stream.packets.report_or_fail(fault, diagnostics)?,
            }
        }
        let definitions = std::mem::take(&mut stream.events.fresh);
        Ok((stream, definitions))
    }

    /// Reads until a batch is ready, something fails, or the file ends.
    fn read(&mut self, diagnostics: &mut Diagnostics) -> Result<(), TraceError> {
        while !self.events.demultiplexer.is_ready() {
            let Some(packet) = self.packets.next(diagnostics)? else {
                self.has_ended = true;
                return self.finish(diagnostics);
            };
            if let Err(fault) = self.events.take(packet, false) {
                self.packets.report_or_fail(fault, diagnostics)?;
            }
        }
        Ok(())
    }

    /// Checks that the trace is complete, after its last packet.
    fn finish(&mut self, diagnostics: &mut Diagnostics) -> Result<(), TraceError> {
        let foreign = self.events.foreign;
        if foreign > 0 {
            let message = format!("left out: {foreign} events of another trace");
            let loss = Diagnostic::new(Severity::Loss, "perfetto.left_out", message);
            let hint = "the file consists of several traces; read them separately";
            let place = Place::file(self.packets.path());
            diagnostics.report_many(loss.at(place).hint(hint), foreign);
        }
        let found = self.events.events;
        let fault = match self.events.declared {
            Some(declared) if declared == found => return Ok(()),
            Some(declared) => Fault::new(format!("expected {declared} events, found {found}")),
            None => Fault::truncated(),
        };
        self.packets.report_or_fail(fault, diagnostics)
    }
}

impl SingleStream for OurStream {
    fn begin(
        input: Input,
        options: ReadOptions,
        diagnostics: &mut Diagnostics,
    ) -> Result<(Self, Definitions), TraceError> {
        Self::from_packets(Packets::open(input, options)?, diagnostics)
    }

    fn size(&self) -> u64 {
        self.packets.size()
    }

    fn is_repeatable(&self) -> bool {
        self.packets.is_repeatable()
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
        self.packets.consumed()
    }
}

/// Decodes packets into events and definitions.
#[derive(Default)]
struct OurEvents {
    /// Definitions since the last batch.
    fresh: Definitions,
    clock: Clock,
    /// The kinds of events by their numbers in the file; `None` for kinds that are unknown.
    kinds: Vec<Option<EventKind>>,
    /// The slots of sequences, and the sequence and the slot of the last event.
    slots: HashMap<u32, u32, RandomState>,
    last: Option<(u32, u32)>,
    symbols: SymbolTable,
    demultiplexer: Demultiplexer,
    carried: Carried,
    events: u64,
    /// Number of events of other traces in the same file.
    foreign: u64,
    /// Whether another trace of foldtrace has begun, which is not read.
    is_joined: bool,
    /// The number of events that the last packet declares; `None` before that packet.
    declared: Option<u64>,
}

impl OurEvents {
    /// Reads a packet. With `only_head`, an event is not read. Returns whether the packet was read.
    fn take(&mut self, packet: &[u8], only_head: bool) -> Result<bool, Fault> {
        let (mut time, mut sequence, mut event, mut is_shown) = (0, 0, None, false);
        let mut ours = None;
        for field in Fields::new(packet) {
            match field? {
                (TIMESTAMP, Value::Number(number)) => time = number,
                (SEQUENCE, Value::Number(number)) => sequence = number as u32,
                (TRACK_EVENT, Value::Bytes(_)) => is_shown = true,
                (OUR_EVENT, Value::Bytes(bytes)) => event = Some(bytes),
                (OURS, Value::Bytes(bytes)) => ours = Some(bytes),
                _ => {}
            }
        }
        if self.is_joined {
            self.foreign += u64::from(event.is_some());
            return Ok(true);
        }
        if let Some(event) = event {
            if !only_head {
                self.event(sequence, time, event)?;
            }
            return Ok(!only_head);
        }
        if is_shown && (self.declared.is_some() || self.slot(sequence).is_none()) {
            self.foreign += 1;
        }
        if let Some(ours) = ours {
            self.ours(sequence, ours)?;
        }
        Ok(true)
    }

    /// Reads data about the whole trace.
    fn ours(&mut self, sequence: u32, bytes: &[u8]) -> Result<(), Fault> {
        let ours = Ours::decode(bytes)
            .map_err(|error| Fault::new(format!("expected data of foldtrace: {error}")))?;
        if let Some(version) = ours.version {
            if !self.kinds.is_empty() {
                self.is_joined = true;
                let message = "expected one trace of foldtrace, found the beginning of another one";
                return Err(Fault::new(message).hint("read traces that were joined separately"));
            }
            if version != VERSION {
                let message =
                    format!("expected version {VERSION} of foldtrace's own data, found {version}");
                return Err(Fault::new(message).hint("a newer foldtrace may have written the file"));
            }
            let kinds = ours.kinds.iter().map(|name| EventKind::from_name(name));
            self.kinds = kinds.collect();
        }
        for line in &ours.definitions {
            self.define(line)?;
        }
        if !self.fresh.table(DefinitionKind::ClockProperties).is_empty() {
            self.clock = self.fresh.clock();
        }
        if let Some(location) = ours.location {
            let slot = self.demultiplexer.slot(LocationId(location));
            self.slots.insert(sequence, slot);
            self.last = None;
        }
        self.declared = ours.events.or(self.declared);
        Ok(())
    }

    fn define(&mut self, line: &str) -> Result<(), Fault> {
        if !line.as_bytes().starts_with(MARK) {
            let found = show(line.as_bytes());
            return Err(Fault::new(format!(
                "expected a definition, '#: …', found {found}"
            )));
        }
        let definition = parse_definition(line.as_bytes(), MARK.len())
            .map_err(|fault| Fault::new(fault.message))?;
        definition.push_to(&mut self.fresh);
        Ok(())
    }

    #[inline]
    fn slot(&mut self, sequence: u32) -> Option<u32> {
        match self.last {
            Some((last, slot)) if last == sequence => Some(slot),
            _ => {
                let slot = *self.slots.get(&sequence)?;
                self.last = Some((sequence, slot));
                Some(slot)
            }
        }
    }

    #[inline]
    fn event(&mut self, sequence: u32, time: u64, event: &[u8]) -> Result<(), Fault> {
        let slot = self.slot(sequence).ok_or_else(|| {
            let message = format!("expected the location of sequence {sequence} before its events");
            Fault::new(message).hint(NOT_OURS)
        })?;
        let (symbol, exact) =
            take_event(event, &self.kinds, &mut self.carried).ok_or_else(|| {
                Fault::new("expected the exact content of an event, found other bytes")
                    .hint(NOT_OURS)
            })?;
        let time = exact.unwrap_or_else(|| ticks(&self.clock, time));
        let id = self.symbols.intern(symbol);
        self.demultiplexer
            .push(slot, id, symbol.kind, Some(time), &self.carried);
        self.events += 1;
        Ok(())
    }
}

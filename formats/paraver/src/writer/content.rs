//! The content of a trace, and the records that follow from its events.
//!
//! Calls become the events that Extrae writes for them, messages and states become records, metrics, parameters and everything
//! else events of types of their own. States are those of the trace, or else follow from the calls.

use std::collections::HashMap;
use std::io;

use foldhash::fast::FixedState;
use foldtrace_notation::push_number;
use foldtrace_trace::{
    Arrows, Clock, DefinitionKind, Definitions, Diagnostics, EventBatch, EventKind, EventRef,
    LeftOut, LocationId, MetricMode, Metrics, Names, Operand, Quantity, Ranks, Symbol, SymbolTable,
    Timestamp, UNDEFINED,
};

use super::numbers::{integer, push_numbers, push_signed};
use super::program::{Program, line, nanoseconds};
use super::records::{Place, Records};
use super::thread::{OpenCall, Operation, State, Thread};
use super::vocabulary::{CallCode, Vocabulary};
use super::{BLOCK, DATE, DERIVED_STATES};
use crate::attributes::{LOGICAL_RECEIVE, PHYSICAL_SEND};
use crate::meaning::{BETWEEN_STATES, STATE};

/// An end of a message, until the other one comes.
#[derive(Clone, Debug)]
struct End {
    place: Place,
    thread: u32,
    logical: u64,
    physical: u64,
    bytes: u64,
    tag: u64,
}

/// The content of the trace so far.
pub(super) struct Content {
    names: Names,
    ranks: Ranks,
    metrics: Metrics,
    clock: Clock,
    program: Program,
    vocabulary: Vocabulary,
    records: Records,
    threads: Vec<Thread>,
    numbers: HashMap<LocationId, u32, FixedState>,
    paradigms: HashMap<u64, u64, FixedState>,
    calls: HashMap<u64, CallCode, FixedState>,
    /// The types of the members of metrics.
    members: HashMap<(u64, u32), u64, FixedState>,
    arrows: Arrows,
    ends: HashMap<u64, End, FixedState>,
    /// The parameter that is the state of a thread, if the trace has one.
    state: Option<u64>,
    /// The attributes with times of messages.
    physical_send: Option<u64>,
    logical_receive: Option<u64>,
    /// The date of the trace.
    date: String,
    left_out: LeftOut,
    /// The time of the last event, in nanoseconds.
    last: u64,
}

impl Content {
    pub(super) fn new(definitions: &Definitions) -> Self {
        let names = Names::new(definitions);
        let ranks = Ranks::new(definitions, &names);
        let program = Program::new(definitions, &names, &ranks);
        let mut left_out = LeftOut::default();
        left_out.definitions(definitions, |kind| HELD.contains(&kind));
        let regions = definitions.records(DefinitionKind::Region);
        let paradigms = regions.filter_map(|it| Some((it.get(0), it.field("paradigm")?)));
        let mut properties = definitions.records(DefinitionKind::TraceProperty);
        let date = properties.find_map(|it| it.text().strip_prefix(DATE));
        let called = |kind, name| {
            let records = definitions.records(kind);
            let mut found = records.filter(|it| names.name(kind, it.get(0)) == Some(name));
            found.next().map(|record| record.get(0))
        };
        Self {
            state: called(DefinitionKind::Parameter, STATE),
            physical_send: called(DefinitionKind::Attribute, PHYSICAL_SEND),
            logical_receive: called(DefinitionKind::Attribute, LOGICAL_RECEIVE),
            paradigms: paradigms.collect(),
            metrics: Metrics::new(definitions),
            clock: definitions.clock(),
            program,
            vocabulary: Vocabulary::default(),
            records: Records::default(),
            threads: Vec::new(),
            numbers: HashMap::default(),
            calls: HashMap::default(),
            members: HashMap::default(),
            arrows: Arrows::default(),
            ends: HashMap::default(),
            // A parenthesis would end the date.
            date: line(date.unwrap_or("01/01/1970 at 00:00")).replace(')', " "),
            left_out,
            last: 0,
            names,
            ranks,
        }
    }

    /// Returns the length of the trace, in nanoseconds.
    fn length(&self) -> u64 {
        let Clock {
            global_offset,
            trace_length,
            ..
        } = self.clock;
        let end = Timestamp(global_offset.saturating_add(trace_length));
        self.last.max(nanoseconds(self.clock, end))
    }

    /// Returns the number of the thread of a location.
    fn thread(&mut self, location: LocationId) -> u32 {
        if let Some(&known) = self.numbers.get(&location) {
            return known;
        }
        // A location without a definition is a thread of its own that the header does not have.
        let (task, thread) = self.program.thread(location).unwrap_or_default();
        let mut object = b"0:1:".to_vec();
        push_number(&mut object, task);
        object.push(b':');
        push_number(&mut object, thread);
        object.push(b':');
        let number = self.threads.len() as u32;
        self.threads.push(Thread {
            task,
            object,
            ..Thread::default()
        });
        self.numbers.insert(location, number);
        number
    }

    pub(super) fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> io::Result<()> {
        let number = self.thread(batch.location);
        if self.threads[number as usize].task == 0 {
            self.left_out.count(
                "events of locations that are not defined",
                batch.len() as u64,
            );
            return Ok(());
        }
        for event in batch.iter(symbols) {
            let time = nanoseconds(self.clock, event.time);
            self.last = self.last.max(time);
            let thread = &mut self.threads[number as usize];
            thread.last = thread.last.max(time);
            if !thread.has_begun {
                thread.has_begun = true;
                self.update_state(number, time)?;
            }
            self.event(number, time, batch, event, symbols)?;
        }
        Ok(())
    }

    fn event(
        &mut self,
        thread: u32,
        time: u64,
        batch: &EventBatch,
        event: EventRef,
        symbols: &SymbolTable,
    ) -> io::Result<()> {
        let symbol = symbols.symbol(event.symbol);
        let attributes = batch.attributes.rows(event.index);
        let mut other_attributes = attributes.len() as u64;
        let clock = self.clock;
        let mut attribute = |id: Option<u64>| {
            let row = attributes
                .clone()
                .find(|&row| Some(batch.attributes.attribute[row]) == id)?;
            other_attributes -= 1;
            let ticks = Timestamp(batch.attributes.value[row]);
            Some(nanoseconds(clock, ticks))
        };
        match symbol.kind {
            EventKind::Enter | EventKind::CallingContextEnter => {
                self.enter(thread, time, &symbol)?;
            }
            EventKind::Leave | EventKind::CallingContextLeave => {
                self.leave(thread, time, &symbol)?;
            }
            kind if kind.is_send() => {
                let physical = attribute(self.physical_send);
                let end = (time, physical.unwrap_or(time));
                self.message(thread, end, batch.location, &symbol, &event)?;
            }
            kind if kind.is_receive() => {
                let calls = &self.threads[thread as usize].calls;
                let begin = calls.last().map_or(time, |call| call.begin);
                let logical = attribute(self.logical_receive);
                let end = (logical.unwrap_or(begin), time);
                self.message(thread, end, batch.location, &symbol, &event)?;
            }
            EventKind::MpiCollectiveBegin
                if self.threads[thread as usize].awaiting_operation().is_some() => {}
            EventKind::MpiCollectiveEnd if self.operation(thread, &symbol, &event) => {}
            EventKind::Metric => self.metric(thread, time, &symbol, batch, &event)?,
            EventKind::ParameterString => self.parameter(thread, time, &symbol)?,
            _ => self.other(thread, time, &symbol, &event)?,
        }
        self.left_out.count("attribute", other_attributes);
        Ok(())
    }

    /// Returns the events of a call of a symbol.
    fn call(&mut self, symbol: &Symbol) -> (u64, CallCode) {
        let region = self.names.callee(symbol).unwrap_or(UNDEFINED);
        if let Some(&known) = self.calls.get(&region) {
            return (region, known);
        }
        let paradigm = self.paradigms.get(&region).copied();
        let name = self.names.region_name(symbol);
        let code = self.vocabulary.call(&name, paradigm);
        self.calls.insert(region, code);
        (region, code)
    }

    fn enter(&mut self, thread: u32, time: u64, symbol: &Symbol) -> io::Result<()> {
        let (region, mut code) = self.call(symbol);
        let calls = &self.threads[thread as usize].calls;
        let is_nested = |call: &OpenCall| call.code.event_type == code.event_type;
        if crate::extrae::is_mpi(code.event_type) && calls.iter().any(is_nested) {
            let name = self.names.region_name(symbol);
            code = self.vocabulary.nested_call(&name);
        }
        let place = self.records.place(time);
        let deferred = code.operation.map(|_| place);
        if deferred.is_none() {
            self.event_record(thread, place, &[(code.event_type, code.value)])?;
        }
        self.threads[thread as usize].calls.push(OpenCall {
            region,
            code,
            begin: time,
            deferred,
            operation: None,
        });
        self.update_state(thread, time)
    }

    fn leave(&mut self, thread: u32, time: u64, symbol: &Symbol) -> io::Result<()> {
        let region = self.names.callee(symbol).unwrap_or(UNDEFINED);
        let own = &mut self.threads[thread as usize];
        let Some(index) = own.calls.iter().rposition(|call| call.region == region) else {
            self.left_out.count("leave of a call that is not open", 1);
            return Ok(());
        };
        if !own.is_innermost_of_type(index) {
            self.left_out
                .count("the order in which calls end that are not nested", 1);
        }
        let call = own.calls.remove(index);
        self.begin_deferred(thread, &call)?;
        let place = self.records.place(time);
        self.event_record(thread, place, &[(call.code.event_type, 0)])?;
        self.update_state(thread, time)
    }

    /// Writes the beginning of a call that performs a collective operation.
    fn begin_deferred(&mut self, thread: u32, call: &OpenCall) -> io::Result<()> {
        let Some(place) = call.deferred else {
            return Ok(());
        };
        let mut events = vec![(call.code.event_type, call.code.value)];
        events.extend(call.operation.iter().flat_map(Operation::parts));
        self.event_record(thread, place, &events)
    }

    /// Adds a collective operation to the innermost call. Returns `false` if that performs no such operation.
    fn operation(&mut self, thread: u32, symbol: &Symbol, event: &EventRef) -> bool {
        let own = &mut self.threads[thread as usize];
        let task = own.task;
        let Some(call) = own.awaiting_operation() else {
            return false;
        };
        if call.code.operation != symbol.get(Operand::Operation) {
            return false;
        }
        let communicator = symbol.get(Operand::Communicator);
        let communicator = communicator.and_then(|id| self.program.communicator(id));
        let root = symbol.get(Operand::Root);
        let rank = communicator.and_then(|number| self.program.rank_in(number, task));
        call.operation = Some(Operation {
            communicator,
            is_root: root.is_some() && root == rank,
            sent: event.quantities[Quantity::Bytes as usize],
            received: event.quantities[Quantity::BytesReceived as usize],
        });
        true
    }

    /// Takes an end of a message, with its logical and its physical time.
    fn message(
        &mut self,
        thread: u32,
        (logical, physical): (u64, u64),
        location: LocationId,
        symbol: &Symbol,
        event: &EventRef,
    ) -> io::Result<()> {
        let arrow = self.arrows.end(location, symbol, &self.names, &self.ranks);
        let Some(arrow) = arrow else {
            self.left_out.count("message with an unknown process", 1);
            return Ok(());
        };
        let end = End {
            place: self
                .records
                .place(if arrow.is_send { logical } else { physical }),
            thread,
            logical,
            physical,
            bytes: event.quantities[Quantity::Bytes as usize],
            tag: symbol.get(Operand::Tag).unwrap_or(UNDEFINED),
        };
        let Some(other) = self.ends.remove(&arrow.id) else {
            self.ends.insert(arrow.id, end);
            return Ok(());
        };
        let (send, receive) = if arrow.is_send {
            (end, other)
        } else {
            (other, end)
        };
        let bytes = [send.bytes, receive.bytes];
        let bytes = bytes.into_iter().find(|&bytes| bytes != UNDEFINED);
        let [sender, receiver] =
            [send.thread, receive.thread].map(|thread| &self.threads[thread as usize].object);
        // A message that is received before it is sent, by the clocks of both, has its record where it is received.
        let place = if receive.physical < send.logical {
            receive.place
        } else {
            send.place
        };
        self.records.push(place, |out| {
            out.extend_from_slice(b"3:");
            out.extend_from_slice(sender);
            push_numbers(out, &[send.logical, send.physical]);
            out.push(b':');
            out.extend_from_slice(receiver);
            push_numbers(
                out,
                &[receive.logical, receive.physical, bytes.unwrap_or_default()],
            );
            out.push(b':');
            push_signed(out, send.tag);
            out.push(b'\n');
        })
    }

    fn metric(
        &mut self,
        thread: u32,
        time: u64,
        symbol: &Symbol,
        batch: &EventBatch,
        event: &EventRef,
    ) -> io::Result<()> {
        let metric = symbol.get(Operand::Metric).unwrap_or(UNDEFINED);
        let rows = batch.metrics.rows(event.index);
        let mut events = Vec::with_capacity(rows.len());
        for row in rows {
            let key = (metric, batch.metrics.member[row]);
            let (metrics, vocabulary) = (&self.metrics, &mut self.vocabulary);
            let event_type =
                *self
                    .members
                    .entry(key)
                    .or_insert_with(|| match metrics.member(key.0, key.1) {
                        Some(member) => {
                            let counts = member.mode == MetricMode::Relative;
                            vocabulary.metric(&member.name, counts)
                        }
                        None => vocabulary.metric(&format!("metric {} {}", key.0, key.1), false),
                    });
            let (value_type, bits) = (batch.metrics.value_type[row], batch.metrics.value[row]);
            match integer(value_type, bits) {
                Some((value, is_exact)) => {
                    self.left_out
                        .count("fraction of a value of a metric", u64::from(!is_exact));
                    events.push((event_type, value));
                }
                None => self.left_out.count("value of a metric without a number", 1),
            }
        }
        if events.is_empty() {
            return Ok(());
        }
        let place = self.records.place(time);
        self.event_record(thread, place, &events)
    }

    fn parameter(&mut self, thread: u32, time: u64, symbol: &Symbol) -> io::Result<()> {
        let parameter = symbol.get(Operand::Parameter).unwrap_or(UNDEFINED);
        let string = symbol.get(Operand::String).unwrap_or(UNDEFINED);
        let text = self.names.string(string);
        if self.state == Some(parameter) {
            let state = match text {
                BETWEEN_STATES => None,
                name => Some(self.vocabulary.state(name)),
            };
            return self.set_state(thread, time, state);
        }
        let name = self.names.name(DefinitionKind::Parameter, parameter);
        let name = name.map_or_else(|| format!("parameter {parameter}"), str::to_owned);
        let event_type = self.vocabulary.parameter(&name);
        let value = self.vocabulary.value(event_type, text);
        let place = self.records.place(time);
        self.event_record(thread, place, &[(event_type, value)])
    }

    /// Writes an event of a kind that Paraver does not have: its operands are the label of a value.
    fn other(
        &mut self,
        thread: u32,
        time: u64,
        symbol: &Symbol,
        event: &EventRef,
    ) -> io::Result<()> {
        let kind = symbol.kind;
        let operands = kind.operands().iter().filter_map(|&operand| {
            let value = symbol.get(operand)?;
            Some(format!(" {}={value}", operand.name()))
        });
        let label: String = std::iter::once(kind.name().to_owned())
            .chain(operands)
            .collect();
        for &quantity in kind.quantities() {
            let is_defined = event.quantities[quantity as usize] != UNDEFINED;
            let name = format!("{} of {}", quantity.name(), kind.name());
            self.left_out.count(name, u64::from(is_defined));
        }
        let event_type = self.vocabulary.kind(kind.name());
        let value = self.vocabulary.value(event_type, &label);
        let place = self.records.place(time);
        self.event_record(thread, place, &[(event_type, value)])
    }

    /// Writes a record of events: types and values.
    fn event_record(&mut self, thread: u32, place: Place, events: &[(u64, u64)]) -> io::Result<()> {
        let object = &self.threads[thread as usize].object;
        self.records.push(place, |out| {
            out.extend_from_slice(b"2:");
            out.extend_from_slice(object);
            push_number(out, place.time);
            for &(number, value) in events {
                out.push(b':');
                push_number(out, number);
                out.push(b':');
                push_signed(out, value);
            }
            out.push(b'\n');
        })
    }

    /// Sets the state that follows from the calls, unless the trace has states of its own.
    fn update_state(&mut self, thread: u32, time: u64) -> io::Result<()> {
        if self.state.is_some() {
            return Ok(());
        }
        let state = self.threads[thread as usize].state_in_calls();
        self.set_state(thread, time, Some(state))
    }

    /// Ends the state of a thread, and begins another one, if there is one.
    fn set_state(&mut self, thread: u32, time: u64, state: Option<u64>) -> io::Result<()> {
        let own = &mut self.threads[thread as usize];
        let has_changed = self.state.is_some() || own.state.map(|it| it.number) != state;
        if !has_changed {
            return Ok(());
        }
        let begin = self.records.place(time);
        let next = state.map(|number| State { number, begin });
        let Some(before) = std::mem::replace(&mut own.state, next) else {
            return Ok(());
        };
        // Without states of its own, the trace has no states that take no time.
        if time <= before.begin.time && self.state.is_none() {
            return Ok(());
        }
        let object = &own.object;
        self.records.push(before.begin, |out| {
            out.extend_from_slice(b"1:");
            out.extend_from_slice(object);
            let end = time.max(before.begin.time);
            push_numbers(out, &[before.begin.time, end, before.number]);
            out.push(b'\n');
        })
    }

    /// Ends calls and states that are open.
    fn end(&mut self) -> io::Result<()> {
        for number in 0..self.threads.len() as u32 {
            let thread = &mut self.threads[number as usize];
            let last = thread.last;
            for call in std::mem::take(&mut thread.calls) {
                self.begin_deferred(number, &call)?;
            }
            self.set_state(number, last, None)?;
        }
        self.left_out
            .count("message with one end", self.ends.len() as u64);
        Ok(())
    }

    /// Ends the trace: passes its records to `take`, in blocks.
    pub(super) fn finish(
        &mut self,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        self.end()?;
        let mut out = Vec::with_capacity(2 * BLOCK);
        self.program
            .push_header(&mut out, self.length(), &self.date);
        if self.state.is_none() {
            out.extend_from_slice(DERIVED_STATES);
            out.push(b'\n');
        }
        let records = std::mem::take(&mut self.records);
        records.finish(|record| {
            out.extend_from_slice(record);
            if out.len() < BLOCK {
                return Ok(());
            }
            let taken = take(&out);
            out.clear();
            taken
        })?;
        take(&out)
    }

    /// Returns the file of labels.
    pub(super) fn labels(&self) -> String {
        self.vocabulary.labels()
    }

    /// Returns the file of names.
    pub(super) fn rows(&self) -> String {
        self.program.rows()
    }

    /// Returns what was left out.
    pub(super) fn into_diagnostics(self) -> Diagnostics {
        self.left_out
            .diagnostics("paraver.left_out", "paraver.definitions_left_out")
    }
}

/// The kinds of definitions that the three files have.
const HELD: [DefinitionKind; 12] = [
    DefinitionKind::String,
    DefinitionKind::ClockProperties,
    DefinitionKind::SystemTreeNode,
    DefinitionKind::LocationGroup,
    DefinitionKind::Location,
    DefinitionKind::Region,
    DefinitionKind::Group,
    DefinitionKind::Comm,
    DefinitionKind::Parameter,
    DefinitionKind::MetricMember,
    DefinitionKind::MetricClass,
    DefinitionKind::MetricInstance,
];

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
    LeftOut, LocationId, Names, Operand, Quantity, Ranks, Symbol, SymbolTable, Timestamp,
    UNDEFINED,
};

use super::messages::{End, Messages, push_message};
use super::metrics::MetricTypes;
use super::program::{Program, line, nanoseconds};
use super::records::{Records, Sorted};
use super::thread::{OpenCall, Operation, Thread};
use super::vocabulary::{CallCode, Vocabulary};
use super::{BLOCK, DATE, DERIVED_STATES};
use crate::attributes::{LOGICAL_RECEIVE, PHYSICAL_SEND};
use crate::meaning::{BETWEEN_STATES, STATE};

/// The content of the trace so far.
pub(super) struct Content {
    names: Names,
    ranks: Ranks,
    metrics: MetricTypes,
    clock: Clock,
    program: Program,
    vocabulary: Vocabulary,
    records: Records,
    threads: Vec<Thread>,
    numbers: HashMap<LocationId, u32, FixedState>,
    paradigms: HashMap<u64, u64, FixedState>,
    calls: HashMap<u64, CallCode, FixedState>,
    arrows: Arrows,
    messages: Messages,
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
            metrics: MetricTypes::new(definitions),
            clock: definitions.clock(),
            program,
            vocabulary: Vocabulary::default(),
            records: Records::default(),
            threads: Vec::new(),
            numbers: HashMap::default(),
            calls: HashMap::default(),
            arrows: Arrows::default(),
            messages: Messages::default(),
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
            let events = [(code.event_type, code.value)];
            self.threads[thread as usize].push_events(&mut self.records, place, &events)?;
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
        own.begin_deferred(&mut self.records, &call)?;
        self.push_events(thread, time, &[(call.code.event_type, 0)])?;
        self.update_state(thread, time)
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
        let time = if arrow.is_send { logical } else { physical };
        let end = End {
            place: self.records.place(time),
            thread,
            logical,
            physical,
            bytes: event.get(Quantity::Bytes),
            tag: symbol.get(Operand::Tag).unwrap_or(UNDEFINED),
        };
        match self.messages.pair(arrow.id, arrow.is_send, end) {
            Some(ends) => push_message(&mut self.records, &ends, &self.threads),
            None => Ok(()),
        }
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
        let (vocabulary, left_out) = (&mut self.vocabulary, &mut self.left_out);
        let values = self
            .metrics
            .values(metric, &batch.metrics, rows, vocabulary, left_out);
        if values.is_empty() {
            return Ok(());
        }
        self.push_events(thread, time, &values)
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
        self.push_events(thread, time, &[(event_type, value)])
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
        self.push_events(thread, time, &[(event_type, value)])
    }

    /// Writes a record of events at a time: types and values.
    fn push_events(&mut self, thread: u32, time: u64, events: &[(u64, u64)]) -> io::Result<()> {
        let place = self.records.place(time);
        self.threads[thread as usize].push_events(&mut self.records, place, events)
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
        let follows_calls = self.state.is_none();
        let own = &mut self.threads[thread as usize];
        own.set_state(&mut self.records, time, state, follows_calls)
    }

    /// Ends calls and states that are open.
    fn end(&mut self) -> io::Result<()> {
        for number in 0..self.threads.len() as u32 {
            let thread = &mut self.threads[number as usize];
            let last = thread.last;
            for call in std::mem::take(&mut thread.calls) {
                thread.begin_deferred(&mut self.records, &call)?;
            }
            self.set_state(number, last, None)?;
        }
        self.left_out
            .count("message with one end", self.messages.incomplete());
        Ok(())
    }

    /// Ends the trace, and returns the header of the file of its records, and the records.
    pub(super) fn finish(&mut self) -> io::Result<(Vec<u8>, Sorted)> {
        self.end()?;
        let mut header = Vec::with_capacity(2 * BLOCK);
        self.program
            .push_header(&mut header, self.length(), &self.date);
        if self.state.is_none() {
            header.extend_from_slice(DERIVED_STATES);
            header.push(b'\n');
        }
        Ok((header, std::mem::take(&mut self.records).sorted()?))
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

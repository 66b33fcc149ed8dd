//! The state of a trace while it is read, and the events that follow from its records.

use foldtrace_trace::{
    Carried, Clock, DefinitionKind, Demultiplexer, EventKind, Minter, Quantity, Symbol, SymbolId,
    SymbolTable, UNDEFINED, ValueType,
};

use crate::attributes::{LOGICAL_RECEIVE, PHYSICAL_SEND};
use crate::calls::{Activity, OpenCall, Operation, State};
use crate::communicators::Communicators;
use crate::extrae::OperationPart;
use crate::header::Header;
use crate::irregularities::Irregularities;
use crate::labels::Labels;
use crate::meaning::{Meaning, TypeId, Types};
use crate::objects::{Objects, Thread};
use crate::pending::{MessageEnd, Pending};
use crate::rows::Rows;
use crate::writer::DATE;

/// The attributes that carry times of messages which no event has.
#[derive(Clone, Copy, Debug, Default)]
struct Attributes {
    physical_send: Option<u64>,
    logical_receive: Option<u64>,
}

/// A record of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub sender: u32,
    pub logical_send: u64,
    pub physical_send: u64,
    pub receiver: u32,
    pub logical_receive: u64,
    pub physical_receive: u64,
    pub bytes: u64,
    pub tag: u64,
}

/// All state that records can change.
#[derive(Debug)]
pub(crate) struct Builder {
    rows: Rows,
    types: Types,
    pub objects: Objects,
    threads: Vec<Thread>,
    activities: Vec<Activity>,
    pub communicators: Communicators,
    pending: Pending,
    pub minter: Minter,
    pub symbols: SymbolTable,
    pub events: Demultiplexer,
    pub irregularities: Irregularities,
    attributes: Attributes,
    /// Whether states follow from calls, so that they are no events.
    pub has_derived_states: bool,
    /// The metric of the CPU on which a thread runs.
    cpu: Option<SymbolId>,
    carried: Carried,
    none: Carried,
    collective_begin: SymbolId,
}

impl Builder {
    pub(crate) fn new(labels: Option<Labels>, rows: Rows) -> Self {
        let mut symbols = SymbolTable::default();
        let collective_begin = symbols.intern(Symbol::new(EventKind::MpiCollectiveBegin, &[]));
        Self {
            rows,
            irregularities: Irregularities {
                has_labels: labels.is_some(),
                ..Irregularities::default()
            },
            types: Types::new(labels),
            objects: Objects::default(),
            threads: Vec::new(),
            activities: Vec::new(),
            communicators: Communicators::default(),
            pending: Pending::default(),
            minter: Minter::default(),
            symbols,
            events: Demultiplexer::default(),
            attributes: Attributes::default(),
            has_derived_states: false,
            cpu: None,
            carried: Carried::default(),
            none: Carried::default(),
            collective_begin,
        }
    }

    /// Takes the first line of the trace.
    pub(crate) fn begin(&mut self, header: &Header) {
        self.irregularities.has_header = true;
        self.minter.clock(Clock {
            ticks_per_second: header.ticks_per_second,
            global_offset: 0,
            trace_length: header.length,
        });
        let date = format!("{DATE}{}", header.date);
        self.minter
            .define(DefinitionKind::TraceProperty, &[], &[], &date);
        (self.objects, self.threads) =
            Objects::define(header, &self.rows, &mut self.minter, &mut self.events);
        self.activities = vec![Activity::default(); self.threads.len()];
    }

    /// Pushes the ends of messages before this time.
    #[inline]
    pub(crate) fn advance(&mut self, time: u64) {
        while let Some((thread, time, end)) = self.pending.before(time) {
            self.message_end(thread, time, end);
        }
    }

    /// Pushes the end of the state of a thread if it is before this time. At this time, the next state may begin, so that the
    /// end is no event.
    #[inline]
    fn settle(&mut self, thread: u32, time: u64) {
        let state = &mut self.activities[thread as usize].state;
        if let Some(ended) = state.take_if(|state| state.end < time) {
            self.end_state(thread, ended);
        }
    }

    fn end_state(&mut self, thread: u32, State { end, leave }: State) {
        match leave {
            Some(leave) => self.push(thread, leave, end),
            None => self.set_state(thread, None, end),
        }
    }

    /// Handles the end of the trace.
    pub(crate) fn finish(&mut self) {
        self.advance(u64::MAX);
        for thread in 0..self.threads.len() as u32 {
            // Whatever has the last possible time.
            self.finish_messages(thread, u64::MAX);
            if let Some(state) = self.activities[thread as usize].state.take() {
                self.end_state(thread, state);
            }
        }
        let open = self.activities.iter().map(|it| it.calls.len() as u64);
        self.irregularities.open_calls = open.sum();
    }

    /// Begins a record of a thread: ends its state if that is over, and notes the CPU on which the thread was seen.
    #[inline]
    pub(crate) fn see(&mut self, thread: u32, cpu: u64, time: u64) {
        self.settle(thread, time);
        let known = &mut self.activities[thread as usize].cpu;
        if *known != cpu {
            let is_first = *known == 0;
            *known = cpu;
            self.note_cpu(thread, cpu, time, is_first);
        }
    }

    /// The first CPU of a thread is a property of its location; any other one is the value of a metric.
    #[cold]
    fn note_cpu(&mut self, thread: u32, cpu: u64, time: u64, is_first: bool) {
        if is_first {
            let location = self.threads[thread as usize].location;
            let name = self.minter.string("CPU");
            let fields = [location.0, name, ValueType::Uint64 as u64, cpu];
            self.minter
                .define(DefinitionKind::LocationProperty, &fields, &[], "");
            return;
        }
        let metric = *self.cpu.get_or_insert_with(|| {
            let class = self.minter.metric("CPU", "", ValueType::Uint64);
            self.symbols
                .intern(Symbol::new(EventKind::Metric, &[class]))
        });
        self.metric(thread, metric, ValueType::Uint64, cpu, time);
    }

    /// Begins a state.
    pub(crate) fn state(&mut self, thread: u32, begin: u64, end: u64, state: u64) {
        if self.has_derived_states {
            return;
        }
        let before = self.activities[thread as usize].state.take();
        if let Some(State { end, leave }) = before {
            self.irregularities.overlapping_states += u64::from(end > begin);
            if let Some(leave) = leave {
                self.push(thread, leave, begin);
            }
        }
        let leave = if self.types.has_state_calls() {
            let (minter, symbols) = (&mut self.minter, &mut self.symbols);
            let call = self.types.state_call(state, minter, symbols);
            self.push(thread, call.enter, begin);
            Some(call.leave)
        } else {
            self.set_state(thread, Some(state), begin);
            None
        };
        self.activities[thread as usize].state = Some(State { end, leave });
    }

    fn set_state(&mut self, thread: u32, state: Option<u64>, time: u64) {
        let (minter, symbols) = (&mut self.minter, &mut self.symbols);
        let value = self.types.state_value(state, minter, symbols);
        self.push(thread, value, time);
    }

    /// Takes an event of a type with a value.
    #[inline]
    pub(crate) fn event(&mut self, thread: u32, time: u64, number: u64, value: u64) {
        let (minter, symbols) = (&mut self.minter, &mut self.symbols);
        let (id, meaning) = self.types.find(number, minter, symbols);
        match meaning {
            Meaning::Calls { .. } if value == 0 => self.end_call(thread, id, time),
            Meaning::Calls { are_nested } => {
                let call = self.types.call(id, value, minter, symbols);
                if !are_nested {
                    self.replace_call(thread, id, time);
                }
                self.push(thread, call.enter, time);
                self.activities[thread as usize].calls.push(OpenCall {
                    event_type: id,
                    leave: call.leave,
                    begin: time,
                    code: call.operation,
                    operation: None,
                });
            }
            Meaning::Parameter(parameter) => {
                let parameter = (id, parameter);
                let symbol = self.types.parameter(parameter, value, minter, symbols);
                self.push(thread, symbol, time);
            }
            Meaning::Metric(metric) => self.value(thread, metric, value, time),
            Meaning::Operation(part, metric) => {
                if !self.describe(thread, part, value) {
                    self.value(thread, metric, value, time);
                }
            }
        }
    }

    /// Ends the call that the next one of its type replaces, if there is one.
    fn replace_call(&mut self, thread: u32, id: TypeId, time: u64) {
        if self.activities[thread as usize].has_call(id) {
            self.finish_messages(thread, time);
        }
        if let Some(call) = self.activities[thread as usize].end_call(id) {
            self.irregularities.replaced_calls += 1;
            self.end_operation(thread, call.operation, time);
            self.push(thread, call.leave, time);
        }
    }

    fn end_call(&mut self, thread: u32, id: TypeId, time: u64) {
        self.finish_messages(thread, time);
        let call = self.activities[thread as usize].end_call(id);
        let leave = match call {
            Some(call) => {
                self.end_operation(thread, call.operation, time);
                call.leave
            }
            None => {
                self.irregularities.ends_without_begin += 1;
                self.symbols
                    .intern(Symbol::new(EventKind::Leave, &[UNDEFINED]))
            }
        };
        self.push(thread, leave, time);
    }

    /// Adds a part to the description of the collective operation that the innermost call performs. Returns `false` if there is
    /// no such call.
    fn describe(&mut self, thread: u32, part: OperationPart, value: u64) -> bool {
        let Some(call) = self.activities[thread as usize].calls.last_mut() else {
            return false;
        };
        let Some(code) = call.code else {
            return false;
        };
        let operation = call.operation.get_or_insert(Operation {
            code,
            communicator: None,
            is_root: false,
            sent: UNDEFINED,
            received: UNDEFINED,
            has_begun: false,
        });
        match part {
            OperationPart::Sent => operation.sent = value,
            OperationPart::Received => operation.received = value,
            OperationPart::Root => operation.is_root = value != 0,
            OperationPart::Communicator => operation.communicator = Some(value),
        }
        true
    }

    /// Ends a record of events: the collective operation that it describes begins.
    #[inline]
    pub(crate) fn end_record(&mut self, thread: u32, time: u64) {
        if let Some(call) = self.activities[thread as usize].calls.last_mut()
            && let Some(operation) = &mut call.operation
            && !operation.has_begun
        {
            operation.has_begun = true;
            self.push(thread, self.collective_begin, time);
        }
    }

    /// Begins a collective operation that has a record of its own. It ends with the innermost call.
    pub(crate) fn operation(&mut self, thread: u32, time: u64, operation: Operation) {
        self.push(thread, self.collective_begin, time);
        let call = self.activities[thread as usize].calls.last_mut();
        let ended = match call {
            Some(call) => call.operation.replace(operation),
            None => Some(operation),
        };
        self.end_operation(thread, ended, time);
    }

    fn end_operation(&mut self, thread: u32, operation: Option<Operation>, time: u64) {
        let Some(operation) = operation else {
            return;
        };
        let Thread {
            rank, application, ..
        } = self.threads[thread as usize];
        let communicator = operation
            .communicator
            .and_then(|number| self.communicators.find(application, number));
        let root = communicator.filter(|_| operation.is_root);
        let symbol = self.symbols.intern(Symbol::new(
            EventKind::MpiCollectiveEnd,
            &[
                operation.code,
                communicator.map_or(UNDEFINED, |it| it.id),
                root.map_or(UNDEFINED, |it| it.rank(rank)),
            ],
        ));
        self.carried.quantities[Quantity::Bytes as usize] = operation.sent;
        self.carried.quantities[Quantity::BytesReceived as usize] = operation.received;
        self.push_carried(thread, symbol, time);
    }

    /// Pushes the ends of messages of a thread at the time at which a call ends.
    #[inline]
    fn finish_messages(&mut self, thread: u32, time: u64) {
        while let Some(end) = self.pending.at(thread, time) {
            self.message_end(thread, time, end);
        }
    }

    /// Takes a message: it is sent now, and received when its time comes, or the other way round if the clocks of both
    /// threads differ.
    pub(crate) fn message(&mut self, message: Message) {
        let [sender, receiver] =
            [message.sender, message.receiver].map(|thread| self.threads[thread as usize].rank);
        let world = self.objects.world();
        let mut end = |kind, peer| {
            let symbol = Symbol::new(kind, &[peer, world, message.tag]);
            self.symbols.intern(symbol)
        };
        let send = end(EventKind::MpiSend, receiver);
        let receive = end(EventKind::MpiRecv, sender);
        let send = MessageEnd {
            symbol: send,
            bytes: message.bytes,
            other_time: message.physical_send,
        };
        if message.physical_receive < message.logical_send {
            self.pending
                .push(message.sender, message.logical_send, send);
        } else {
            self.message_end(message.sender, message.logical_send, send);
        }
        let receive = MessageEnd {
            symbol: receive,
            bytes: message.bytes,
            other_time: message.logical_receive,
        };
        self.pending
            .push(message.receiver, message.physical_receive, receive);
    }

    /// Pushes an end of a message. Its other time is an attribute, unless it follows from the event: the physical time of a send
    /// is that of the event, the logical time of a receive is the beginning of its call.
    fn message_end(&mut self, thread: u32, time: u64, end: MessageEnd) {
        self.settle(thread, time);
        let is_send = self.symbols.kind(end.symbol).is_send();
        let calls = &self.activities[thread as usize].calls;
        let implied = match calls.last() {
            Some(call) if !is_send => call.begin,
            _ => time,
        };
        if end.other_time != implied {
            let attribute = self.attribute(is_send);
            let value = (attribute, ValueType::Uint64, end.other_time);
            self.carried.attributes.push(value);
        }
        self.carried.quantities[Quantity::Bytes as usize] = end.bytes;
        self.push_carried(thread, end.symbol, time);
    }

    /// Returns the attribute for the other time of a send or of a receive.
    fn attribute(&mut self, is_send: bool) -> u64 {
        let (known, name) = if is_send {
            (&mut self.attributes.physical_send, PHYSICAL_SEND)
        } else {
            (&mut self.attributes.logical_receive, LOGICAL_RECEIVE)
        };
        *known.get_or_insert_with(|| self.minter.attribute(name, ValueType::Uint64))
    }

    /// Pushes a value of a metric, whose bits are those of a signed number.
    fn value(&mut self, thread: u32, metric: SymbolId, value: u64, time: u64) {
        self.metric(thread, metric, ValueType::Int64, value, time);
    }

    fn metric(
        &mut self,
        thread: u32,
        metric: SymbolId,
        value_type: ValueType,
        value: u64,
        time: u64,
    ) {
        self.carried.metrics.push((0, value_type, value));
        self.push_carried(thread, metric, time);
    }

    /// Pushes an event without values.
    #[inline]
    fn push(&mut self, thread: u32, symbol: SymbolId, time: u64) {
        let slot = self.threads[thread as usize].slot;
        let kind = self.symbols.kind(symbol);
        self.events.push(slot, symbol, kind, Some(time), &self.none);
    }

    /// Pushes an event with the values that have been collected.
    #[inline]
    fn push_carried(&mut self, thread: u32, symbol: SymbolId, time: u64) {
        let slot = self.threads[thread as usize].slot;
        let kind = self.symbols.kind(symbol);
        self.events
            .push(slot, symbol, kind, Some(time), &self.carried);
        self.carried.clear();
    }
}

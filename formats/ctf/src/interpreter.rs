//! Turns the events of a trace into events of locations.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use foldtrace_trace::{
    Carried, Demultiplexer, EventKind, Minter, Quantity, Symbol, SymbolId, SymbolTable, UNDEFINED,
};

use crate::actions::{Action, NamedRegions};
use crate::attributes;
use crate::class::Role;
use crate::conventions::{CallRole, Conventions, MessageRole};
use crate::data_stream::{DataStream, NextEvent};
use crate::description::Clock;
use crate::leaf::Fields;
use crate::objects::{Key, Lane, Objects};
use crate::plan::TracePlan;
use crate::program::LeafId;

/// What the interpreter knows of a data stream.
#[derive(Debug)]
pub(crate) struct StreamFacts {
    /// The index of the trace.
    pub trace: u32,
    /// The number of the stream.
    pub number: u32,
    /// The id of the process, if all events are of the same one.
    pub process: Option<u64>,
    /// The clock of the events.
    pub clock: Option<Clock>,
    /// The name of this process.
    pub process_name: String,
    /// The key and the track of the previous event.
    pub last: Option<(Key, usize)>,
    /// What the classes of its events become, by their ids.
    pub actions: HashMap<u64, usize, RandomState>,
}

/// All state that events change.
#[derive(Debug, Default)]
pub(crate) struct Interpreter {
    pub minter: Minter,
    pub symbols: SymbolTable,
    pub events: Demultiplexer,
    pub objects: Objects,
    conventions: Conventions,
    actions: Vec<Action>,
    regions: NamedRegions,
    carried: Carried,
    /// The symbols of calls: enter and leave, by region.
    calls: HashMap<u64, [SymbolId; 2], RandomState>,
    /// The attribute of the processor.
    cpu: Option<u64>,
    /// The number of texts that are not valid in their encoding.
    pub damaged_texts: u64,
    /// The number of events that leave a call without a name when no call is open.
    pub ends_without_begin: u64,
    /// The first time, and the last one.
    pub range: Option<(u64, u64)>,
}

impl Interpreter {
    /// Creates an interpreter that recognises calls by `conventions`.
    pub(crate) fn new(conventions: Conventions) -> Self {
        Self {
            conventions,
            ..Self::default()
        }
    }

    /// Takes an event.
    pub(crate) fn take(
        &mut self,
        (stream, facts): (&mut DataStream, &mut StreamFacts),
        plan: &mut TracePlan,
        event: &NextEvent,
        fields: &Fields,
        time: Option<u64>,
    ) {
        let name_leaf = plan
            .streams
            .get(&stream.class)
            .and_then(|stream| stream.process_name);
        let track = self.track(stream, facts, name_leaf, fields);
        self.damaged_texts += fields.damaged_texts + stream.packet_fields.damaged_texts;
        let action = self.action(facts, plan, event);
        self.add_attributes(stream, plan, name_leaf, fields, track);
        self.push(track, action, fields, plan, time);
        if let Some(time) = time {
            let (first, last) = self.range.unwrap_or((time, time));
            self.range = Some((first.min(time), last.max(time)));
        }
    }

    /// Returns the index of what the events of a class become.
    fn action(
        &mut self,
        facts: &mut StreamFacts,
        plan: &mut TracePlan,
        event: &NextEvent,
    ) -> usize {
        if let Some(&known) = facts.actions.get(&event.id) {
            return known;
        }
        let (minter, symbols) = (&mut self.minter, &mut self.symbols);
        let action = Action::new(
            &event.plan,
            event.id,
            plan.leaves(),
            &self.conventions,
            minter,
            symbols,
        );
        self.actions.push(action);
        let index = self.actions.len() - 1;
        facts.actions.insert(event.id, index);
        index
    }

    /// Returns the track of an event.
    fn track(
        &mut self,
        stream: &DataStream,
        facts: &mut StreamFacts,
        name_leaf: Option<LeafId>,
        fields: &Fields,
    ) -> usize {
        let [thread, process, cpu] =
            [Role::Thread, Role::Process, Role::Cpu].map(|role| stream.state.role(role));
        let lane = match (thread, cpu) {
            (Some(thread), _) => Lane::Thread(thread),
            (None, Some(cpu)) => Lane::Cpu(cpu),
            (None, None) => Lane::Stream(facts.number),
        };
        let key = Key {
            trace: facts.trace,
            process: process.or(facts.process),
            lane,
        };
        if let Some((last, track)) = facts.last
            && last == key
        {
            return track;
        }
        let name = name_leaf
            .and_then(|leaf| fields.find(leaf))
            .map(|field| fields.text(field));
        let name = name.unwrap_or(&facts.process_name);
        let track = self
            .objects
            .track(key, name, &mut self.minter, &mut self.events);
        facts.last = Some((key, track));
        track
    }

    /// Collects the attributes of an event. What identifies its location, and has not changed, is left out.
    fn add_attributes(
        &mut self,
        stream: &mut DataStream,
        plan: &mut TracePlan,
        name_leaf: Option<LeafId>,
        fields: &Fields,
        track: usize,
    ) {
        let (minter, carried) = (&mut self.minter, &mut self.carried);
        let leaves = plan.leaves();
        if !stream.packet_fields.values.is_empty() {
            attributes::add(&stream.packet_fields, leaves, minter, carried);
            stream.packet_fields.clear();
        }
        attributes::add(&stream.header_fields, leaves, minter, carried);
        let track = &mut self.objects.tracks[track];
        let cpu = stream.state.role(Role::Cpu);
        if cpu != track.cpu && stream.state.role(Role::Thread).is_some() {
            track.cpu = cpu;
            if let Some(cpu) = cpu {
                let name = "packet.cpu_id";
                let value_type = foldtrace_trace::ValueType::Uint64;
                let id = *self
                    .cpu
                    .get_or_insert_with(|| minter.attribute(name, value_type));
                carried.attributes.push((id, value_type, cpu));
            }
        }
        for field in &fields.values {
            let Some(leaf) = leaves.get_mut(field.leaf.0 as usize) else {
                continue;
            };
            if Some(field.leaf) == name_leaf {
                let name = fields.text(*field);
                if name == track.process_name {
                    continue;
                }
                name.clone_into(&mut track.process_name);
            }
            attributes::add_one(*field, fields, leaf, minter, carried);
        }
    }

    /// Pushes what an event becomes, with the attributes that have been collected.
    fn push(
        &mut self,
        track: usize,
        action: usize,
        fields: &Fields,
        plan: &mut TracePlan,
        time: Option<u64>,
    ) {
        let action = &self.actions[action];
        let process = self.objects.tracks[track].process;
        if let Some([address, bytes, path]) = action.module {
            let [address, bytes] =
                [address, bytes].map(|leaf| fields.find(leaf).map_or(0, |field| field.bits));
            let path = fields.find(path).map(|field| fields.text(field));
            let modules = &mut self.objects.processes[process].modules;
            modules.add(address, bytes, path.unwrap_or_default());
            self.regions.forget(process);
        }
        let modules = &self.objects.processes[process].modules;
        let (minter, leaves) = (&mut self.minter, plan.leaves());
        let source = &action.region;
        let region = self
            .regions
            .find(source, fields, leaves, (process, modules), minter);
        let calls = &mut self.objects.tracks[track].calls;
        let call = match (action.role, region) {
            (CallRole::Enter, Some(region)) => {
                calls.enter(region, ());
                Some(call_symbols(&mut self.calls, &mut self.symbols, region)[0])
            }
            (CallRole::Leave, region) => {
                let innermost = calls.iter().next_back().map(|(region, ())| region);
                self.ends_without_begin += u64::from(region.is_none() && innermost.is_none());
                let region = region.or(innermost).unwrap_or(UNDEFINED);
                calls.leave(region);
                Some(call_symbols(&mut self.calls, &mut self.symbols, region)[1])
            }
            _ => None,
        };
        let slot = self.objects.tracks[track].slot;
        let Some(message) = &action.message else {
            let symbol = call.unwrap_or(action.local);
            let kind = self.symbols.kind(symbol);
            self.events.push(slot, symbol, kind, time, &self.carried);
            self.carried.clear();
            return;
        };
        let world = self.objects.world(&mut self.minter);
        let (symbol, bytes) = message.symbol(fields, world);
        let is_send = message.role == MessageRole::Send;
        self.push_message(slot, (symbol, bytes), call, is_send, time);
    }

    /// Pushes the end of a message: a send after its call begins, a receive before its call ends. The call has the attributes.
    fn push_message(
        &mut self,
        slot: u32,
        (symbol, bytes): (Symbol, u64),
        call: Option<SymbolId>,
        is_send: bool,
        time: Option<u64>,
    ) {
        let end = self.symbols.intern(symbol);
        if let Some(call) = call.filter(|_| is_send) {
            let kind = self.symbols.kind(call);
            self.events.push(slot, call, kind, time, &self.carried);
            self.carried.clear();
        }
        let mut message = Carried::default();
        if call.is_none() {
            std::mem::swap(&mut message, &mut self.carried);
        }
        message.quantities[Quantity::Bytes as usize] = bytes;
        self.events.push(slot, end, symbol.kind, time, &message);
        if let Some(call) = call.filter(|_| !is_send) {
            let kind = self.symbols.kind(call);
            self.events.push(slot, call, kind, time, &self.carried);
        }
        self.carried.clear();
    }
}

/// Returns the symbols of entering and leaving a region.
fn call_symbols(
    known: &mut HashMap<u64, [SymbolId; 2], RandomState>,
    symbols: &mut SymbolTable,
    region: u64,
) -> [SymbolId; 2] {
    *known.entry(region).or_insert_with(|| {
        [EventKind::Enter, EventKind::Leave]
            .map(|kind| symbols.intern(Symbol::new(kind, &[region])))
    })
}

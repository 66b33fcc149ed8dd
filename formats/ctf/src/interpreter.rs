//! Turns the events of a trace into events of locations.

use std::ops::Range;
use std::sync::Arc;

use foldtrace_trace::{
    Backwards, Carried, Demultiplexer, EventKind, Minter, Quantity, Symbol, SymbolId, SymbolTable,
    UNDEFINED, ValueType,
};

use crate::actions::{Action, NamedRegions};
use crate::attributes::{self, Known};
use crate::chunk::{Chunk, Owner};
use crate::conventions::{CallRole, Conventions, MessageRole};
use crate::description::Clock;
use crate::leaf::{EventFields, Leaf};
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
    /// The key and the track of the previous events.
    pub last: Option<(Key, usize)>,
}

impl StreamFacts {
    /// Returns the key of the location of an owner.
    fn key(&self, owner: &Owner) -> Key {
        let lane = match (owner.thread, owner.cpu) {
            (Some(thread), _) => Lane::Thread(thread),
            (None, Some(cpu)) => Lane::Cpu(cpu),
            (None, None) => Lane::Stream(self.number),
        };
        Key {
            trace: self.trace,
            process: owner.process.or(self.process),
            lane,
        }
    }
}

/// What the events of a trace mean.
#[derive(Debug, Default)]
struct Meaning {
    /// What the classes of events become.
    actions: Vec<Option<Action>>,
    /// What is known of the attributes of leaves.
    attributes: Vec<Known>,
}

/// All state that events change.
#[derive(Debug, Default)]
pub(crate) struct Interpreter {
    pub minter: Minter,
    pub symbols: SymbolTable,
    pub events: Demultiplexer,
    pub objects: Objects,
    conventions: Arc<Conventions>,
    /// What the events of each trace mean.
    meanings: Vec<Meaning>,
    regions: NamedRegions,
    carried: Carried,
    calls: CallSymbols,
    /// The attribute of the processor.
    cpu: Option<u64>,
    /// The number of events that leave a call without a name when no call is open.
    pub ends_without_begin: u64,
    /// The first time, and the last one.
    pub range: Option<(u64, u64)>,
}

impl Interpreter {
    /// Creates an interpreter that recognises calls by `conventions`.
    pub(crate) fn new(conventions: Arc<Conventions>) -> Self {
        Self {
            conventions,
            ..Self::default()
        }
    }

    /// Takes events of a track that follow each other in a chunk and have the same owner. Reports those whose times go backwards,
    /// by their indices in the chunk.
    pub(crate) fn take(
        &mut self,
        track: usize,
        (chunk, events): (&Chunk, Range<usize>),
        owner: &Owner,
        (trace, plan): (u32, &TracePlan),
        mut report: impl FnMut(usize, Backwards),
    ) {
        let mut meaning = self.take_meaning(trace as usize);
        let (mut first, mut last) = self.range.unwrap_or((u64::MAX, 0));
        for (number, event, fields) in chunk.events_with_fields(events) {
            let class = event.class as usize;
            if !matches!(meaning.actions.get(class), Some(Some(_))) {
                self.add_action(&mut meaning, class, plan);
            }
            let Some(action) = &meaning.actions[class] else {
                continue;
            };
            let attributes = (plan.leaves(), &mut meaning.attributes[..]);
            self.add_attributes(fields, owner, attributes, action.process_name, track);
            self.push(track, action, fields, plan.leaves(), event.time);
            if let Some(time) = event.time {
                (first, last) = (first.min(time), last.max(time));
            }
            if let Some(backwards) = self.events.take_backwards() {
                report(number, backwards);
            }
        }
        self.meanings[trace as usize] = meaning;
        if first <= last {
            self.range = Some((first, last));
        }
    }

    /// Returns what the events of a trace mean, which is put back when some of them have been taken.
    fn take_meaning(&mut self, trace: usize) -> Meaning {
        if self.meanings.len() <= trace {
            self.meanings.resize_with(trace + 1, Meaning::default);
        }
        std::mem::take(&mut self.meanings[trace])
    }

    #[cold]
    fn add_action(
        &mut self,
        Meaning {
            actions,
            attributes,
        }: &mut Meaning,
        class: usize,
        plan: &TracePlan,
    ) {
        if attributes.len() < plan.leaves().len() {
            attributes.resize_with(plan.leaves().len(), Known::default);
        }
        if actions.len() <= class {
            actions.resize_with(class + 1, || None);
        }
        let (minter, symbols) = (&mut self.minter, &mut self.symbols);
        actions[class] = plan
            .class(class)
            .map(|(plan, leaves)| Action::new(plan, leaves, &self.conventions, minter, symbols));
    }

    /// Returns the track of an owner; `None` if it is new.
    #[inline]
    pub(crate) fn known_track(&self, facts: &mut StreamFacts, owner: &Owner) -> Option<usize> {
        let key = facts.key(owner);
        if let Some((last, track)) = facts.last
            && last == key
        {
            return Some(track);
        }
        let track = self.objects.find(&key)?;
        facts.last = Some((key, track));
        Some(track)
    }

    /// Creates the track of an owner, unless it exists, before its first event.
    pub(crate) fn create_track(
        &mut self,
        facts: &StreamFacts,
        owner: &Owner,
        (chunk, number): (&Chunk, usize),
        plan: &TracePlan,
    ) {
        let fields = chunk.fields(number);
        let class = chunk.events.get(number).map(|event| event.class as usize);
        let class = class.and_then(|class| plan.events.get(class));
        let name = class
            .and_then(|class| class.process_name)
            .and_then(|leaf| fields.find(leaf))
            .map(|field| fields.text(field));
        let name = name.unwrap_or(&facts.process_name);
        let (minter, events) = (&mut self.minter, &mut self.events);
        self.objects.track(facts.key(owner), name, minter, events);
    }

    /// Collects the attributes of an event. What identifies its location, and has not changed, is left out.
    #[inline]
    fn add_attributes(
        &mut self,
        fields: EventFields<'_>,
        owner: &Owner,
        (leaves, known): (&[Leaf], &mut [Known]),
        name_leaf: Option<LeafId>,
        track: usize,
    ) {
        let (minter, carried) = (&mut self.minter, &mut self.carried);
        for field in fields.shared {
            attributes::add(*field, fields, leaves, known, minter, carried);
        }
        let track = &mut self.objects.tracks[track];
        if owner.cpu != track.cpu && owner.thread.is_some() {
            track.cpu = owner.cpu;
            if let Some(cpu) = owner.cpu {
                let name = "packet.cpu_id";
                let value_type = ValueType::Uint64;
                let new = || minter.attribute(name, value_type);
                let id = *self.cpu.get_or_insert_with(new);
                carried.attributes.push((id, value_type, cpu));
            }
        }
        for field in fields.own {
            if Some(field.leaf) == name_leaf {
                let name = fields.text(*field);
                if name == track.process_name {
                    continue;
                }
                name.clone_into(&mut track.process_name);
            }
            attributes::add(*field, fields, leaves, known, minter, carried);
        }
    }

    /// Pushes what an event becomes, with the attributes that have been collected.
    fn push(
        &mut self,
        track: usize,
        action: &Action,
        fields: EventFields<'_>,
        leaves: &[Leaf],
        time: Option<u64>,
    ) {
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
        let minter = &mut self.minter;
        let region = self
            .regions
            .find(&action.region, fields, leaves, (process, modules), minter);
        let calls = &mut self.objects.tracks[track].calls;
        let call = match (action.role, region) {
            (CallRole::Enter, Some(region)) => {
                calls.enter(region, ());
                Some(self.calls.of(region, &mut self.symbols)[0])
            }
            (CallRole::Leave, region) => {
                let innermost = calls.iter().next_back().map(|(region, ())| region);
                self.ends_without_begin += u64::from(region.is_none() && innermost.is_none());
                let region = region.or(innermost).unwrap_or(UNDEFINED);
                calls.leave(region);
                Some(self.calls.of(region, &mut self.symbols)[1])
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

/// The symbols of calls: of entering and leaving each region.
#[derive(Debug, Default)]
struct CallSymbols {
    /// By the ids of regions, which are small.
    symbols: Vec<Option<[SymbolId; 2]>>,
    /// Those of calls without a region.
    unknown: Option<[SymbolId; 2]>,
}

impl CallSymbols {
    #[inline]
    fn of(&mut self, region: u64, symbols: &mut SymbolTable) -> [SymbolId; 2] {
        let known = if region == UNDEFINED {
            &mut self.unknown
        } else {
            let region = region as usize;
            if self.symbols.len() <= region {
                self.symbols.resize(region + 1, None);
            }
            &mut self.symbols[region]
        };
        *known.get_or_insert_with(|| {
            [EventKind::Enter, EventKind::Leave]
                .map(|kind| symbols.intern(Symbol::new(kind, &[region])))
        })
    }
}

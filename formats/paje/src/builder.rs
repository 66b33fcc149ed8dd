//! The state of a trace while it is read, and the effects of lines on it.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_input::Fault;
use foldtrace_notation::number;
use foldtrace_trace::{
    Carried, Clock, Demultiplexer, EventKind, Minter, Operand, Quantity, Symbol, SymbolId,
    SymbolTable, UNDEFINED, ValueType,
};

use crate::action::{Action, MessageEnd};
use crate::carried::parse_carried;
use crate::header::{Field, Fields};
use crate::hierarchy::{ContainerId, Hierarchy};
use crate::irregularities::Irregularities;
use crate::lexer::Word;
use crate::links::{LinkEnd, Links};
use crate::locations::{Location, Locations};
use crate::producer::{Producer, simgrid_key};
use crate::states::{LaneId, States};
use crate::time::TimeScale;
use crate::variables::Variables;

/// All state that lines can change.
#[derive(Debug)]
pub(crate) struct Builder {
    pub hierarchy: Hierarchy,
    pub locations: Locations,
    pub states: States,
    pub variables: Variables,
    pub links: Links,
    pub minter: Minter,
    pub symbols: SymbolTable,
    pub events: Demultiplexer,
    pub producer: Producer,
    scale: TimeScale,
    /// Whether foldtrace wrote the trace.
    pub is_foldtrace: bool,
    /// The symbols of values by alias, in traces that foldtrace wrote.
    pub symbols_by_alias: HashMap<Box<[u8]>, SymbolId>,
    pub irregularities: Irregularities,
    carried: Carried,
    latest_time: u64,
    has_begun: bool,
    /// Cached ranks of peers, by container, its own number in the key, and the number of the peer in the key.
    peer_ranks: HashMap<(ContainerId, u64, u64), u64, FixedState>,
    /// The name of a peer, in memory that is reused.
    peer_name: Vec<u8>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            hierarchy: Hierarchy::default(),
            locations: Locations::default(),
            states: States::default(),
            variables: Variables::default(),
            links: Links::default(),
            minter: Minter::default(),
            symbols: SymbolTable::default(),
            events: Demultiplexer::default(),
            producer: Producer::default(),
            scale: TimeScale::nanoseconds(Producer::default().nanoseconds()),
            is_foldtrace: false,
            symbols_by_alias: HashMap::new(),
            irregularities: Irregularities::default(),
            carried: Carried::default(),
            latest_time: 0,
            has_begun: false,
            peer_ranks: HashMap::default(),
            peer_name: Vec::new(),
        }
    }
}

impl Builder {
    /// Determines the producer, the unit of time and the locations from the types and containers defined before the
    /// first event.
    pub(crate) fn begin_events(&mut self) {
        if self.has_begun {
            return;
        }
        self.has_begun = true;
        if self.is_foldtrace {
            return;
        }
        self.producer = Producer::detect(&self.hierarchy);
        self.scale = TimeScale::nanoseconds(self.producer.nanoseconds());
        self.locations
            .add_new_containers(&self.hierarchy, &mut self.minter, &mut self.events);
        if self.hierarchy.has_link_types() {
            self.locations.world(&self.hierarchy, &mut self.minter);
        }
    }

    /// Sets the clock of a trace that foldtrace wrote. Times are written with the clock known before the first event.
    pub(crate) fn set_clock(&mut self, clock: &Clock) {
        if !self.has_begun {
            self.scale = TimeScale::from_clock(clock);
        }
    }

    /// Defines everything that is known only at the end.
    pub(crate) fn finish(&mut self) {
        self.begin_events();
        self.irregularities.open_states = self.states.count_open();
        self.irregularities.unmatched_links = self.links.unmatched();
        if self.is_foldtrace {
            self.irregularities.open_states = 0;
            return;
        }
        self.locations
            .add_new_containers(&self.hierarchy, &mut self.minter, &mut self.events);
        self.locations.finish(&self.hierarchy, &mut self.minter);
        self.minter.clock(Clock {
            trace_length: self.latest_time,
            ..Clock::default()
        });
    }

    /// Returns the location of a container.
    pub(crate) fn location(&mut self, container: ContainerId, is_active: bool) -> Location {
        self.locations.find_or_add(
            container,
            is_active,
            &self.hierarchy,
            &mut self.minter,
            &mut self.events,
        )
    }

    /// Returns the ticks of a time.
    #[inline]
    pub(crate) fn time(&mut self, word: Word<'_>) -> Result<u64, Fault> {
        let Some(time) = self.scale.parse(word.bytes) else {
            return Err(word
                .fault("a time")
                .hint("times are non-negative decimal numbers below 2^64 nanoseconds"));
        };
        self.irregularities.rounded += u64::from(!time.is_exact && !self.is_foldtrace);
        self.latest_time = self.latest_time.max(time.ticks);
        Ok(time.ticks)
    }

    /// Performs the action of a line. `fields` contains the fields that did not determine the action.
    #[inline]
    pub(crate) fn perform(
        &mut self,
        action: Action,
        time: u64,
        fields: &Fields<'_>,
    ) -> Result<(), Fault> {
        match action {
            Action::Nothing => {}
            Action::HostLink => self.irregularities.host_links += 1,
            Action::Enter {
                lane: id,
                enter,
                leave,
                replaces,
            } => {
                let lane = self.states.lane(id);
                let slot = lane.location.slot;
                let replaced = if replaces { lane.open.pop() } else { None };
                if let Some(leave) = replaced {
                    self.push(slot, leave, time);
                }
                self.event(slot, enter, time, fields)?;
                self.states.lane(id).open.push(leave);
            }
            Action::Leave(lane) => self.leave(lane, time),
            Action::LeaveAs(lane, symbol) => {
                let slot = self.states.lane(lane).location.slot;
                self.event(slot, symbol, time, fields)?;
                self.states.lane(lane).open.pop();
            }
            Action::LeaveAll(lane) => {
                while let Some(leave) = self.states.lane(lane).open.pop() {
                    let slot = self.states.lane(lane).location.slot;
                    self.push(slot, leave, time);
                }
            }
            Action::Event(slot, symbol) => self.event(slot, symbol, time, fields)?,
            Action::Variable(variable, change) => {
                let word = fields.require(Field::Value)?;
                let value = std::str::from_utf8(word.bytes)
                    .ok()
                    .and_then(|text| text.parse().ok());
                let value: f64 = value.ok_or_else(|| word.fault("the value of a variable"))?;
                let variable = self.variables.get(variable);
                let value = variable.change(change, value);
                let (slot, symbol) = (variable.slot, variable.symbol);
                self.carried
                    .metrics
                    .push((0, ValueType::Double, value.to_bits()));
                self.push(slot, symbol, time);
                self.carried.metrics.clear();
            }
            Action::Message(end) => self.message(end, time, fields)?,
        }
        Ok(())
    }

    /// Pushes an event with the values in `carried`.
    #[inline]
    fn push(&mut self, slot: u32, symbol: SymbolId, time: u64) {
        let kind = self.symbols.kind(symbol);
        self.events
            .push(slot, symbol, kind, Some(time), &self.carried);
    }

    /// Pushes an event, with the carried values of its line if foldtrace wrote it.
    #[inline]
    fn event(
        &mut self,
        slot: u32,
        symbol: SymbolId,
        time: u64,
        fields: &Fields<'_>,
    ) -> Result<(), Fault> {
        if !self.is_foldtrace {
            self.push(slot, symbol, time);
            return Ok(());
        }
        let kind = self.symbols.kind(symbol);
        let parsed = match (fields.get(Field::Carried), fields.get(Field::Size)) {
            (Some(text), _) => parse_carried(text, kind, &mut self.carried),
            (None, Some(size)) => {
                let bytes = number(size.bytes);
                self.carried.quantities[Quantity::Bytes as usize] = bytes.unwrap_or(UNDEFINED);
                Ok(None)
            }
            (None, None) => {
                self.push(slot, symbol, time);
                return Ok(());
            }
        };
        let pushed = parsed.map(|ticks| self.push(slot, symbol, ticks.unwrap_or(time)));
        self.carried.clear();
        pushed
    }

    fn leave(&mut self, lane: LaneId, time: u64) {
        let lane = self.states.lane(lane);
        let slot = lane.location.slot;
        let leave = lane.open.pop().unwrap_or_else(|| {
            self.irregularities.pops_without_push += 1;
            self.symbols
                .intern(Symbol::new(EventKind::Leave, &[UNDEFINED]))
        });
        self.push(slot, leave, time);
    }

    /// Ends a container, and the states that are open in it.
    pub(crate) fn destroy(&mut self, container: ContainerId, time: u64) {
        for index in 0..self.states.lanes_of(container).len() {
            let lane = self.states.lanes_of(container)[index];
            while let Some(leave) = self.states.lane(lane).open.pop() {
                let slot = self.states.lane(lane).location.slot;
                self.irregularities.ended_states += 1;
                self.push(slot, leave, time);
            }
        }
    }

    /// Pushes an end of a message. Its peer is known from the key, or from the other end if that came first;
    /// otherwise it becomes known when the other end comes.
    fn message(&mut self, end: MessageEnd, time: u64, fields: &Fields<'_>) -> Result<(), Fault> {
        let key = fields.require(Field::Key)?.bytes;
        let field = |field: Field| fields.get(field).and_then(|word| number(word.bytes));
        let mut bytes = field(Field::Size).unwrap_or(end.bytes);
        let mut tag = field(Field::Tag).unwrap_or(UNDEFINED);
        let mut peer = UNDEFINED;
        if self.producer == Producer::SimGrid
            && let Some((sender, receiver, tag_of_key)) = simgrid_key(key)
        {
            tag = tag_of_key.unwrap_or(tag);
            let (own, other) = if end.is_start {
                (sender, receiver)
            } else {
                (receiver, sender)
            };
            peer = self
                .peer_rank(end.container, own, other)
                .unwrap_or(UNDEFINED);
        }
        let other = self.links.take(end.link_type, key, end.is_start);
        if let Some(other) = other {
            peer = other.location.process.rank();
            if tag == UNDEFINED {
                tag = other.symbol.get(Operand::Tag).unwrap_or(UNDEFINED);
            }
            if bytes == UNDEFINED {
                bytes = other.bytes;
            }
        }
        let kind = if end.is_start {
            EventKind::MpiSend
        } else {
            EventKind::MpiRecv
        };
        let world = self.locations.world(&self.hierarchy, &mut self.minter);
        let symbol = Symbol::new(kind, &[peer, world, tag]);
        let position = self.events.next(end.location.slot);
        self.carried.quantities[Quantity::Bytes as usize] = bytes;
        let id = self.symbols.intern(symbol);
        self.push(end.location.slot, id, time);
        self.carried.clear();
        match other {
            Some(other) => self.complete(&other, end.location, tag),
            None => {
                let waiting = LinkEnd {
                    is_start: end.is_start,
                    location: end.location,
                    position,
                    symbol,
                    bytes,
                };
                self.links.wait(end.link_type, key, waiting);
            }
        }
        Ok(())
    }

    /// Completes the end of a message that came first with the data of its other end.
    fn complete(&mut self, end: &LinkEnd, location: Location, tag: u64) {
        let world = end.symbol.get(Operand::Communicator).unwrap_or(UNDEFINED);
        let full = Symbol::new(end.symbol.kind, &[location.process.rank(), world, tag]);
        if full != end.symbol {
            let id = self.symbols.intern(full);
            if !self.events.amend(end.location.slot, end.position, id) {
                self.irregularities.unknown_peers += 1;
            }
        }
    }

    /// Returns the rank of the peer of `container`, whose number in the key is `own`; the number of the peer in the key
    /// is `other`. Only the difference counts, because some versions of SimGrid count from 1 in keys, and from 0 in the
    /// names of containers.
    fn peer_rank(&mut self, container: ContainerId, own: u64, other: u64) -> Option<u64> {
        const MAX_CACHED: usize = 1 << 16;
        if let Some(&rank) = self.peer_ranks.get(&(container, own, other)) {
            return Some(rank);
        }
        let name = &self.hierarchy.container(container).name;
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let own_in_name: u64 = name[stem.len()..].parse().ok()?;
        let number = own_in_name.checked_add(other)?.checked_sub(own)?;
        self.peer_name.clear();
        self.peer_name.extend_from_slice(stem.as_bytes());
        foldtrace_notation::push_number(&mut self.peer_name, number);
        let word = Word {
            bytes: &self.peer_name,
            at: 0,
        };
        let peer = self.hierarchy.find_container(word).ok()?;
        let rank = self.locations.known_process(peer)?.rank();
        if self.peer_ranks.len() >= MAX_CACHED {
            self.peer_ranks.clear();
        }
        self.peer_ranks.insert((container, own, other), rank);
        Some(rank)
    }
}

//! The state of a trace while it is read, and the effects of lines on it.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_input::Fault;
use foldtrace_notation::number;
use foldtrace_trace::{
    Carried, Clock, Demultiplexer, EventKind, Minter, Operand, Quantity, Symbol, SymbolId,
    SymbolTable, UNDEFINED, ValueType,
};

use crate::carried::parse_carried;
use crate::header::{Field, Fields};
use crate::hierarchy::{ContainerId, Hierarchy};
use crate::links::{End, Links};
use crate::places::{Place, Places};
use crate::producer::{Producer, simgrid_key};
use crate::resolve::{Action, MessageEnd};
use crate::states::{LaneId, States};
use crate::time::Ticks;
use crate::trouble::Trouble;
use crate::variables::Variables;
use crate::words::Word;

/// All state that lines can change.
#[derive(Debug)]
pub(crate) struct Builder {
    pub hierarchy: Hierarchy,
    pub places: Places,
    pub states: States,
    pub variables: Variables,
    pub links: Links,
    pub minter: Minter,
    pub symbols: SymbolTable,
    pub events: Demultiplexer,
    pub producer: Producer,
    ticks: Ticks,
    /// Whether foldtrace wrote the trace.
    pub is_written: bool,
    /// Symbols in traces written by foldtrace, by the alias of their value.
    pub written: HashMap<Box<[u8]>, SymbolId>,
    pub trouble: Trouble,
    carried: Carried,
    latest: u64,
    is_settled: bool,
    /// Cached ranks of processes, by container, its own number in the key, and the number of the process in the key.
    neighbours: HashMap<(ContainerId, u64, u64), u64, FixedState>,
    name: Vec<u8>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            hierarchy: Hierarchy::default(),
            places: Places::default(),
            states: States::default(),
            variables: Variables::default(),
            links: Links::default(),
            minter: Minter::default(),
            symbols: SymbolTable::default(),
            events: Demultiplexer::default(),
            producer: Producer::default(),
            ticks: Ticks::nanoseconds(Producer::default().nanoseconds()),
            is_written: false,
            written: HashMap::new(),
            trouble: Trouble::default(),
            carried: Carried::default(),
            latest: 0,
            is_settled: false,
            neighbours: HashMap::default(),
            name: Vec::new(),
        }
    }
}

impl Builder {
    /// Determines the producer, the unit of time and the locations from the types and containers defined before the
    /// first event.
    pub(crate) fn settle(&mut self) {
        if self.is_settled {
            return;
        }
        self.is_settled = true;
        if self.is_written {
            return;
        }
        self.producer = Producer::of(&self.hierarchy);
        self.ticks = Ticks::nanoseconds(self.producer.nanoseconds());
        self.places
            .settle(&self.hierarchy, &mut self.minter, &mut self.events);
        if self.hierarchy.has_links() {
            self.places.world(&self.hierarchy, &mut self.minter);
        }
    }

    /// Sets the clock of a trace that foldtrace wrote. Times are written with the clock known before the first event.
    pub(crate) fn set_clock(&mut self, clock: &Clock) {
        if !self.is_settled {
            self.ticks = Ticks::of_clock(clock);
        }
    }

    /// Defines everything that is known only at the end.
    pub(crate) fn finish(&mut self) {
        self.settle();
        self.trouble.open_states = self.states.open();
        self.trouble.unmatched_links = self.links.unmatched();
        if self.is_written {
            self.trouble.open_states = 0;
            return;
        }
        self.places
            .settle(&self.hierarchy, &mut self.minter, &mut self.events);
        self.places.finish(&self.hierarchy, &mut self.minter);
        self.minter.clock(Clock {
            trace_length: self.latest,
            ..Clock::default()
        });
    }

    /// Returns the place of a container.
    pub(crate) fn place(&mut self, container: ContainerId, is_active: bool) -> Place {
        self.places.of(
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
        let Some(time) = self.ticks.parse(word.bytes) else {
            return Err(word
                .fault("a time")
                .hint("times are decimal numbers, not negative, and below 2^64 nanoseconds"));
        };
        self.trouble.rounded += u64::from(!time.is_exact && !self.is_written);
        self.latest = self.latest.max(time.ticks);
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
            Action::Wire => self.trouble.wires += 1,
            Action::Enter {
                lane: id,
                enter,
                leave,
                instead,
            } => {
                let lane = self.states.lane(id);
                let slot = lane.place.slot;
                let before = if instead { lane.open.pop() } else { None };
                if let Some(before) = before {
                    self.push(slot, before, time);
                }
                self.event(slot, enter, time, fields)?;
                self.states.lane(id).open.push(leave);
            }
            Action::Leave(lane) => self.leave(lane, time),
            Action::LeaveAs(lane, symbol) => {
                let slot = self.states.lane(lane).place.slot;
                self.event(slot, symbol, time, fields)?;
                self.states.lane(lane).open.pop();
            }
            Action::LeaveAll(lane) => {
                while let Some(leave) = self.states.lane(lane).open.pop() {
                    let slot = self.states.lane(lane).place.slot;
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
        mut time: u64,
        fields: &Fields<'_>,
    ) -> Result<(), Fault> {
        if self.is_written {
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
            match parsed {
                Ok(ticks) => time = ticks.unwrap_or(time),
                Err(fault) => {
                    self.carried.clear();
                    return Err(fault);
                }
            }
            self.push(slot, symbol, time);
            self.carried.clear();
        } else {
            self.push(slot, symbol, time);
        }
        Ok(())
    }

    fn leave(&mut self, lane: LaneId, time: u64) {
        let lane = self.states.lane(lane);
        let slot = lane.place.slot;
        let leave = lane.open.pop().unwrap_or_else(|| {
            self.trouble.pops_without_push += 1;
            self.symbols
                .intern(Symbol::new(EventKind::Leave, &[UNDEFINED]))
        });
        self.push(slot, leave, time);
    }

    /// Ends a container, and the states that are open in it.
    pub(crate) fn destroy(&mut self, container: ContainerId, time: u64) {
        for index in 0..self.states.of_container(container).len() {
            let lane = self.states.of_container(container)[index];
            while let Some(leave) = self.states.lane(lane).open.pop() {
                let slot = self.states.lane(lane).place.slot;
                self.trouble.ended_states += 1;
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
                .neighbour(end.container, own, other)
                .unwrap_or(UNDEFINED);
        }
        let other = self.links.take(end.of, key, end.is_start);
        if let Some(other) = other {
            peer = other.place.process.rank();
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
        let world = self.places.world(&self.hierarchy, &mut self.minter);
        let symbol = Symbol::new(kind, &[peer, world, tag]);
        let position = self.events.next(end.place.slot);
        self.carried.quantities[Quantity::Bytes as usize] = bytes;
        let id = self.symbols.intern(symbol);
        self.push(end.place.slot, id, time);
        self.carried.clear();
        match other {
            Some(other) => self.complete(&other, end.place, tag),
            None => {
                let waiting = End {
                    is_start: end.is_start,
                    place: end.place,
                    position,
                    symbol,
                    bytes,
                };
                self.links.wait(end.of, key, waiting);
            }
        }
        Ok(())
    }

    /// Completes the end of a message that came first with the data of its other end.
    fn complete(&mut self, end: &End, place: Place, tag: u64) {
        let world = end.symbol.get(Operand::Communicator).unwrap_or(UNDEFINED);
        let full = Symbol::new(end.symbol.kind, &[place.process.rank(), world, tag]);
        if full != end.symbol {
            let id = self.symbols.intern(full);
            if !self.events.amend(end.place.slot, end.position, id) {
                self.trouble.unknown_peers += 1;
            }
        }
    }

    /// Returns the rank of the process whose number differs from the number of `container` as `other` differs from
    /// `own`. Some versions of SimGrid count from 1 in keys, and from 0 in the names of containers.
    fn neighbour(&mut self, container: ContainerId, own: u64, other: u64) -> Option<u64> {
        const MOST: usize = 1 << 16;
        if let Some(&rank) = self.neighbours.get(&(container, own, other)) {
            return Some(rank);
        }
        let name = &self.hierarchy.container(container).name;
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let mine: u64 = name[stem.len()..].parse().ok()?;
        let number = mine.checked_add(other)?.checked_sub(own)?;
        self.name.clear();
        self.name.extend_from_slice(stem.as_bytes());
        foldtrace_notation::push_number(&mut self.name, number);
        let word = Word {
            bytes: &self.name,
            at: 0,
        };
        let of = self.hierarchy.find_container(word).ok()?;
        let rank = self.places.known_process(of)?.rank();
        if self.neighbours.len() >= MOST {
            self.neighbours.clear();
        }
        self.neighbours.insert((container, own, other), rank);
        Some(rank)
    }
}

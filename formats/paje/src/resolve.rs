//! Determines the action of a line from the fields that are the same in all lines with this action.

use foldtrace_input::Fault;
use foldtrace_trace::{EventKind, Symbol, SymbolId, UNDEFINED, ValueType, leave_of};

use crate::builder::Builder;
use crate::header::{EventDef, Field, Fields, PajeEvent};
use crate::hierarchy::{ContainerId, Sort, TypeId};
use crate::places::Place;
use crate::producer::{Producer, is_message};
use crate::states::LaneId;
use crate::variables::{Change, VariableId};
use crate::words::Word;

/// The effect of a line, without its time and its amounts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// None: the line only draws what another line describes.
    Nothing,
    /// An end of a link between hosts, which is not an event.
    Wire,
    /// Enters a state, nested in the open states or instead of the innermost one.
    Enter {
        lane: LaneId,
        enter: SymbolId,
        leave: SymbolId,
        instead: bool,
    },
    /// Leaves the innermost state.
    Leave(LaneId),
    /// Leaves the innermost state, with this event.
    LeaveAs(LaneId, SymbolId),
    /// Leaves all states.
    LeaveAll(LaneId),
    /// An event, at a slot of the demultiplexer.
    Event(u32, SymbolId),
    /// Changes a variable.
    Variable(VariableId, Change),
    /// Sends or receives a message.
    Message(MessageEnd),
}

/// An end of a message, without its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageEnd {
    pub of: TypeId,
    pub container: ContainerId,
    pub place: Place,
    pub is_start: bool,
    /// The size in bytes, if the value specifies it.
    pub bytes: u64,
}

impl Builder {
    /// Returns the action of a line, based on its fields.
    pub(crate) fn resolve(&mut self, def: &EventDef, fields: &Fields<'_>) -> Result<Action, Fault> {
        use PajeEvent::{
            AddVariable, EndLink, NewEvent, PopState, PushState, ResetState, SetState, SetVariable,
            StartLink, SubVariable,
        };
        match def.event {
            PushState | SetState => self.resolve_enter(fields, def.event == SetState),
            PopState if def.has(Field::Symbol) => {
                let symbol = self.written_symbol(fields.require(Field::Symbol)?)?;
                Ok(Action::LeaveAs(self.resolve_lane(fields)?, symbol))
            }
            PopState => Ok(Action::Leave(self.resolve_lane(fields)?)),
            ResetState => Ok(Action::LeaveAll(self.resolve_lane(fields)?)),
            SetVariable | AddVariable | SubVariable | StartLink | EndLink
                if self.is_written && !def.has(Field::Symbol) =>
            {
                Ok(Action::Nothing)
            }
            SetVariable | AddVariable | SubVariable if !def.has(Field::Symbol) => {
                self.resolve_variable(fields, def.event)
            }
            StartLink if !def.has(Field::Symbol) => self.resolve_link(fields, true),
            EndLink if !def.has(Field::Symbol) => self.resolve_link(fields, false),
            NewEvent => self.resolve_event(fields),
            _ => {
                let field = match def.event {
                    StartLink => Field::StartContainer,
                    EndLink => Field::EndContainer,
                    _ => Field::Container,
                };
                let container = self.hierarchy.find_container(fields.require(field)?)?;
                let symbol = self.written_symbol(fields.require(Field::Symbol)?)?;
                Ok(Action::Event(self.place(container, true).slot, symbol))
            }
        }
    }

    /// Returns a symbol of a trace that foldtrace wrote.
    fn written_symbol(&self, word: Word<'_>) -> Result<SymbolId, Fault> {
        let symbol = self.written.get(word.bytes).copied();
        symbol.ok_or_else(|| word.fault("a value that is defined above with a symbol"))
    }

    fn resolve_lane(&mut self, fields: &Fields<'_>) -> Result<LaneId, Fault> {
        let container = self
            .hierarchy
            .find_container(fields.require(Field::Container)?)?;
        let of = self
            .hierarchy
            .find_type(fields.require(Field::Type)?, Sort::State)?;
        Ok(self.lane(container, of))
    }

    /// Returns the lane for the states of a type in a container. They share the location of the container with other
    /// types of states, unless one of these is open when the lane is first used.
    fn lane(&mut self, container: ContainerId, of: TypeId) -> LaneId {
        if let Some(lane) = self.states.find(container, of) {
            return lane;
        }
        let overlaps = self.states.is_in_any(container);
        let mut place = self.place(container, true);
        if overlaps && !self.is_written {
            let name = format!(
                "{} {}",
                self.hierarchy.container(container).name,
                self.hierarchy.of_type(of).name
            );
            place = self
                .places
                .beside(place, &name, &mut self.minter, &mut self.events);
        }
        self.states.add(container, of, place)
    }

    fn resolve_enter(&mut self, fields: &Fields<'_>, instead: bool) -> Result<Action, Fault> {
        let lane = self.resolve_lane(fields)?;
        let of = self
            .hierarchy
            .find_type(fields.require(Field::Type)?, Sort::State)?;
        let word = fields.require(Field::Value)?;
        let value = self.hierarchy.value(of, word);
        let written = value.and_then(|value| value.symbol);
        let enter = match written.map(|id| self.symbols.symbol(id)) {
            Some(symbol) => symbol,
            None => {
                let region = match value {
                    Some(value) => self.minter.region(&value.name),
                    None => self.minter.region(&self.trouble.text(word.bytes)),
                };
                Symbol::new(EventKind::Enter, &[region])
            }
        };
        let Some(leave) = leave_of(enter) else {
            return Err(word.fault("a value whose symbol is entered"));
        };
        Ok(Action::Enter {
            lane,
            enter: self.symbols.intern(enter),
            leave: self.symbols.intern(leave),
            instead,
        })
    }

    fn resolve_event(&mut self, fields: &Fields<'_>) -> Result<Action, Fault> {
        let container = self
            .hierarchy
            .find_container(fields.require(Field::Container)?)?;
        let of = self
            .hierarchy
            .find_type(fields.require(Field::Type)?, Sort::Event)?;
        let word = fields.require(Field::Value)?;
        let value = self.hierarchy.value(of, word);
        let symbol = match value {
            Some(value) => match value.symbol {
                Some(symbol) => Some(symbol),
                None => Some(self.local(&value.name.clone())),
            },
            None => None,
        };
        let symbol = match symbol {
            Some(symbol) => symbol,
            None => {
                let text = self.trouble.text(word.bytes);
                self.local(&text)
            }
        };
        Ok(Action::Event(self.place(container, true).slot, symbol))
    }

    /// Returns the symbol of a local event with this text.
    fn local(&mut self, text: &str) -> SymbolId {
        let string = self.minter.string(text);
        self.symbols
            .intern(Symbol::new(EventKind::Local, &[string]))
    }

    fn resolve_variable(&mut self, fields: &Fields<'_>, event: PajeEvent) -> Result<Action, Fault> {
        let container = self
            .hierarchy
            .find_container(fields.require(Field::Container)?)?;
        let of = self
            .hierarchy
            .find_type(fields.require(Field::Type)?, Sort::Variable)?;
        let variable = match self.variables.find(container, of) {
            Some(variable) => variable,
            None => {
                let name = &self.hierarchy.of_type(of).name;
                let metric = match self.variables.metric(of) {
                    Some(metric) => metric,
                    None => {
                        let metric = self.minter.metric(name, "", ValueType::Double);
                        self.variables.set_metric(of, metric);
                        metric
                    }
                };
                let symbol = Symbol::new(EventKind::Metric, &[metric]);
                let symbol = self.symbols.intern(symbol);
                let slot = self.place(container, false).slot;
                self.variables.add(container, of, slot, symbol)
            }
        };
        let change = match event {
            PajeEvent::AddVariable => Change::Add,
            PajeEvent::SubVariable => Change::Subtract,
            _ => Change::Set,
        };
        Ok(Action::Variable(variable, change))
    }

    fn resolve_link(&mut self, fields: &Fields<'_>, is_start: bool) -> Result<Action, Fault> {
        let end = if is_start {
            Field::StartContainer
        } else {
            Field::EndContainer
        };
        let container = self.hierarchy.find_container(fields.require(end)?)?;
        let of = self
            .hierarchy
            .find_type(fields.require(Field::Type)?, Sort::Link)?;
        let value = fields
            .get(Field::Value)
            .map_or(b"".as_slice(), |word| word.bytes);
        if value == b"topology" {
            return Ok(Action::Wire);
        }
        let place = self.place(container, true);
        let name = &self.hierarchy.of_type(of).name;
        if !is_message(name) {
            let symbol = self.local(&name.clone());
            return Ok(Action::Event(place.slot, symbol));
        }
        let bytes = match self.producer {
            Producer::StarPu => foldtrace_notation::number(value),
            _ => None,
        };
        Ok(Action::Message(MessageEnd {
            of,
            container,
            place,
            is_start,
            bytes: bytes.unwrap_or(UNDEFINED),
        }))
    }
}

//! Determines the action of a line from the fields that are the same in all lines with this action.

use foldtrace_input::Fault;
use foldtrace_trace::{EventKind, Symbol, SymbolId, UNDEFINED, ValueType, leave_of};

use crate::action::{Action, MessageEnd};
use crate::builder::Builder;
use crate::header::{EventDef, Field, Fields, PajeEvent};
use crate::hierarchy::{ContainerId, TypeId, TypeKind, Value};
use crate::lexer::Word;
use crate::producer::{Producer, is_message};
use crate::states::LaneId;
use crate::variables::{Change, VariableId};

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
                let symbol = self.symbol_of_value(fields.require(Field::Symbol)?)?;
                Ok(Action::LeaveAs(self.resolve_lane(fields)?, symbol))
            }
            PopState => Ok(Action::Leave(self.resolve_lane(fields)?)),
            ResetState => Ok(Action::LeaveAll(self.resolve_lane(fields)?)),
            SetVariable | AddVariable | SubVariable | StartLink | EndLink
                if self.is_foldtrace && !def.has(Field::Symbol) =>
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
                let symbol = self.symbol_of_value(fields.require(Field::Symbol)?)?;
                Ok(Action::Event(self.location(container, true).slot, symbol))
            }
        }
    }

    /// Returns the symbol of a value, in a trace that foldtrace wrote.
    fn symbol_of_value(&self, word: Word<'_>) -> Result<SymbolId, Fault> {
        let symbol = self.symbols_by_alias.get(word.bytes).copied();
        symbol.ok_or_else(|| word.fault("a value that an earlier line defines with a symbol"))
    }

    /// Returns the container in `field`, and the type of `kind`.
    fn container_and_type(
        &self,
        fields: &Fields<'_>,
        field: Field,
        kind: TypeKind,
    ) -> Result<(ContainerId, TypeId), Fault> {
        let container = self.hierarchy.find_container(fields.require(field)?)?;
        let of_kind = self
            .hierarchy
            .find_type(fields.require(Field::Type)?, kind)?;
        Ok((container, of_kind))
    }

    fn resolve_lane(&mut self, fields: &Fields<'_>) -> Result<LaneId, Fault> {
        let (container, state_type) =
            self.container_and_type(fields, Field::Container, TypeKind::State)?;
        Ok(self.lane(container, state_type))
    }

    /// Returns the lane for the states of a type in a container. They share the location of the container with other
    /// types of states, unless one of these is open when the lane is first used.
    fn lane(&mut self, container: ContainerId, state_type: TypeId) -> LaneId {
        if let Some(lane) = self.states.find(container, state_type) {
            return lane;
        }
        let overlaps = self.states.has_open_states(container);
        let mut location = self.location(container, true);
        if overlaps && !self.is_foldtrace {
            let name = format!(
                "{} {}",
                self.hierarchy.container(container).name,
                self.hierarchy.get_type(state_type).name
            );
            location =
                self.locations
                    .add_overlapping(location, &name, &mut self.minter, &mut self.events);
        }
        self.states.add(container, state_type, location)
    }

    fn resolve_enter(&mut self, fields: &Fields<'_>, replaces: bool) -> Result<Action, Fault> {
        let (container, state_type) =
            self.container_and_type(fields, Field::Container, TypeKind::State)?;
        let lane = self.lane(container, state_type);
        let word = fields.require(Field::Value)?;
        let value = self.hierarchy.value(state_type, word);
        let symbol = value.and_then(|value| value.symbol);
        let enter = match symbol.map(|id| self.symbols.symbol(id)) {
            Some(symbol) => symbol,
            None => {
                let region = match value {
                    Some(value) => self.minter.region(&value.name),
                    None => self.minter.region(&self.irregularities.text(word.bytes)),
                };
                Symbol::new(EventKind::Enter, &[region])
            }
        };
        let Some(leave) = leave_of(enter) else {
            return Err(word.fault("a value whose symbol enters a call"));
        };
        Ok(Action::Enter {
            lane,
            enter: self.symbols.intern(enter),
            leave: self.symbols.intern(leave),
            replaces,
        })
    }

    fn resolve_event(&mut self, fields: &Fields<'_>) -> Result<Action, Fault> {
        let (container, event_type) =
            self.container_and_type(fields, Field::Container, TypeKind::Event)?;
        let word = fields.require(Field::Value)?;
        let symbol = match self.hierarchy.value(event_type, word).cloned() {
            Some(Value {
                symbol: Some(symbol),
                ..
            }) => symbol,
            Some(Value { name, .. }) => self.local_symbol(&name),
            None => {
                let text = self.irregularities.text(word.bytes);
                self.local_symbol(&text)
            }
        };
        Ok(Action::Event(self.location(container, true).slot, symbol))
    }

    /// Returns the symbol of a local event with this text.
    fn local_symbol(&mut self, text: &str) -> SymbolId {
        let string = self.minter.string(text);
        self.symbols
            .intern(Symbol::new(EventKind::Local, &[string]))
    }

    fn resolve_variable(&mut self, fields: &Fields<'_>, event: PajeEvent) -> Result<Action, Fault> {
        let (container, variable_type) =
            self.container_and_type(fields, Field::Container, TypeKind::Variable)?;
        let variable = match self.variables.find(container, variable_type) {
            Some(variable) => variable,
            None => self.add_variable(container, variable_type),
        };
        let change = match event {
            PajeEvent::AddVariable => Change::Add,
            PajeEvent::SubVariable => Change::Subtract,
            _ => Change::Set,
        };
        Ok(Action::Variable(variable, change))
    }

    fn add_variable(&mut self, container: ContainerId, variable_type: TypeId) -> VariableId {
        let metric = match self.variables.metric(variable_type) {
            Some(metric) => metric,
            None => {
                let name = &self.hierarchy.get_type(variable_type).name;
                let metric = self.minter.metric(name, "", ValueType::Double);
                self.variables.set_metric(variable_type, metric);
                metric
            }
        };
        let symbol = Symbol::new(EventKind::Metric, &[metric]);
        let symbol = self.symbols.intern(symbol);
        let slot = self.location(container, false).slot;
        self.variables.add(container, variable_type, slot, symbol)
    }

    fn resolve_link(&mut self, fields: &Fields<'_>, is_start: bool) -> Result<Action, Fault> {
        let end = if is_start {
            Field::StartContainer
        } else {
            Field::EndContainer
        };
        let (container, link_type) = self.container_and_type(fields, end, TypeKind::Link)?;
        let value = fields
            .get(Field::Value)
            .map_or(b"".as_slice(), |word| word.bytes);
        if value == b"topology" {
            return Ok(Action::HostLink);
        }
        let location = self.location(container, true);
        let name = &self.hierarchy.get_type(link_type).name;
        if !is_message(name) {
            let symbol = self.local_symbol(&name.clone());
            return Ok(Action::Event(location.slot, symbol));
        }
        let bytes = match self.producer {
            Producer::StarPu => foldtrace_notation::number(value),
            _ => None,
        };
        Ok(Action::Message(MessageEnd {
            link_type,
            container,
            location,
            is_start,
            bytes: bytes.unwrap_or(UNDEFINED),
        }))
    }
}

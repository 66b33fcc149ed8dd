//! Maps variables of containers to metrics, and tracks their values.

use std::collections::HashMap;

use foldtrace_trace::SymbolId;

use crate::hierarchy::{ContainerId, TypeId};

/// A variable of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VariableId(u32);

/// The way in which a variable changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Set,
    Add,
    Subtract,
}

/// The current value of a variable, and the event that records it.
#[derive(Debug)]
pub(crate) struct Variable {
    /// The slot of the location in the demultiplexer.
    pub slot: u32,
    /// The symbol of the events that contain the value.
    pub symbol: SymbolId,
    value: f64,
}

impl Variable {
    /// Changes the variable and returns its new value.
    pub(crate) fn change(&mut self, change: Change, by: f64) -> f64 {
        self.value = match change {
            Change::Set => by,
            Change::Add => self.value + by,
            Change::Subtract => self.value - by,
        };
        self.value
    }
}

/// The variables of all containers. A variable that was never set is zero.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    variables: Vec<Variable>,
    by_container: HashMap<(ContainerId, TypeId), VariableId>,
    metrics: HashMap<TypeId, u64>,
}

impl Variables {
    pub(crate) fn find(&self, container: ContainerId, type_id: TypeId) -> Option<VariableId> {
        self.by_container.get(&(container, type_id)).copied()
    }

    pub(crate) fn add(
        &mut self,
        container: ContainerId,
        type_id: TypeId,
        slot: u32,
        symbol: SymbolId,
    ) -> VariableId {
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(Variable {
            slot,
            symbol,
            value: 0.0,
        });
        self.by_container.insert((container, type_id), id);
        id
    }

    /// Returns the metric of a type of variables.
    pub(crate) fn metric(&self, type_id: TypeId) -> Option<u64> {
        self.metrics.get(&type_id).copied()
    }

    pub(crate) fn set_metric(&mut self, type_id: TypeId, metric: u64) {
        self.metrics.insert(type_id, metric);
    }

    #[inline]
    pub(crate) fn get(&mut self, id: VariableId) -> &mut Variable {
        &mut self.variables[id.0 as usize]
    }
}

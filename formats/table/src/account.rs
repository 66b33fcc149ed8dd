//! Counts the data of events that have no column in a table, so that no loss goes unreported.
//!
//! Counting by symbol costs one addition per event. The fields without a column are determined once per symbol, at
//! the end.

use foldtrace_trace::{
    DefinitionKind, Definitions, EventBatch, EventKind, LeftOut, Operand, Quantity, SymbolId,
    SymbolTable,
};

/// The fields of events that have columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptFields {
    /// Returns whether an operand has a column, for its id or its name.
    pub operand: fn(EventKind, Operand) -> bool,
    /// Returns whether a quantity has a column.
    pub quantity: fn(EventKind, Quantity) -> bool,
    /// Whether metric values have a column.
    pub metrics: bool,
    /// Whether attributes have a column.
    pub attributes: bool,
}

/// Kinds of definitions whose names appear in rows. Tables contain only the names of definitions.
const NAMED: [DefinitionKind; 8] = [
    DefinitionKind::String,
    DefinitionKind::ClockProperties,
    DefinitionKind::Region,
    DefinitionKind::Parameter,
    DefinitionKind::Attribute,
    DefinitionKind::MetricMember,
    DefinitionKind::MetricClass,
    DefinitionKind::MetricInstance,
];

/// Counts the data written so far.
#[derive(Debug)]
pub(crate) struct Account {
    kept: KeptFields,
    /// Number of events by symbol.
    events: Vec<u64>,
    metrics: u64,
    attributes: u64,
    left_out: LeftOut,
}

impl Account {
    pub(crate) fn new(kept: KeptFields) -> Self {
        Self {
            kept,
            events: Vec::new(),
            metrics: 0,
            attributes: 0,
            left_out: LeftOut::default(),
        }
    }

    pub(crate) fn define(&mut self, definitions: &Definitions) {
        self.left_out
            .definitions(definitions, |kind| NAMED.contains(&kind));
    }

    pub(crate) fn count(&mut self, batch: &EventBatch, symbols: &SymbolTable) {
        self.events.resize(symbols.len(), 0);
        for symbol in &batch.symbols {
            self.events[symbol.row()] += 1;
        }
        self.metrics += batch.metrics.event.len() as u64;
        self.attributes += batch.attributes.event.len() as u64;
    }

    /// Returns the data without a column. `symbols` must be the table by which events were counted.
    pub(crate) fn left_out(mut self, symbols: &SymbolTable) -> LeftOut {
        for (index, &count) in self.events.iter().enumerate() {
            let symbol = symbols.symbol(SymbolId::new(index as u32));
            let kind = symbol.kind;
            for &operand in kind.operands() {
                if symbol.get(operand).is_some() && !(self.kept.operand)(kind, operand) {
                    self.left_out.count(format!("{operand} of {kind}"), count);
                }
            }
            for &quantity in kind.quantities() {
                if !(self.kept.quantity)(kind, quantity) {
                    self.left_out.count(format!("{quantity} of {kind}"), count);
                }
            }
        }
        if !self.kept.metrics {
            self.left_out.count("values of metrics", self.metrics);
        }
        if !self.kept.attributes {
            self.left_out.count("attributes of events", self.attributes);
        }
        self.left_out
    }
}

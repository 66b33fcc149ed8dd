//! What a table has no column for, so that nothing is lost in silence.
//!
//! Events are counted by symbol, which costs an addition an event; what of each symbol has no column
//! is worked out once, at the end.

use foldtrace_trace::{
    DefinitionKind, Definitions, EventBatch, EventKind, LeftOut, Operand, Quantity, SymbolId,
    SymbolTable,
};

/// What of an event has a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    /// Whether an operand has, itself or by its name.
    pub operand: fn(EventKind, Operand) -> bool,
    /// Whether a quantity has.
    pub quantity: fn(EventKind, Quantity) -> bool,
    /// Whether values of metrics have.
    pub metrics: bool,
    /// Whether attributes have.
    pub attributes: bool,
}

/// Definitions whose names, which is all that tables have of definitions, stand in rows.
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

/// Counts what is written.
#[derive(Debug)]
pub(crate) struct Account {
    kept: Kept,
    /// Events by symbol.
    events: Vec<u64>,
    metrics: u64,
    attributes: u64,
    left_out: LeftOut,
}

impl Account {
    pub(crate) fn new(kept: Kept) -> Self {
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
            self.events[symbol.index()] += 1;
        }
        self.metrics += batch.metrics.event.len() as u64;
        self.attributes += batch.attributes.event.len() as u64;
    }

    /// What has no column; `symbols` is the table that was counted by.
    pub(crate) fn left_out(mut self, symbols: &SymbolTable) -> LeftOut {
        for (index, &count) in self.events.iter().enumerate() {
            let symbol = symbols.symbol(SymbolId(index as u32));
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

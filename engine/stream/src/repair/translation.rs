//! Maps the ids of a trace to those of the repaired trace.

use std::collections::HashMap;

use foldtrace_trace::{DefinitionKind, Symbol, ValueType};

/// A map from old to new ids.
#[derive(Debug, Default)]
pub(super) struct Translation {
    /// The new ids, by the kind that numbers them and the old id.
    pub ids: HashMap<(DefinitionKind, u64), u64>,
}

impl Translation {
    /// Returns the new id for an id of a kind; an id without a translation stays the same.
    pub fn apply(&self, kind: DefinitionKind, id: u64) -> u64 {
        let key = (kind.numbering(), id);
        self.ids.get(&key).copied().unwrap_or(id)
    }

    /// Translates a value if values of its type are ids.
    pub fn value(&self, value_type: ValueType, value: u64) -> u64 {
        match value_type.refers_to() {
            Some(kind) => self.apply(kind, value),
            None => value,
        }
    }

    /// Translates the operands of a symbol that are ids.
    pub fn symbol(&self, mut symbol: Symbol) -> Symbol {
        let operands = symbol.kind.operands().iter();
        for (operand, value) in operands.zip(&mut symbol.operands) {
            if let Some(kind) = operand.refers_to() {
                *value = self.apply(kind, *value);
            }
        }
        symbol
    }
}

//! Data that all rows of a symbol share, computed once per symbol instead of once per event.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_trace::{Definitions, Names, Symbol, SymbolId, SymbolTable};

/// Definitions, and the data derived from them for each symbol of the trace.
#[derive(Debug)]
pub(crate) struct Symbols<T> {
    pub(crate) definitions: Definitions,
    pub(crate) names: Names,
    /// The data of each row of the table of symbols, or of those that are known.
    derived: Vec<T>,
    /// The index of the data of each row, if the table has unknown rows.
    known: HashMap<SymbolId, usize, FixedState>,
}

impl<T> Default for Symbols<T> {
    fn default() -> Self {
        Self {
            definitions: Definitions::default(),
            names: Names::default(),
            derived: Vec::new(),
            known: HashMap::default(),
        }
    }
}

impl<T> Symbols<T> {
    /// Adds definitions, which invalidates the data of all symbols.
    pub(crate) fn define(&mut self, definitions: &Definitions) {
        if definitions.is_empty() {
            return;
        }
        self.definitions.append(definitions);
        self.names = Names::new(&self.definitions);
        self.forget();
    }

    /// Replaces the names of the definitions.
    pub(crate) fn set_names(&mut self, names: Names) {
        self.names = names;
        self.forget();
    }

    fn forget(&mut self) {
        self.derived.clear();
        self.known.clear();
    }

    /// Derives the data of the symbols of `table` that have none yet: calls `describe` for them, in order of their ids. A table with
    /// unknown rows must not change.
    pub(crate) fn derive(
        &mut self,
        table: &SymbolTable,
        mut describe: impl FnMut(SymbolId, Symbol, &Names) -> T,
    ) {
        if table.has_unknown() {
            if self.derived.is_empty() {
                let mut known: Vec<_> = table.known().collect();
                known.sort_unstable_by_key(|&(row, _)| row);
                for (row, symbol) in known {
                    self.known.insert(row, self.derived.len());
                    self.derived.push(describe(row, symbol, &self.names));
                }
            }
            return;
        }
        for (id, symbol) in table.iter_from(self.derived.len()) {
            let data = describe(id, symbol, &self.names);
            self.derived.push(data);
        }
    }

    /// Returns the data of the row of a symbol.
    pub(crate) fn get(&self, id: SymbolId) -> Option<&T> {
        if self.known.is_empty() {
            return self.derived.get(id.row());
        }
        self.derived.get(*self.known.get(&id.without_tag())?)
    }
}

//! Data that all rows of a symbol share, computed once per symbol instead of once per event.

use foldtrace_trace::{Definitions, Names, Symbol, SymbolId, SymbolTable};

/// Definitions, and the data derived from them for each symbol of the trace.
#[derive(Debug)]
pub(crate) struct Symbols<T> {
    pub(crate) definitions: Definitions,
    pub(crate) names: Names,
    /// The data of each row of the table of symbols.
    derived: Vec<T>,
}

impl<T> Default for Symbols<T> {
    fn default() -> Self {
        Self {
            definitions: Definitions::default(),
            names: Names::default(),
            derived: Vec::new(),
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
        self.derived.clear();
    }

    /// Derives the data of the symbols of `table` that have none yet: calls `describe` for them, in order of their ids.
    pub(crate) fn derive(
        &mut self,
        table: &SymbolTable,
        mut describe: impl FnMut(SymbolId, Symbol, &Names) -> T,
    ) {
        for (id, symbol) in table.iter_from(self.derived.len()) {
            let data = describe(id, symbol, &self.names);
            self.derived.push(data);
        }
    }

    /// Returns the data of the row of a symbol.
    pub(crate) fn get(&self, id: SymbolId) -> Option<&T> {
        self.derived.get(id.row())
    }
}

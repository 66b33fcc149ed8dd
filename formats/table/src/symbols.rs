//! What rows say of each symbol, worked out once a symbol instead of once an event.

use foldtrace_trace::{Definitions, Names, Symbol, SymbolId, SymbolTable};

/// Definitions, and what follows from them for each symbol of the trace.
#[derive(Debug)]
pub(crate) struct Symbols<T> {
    pub(crate) definitions: Definitions,
    pub(crate) names: Names,
    /// What is known of the symbols, by their ids.
    known: Vec<T>,
}

impl<T> Default for Symbols<T> {
    fn default() -> Self {
        Self {
            definitions: Definitions::default(),
            names: Names::default(),
            known: Vec::new(),
        }
    }
}

impl<T> Symbols<T> {
    /// Takes definitions; what was said of symbols has to be said again.
    pub(crate) fn define(&mut self, definitions: &Definitions) {
        if definitions.is_empty() {
            return;
        }
        self.definitions.append(definitions);
        self.names = Names::new(&self.definitions);
        self.known.clear();
    }

    /// Lets `describe` describe the symbols that are new in `table`, in order of their ids.
    pub(crate) fn learn(
        &mut self,
        table: &SymbolTable,
        mut describe: impl FnMut(SymbolId, Symbol, &Names) -> T,
    ) {
        for index in self.known.len()..table.len() {
            let id = SymbolId(index as u32);
            let described = describe(id, table.symbol(id), &self.names);
            self.known.push(described);
        }
    }

    /// What is said of a symbol that was learnt.
    pub(crate) fn get(&self, id: SymbolId) -> Option<&T> {
        self.known.get(id.index())
    }
}

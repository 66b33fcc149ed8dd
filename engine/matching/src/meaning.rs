//! What symbols mean: the definitions that they refer to.

use foldtrace_store::StoreReader;
use foldtrace_trace::{Definitions, Names, SymbolTable, TraceReader};

use crate::{Census, Communicators};

/// What the symbols of a trace mean.
#[derive(Clone, Copy, Debug)]
pub struct Meaning<'a> {
    /// All definitions.
    pub definitions: &'a Definitions,
    /// What they call things.
    pub names: &'a Names,
    /// The symbols.
    pub symbols: &'a SymbolTable,
}

impl<'a> Meaning<'a> {
    /// Those of a store.
    #[must_use]
    pub fn of(store: &'a StoreReader) -> Self {
        Self {
            definitions: store.definitions(),
            names: store.names(),
            symbols: store.symbols(),
        }
    }

    /// Who communicates in them, where that many communicate.
    #[must_use]
    pub fn communicators(&self, census: &Census) -> Communicators {
        Communicators::new(self.definitions, self.names, census, self.symbols)
    }
}

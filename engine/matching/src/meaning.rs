//! The meaning of symbols: the definitions to which they refer.

use foldtrace_store::StoreReader;
use foldtrace_trace::{Definitions, Names, SymbolTable, TraceReader};

use crate::{Census, Communicators};

/// The symbols of a trace, and the definitions that give them meaning.
#[derive(Clone, Copy, Debug)]
pub struct Meaning<'a> {
    /// All definitions of the trace.
    pub definitions: &'a Definitions,
    /// The names of ids.
    pub names: &'a Names,
    /// The table of symbols.
    pub symbols: &'a SymbolTable,
}

impl<'a> Meaning<'a> {
    /// Returns the meaning of the symbols of a store.
    #[must_use]
    pub fn new(store: &'a StoreReader) -> Self {
        Self {
            definitions: store.definitions(),
            names: store.names(),
            symbols: store.symbols(),
        }
    }

    /// Returns the communicators, with the users of each id according to `census`.
    #[must_use]
    pub fn communicators(&self, census: &Census) -> Communicators {
        Communicators::new(self.definitions, self.names, census, self.symbols)
    }
}

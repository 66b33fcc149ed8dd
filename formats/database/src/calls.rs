//! The symbols of calls by the names of their regions.

use foldtrace_trace::{EventKind, Minter, Symbol, SymbolId, SymbolTable};

/// The symbols of the events of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The symbol of the `enter`.
    pub enter: SymbolId,
    /// The symbol of the `leave`.
    pub leave: SymbolId,
}

/// The definitions and the symbols of a trace that is being read.
#[derive(Debug, Default)]
pub struct Calls {
    /// The definitions.
    pub minter: Minter,
    /// The symbols.
    pub symbols: SymbolTable,
}

impl Calls {
    /// Returns the symbols of the calls of a region. If it is new, it belongs to a paradigm, a code of OTF2.
    pub fn call(&mut self, name: &str, paradigm: u64) -> Call {
        let region = self.minter.region_of(name, paradigm);
        let mut symbol = |kind| self.symbols.intern(Symbol::new(kind, &[region]));
        Call {
            enter: symbol(EventKind::Enter),
            leave: symbol(EventKind::Leave),
        }
    }
}

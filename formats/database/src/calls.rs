//! The symbols of calls by the names of their regions.

use std::collections::HashMap;

use foldhash::fast::RandomState;
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
    /// The calls that texts in rows stand for.
    of_texts: HashMap<Vec<u8>, Call, RandomState>,
    /// The symbols of metrics by name and unit.
    metrics: HashMap<(String, String), SymbolId, RandomState>,
}

impl Calls {
    /// Creates the calls of a trace whose first definitions exist.
    #[must_use]
    pub fn new(minter: Minter) -> Self {
        Self {
            minter,
            ..Self::default()
        }
    }

    /// Returns the call that a text in a row stands for. `call` makes it for a text that is new.
    #[inline]
    pub fn of_text(&mut self, text: &[u8], call: impl FnOnce(&mut Self) -> Call) -> Call {
        if let Some(&call) = self.of_texts.get(text) {
            return call;
        }
        let call = call(self);
        self.of_texts.insert(text.to_vec(), call);
        call
    }

    /// Returns the symbol of a metric with a name and a unit. `define` defines a new one and returns the id of its class.
    pub fn metric(
        &mut self,
        name: &str,
        unit: &str,
        define: impl FnOnce(&mut Minter) -> u64,
    ) -> SymbolId {
        let key = (name.to_owned(), unit.to_owned());
        *self.metrics.entry(key).or_insert_with(|| {
            let class = define(&mut self.minter);
            let symbol = Symbol::new(EventKind::Metric, &[class]);
            self.symbols.intern(symbol)
        })
    }

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

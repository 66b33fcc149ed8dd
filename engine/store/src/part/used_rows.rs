//! The symbols of one table as symbols of another one, which gets a row only for those that are used.

use foldtrace_trace::{SymbolId, SymbolTable};

/// A placeholder for a row that is not used yet.
const UNUSED: SymbolId = SymbolId::new(u32::MAX);

/// The rows of a table, as ids of another table.
#[derive(Debug, Default)]
pub(crate) struct UsedRows(Vec<SymbolId>);

impl UsedRows {
    /// Returns whether no symbol was used.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the id in `to` of a symbol of `from`, which are always the same tables.
    #[inline]
    pub fn map(&mut self, symbol: SymbolId, from: &SymbolTable, to: &mut SymbolTable) -> SymbolId {
        if self.0.len() <= symbol.row() {
            self.0.resize(from.len(), UNUSED);
        }
        let row = &mut self.0[symbol.row()];
        if *row == UNUSED {
            let first = symbol.with_tag(0);
            *row = to.intern_row(from.symbol(first), from.is_tagged(first));
        }
        symbol.in_row(*row)
    }
}

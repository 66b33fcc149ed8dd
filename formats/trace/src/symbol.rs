//! Symbols: the distinct topological identities of a trace, interned into columns.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::{EventKind, MAX_OPERANDS, Operand, SymbolId, UNDEFINED};

/// A topological identity: a kind and its operands, in the order of [`EventKind::operands`]. Slots after the kind's
/// operands are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symbol {
    /// The kind of the event.
    pub kind: EventKind,
    /// The operands of the kind.
    pub operands: [u64; MAX_OPERANDS],
}

impl Symbol {
    /// Creates a symbol from a kind and its operands. `operands` may be shorter than [`EventKind::operands`]; missing
    /// operands are set to [`UNDEFINED`].
    #[must_use]
    pub fn new(kind: EventKind, operands: &[u64]) -> Self {
        let mut slots = [0; MAX_OPERANDS];
        for (i, slot) in slots.iter_mut().enumerate().take(kind.operands().len()) {
            *slot = operands.get(i).copied().unwrap_or(UNDEFINED);
        }
        Self {
            kind,
            operands: slots,
        }
    }

    /// Returns the value of `operand`; `None` if the kind has no such operand or the source left it undefined.
    #[must_use]
    #[inline]
    pub fn get(&self, operand: Operand) -> Option<u64> {
        let value = self.operands[self.kind.slot(operand)?];
        (value != UNDEFINED).then_some(value)
    }
}

/// A table of distinct symbols. Ids are dense and in the order of first occurrence.
///
/// ```
/// use foldtrace_trace::{EventKind, Symbol, SymbolTable};
/// let mut symbols = SymbolTable::default();
/// let enter = Symbol::new(EventKind::Enter, &[7]);
/// let id = symbols.intern(enter);
/// assert_eq!(symbols.intern(enter), id);
/// assert_eq!(symbols.symbol(id), enter);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SymbolTable {
    kinds: Vec<EventKind>,
    operands: Vec<[u64; MAX_OPERANDS]>,
    ids: HashTable<SymbolId>,
}

const HASHER: FixedState = FixedState::with_seed(0x666f_6c64);

fn hash(symbol: &Symbol) -> u64 {
    let mut hasher = HASHER.build_hasher();
    hasher.write_u8(symbol.kind as u8);
    for operand in symbol.operands {
        hasher.write_u64(operand);
    }
    hasher.finish()
}

impl SymbolTable {
    /// Returns the id of `symbol`, which is a new one if the symbol is not in the table yet.
    ///
    /// Ids are 32 bits wide. A trace would need 160 GB of distinct symbols to exhaust them; the last id then stands
    /// for all further symbols.
    pub fn intern(&mut self, symbol: Symbol) -> SymbolId {
        let hash_value = hash(&symbol);
        if let Some(&id) = self.ids.find(hash_value, |&id| self.symbol(id) == symbol) {
            return id;
        }
        let id = SymbolId(u32::try_from(self.kinds.len()).unwrap_or(u32::MAX));
        self.kinds.push(symbol.kind);
        self.operands.push(symbol.operands);
        let (kinds, operands) = (&self.kinds, &self.operands);
        self.ids.insert_unique(hash_value, id, |&id| {
            hash(&Symbol {
                kind: kinds[id.index()],
                operands: operands[id.index()],
            })
        });
        id
    }

    /// Returns the id of `symbol` if it is in the table.
    #[must_use]
    pub fn find(&self, symbol: &Symbol) -> Option<SymbolId> {
        self.ids
            .find(hash(symbol), |&id| self.symbol(id) == *symbol)
            .copied()
    }

    /// Returns the symbol with an id of this table.
    ///
    /// # Panics
    /// Panics if `id` is not an id of this table.
    #[must_use]
    #[inline]
    pub fn symbol(&self, id: SymbolId) -> Symbol {
        Symbol {
            kind: self.kinds[id.index()],
            operands: self.operands[id.index()],
        }
    }

    /// Returns the kind of a symbol, without its operands.
    ///
    /// # Panics
    /// Panics if `id` is not an id of this table.
    #[must_use]
    #[inline]
    pub fn kind(&self, id: SymbolId) -> EventKind {
        self.kinds[id.index()]
    }

    /// Returns the number of distinct symbols.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Returns whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Returns an iterator over all symbols in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (SymbolId, Symbol)> + '_ {
        (0..self.len()).map(|i| {
            let id = SymbolId(i as u32);
            (id, self.symbol(id))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn interning_keeps_symbols_apart_and_equal_ones_together(
            ops in prop::collection::vec((0usize..EventKind::COUNT, 0u64..4, 0u64..4), 1..200)
        ) {
            let mut table = SymbolTable::default();
            let mut seen = Vec::new();
            for (kind, a, b) in ops {
                let symbol = Symbol::new(EventKind::ALL[kind], &[a, b]);
                let id = table.intern(symbol);
                prop_assert_eq!(table.symbol(id), symbol);
                prop_assert_eq!(table.find(&symbol), Some(id));
                if !seen.contains(&symbol) { seen.push(symbol); }
                prop_assert_eq!(table.len(), seen.len());
            }
            for (id, symbol) in table.iter() {
                prop_assert_eq!(symbol, seen[id.index()]);
            }
        }
    }
}

//! A small cache of recent symbols in front of the table that interns them.
//!
//! A stream has few distinct symbols and soon repeats them. Comparing five words with the last symbol of the same
//! slot is several times cheaper than hashing for the table.

use foldtrace_trace::{EventKind, MAX_OPERANDS, Symbol, SymbolId, SymbolTable};

const BITS: u32 = 8;

/// A direct-mapped cache: each symbol maps to one slot, which holds the latest symbol that maps to it.
#[derive(Debug)]
pub(crate) struct SymbolCache {
    slots: Box<[(Symbol, SymbolId); 1 << BITS]>,
}

impl SymbolCache {
    /// Creates a cache that contains no symbol.
    pub(crate) fn new() -> Self {
        // No event has this symbol, because slots after the operands of a kind are zero.
        let nothing = Symbol {
            kind: EventKind::Unknown,
            operands: [u64::MAX; MAX_OPERANDS],
        };
        Self {
            slots: Box::new([(nothing, SymbolId::new(0)); 1 << BITS]),
        }
    }

    /// Returns the id of a symbol, from the cache or from the table.
    #[inline(always)]
    pub(crate) fn intern(&mut self, symbols: &mut SymbolTable, symbol: Symbol) -> SymbolId {
        let [a, b, c, d] = symbol.operands;
        self.find(symbols, symbol.kind, a, b, c, d)
    }

    /// Looks up a symbol. The operands are passed one by one, in registers: an array would be stored word by word and
    /// then compared in larger pieces, and the processor would stall on that.
    #[inline(never)]
    fn find(
        &mut self,
        symbols: &mut SymbolTable,
        kind: EventKind,
        a: u64,
        b: u64,
        c: u64,
        d: u64,
    ) -> SymbolId {
        // The products are independent of each other, to keep the latency low: every event takes this path.
        let hash = (a ^ (kind as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ b.wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
            ^ c.wrapping_mul(0x1656_67b1_9e37_79f9)
            ^ d.wrapping_mul(0x27d4_eb2f_1656_67c5);
        let index = (hash >> (u64::BITS - BITS)) as usize;
        let (known, id) = &mut self.slots[index & ((1 << BITS) - 1)];
        let [e, f, g, h] = known.operands;
        let differs = (a ^ e) | (b ^ f) | (c ^ g) | (d ^ h);
        if differs != 0 || known.kind != kind {
            let operands = [a, b, c, d];
            *known = Symbol { kind, operands };
            *id = symbols.intern(*known);
        }
        *id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_and_the_table_agree_even_when_slots_collide() {
        let (mut cache, mut symbols, mut plain) = (
            SymbolCache::new(),
            SymbolTable::default(),
            SymbolTable::default(),
        );
        for round in 0..3 {
            for region in 0..2000 {
                let id = cache.intern(&mut symbols, Symbol::new(EventKind::Enter, &[region]));
                let symbol = Symbol::new(EventKind::Enter, &[region]);
                assert_eq!(symbols.symbol(id), symbol, "round {round}");
                assert_eq!(plain.intern(symbol), id);
            }
            let id = cache.intern(&mut symbols, Symbol::new(EventKind::OmpJoin, &[]));
            assert_eq!(symbols.kind(id), EventKind::OmpJoin);
            plain.intern(Symbol::new(EventKind::OmpJoin, &[]));
            let unknown = cache.intern(&mut symbols, Symbol::new(EventKind::Unknown, &[]));
            assert_eq!(plain.intern(Symbol::new(EventKind::Unknown, &[])), unknown);
        }
        assert_eq!(symbols.len(), 2002);
    }
}

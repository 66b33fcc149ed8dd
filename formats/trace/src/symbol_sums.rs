//! Sums by symbol, for streams that have only some symbols of a large table.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::SymbolId;

/// A sum for each symbol that has one. The memory is proportional to the number of these symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolSums(HashMap<SymbolId, u64, FixedState>);

impl SymbolSums {
    /// Adds a number to the sum of a symbol. A sum is at most [`u64::MAX`].
    #[inline]
    pub fn add(&mut self, symbol: SymbolId, number: u64) {
        let sum = self.0.entry(symbol).or_default();
        *sum = sum.saturating_add(number);
    }

    /// Returns the sums, sorted by the ids of the symbols.
    #[must_use]
    pub fn sorted(self) -> Vec<(SymbolId, u64)> {
        let mut sums: Vec<_> = self.0.into_iter().collect();
        sums.sort_unstable();
        sums
    }
}

impl Extend<SymbolId> for SymbolSums {
    /// Counts symbols.
    fn extend<T: IntoIterator<Item = SymbolId>>(&mut self, symbols: T) {
        for symbol in symbols {
            self.add(symbol, 1);
        }
    }
}

impl FromIterator<SymbolId> for SymbolSums {
    /// Counts symbols.
    fn from_iter<T: IntoIterator<Item = SymbolId>>(symbols: T) -> Self {
        let mut counts = Self::default();
        counts.extend(symbols);
        counts
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_those_of_a_sorted_map(numbers in prop::collection::vec((0u32..9, 0u64..1000), 0..60)) {
            let mut sums = SymbolSums::default();
            let mut expected = BTreeMap::new();
            for (symbol, number) in numbers {
                sums.add(SymbolId(symbol), number);
                *expected.entry(SymbolId(symbol)).or_insert(0) += number;
            }
            prop_assert_eq!(sums.sorted(), expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_sum_ends_at_the_greatest_number() {
        let mut sums: SymbolSums = [SymbolId(3), SymbolId(1), SymbolId(3)]
            .into_iter()
            .collect();
        assert_eq!(sums.clone().sorted(), [(SymbolId(1), 1), (SymbolId(3), 2)]);
        sums.add(SymbolId(3), u64::MAX);
        assert_eq!(sums.sorted(), [(SymbolId(1), 1), (SymbolId(3), u64::MAX)]);
    }
}

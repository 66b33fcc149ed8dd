//! Sums by row of a table of symbols, for streams that have only some of the symbols of a large table.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::SymbolId;

/// The number of rows of a table whose sums are in a column.
const FIRST_ROWS: usize = 1 << 12;

/// A sum for each row of a table of symbols that has one; symbols that share a row have a common sum. The memory is
/// proportional to the number of these rows, apart from the first rows of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowSums {
    /// The sums of the first rows. Most tables have only these, and need no hashing.
    first: Vec<Option<u64>>,
    others: HashMap<u32, u64, FixedState>,
}

impl RowSums {
    /// Adds a number to the sum of a symbol's row. A sum is at most [`u64::MAX`].
    #[inline]
    pub fn add(&mut self, symbol: SymbolId, number: u64) {
        match self.first.get_mut(symbol.row()) {
            Some(sum) => *sum = Some(sum.unwrap_or_default().saturating_add(number)),
            None => self.add_rare(symbol, number),
        }
    }

    /// Adds a number to the sum of a row that is new, or that is not in the column.
    #[cold]
    fn add_rare(&mut self, symbol: SymbolId, number: u64) {
        let row = symbol.row();
        if row >= FIRST_ROWS {
            let sum = self.others.entry(symbol.row_number()).or_default();
            *sum = sum.saturating_add(number);
        } else {
            self.first.resize(row + 1, None);
            self.first[row] = Some(number);
        }
    }

    /// Returns the sums, sorted by row. Each row is given by the id of its symbol, without a tag.
    #[must_use]
    pub fn sorted(self) -> Vec<(SymbolId, u64)> {
        let first = (0..).zip(self.first);
        let first = first.filter_map(|(row, sum)| Some((row, sum?)));
        let sums = first.chain(self.others);
        let mut sums: Vec<_> = sums.map(|(row, sum)| (SymbolId::new(row), sum)).collect();
        sums.sort_unstable();
        sums
    }
}

impl Extend<SymbolId> for RowSums {
    /// Counts symbols.
    fn extend<T: IntoIterator<Item = SymbolId>>(&mut self, symbols: T) {
        for symbol in symbols {
            self.add(symbol, 1);
        }
    }
}

impl FromIterator<SymbolId> for RowSums {
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
        fn sums_are_those_of_a_sorted_map(numbers in prop::collection::vec((0u32..9, 0u32..2, 0u64..1000), 0..60)) {
            let mut sums = RowSums::default();
            let mut expected = BTreeMap::new();
            for (row, tag, number) in numbers {
                // Rows before and after the end of the first ones.
                let symbol = SymbolId::new(FIRST_ROWS as u32 - 5 + row);
                sums.add(symbol.with_tag(tag), number);
                *expected.entry(symbol).or_insert(0) += number;
            }
            prop_assert_eq!(sums.sorted(), expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_sum_ends_at_the_greatest_number() {
        let mut sums: RowSums = [SymbolId::new(3), SymbolId::new(1), SymbolId::new(3)]
            .into_iter()
            .collect();
        assert_eq!(
            sums.clone().sorted(),
            [(SymbolId::new(1), 1), (SymbolId::new(3), 2)]
        );
        sums.add(SymbolId::new(3), u64::MAX);
        assert_eq!(
            sums.sorted(),
            [(SymbolId::new(1), 1), (SymbolId::new(3), u64::MAX)]
        );
    }
}

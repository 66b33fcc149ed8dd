//! Indices of the classes of events by the numbers that events have.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Numbers below this one, which most traces have alone, are found without hashing.
const LOW: u64 = 1 << 12;
/// The index of a number that has none.
const NONE: u32 = u32::MAX;

/// The indices of classes of events by their numbers.
#[derive(Debug, Default)]
pub(crate) struct ClassNumbers {
    low: Vec<u32>,
    high: HashMap<u64, u32, RandomState>,
}

impl ClassNumbers {
    /// Returns the index of the class with a number.
    #[inline]
    pub(crate) fn get(&self, number: u64) -> Option<u32> {
        if number < LOW {
            let index = self.low.get(number as usize).copied();
            return index.filter(|&index| index != NONE);
        }
        self.high.get(&number).copied()
    }

    /// Sets the index of the class with a number.
    pub(crate) fn insert(&mut self, number: u64, index: u32) {
        if number >= LOW {
            self.high.insert(number, index);
            return;
        }
        let at = number as usize;
        if self.low.len() <= at {
            self.low.resize(at + 1, NONE);
        }
        self.low[at] = index;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_and_high_numbers_have_indices() {
        let mut numbers = ClassNumbers::default();
        for (index, number) in [(0, 7), (1, LOW - 1), (2, LOW), (3, u64::MAX)] {
            assert_eq!(numbers.get(number), None);
            numbers.insert(number, index);
            assert_eq!(numbers.get(number), Some(index));
        }
        assert_eq!(numbers.get(6), None);
        assert_eq!(numbers.get(8), None);
    }
}

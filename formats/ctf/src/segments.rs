//! Looks up which of many ranges an integer is in.

use std::collections::BTreeSet;

use crate::range::Range;

/// Ranges of integers, each with a number. Of ranges that overlap, the first one counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segments {
    /// Ranges of [ordered](ordered) integers that do not overlap, in ascending order.
    sorted: Vec<(u64, u64, u32)>,
}

/// Returns bits that are ordered, as unsigned numbers, as the integers are.
#[inline]
pub(crate) const fn ordered(bits: u64, is_signed: bool) -> u64 {
    bits ^ (is_signed as u64) << 63
}

impl Segments {
    /// Creates a table of ranges. Parts that no integer of 64 bits can have are left out.
    pub(crate) fn new(ranges: impl IntoIterator<Item = (Range, u32)>, is_signed: bool) -> Self {
        let (least, most) = if is_signed {
            (i128::from(i64::MIN), i128::from(i64::MAX))
        } else {
            (0, i128::from(u64::MAX))
        };
        let bits = |value: i128| u128::from(ordered(value as u64, is_signed));
        let clamped = ranges.into_iter().filter_map(|(range, number)| {
            let (low, high) = (range.low.max(least), range.high.min(most));
            (low <= high).then(|| (bits(low), bits(high) + 1, number))
        });
        let clamped = Vec::from_iter(clamped);
        let mut ends = Vec::with_capacity(2 * clamped.len());
        for (index, (low, after, _)) in clamped.iter().enumerate() {
            ends.extend([(*low, true, index), (*after, false, index)]);
        }
        ends.sort_unstable();
        let mut sorted: Vec<(u64, u64, u32)> = Vec::new();
        let mut open = BTreeSet::new();
        let mut start = 0;
        for (at, begins, index) in ends {
            if let Some(&first) = open.first()
                && at > start
            {
                let (_, _, number): (u128, u128, u32) = clamped[first];
                sorted.push((start as u64, (at - 1) as u64, number));
            }
            start = at;
            if begins {
                open.insert(index);
            } else {
                open.remove(&index);
            }
        }
        Self { sorted }
    }

    /// Returns the number of the range with an integer.
    #[inline]
    pub(crate) fn find(&self, bits: u64, is_signed: bool) -> Option<u32> {
        let value = ordered(bits, is_signed);
        let after = self.sorted.partition_point(|(low, ..)| *low <= value);
        let (_, high, number) = self.sorted.get(after.checked_sub(1)?)?;
        (value <= *high).then_some(*number)
    }

    /// Returns the numbers of all ranges.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.sorted.iter().map(|(.., number)| *number)
    }

    /// Replaces all numbers.
    pub(crate) fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        self.sorted
            .iter_mut()
            .for_each(|range| range.2 = number(range.2));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_range_counts(ranges in prop::collection::vec((-20_i128..20, 0_i128..10), 0..12), is_signed: bool) {
            let ranges = ranges.iter().map(|&(low, size)| Range { low, high: low + size });
            let ranges = Vec::from_iter(ranges.zip(0..));
            let segments = Segments::new(ranges.clone(), is_signed);
            for value in if is_signed { -25_i64..35 } else { 0..35 } {
                let is_within = |range: &Range| (range.low..=range.high).contains(&value.into());
                let expected = ranges.iter().find(|(range, _)| is_within(range)).map(|(_, number)| *number);
                prop_assert_eq!(segments.find(value as u64, is_signed), expected, "{}", value);
            }
        }
    }

    #[test]
    fn ranges_reach_to_the_ends() {
        let all = Range {
            low: i128::MIN,
            high: i128::MAX,
        };
        assert_eq!(
            Segments::new([(all, 1)], false).find(u64::MAX, false),
            Some(1)
        );
        assert_eq!(
            Segments::new([(all, 1)], true).find(i64::MIN as u64, true),
            Some(1)
        );
    }
}

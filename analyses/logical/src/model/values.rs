//! Collects the values of a quantity: exactly while there are few distinct values, in a histogram when there are
//! many.

use std::collections::BTreeMap;

use foldtrace_view::histogram::Histogram;

use super::Distribution;

/// The maximum number of distinct values that are kept exactly.
const FEW: usize = 64;

/// The number of parts into which quantiles divide the values.
const PARTS: u64 = 32;

/// A collection of values. Its memory does not grow with the number of values.
#[derive(Clone, Debug, Default)]
pub struct Values {
    few: BTreeMap<u64, u64>,
    many: Option<Box<Histogram>>,
    count: u64,
    sum: u64,
}

impl Values {
    /// Adds a value.
    pub fn add(&mut self, value: u64) {
        self.count += 1;
        self.sum = self.sum.saturating_add(value);
        if let Some(many) = &mut self.many {
            many.add(value);
            return;
        }
        *self.few.entry(value).or_default() += 1;
        self.settle();
    }

    /// Adds all values of another collection.
    pub fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        if let Some(theirs) = other.many {
            let ours = self.histogram();
            ours.merge(&theirs);
        }
        for (value, count) in other.few {
            match &mut self.many {
                Some(many) => (0..count).for_each(|_| many.add(value)),
                None => *self.few.entry(value).or_default() += count,
            }
        }
        self.settle();
    }

    fn settle(&mut self) {
        if self.few.len() > FEW {
            self.histogram();
        }
    }

    fn histogram(&mut self) -> &mut Histogram {
        let few = std::mem::take(&mut self.few);
        let many = self.many.get_or_insert_default();
        for (value, count) in few {
            (0..count).for_each(|_| many.add(value));
        }
        many
    }

    /// Returns the distribution of the values.
    #[must_use]
    pub fn distribution(&self) -> Distribution {
        let bins: Vec<(u64, u64)> = match &self.many {
            Some(many) => {
                let (least, greatest) = (many.least(), many.greatest());
                let bins = many.bins();
                bins.map(|(from, to, count)| {
                    ((from + (to - from) / 2).clamp(least, greatest), count)
                })
                .collect()
            }
            None => self
                .few
                .iter()
                .map(|(&value, &count)| (value, count))
                .collect(),
        };
        let ends = self.many.as_ref();
        let ends = ends.map(|many| (many.least(), many.greatest()));
        let mut quantiles = quantiles(&bins, self.count);
        if let (Some((least, greatest)), [first, .., last]) = (ends, &mut quantiles[..]) {
            (*first, *last) = (least, greatest);
        }
        Distribution {
            count: self.count,
            sum: self.sum,
            quantiles,
        }
    }
}

/// Returns evenly spaced quantiles of `count` values. `values` contains each distinct value and how often it occurs,
/// in ascending order.
fn quantiles(values: &[(u64, u64)], count: u64) -> Vec<u64> {
    let Some(last) = count.checked_sub(1) else {
        return Vec::new();
    };
    let (mut values, mut before) = (values.iter().copied().peekable(), 0);
    let quantiles = (0..=PARTS).map(|part| {
        let index = (u128::from(last) * u128::from(part) / u128::from(PARTS)) as u64;
        while let Some((_, count)) = values.next_if(|&(_, count)| before + count <= index) {
            before += count;
        }
        values.peek().map_or(0, |&(value, _)| value)
    });
    quantiles.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[u64]) -> Values {
        let mut all = Values::default();
        values.iter().for_each(|&value| all.add(value));
        all
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_sorted_values(
            mut values in prop::collection::vec(0u64..1_000_000, 1..300), cut in any::<prop::sample::Index>(),
        ) {
            let mut all = of(&values[..cut.index(values.len())]);
            all.merge(of(&values[cut.index(values.len())..]));
            let found = all.distribution();
            values.sort_unstable();
            prop_assert_eq!((found.count, found.sum), (values.len() as u64, values.iter().sum()));
            for (part, found) in found.quantiles.iter().enumerate() {
                let exact = values[(values.len() - 1) * part / PARTS as usize];
                let tolerance = if all.many.is_some() { exact / 32 + 1 } else { 0 };
                prop_assert!(found.abs_diff(exact) <= tolerance, "{found} is {exact}");
            }
            prop_assert_eq!(found.quantiles.first(), values.first());
            prop_assert_eq!(found.quantiles.last(), values.last());
        }
    }

    #[test]
    fn no_values_have_no_quantiles() {
        assert_eq!(Values::default().distribution(), Distribution::default());
    }
}

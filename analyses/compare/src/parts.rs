//! Finds the few processes or iterations that differ while all others do not.

use std::ops::Range;

use crate::statistics::{median, spread};

/// How many times the spread of the others a difference is, at least.
const CONSPICUOUS: f64 = 6.0;

/// The least number of blocks in a range of iterations, and outside of it.
const LEAST_BLOCKS: usize = 6;

/// Returns the indices of values that are far from most others, in either direction: at most a third of them, and at
/// least `least` away.
#[must_use]
pub fn conspicuous(values: &[f64], least: f64) -> Vec<usize> {
    let usual = median(values);
    let mut nearest = values.to_vec();
    nearest.sort_by(|one, two| (one - usual).abs().total_cmp(&(two - usual).abs()));
    nearest.truncate((2 * values.len()).div_ceil(3));
    let least = least.max(CONSPICUOUS * spread(&nearest, usual));
    let is_far = |&index: &usize| (values[index] - usual).abs() > least;
    let far: Vec<usize> = (0..values.len()).filter(is_far).collect();
    let is_few = 3 * far.len() <= values.len();
    if is_few { far } else { Vec::new() }
}

/// Returns the range of blocks whose logarithms differ from 0 by more than `least` while those of all others do not,
/// and the number of ranges among which it was chosen.
#[must_use]
pub fn conspicuous_range(logs: &[f64], least: f64) -> Option<(Range<usize>, f64)> {
    let [more, less] = [1.0, -1.0].map(|sign| densest(logs, |log| sign * log > least));
    let range = if more.len() >= less.len() { more } else { less };
    let inside = logs.get(range.clone())?;
    let outside: Vec<f64> = [logs.get(..range.start)?, logs.get(range.end..)?].concat();
    if inside.len().min(outside.len()) < LEAST_BLOCKS {
        return None;
    }
    let [within, without] = [inside, &outside].map(median);
    let spreads = spread(inside, within).max(spread(&outside, without));
    let is_conspicuous = (within - without).abs() > least.max(CONSPICUOUS * spreads);
    let ranges = (logs.len() * logs.len()) as f64;
    (is_conspicuous && without.abs() <= least).then_some((range, ranges))
}

/// Returns the range with the greatest excess of values that differ over values that do not.
fn densest(values: &[f64], differs: impl Fn(f64) -> bool) -> Range<usize> {
    let (mut best, mut range) = (0, 0..0);
    let (mut excess, mut begin) = (0, 0);
    for (index, &value) in values.iter().enumerate() {
        if excess <= 0 {
            (excess, begin) = (0, index);
        }
        excess += if differs(value) { 1 } else { -1 };
        if excess > best {
            (best, range) = (excess, begin..index + 1);
        }
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_found_between_its_ends() {
        let mut logs = [0.0; 64];
        logs[10..20].fill(0.18);
        assert_eq!(conspicuous_range(&logs, 0.03).unwrap().0, 10..20);
        logs[10..20].fill(-0.18);
        assert_eq!(conspicuous_range(&logs, 0.03).unwrap().0, 10..20);
        assert_eq!(conspicuous_range(&[0.18; 64], 0.03), None);
        assert_eq!(conspicuous_range(&[0.0; 64], 0.03), None);
        logs[10..13].fill(0.0);
        logs[17..20].fill(0.0);
        assert_eq!(conspicuous_range(&logs, 0.03), None, "it is too short");
    }

    #[test]
    fn a_third_of_the_values_can_be_conspicuous() {
        assert_eq!(conspicuous(&[0.0, 0.01, 0.0, 0.7], 0.1), [3]);
        assert_eq!(conspicuous(&[0.0, 0.0, 0.5, 0.7], 0.1), [] as [usize; 0]);
        assert_eq!(
            conspicuous(&[0.0, 0.3, 0.6, 0.9, 1.2, 1.5], 0.1),
            [] as [usize; 0]
        );
        assert_eq!(conspicuous(&[], 0.1), [] as [usize; 0]);
    }
}

//! Aligns words that differ, and finds where they agree again.

use std::collections::HashSet;
use std::hash::Hash;

use foldhash::fast::FixedState;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The number of consecutive letters that must agree before words are considered to be in step again.
pub(super) const IN_STEP: usize = 8;

/// The number of letters of each word that are aligned at first, when words do not agree.
pub(super) const WINDOW: usize = 256;

/// An alignment of fewer letters is extended if it ends out of step, to four times as many. In the worst case, an
/// alignment takes time quadratic in the number of its letters.
pub(super) const WIDEST: usize = 1 << 13;

/// Aligns two words. Returns pairs of indices in order; an index without a counterpart is paired with `None`.
pub(super) fn beside<T: Eq + Hash + Ord>(
    one: &[T],
    other: &[T],
) -> Vec<(Option<usize>, Option<usize>)> {
    let mut pairs = Vec::with_capacity(one.len().max(other.len()));
    // Aligning words without a common letter would take time proportional to the product of their lengths.
    let known: HashSet<&T, FixedState> = one.iter().collect();
    if !other.iter().any(|letter| known.contains(letter)) {
        pairs.extend((0..one.len()).map(|a| (Some(a), None)));
        pairs.extend((0..other.len()).map(|b| (None, Some(b))));
        return pairs;
    }
    for op in capture_diff_slices(Algorithm::Myers, one, other) {
        let (ones, others) = (op.old_range(), op.new_range());
        if matches!(op, DiffOp::Equal { .. }) {
            pairs.extend(ones.zip(others).map(|(a, b)| (Some(a), Some(b))));
        } else {
            pairs.extend(ones.map(|a| (Some(a), None)));
            pairs.extend(others.map(|b| (None, Some(b))));
        }
    }
    pairs
}

/// Returns the number of letters from which the next alignment is not extended, given that of the last one, which ended
/// in step or not. It shrinks while alignments end out of step, so that words with little in common take time
/// proportional to their length.
pub(super) fn narrowed(widest: usize, is_in_step: bool) -> usize {
    if is_in_step {
        WIDEST
    } else {
        (widest / 4).max(WINDOW)
    }
}

/// Returns the index of the first of [`IN_STEP`] consecutive positions that agree, or `None` if there is none.
/// `agrees` yields for each position whether it agrees.
pub(super) fn in_step(agrees: impl Iterator<Item = bool>) -> Option<usize> {
    let mut row = 0;
    for (index, agrees) in agrees.enumerate() {
        row = if agrees { row + 1 } else { 0 };
        if row == IN_STEP {
            return Some(index + 1 - IN_STEP);
        }
    }
    None
}

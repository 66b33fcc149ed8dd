//! Words beside each other: where they agree again after they did not.

use std::hash::Hash;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// So many letters in a row have to agree before words are taken to be in step again.
pub(super) const IN_STEP: usize = 8;

/// Letters of each word that are looked at first, when words do not agree.
pub(super) const WINDOW: usize = 256;

/// Letters that are looked at at most; an alignment takes as long as their square in the worst case.
pub(super) const WIDEST: usize = 1 << 13;

/// Two words beside each other: what is in both stands once.
pub(super) fn beside<T: Eq + Hash + Ord>(
    one: &[T],
    other: &[T],
) -> Vec<(Option<usize>, Option<usize>)> {
    let mut pairs = Vec::with_capacity(one.len().max(other.len()));
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

/// Where the first of [`IN_STEP`] in a row that agree is, as `agrees` says of each; `None` if there is none.
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

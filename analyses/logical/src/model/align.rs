//! Aligns words that differ, and finds where they agree again.

use std::hash::Hash;

use imara_diff::{Algorithm, Diff, InternedInput, Interner};

/// The number of consecutive letters that must agree before words are considered to be in step again.
pub(super) const IN_STEP: usize = 8;

/// The number of letters of each word that are aligned at first, when words do not agree.
pub(super) const WINDOW: usize = 256;

/// An alignment of fewer letters is extended if it ends out of step, to four times as many. In the worst case, an
/// alignment takes time quadratic in the number of its letters.
pub(super) const WIDEST: usize = 1 << 13;

/// An alignment is not extended if the words together are this many times as long as one of them: they have too little in
/// common, and alignments of ever longer words would take most of the time.
pub(super) const MOST_APART: usize = 4;

/// Aligns two words. Returns pairs of indices in order; an index without a counterpart is paired with `None`.
pub(super) fn beside<T: Copy + Eq + Hash>(
    one: &[T],
    other: &[T],
) -> Vec<(Option<usize>, Option<usize>)> {
    let mut words = InternedInput {
        before: Vec::new(),
        after: Vec::new(),
        interner: Interner::new(0),
    };
    words.update_before(one.iter().copied());
    words.update_after(other.iter().copied());
    let differences = Diff::compute(Algorithm::Myers, &words);
    let mut pairs = Vec::with_capacity(one.len().max(other.len()));
    let (mut here, mut there) = (0, 0);
    for difference in differences.hunks() {
        let [ones, others] = [difference.before, difference.after];
        let [ones, others] = [ones, others].map(|range| range.start as usize..range.end as usize);
        pairs.extend(
            (here..ones.start)
                .zip(there..)
                .map(|(a, b)| (Some(a), Some(b))),
        );
        (here, there) = (ones.end, others.end);
        pairs.extend(ones.map(|a| (Some(a), None)));
        pairs.extend(others.map(|b| (None, Some(b))));
    }
    pairs.extend(
        (here..one.len())
            .zip(there..)
            .map(|(a, b)| (Some(a), Some(b))),
    );
    pairs
}

/// How far alignments may extend. The reach shrinks while alignments end out of step, so that words with little in common
/// take time proportional to their length. It returns at intervals, because words may continue at another offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// The number of words that are aligned.
    words: usize,
    /// The number of letters from which an alignment is not extended.
    widest: usize,
    /// The number of alignments with the least reach since the last one that was in step or had a greater reach.
    narrow: usize,
}

impl Reach {
    /// The number of alignments with the least reach, per word, before one with the greatest. These take time of the same
    /// order.
    const PAUSE: usize = 64;

    /// Creates the greatest reach for alignments of this number of words.
    pub const fn new(words: usize) -> Self {
        Self {
            words,
            widest: WIDEST,
            narrow: 0,
        }
    }

    /// Returns whether an alignment of `window` letters may be extended.
    pub const fn exceeds(&self, window: usize) -> bool {
        window < self.widest
    }

    /// Adapts the reach to an alignment that ended in step or not.
    pub fn adapt(&mut self, is_in_step: bool) {
        let is_least = self.widest == WINDOW;
        self.narrow = if is_least { self.narrow + 1 } else { 0 };
        if is_in_step || self.narrow > Self::PAUSE * self.words {
            *self = Self::new(self.words);
        } else {
            self.widest = (self.widest / 4).max(WINDOW);
        }
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

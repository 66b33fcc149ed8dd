//! Names of patterns: numbers derived from their events.
//!
//! A name depends only on the sequence of events, not on how the pattern is composed, so the same pattern has the
//! same name in every location and trace. It is a polynomial over the keys of the events, modulo the prime 2^61 − 1,
//! so the name of a concatenation follows from the names of its parts.

use std::fmt;

use super::{Patterns, What};

const PRIME: u64 = (1 << 61) - 1;

/// The base of the polynomial; any number that is not small would do.
const BASE: u64 = 0x0e6b_3d1f_52a9_c847;

/// A name of a pattern, or of any other sequence of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternName(pub u64);

impl fmt::Display for PatternName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

const fn times(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    let sum = (product & PRIME as u128) as u64 + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

const fn plus(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

/// A sequence: its value, and the factor by which the value of a sequence before it is multiplied.
#[derive(Clone, Copy)]
struct Sequence {
    value: u64,
    factor: u64,
}

impl Sequence {
    const EMPTY: Self = Self {
        value: 0,
        factor: 1,
    };

    fn letter(key: u64) -> Self {
        // Never 0, because leading zeros would not change the value of a sequence.
        Self {
            value: key % (PRIME - 1) + 1,
            factor: BASE,
        }
    }

    fn then(self, next: Self) -> Self {
        Self {
            value: plus(times(self.value, next.factor), next.value),
            factor: times(self.factor, next.factor),
        }
    }

    fn repeated(self, mut count: u64) -> Self {
        let (mut all, mut power) = (Self::EMPTY, self);
        while count > 0 {
            if count & 1 == 1 {
                all = all.then(power);
            }
            power = power.then(power);
            count >>= 1;
        }
        all
    }
}

impl Patterns {
    /// Returns the names of all patterns. `keys` contains the key of each letter.
    #[must_use]
    pub fn names(&self, keys: &[u64]) -> Vec<PatternName> {
        let mut sequences = vec![Sequence::EMPTY; self.len()];
        for pattern in self.inside_out() {
            let items = self.items(pattern).iter();
            sequences[pattern.index()] = items.fold(Sequence::EMPTY, |all, item| {
                let once = match item.what {
                    What::Event(letter) => {
                        Sequence::letter(keys.get(letter.index()).copied().unwrap_or_default())
                    }
                    What::Pattern(inner) => sequences[inner.index()],
                };
                all.then(once.repeated(item.count))
            });
        }
        let names = sequences.into_iter();
        names.map(|sequence| PatternName(sequence.value)).collect()
    }
}

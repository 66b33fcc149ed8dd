//! Finds out where steps begin, as far as that is the same for all events.

use crate::program::Op;

/// What is known of a position: its remainder if it is divided by a power of two. Both are in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub modulus: u64,
    pub remainder: u64,
}

impl Place {
    /// Nothing is known.
    const ANYWHERE: Self = Self {
        modulus: 1,
        remainder: 0,
    };

    /// Returns the place of the next multiple of `alignment`.
    pub(super) fn aligned(self, alignment: u64) -> Self {
        if alignment >= self.modulus {
            return Self {
                modulus: alignment,
                remainder: 0,
            };
        }
        let remainder = self.remainder.next_multiple_of(alignment) % self.modulus;
        Self { remainder, ..self }
    }

    /// Returns the place that is `bits` bits further.
    fn plus(self, bits: u64) -> Self {
        let remainder = (self.remainder + bits) % self.modulus;
        Self { remainder, ..self }
    }

    /// Returns what is known of a position that is one of two.
    fn or(self, other: Self) -> Self {
        let modulus = self.modulus.min(other.modulus);
        let differs = (self.remainder ^ other.remainder) & (modulus - 1);
        let modulus = match differs {
            0 => modulus,
            differs => differs & differs.wrapping_neg(),
        };
        Self {
            modulus,
            remainder: self.remainder % modulus,
        }
    }
}

/// Returns the places of steps that begin anywhere, and that of their end. Steps only lead to later ones.
pub(super) fn places(ops: &[Op]) -> Vec<Place> {
    let mut places: Vec<Option<Place>> = vec![None; ops.len() + 1];
    places[0] = Some(Place::ANYWHERE);
    for (at, op) in ops.iter().enumerate() {
        let here = places[at].unwrap_or(Place::ANYWHERE);
        let mut lead = |target: usize, place: Place| {
            let known = &mut places[target];
            *known = Some(known.map_or(place, |known| known.or(place)));
        };
        op.targets(|target| lead(target as usize, here));
        if !matches!(op, Op::Select(_) | Op::Jump(_)) {
            lead(at + 1, after(op, here));
        }
    }
    let known = places.into_iter();
    known.map(|it| it.unwrap_or(Place::ANYWHERE)).collect()
}

/// Returns the place after a step that leads to the next one.
fn after(op: &Op, here: Place) -> Place {
    const BYTES: u64 = 8;
    match op {
        Op::Align(alignment) => here.aligned(*alignment),
        Op::Integer(op, _) if op.bits > 0 => here.aligned(op.alignment).plus(op.bits.into()),
        Op::Float(op, _) => here.aligned(op.alignment).plus(op.bits.into()),
        Op::Integer(..) | Op::Text(..) | Op::Bytes(..) | Op::Uuid => Place {
            modulus: BYTES,
            remainder: 0,
        },
        Op::Block(_) | Op::Compound(..) | Op::Select(_) | Op::Jump(_) => Place::ANYWHERE,
    }
}

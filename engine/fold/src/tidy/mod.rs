//! Tidying: the same stream in fewer terms.
//!
//! Folding goes along with the stream and begins a loop as early as it can, so that equal code comes out in
//! different rotations: `a (b a)^n a (b a)^n` begins as `(a b)^n a a`. It also makes loops of three equal
//! neighbours and more only. Here the model is complete, and other ways to write it are compared:
//!
//! - loops whose bodies are rotations of each other get the rotation that leaves the fewest terms; a loop
//!   takes in what stands before and behind it if that is its body;
//! - equal neighbouring blocks become loops, also two where that is shorter; a loop whose body is one loop
//!   is one loop, a loop whose body repeats itself has the shorter body.
//!
//! A construct may be moved into or out of a loop if nothing in it grows with the index of that loop or of one
//! that is deeper; others stay where they are, but what is in them is tidied as well. Sequences are looked at
//! in pieces of [`PIECE`] constructs, so that work and memory are in proportion to the model.

mod align;
mod group;
mod pool;
#[cfg(test)]
mod tests;

use super::model::terms;
use super::{Construct, LoopConstruct, Model};
use pool::Pool;

/// Constructs of a sequence that are looked at together; bodies of more items are not rearranged either.
const PIECE: usize = 4096;

/// How often a model is tidied again while it gets shorter.
const ROUNDS: usize = 4;

impl Model {
    /// The same stream in fewer terms, or as many if no shorter way to write it was found.
    #[must_use]
    pub fn tidied(&self) -> Self {
        let mut constructs = self.constructs.to_vec();
        let mut before = terms(&constructs);
        for _ in 0..ROUNDS {
            let shorter = sequence(&constructs, 0);
            let after = terms(&shorter);
            if after >= before {
                break;
            }
            before = after;
            constructs = shorter;
        }
        Self {
            constructs: constructs.into(),
            events: self.events,
        }
    }
}

/// A sequence within `level` loops, from the inside out.
fn sequence(constructs: &[Construct], level: usize) -> Vec<Construct> {
    let mut tidied = Vec::with_capacity(constructs.len());
    for constructs in constructs.chunks(PIECE) {
        let inside = constructs.iter().map(|construct| within(construct, level));
        tidied.extend(piece(inside.collect(), level));
    }
    tidied
}

fn within(construct: &Construct, level: usize) -> Construct {
    match construct {
        Construct::Event(_) => construct.clone(),
        Construct::Loop(l) => Construct::Loop(LoopConstruct {
            count: l.count.clone(),
            body: sequence(&l.body, level + 1).into(),
        }),
    }
}

fn piece(constructs: Vec<Construct>, level: usize) -> Vec<Construct> {
    let mut pool = Pool::new(level, constructs.len());
    let taken = pool.take(&constructs);
    if taken.flat.len() > 4 * PIECE {
        return constructs;
    }
    let best = align::best(taken, &mut pool);
    let tidied = pool.constructs(&best);
    if terms(&tidied) < terms(&constructs) {
        tidied
    } else {
        constructs
    }
}

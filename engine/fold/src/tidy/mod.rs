//! Tidies models: finds a model of the same stream in fewer terms.
//!
//! Folding follows the stream and begins each loop as early as possible, so equal code appears in different
//! rotations: `a (b a)^n a (b a)^n` begins as `(a b)^n a a`. It also makes loops only of three or more equal
//! neighbours. Here, the model is complete, and other ways to write it are compared:
//!
//! - loops whose bodies are rotations of each other get the rotation with the fewest terms; a loop absorbs the
//!   constructs directly before and after it if they equal its body;
//! - equal neighbouring blocks become loops, even only two blocks if that is shorter; a loop whose body is one loop
//!   becomes one loop, and a loop whose body repeats itself gets the shorter body.
//!
//! A construct may be moved into or out of a loop if nothing in it grows with the index of that loop or of a deeper
//! one. Other constructs stay in place, but their contents are tidied as well. Sequences are processed in pieces of
//! [`PIECE`] constructs, so work and memory are proportional to the model.

mod align;
mod group;
mod pool;
mod take;
#[cfg(test)]
mod tests;

use super::model::terms;
use super::{Construct, LoopConstruct, Model};
use pool::Pool;

/// The number of constructs of a sequence that are processed together; bodies of more items are not rearranged
/// either.
const PIECE: usize = 4096;

/// The maximum number of times a model is tidied while it gets shorter.
const ROUNDS: usize = 4;

impl Model {
    /// Returns a model of the same stream in fewer terms, or in as many if no shorter one was found.
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

/// Tidies a sequence within `level` loops, from the inside out.
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
    let mut pool = Pool::new(constructs.len());
    let taken = take::take(&constructs, level, &mut pool);
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

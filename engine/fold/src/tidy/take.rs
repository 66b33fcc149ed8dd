//! Takes sequences apart: adds their constructs to a pool, and writes out short loops.

use super::super::Construct;
use super::super::model::Step;
use super::PIECE;
use super::group::roll;
use super::pool::{Id, Pool};

/// The maximum number of iterations of a loop that is written out before anything is compared.
const FEW_ITERATIONS: i64 = 4;

/// The maximum number of items of a loop that is written out.
const FEW_ITEMS: usize = 64;

/// A sequence with all short loops written out (`flat`), and as it was (`short`).
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    pub flat: Vec<Id>,
    pub short: Vec<Id>,
}

impl Taken {
    fn push(&mut self, id: Id) {
        self.flat.push(id);
        self.short.push(id);
    }
}

/// Adds the constructs of a sequence within `level` loops, or of the body of a free loop in it, to the pool.
pub(super) fn take(constructs: &[Construct], level: usize, pool: &mut Pool) -> Taken {
    let mut taken = Taken::default();
    for construct in constructs {
        take_one(construct, level, pool, &mut taken);
    }
    taken
}

fn take_one(construct: &Construct, level: usize, pool: &mut Pool, taken: &mut Taken) {
    if !is_free(construct, level) {
        taken.push(pool.fixed(construct));
        return;
    }
    if let Construct::Loop(l) = construct
        && l.count.steps.is_empty()
        && l.count.base > 0
        && !l.body.is_empty()
    {
        let body = take(&l.body, level, pool);
        if body.flat.len() <= PIECE {
            let id = roll(l.count.base, &body.flat, pool);
            // If the body repeats itself, or is one loop, the loop that was found has another body.
            if pool
                .rolled(id)
                .is_some_and(|rolled| *rolled.body == *body.flat)
            {
                pool.shorten(id, &body.short);
            }
            write_out(id, pool, &mut taken.flat);
            taken.short.push(id);
            return;
        }
    }
    taken.push(pool.whole(construct));
}

/// Appends an item, written out if it is a short loop.
fn write_out(id: Id, pool: &Pool, flat: &mut Vec<Id>) {
    if let Some(rolled) = pool.rolled(id)
        && rolled.count <= FEW_ITERATIONS
        && rolled.count as usize * rolled.body.len() <= FEW_ITEMS
    {
        for _ in 0..rolled.count {
            flat.extend_from_slice(&rolled.body);
        }
        return;
    }
    flat.push(id);
}

/// Returns whether nothing in a construct grows with the index of a loop that is not around the sequence.
fn is_free(construct: &Construct, level: usize) -> bool {
    let outside = |steps: &[Step]| steps.iter().all(|step| usize::from(step.depth) < level);
    match construct {
        Construct::Event(event) => outside(&event.steps),
        Construct::Loop(l) => outside(&l.count.steps) && l.body.iter().all(|c| is_free(c, level)),
    }
}

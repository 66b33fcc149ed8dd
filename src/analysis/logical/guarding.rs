//! Conditions that tell processes apart by their neighbours.

use super::Guard;
use crate::analysis::topology::DirectionId;

/// So many directions are tried for guards.
const MOST_GUARDING: usize = 32;

/// The condition that holds for those of `all` that are `chosen`, and for no others of them. `None` if all are
/// chosen, or if no condition on one or two neighbours tells them apart. `neighbours` says in which directions
/// one of them has a neighbour.
pub(super) fn by_neighbours<'a>(
    all: &[usize],
    chosen: impl Fn(usize) -> bool,
    neighbours: impl Fn(usize) -> &'a [bool],
) -> Option<Guard> {
    if all.iter().all(|&one| chosen(one)) {
        return None;
    }
    let directions = 0..neighbours(*all.first()?).len().min(MOST_GUARDING);
    let single = directions.clone().map(|one| [one, one]);
    let two = |one| {
        let others = directions.clone().skip(one + 1);
        others.map(move |other| [one, other])
    };
    let pairs = single.chain(directions.clone().flat_map(two));
    let mut guards = pairs.flat_map(|pair| [false, true].map(|is_there| (pair, is_there)));
    let (directions, is_there) = guards.find(|&(directions, is_there)| {
        all.iter().all(|&one| {
            let are_there = directions.into_iter().all(|it| neighbours(one)[it]);
            (are_there == is_there) == chosen(one)
        })
    })?;
    Some(Guard::Neighbours {
        directions: directions.map(|direction| DirectionId(direction as u32)),
        is_there,
    })
}

//! Conditions that distinguish processes by their neighbours.

use foldtrace_topology::recognition::DirectionId;

use super::Guard;

/// At most this many directions are considered for a guard.
const MOST_GUARDING: usize = 32;

/// Finds a condition on one or two neighbours that holds for exactly the `chosen` members of `all`.
///
/// `neighbours` returns for a member whether it has a neighbour in each direction. Returns `None` if every member
/// is chosen, or if no such condition exists.
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

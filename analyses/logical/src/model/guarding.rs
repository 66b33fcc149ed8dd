//! Conditions that distinguish processes by their neighbours.

use std::collections::BTreeMap;

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
    // Members with the same neighbours are all chosen, or none of them is.
    let mut is_chosen: BTreeMap<u32, bool> = BTreeMap::new();
    for &one in all {
        let of_one = directions.clone().zip(neighbours(one));
        let mask = of_one.fold(0, |mask, (it, &is_there)| mask | u32::from(is_there) << it);
        if *is_chosen.entry(mask).or_insert_with(|| chosen(one)) != chosen(one) {
            return None;
        }
    }
    let single = directions.clone().map(|one| [one, one]);
    let two = |one| {
        let others = directions.clone().skip(one + 1);
        others.map(move |other| [one, other])
    };
    let pairs = single.chain(directions.clone().flat_map(two));
    let mut guards = pairs.flat_map(|pair| [false, true].map(|is_there| (pair, is_there)));
    let (directions, is_there) = guards.find(|&([one, other], is_there)| {
        let both = 1 << one | 1 << other;
        let mut classes = is_chosen.iter();
        classes.all(|(mask, &is_chosen)| (mask & both == both) == (is_there == is_chosen))
    })?;
    Some(Guard::Neighbours {
        directions: directions.map(|direction| DirectionId(direction as u32)),
        is_there,
    })
}

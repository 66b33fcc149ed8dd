//! Offsets of clocks that satisfy the constraints between them.
//!
//! A transfer from clock `a` to clock `b` takes at least the minimum latency μ: `offset[a] − offset[b] ≤ ticks − μ`. These
//! difference constraints are a graph whose shortest paths are the extreme offsets. The largest μ for which offsets
//! exist is the minimum mean weight of a cycle; no other estimate of the latency is needed. Offsets are halfway
//! between the extremes, which is again a solution. Clocks that only send to others, or only receive, have one
//! extreme; for them, the fastest transfer took μ.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// The shortest transfer from one clock to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Constraint {
    /// The clock of the departure.
    pub from: usize,
    /// The clock of the arrival.
    pub to: usize,
    /// The ticks that the transfer takes if both offsets are 0.
    pub ticks: f64,
}

/// The offsets of clocks that are related, at least in one direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Offsets {
    /// The minimum latency; `None` if no transfers go both ways.
    pub latency: Option<f64>,
    /// The offset of each clock, in ticks. That of the first clock is 0.
    pub offsets: Vec<f64>,
    /// Whether the offset has two extremes, so that it is known from transfers in both directions.
    pub is_bounded: Vec<bool>,
}

/// The difference of offsets, in ticks, that does not matter; differences below the precision of numbers would be
/// improved without end.
const TOLERANCE: f64 = 1e-3;

/// Finds the offsets of `clocks` clocks. Clocks without any relation to the first one keep offset 0.
pub(crate) fn offsets(clocks: usize, constraints: &[Constraint]) -> Offsets {
    let groups = strongly_connected(clocks, constraints);
    let mut group_of = vec![0; clocks];
    for (number, group) in groups.iter().enumerate() {
        group.iter().for_each(|&clock| group_of[clock] = number);
    }
    let mut found = Offsets {
        latency: None,
        offsets: vec![0.0; clocks],
        is_bounded: vec![false; clocks],
    };
    let mut within: Vec<Vec<Constraint>> = vec![Vec::new(); groups.len()];
    for constraint in constraints {
        if group_of[constraint.from] == group_of[constraint.to] {
            within[group_of[constraint.from]].push(*constraint);
        }
    }
    let group_of_first = group_of.first().copied().unwrap_or_default();
    for (number, (group, constraints)) in groups.iter().zip(&within).enumerate() {
        let Some(extremes) = extremes(clocks, group, constraints) else {
            continue;
        };
        let Extremes {
            latency,
            most,
            least,
        } = extremes;
        found.latency = Some(found.latency.map_or(latency, |other| other.min(latency)));
        for &clock in group {
            found.offsets[clock] = (most[clock] + least[clock]) / 2.0;
            found.is_bounded[clock] = number == group_of_first;
        }
    }
    place_groups(&groups, &group_of, constraints, &mut found);
    found
}

/// Returns the groups of clocks that transfers connect in both directions, each in ascending order.
fn strongly_connected(clocks: usize, constraints: &[Constraint]) -> Vec<Vec<usize>> {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(clocks, constraints.len());
    for _ in 0..clocks {
        graph.add_node(());
    }
    for constraint in constraints {
        let ends = [constraint.from, constraint.to].map(NodeIndex::new);
        graph.add_edge(ends[0], ends[1], ());
    }
    let groups = tarjan_scc(&graph).into_iter().map(|group| {
        let mut group: Vec<usize> = group.into_iter().map(NodeIndex::index).collect();
        group.sort_unstable();
        group
    });
    let mut groups: Vec<_> = groups.collect();
    groups.sort_unstable();
    groups
}

/// The extreme offsets of a group of clocks.
#[derive(Clone, Debug)]
struct Extremes {
    /// The minimum latency in whole ticks, so that offsets are whole or half ticks if all transfers are whole ticks.
    latency: f64,
    most: Vec<f64>,
    least: Vec<f64>,
}

/// Returns the extreme offsets of a group, relative to its first clock; `None` if nothing is transferred within it.
fn extremes(clocks: usize, group: &[usize], constraints: &[Constraint]) -> Option<Extremes> {
    let longest = constraints.iter().map(|it| it.ticks).reduce(f64::max)?;
    let reference = group.first().copied()?;
    let both = |latency: f64| {
        let backward = distances(clocks, reference, constraints, latency, false)?;
        let forward = distances(clocks, reference, constraints, latency, true)?;
        Ok::<_, f64>((backward, forward))
    };
    // Each cycle that is found has a lower mean than those before it. Nearly all cycles are negative at first.
    let mut latency = longest.ceil() + 1.0;
    loop {
        match both(latency) {
            Err(mean) if mean >= latency => latency -= 1.0,
            Err(mean) => latency = mean.floor(),
            Ok((most, forward)) => {
                let least = forward.iter().map(|distance| -distance).collect();
                return Some(Extremes {
                    latency,
                    most,
                    least,
                });
            }
        }
    }
}

/// Returns the lengths of the shortest paths from `reference`, along transfers or against them, if each transfer is
/// shorter by `latency`. A cycle of negative length is an error, which is its mean ticks.
fn distances(
    clocks: usize,
    reference: usize,
    constraints: &[Constraint],
    latency: f64,
    is_forward: bool,
) -> Result<Vec<f64>, f64> {
    let mut distances = vec![f64::INFINITY; clocks];
    distances[reference] = 0.0;
    // For each clock, the constraint through which its shortest path comes.
    let mut last: Vec<Option<usize>> = vec![None; clocks];
    loop {
        let mut is_changed = false;
        for (number, it) in constraints.iter().enumerate() {
            let (from, to) = if is_forward {
                (it.from, it.to)
            } else {
                (it.to, it.from)
            };
            let distance = distances[from] + it.ticks - latency;
            if distance < distances[to] - TOLERANCE {
                distances[to] = distance;
                last[to] = Some(number);
                is_changed = true;
            }
        }
        if !is_changed {
            return Ok(distances);
        }
        if let Some(mean) = mean_of_cycle(constraints, &last, is_forward) {
            return Err(mean);
        }
    }
}

/// Returns the mean ticks of a cycle that the last constraints of paths form, if there is one.
fn mean_of_cycle(
    constraints: &[Constraint],
    last: &[Option<usize>],
    is_forward: bool,
) -> Option<f64> {
    // The number of the walk that visited a clock first.
    let mut walks = vec![usize::MAX; last.len()];
    let before = |clock: usize| {
        let constraint = constraints.get(last[clock]?)?;
        let from = if is_forward {
            constraint.from
        } else {
            constraint.to
        };
        Some((from, constraint.ticks))
    };
    for start in 0..last.len() {
        let mut clock = start;
        while walks[clock] == usize::MAX {
            walks[clock] = start;
            let Some((from, _)) = before(clock) else {
                break;
            };
            clock = from;
            if walks[clock] == start {
                let (mut sum, mut length) = (0.0, 0.0);
                let mut at = clock;
                while let Some((from, ticks)) = before(at) {
                    sum += ticks;
                    length += 1.0;
                    at = from;
                    if at == clock {
                        return Some(sum / length);
                    }
                }
            }
        }
    }
    None
}

/// Moves groups so that the constraints between them are satisfied: the fastest transfer to a group, or else from it,
/// takes the minimum latency.
fn place_groups(
    groups: &[Vec<usize>],
    group_of: &[usize],
    constraints: &[Constraint],
    found: &mut Offsets,
) {
    let latency = found.latency.unwrap_or_default().max(0.0);
    let mut is_placed = vec![false; groups.len()];
    if let Some(placed) = is_placed.first_mut() {
        *placed = true;
    }
    loop {
        // For each group, the least and the most by which it can be moved.
        let mut bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); groups.len()];
        for it in constraints {
            let slack = found.offsets[it.from] - found.offsets[it.to] - (it.ticks - latency);
            match (is_placed[group_of[it.from]], is_placed[group_of[it.to]]) {
                (true, false) => {
                    let (least, _) = &mut bounds[group_of[it.to]];
                    *least = least.max(slack);
                }
                (false, true) => {
                    let (_, most) = &mut bounds[group_of[it.from]];
                    *most = most.min(-slack);
                }
                _ => {}
            }
        }
        let mut is_done = true;
        for (number, &(least, most)) in bounds.iter().enumerate() {
            let shift = if least.is_finite() { least } else { most };
            if is_placed[number] || !shift.is_finite() {
                continue;
            }
            for &clock in &groups[number] {
                found.offsets[clock] += shift;
            }
            is_placed[number] = true;
            is_done = false;
            // The bounds of other groups are computed anew, because they may depend on this one.
            break;
        }
        if is_done {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn constraint((from, to, ticks): (usize, usize, f64)) -> Constraint {
        Constraint { from, to, ticks }
    }

    fn solve(clocks: usize, constraints: &[(usize, usize, f64)]) -> Offsets {
        let constraints: Vec<_> = constraints.iter().copied().map(constraint).collect();
        offsets(clocks, &constraints)
    }

    #[test]
    fn the_offset_is_halfway_between_two_ways() {
        // Clock 1 shows 100 less than clock 0; a message takes 4 there and 6 back.
        let found = solve(2, &[(0, 1, -96.0), (1, 0, 106.0)]);
        assert_eq!(found.latency, Some(5.0));
        assert_eq!(found.offsets, [0.0, 101.0]);
        assert_eq!(found.is_bounded, [true, true]);
    }

    #[test]
    fn a_ring_of_messages_is_sufficient() {
        // Clocks 1 and 2 show 10 and 30 more; a message takes 5.
        let found = solve(3, &[(0, 1, 15.0), (1, 2, 25.0), (2, 0, -25.0)]);
        assert_eq!(found.latency, Some(5.0));
        assert_eq!(found.offsets, [0.0, -10.0, -30.0]);
    }

    #[test]
    fn one_direction_takes_the_minimum_latency() {
        // 0 and 1 exchange messages, 2 only receives, 3 only sends.
        let found = solve(4, &[(0, 1, 2.0), (1, 0, 2.0), (1, 2, -50.0), (3, 0, 70.0)]);
        assert_eq!(found.latency, Some(2.0));
        assert_eq!(found.offsets, [0.0, 0.0, 52.0, 68.0]);
        assert_eq!(found.is_bounded, [true, true, false, false]);
    }

    proptest! {
        /// Offsets exist in any graph of transfers between clocks with random offsets, and satisfy all constraints.
        #[test]
        fn all_constraints_are_satisfied(
            clocks in prop::collection::vec(-1e9..1e9, 2..12_usize),
            transfers in prop::collection::vec((0_usize..12, 0_usize..12, 1.0..1e4), 1..60),
        ) {
            let transfers: Vec<_> = transfers.into_iter().filter_map(|(from, to, latency)| {
                let (from, to) = (from % clocks.len(), to % clocks.len());
                (from != to).then(|| constraint((from, to, clocks[to] - clocks[from] + latency)))
            }).collect();
            let found = offsets(clocks.len(), &transfers);
            let groups = strongly_connected(clocks.len(), &transfers);
            for it in &transfers {
                let is_within = groups.iter().any(|group| group.contains(&it.from) && group.contains(&it.to));
                let slack = it.ticks - found.latency.unwrap_or(0.0) + found.offsets[it.to] - found.offsets[it.from];
                prop_assert!(!is_within || slack >= -1.0, "{it:?} {found:?}");
            }
        }
    }
}

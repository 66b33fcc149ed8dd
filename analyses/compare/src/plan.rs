//! Aligns the loops of all locations of all runs by their content, so that ranks, ids and the number of processes do
//! not matter.
//!
//! Loops with the same names in the same loop are one loop. If each location of each run has several of them, they are
//! distinguished by their order. A loop that has no counterpart in another run is aligned with one of similar names.
//! If there is none, the loop belongs to its own run alone, unless the other run has the same calls in the loop around
//! it: then, both are compared there.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{NameId, NodeId};
use crate::outline::{Loop, Names, Outline, loops};

/// The maximum number of loops with the same names that are distinguished by their order.
const MOST_IN_ORDER: usize = 64;

/// The least share of names that similar loops have in common.
const SIMILAR: f64 = 0.5;

/// A loop of the program.
#[derive(Clone, Debug)]
pub struct Node {
    /// The loop around it.
    pub parent: Option<NodeId>,
    /// Its number, such as `2.1` for the first loop in the second one; empty for the whole program.
    pub number: String,
    /// The names of the calls in it.
    pub names: Vec<NameId>,
}

/// The loops of all runs.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The loops, each after the loop around it. The first is the whole program.
    pub nodes: Vec<Node>,
    /// The node of each loop, by run, location and index in the outline; `None` if the loop is compared as a part of the
    /// one around it.
    pub assigned: Vec<Vec<Vec<Option<NodeId>>>>,
}

/// The loops of one location that are in the same loop.
#[derive(Clone, Debug)]
struct Body<'a> {
    run: usize,
    location: usize,
    loops: Vec<&'a Loop>,
}

impl Plan {
    /// Aligns the loops of `runs`: the outlines of the locations of each run.
    #[must_use]
    pub fn new(runs: &[Vec<Outline>]) -> Self {
        let nothing = |outline: &Outline| vec![None; outline.loops];
        let mut plan = Self {
            nodes: Vec::new(),
            assigned: runs
                .iter()
                .map(|run| run.iter().map(nothing).collect())
                .collect(),
        };
        let (mut bodies, mut names) = (Vec::new(), Vec::new());
        for (run, outlines) in runs.iter().enumerate() {
            names.push(
                outlines
                    .iter()
                    .flat_map(|outline| outline.names.iter().copied())
                    .collect(),
            );
            bodies.extend(outlines.iter().enumerate().map(|(location, outline)| Body {
                run,
                location,
                loops: loops(&outline.items).collect(),
            }));
        }
        plan.push(None, String::new(), &names);
        plan.align(NodeId::PROGRAM, bodies, &names);
        plan
    }

    /// Adds a node with the names in it, by run.
    fn push(&mut self, parent: Option<NodeId>, number: String, names: &[Names]) -> NodeId {
        let all: Names = names.iter().flatten().copied().collect();
        let names = all.into_iter().collect();
        self.nodes.push(Node {
            parent,
            number,
            names,
        });
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Aligns the loops that are in the same loop. `around` has the names in that loop, by run.
    fn align(&mut self, parent: NodeId, mut bodies: Vec<Body<'_>>, around: &[Names]) {
        let groups = dissolve(&mut bodies, around);
        let mut in_group: BTreeMap<usize, Vec<Body<'_>>> = BTreeMap::new();
        for body in bodies {
            let mut own: BTreeMap<usize, Vec<&Loop>> = BTreeMap::new();
            for inner in body.loops {
                if let Some(&group) = groups.get(&inner.names) {
                    own.entry(group).or_default().push(inner);
                }
            }
            for (group, loops) in own {
                in_group
                    .entry(group)
                    .or_default()
                    .push(Body { loops, ..body });
            }
        }
        let mut nodes: Vec<Vec<Body<'_>>> = in_group.into_values().flat_map(in_order).collect();
        // Loops are numbered in the order in which they occur.
        nodes.sort_by_key(|bodies| {
            let loops = bodies.iter().flat_map(|body| &body.loops);
            loops.map(|inner| inner.index).min()
        });
        for (number, bodies) in (1..).zip(nodes) {
            self.add(parent, number, bodies, around.len());
        }
    }

    /// Adds a loop, and those within it.
    fn add(&mut self, parent: NodeId, number: usize, bodies: Vec<Body<'_>>, runs: usize) {
        let prefix = self
            .nodes
            .get(parent.0 as usize)
            .map(|parent| parent.number.as_str());
        let number = match prefix {
            Some(prefix) if !prefix.is_empty() => format!("{prefix}.{number}"),
            _ => number.to_string(),
        };
        let mut names = vec![Names::new(); runs];
        for body in &bodies {
            names[body.run].extend(body.loops.iter().flat_map(|inner| &inner.names));
        }
        let node = self.push(Some(parent), number, &names);
        for body in &bodies {
            let assigned = &mut self.assigned[body.run][body.location];
            body.loops
                .iter()
                .for_each(|inner| assigned[inner.index] = Some(node));
        }
        let inner = bodies.into_iter().map(|body| Body {
            loops: body
                .loops
                .iter()
                .flat_map(|inner| loops(&inner.body))
                .collect(),
            ..body
        });
        self.align(node, inner.collect(), &names);
    }
}

/// Groups the loops of `bodies` by their names: returns the number of the group of each set of names. A loop that not all
/// runs have is replaced by the loops within it if all runs make its calls in the loop around it.
fn dissolve(bodies: &mut [Body<'_>], around: &[Names]) -> BTreeMap<Names, usize> {
    loop {
        let mut by_run: Vec<BTreeSet<&Names>> = vec![BTreeSet::new(); around.len()];
        for body in &*bodies {
            by_run[body.run].extend(body.loops.iter().map(|inner| &inner.names));
        }
        let groups = groups(&by_run);
        let is_part = |names: &Names, group: &Group| {
            group.runs < around.len() && around.iter().all(|around| names.is_subset(around))
        };
        let parts = groups.iter().filter(|(names, group)| is_part(names, group));
        let parts: BTreeSet<Names> = parts.map(|(&names, _)| names.clone()).collect();
        if parts.is_empty() {
            let numbered = groups
                .into_iter()
                .map(|(names, group)| (names.clone(), group.number));
            return numbered.collect();
        }
        for body in &mut *bodies {
            let inner = body.loops.iter().flat_map(|&inner| {
                if parts.contains(&inner.names) {
                    loops(&inner.body).collect()
                } else {
                    vec![inner]
                }
            });
            body.loops = inner.collect();
        }
    }
}

/// Divides the loops of a group by their order, if all locations have the same number of them.
fn in_order(bodies: Vec<Body<'_>>) -> Vec<Vec<Body<'_>>> {
    let first = bodies.first().map_or(0, |body| body.loops.len());
    if first > MOST_IN_ORDER || bodies.iter().any(|body| body.loops.len() != first) {
        return vec![bodies];
    }
    let one = |order: usize| {
        let of = bodies.iter().map(|body| Body {
            loops: body.loops[order..=order].to_vec(),
            ..*body
        });
        of.collect()
    };
    (0..first).map(one).collect()
}

/// A group of loops that are compared with each other.
#[derive(Clone, Copy, Debug)]
struct Group {
    number: usize,
    /// The number of runs that have such loops.
    runs: usize,
}

/// Groups the sets of names of loops, which are given by run. Equal sets are in one group, and a set that not all runs
/// have is in one group with similar sets of the other runs.
fn groups<'a>(by_run: &[BTreeSet<&'a Names>]) -> BTreeMap<&'a Names, Group> {
    let mut runs: BTreeMap<&Names, usize> = BTreeMap::new();
    for names in by_run.iter().flatten() {
        *runs.entry(names).or_default() += 1;
    }
    let mut groups = BTreeMap::new();
    for (number, (&names, &runs)) in runs.iter().enumerate() {
        groups.insert(names, Group { number, runs });
    }
    let Some((first, others)) = by_run.split_first() else {
        return groups;
    };
    let is_alone = |names: &&&Names| runs.get(**names).is_some_and(|&runs| runs < by_run.len());
    let mut taken = Vec::new();
    for names in first.iter().filter(is_alone) {
        let similar = others.iter().map(|other| {
            let candidates = other
                .iter()
                .filter(is_alone)
                .filter(|one| !taken.contains(*one));
            let best = candidates
                .max_by(|one, two| similarity(names, one).total_cmp(&similarity(names, two)));
            best.copied()
                .filter(|best| similarity(names, best) >= SIMILAR)
        });
        let Some(similar) = similar.collect::<Option<Vec<_>>>() else {
            continue;
        };
        let Some(number) = groups.get(names).map(|group| group.number) else {
            continue;
        };
        for one in similar.iter().chain([names]) {
            groups.insert(
                one,
                Group {
                    number,
                    runs: by_run.len(),
                },
            );
        }
        taken.extend(similar);
    }
    groups
}

/// Returns the share of the names of two loops that both have.
fn similarity(one: &Names, two: &Names) -> f64 {
    let both = one.intersection(two).count() as f64;
    both / one.union(two).count().max(1) as f64
}

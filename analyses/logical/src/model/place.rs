//! Maps processes to the nodes of a topology such that a direction means the same for all processes.
//!
//! An isomorphism distinguishes neighbours from other nodes, and nothing else. A closed mesh of 4x4, for example, is
//! also a hypercube and can be mapped onto itself in many ways; in most of them, what one process sends to the east,
//! another sends to the north. Edges therefore have signs: the tags that are sent on them in both directions, and the
//! position among the edges of the node with the same tags. In a good mapping, each sort of direction has a single
//! sign.

use std::collections::{BTreeMap, HashMap};

use foldtrace_topology::recognition::{Colored, Graph, Topology, isomorphism};
use indexmap::IndexSet;

/// The tags of the messages that one process sends to another, in ascending order; `None` for an unknown tag.
pub type Tags = Vec<Option<u64>>;

/// At most this many assignments of signs to sorts of directions are tried.
const ATTEMPTS: usize = 256;

/// The signs that distinguish the edges of a program.
#[derive(Clone, Debug, Default)]
pub struct Signs {
    /// The distinct pairs of the tags that are sent along an edge and the tags that are sent back.
    signs: IndexSet<(Tags, Tags)>,
    /// For each edge, the index of its sign as seen from its first node, and the number of edges with the same sign
    /// that precede it at that node.
    of: BTreeMap<(u32, u32), (usize, u32)>,
}

impl Signs {
    /// Returns the signs of the edges of a graph, on which `tags` are sent. `neighbours` contains the neighbours of
    /// each node in the order in which the node first communicates with them.
    #[must_use]
    pub fn new(tags: &BTreeMap<(u32, u32), Tags>, neighbours: &[Vec<u32>]) -> Self {
        let mut signs = Self::default();
        let sent = |from, to| tags.get(&(from, to)).cloned().unwrap_or_default();
        for (node, neighbours) in (0..).zip(neighbours) {
            let mut before: HashMap<usize, u32> = HashMap::new();
            for &other in neighbours {
                let sign = (sent(node, other), sent(other, node));
                let (sign, _) = signs.signs.insert_full(sign);
                let before = before.entry(sign).or_default();
                signs.of.insert((node, other), (sign, *before));
                *before += 1;
            }
        }
        signs
    }

    /// Returns the sign of an edge as seen from its other end.
    fn reversed(&self, sign: usize) -> Option<usize> {
        let (there, back) = self.signs.get_index(sign)?;
        self.signs.get_index_of(&(back.clone(), there.clone()))
    }
}

/// A sort of directions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sort {
    is_numbered: bool,
    /// The sort of the reverse directions; `None` if there are several such sorts.
    reverse: Option<usize>,
    /// The number of edges in directions of this sort.
    edges: usize,
}

/// A topology and the sorts of its directions.
struct Sorts<'a> {
    topology: &'a Topology,
    sorts: Vec<Sort>,
    /// The sort of each direction.
    of: Vec<usize>,
}

impl<'a> Sorts<'a> {
    fn new(topology: &'a Topology) -> Self {
        let directions = &topology.directions;
        let names: IndexSet<&str> = directions.iter().map(|d| d.sort.as_str()).collect();
        let of = directions
            .iter()
            .map(|d| names.get_index_of(d.sort.as_str()));
        let of: Vec<usize> = of.map(Option::unwrap_or_default).collect();
        let mut sorts: Vec<Option<Sort>> = vec![None; names.len()];
        for (direction, &sort) in directions.iter().zip(&of) {
            let mut ways = direction.reverse.iter().map(|id| of[id.0 as usize]);
            let first = ways.next();
            let reverse = first.filter(|first| ways.all(|way| way == *first));
            let known = sorts[sort].get_or_insert(Sort {
                is_numbered: direction.is_numbered,
                reverse,
                edges: 0,
            });
            known.reverse = known.reverse.filter(|_| known.reverse == reverse);
        }
        let mut sorts: Vec<Sort> = sorts.into_iter().flatten().collect();
        for node in 0..topology.nodes() as u32 {
            for &(direction, to) in topology.neighbours(node) {
                let is_first = topology.direction(node, to) == Some(direction);
                if to != node && is_first {
                    sorts[of[direction.0 as usize]].edges += 1;
                }
            }
        }
        Self {
            topology,
            sorts,
            of,
        }
    }

    /// Returns the sort of the edge from one node to another, and the index of its direction within the sort.
    fn edge(&self, from: u32, to: u32) -> Option<(usize, u32)> {
        let direction = self.topology.direction(from, to)?.0 as usize;
        let index = self.topology.directions.get(direction)?.index;
        Some((self.of[direction], index))
    }

    /// Returns the sign of each sort, or `None` if the edges of a sort have different signs when the processes are at
    /// these nodes.
    fn signs(&self, nodes: &[u32], signs: &Signs) -> Option<Vec<Option<usize>>> {
        let mut of_sort = vec![None; self.sorts.len()];
        for (&(from, to), &(sign, before)) in &signs.of {
            let (sort, index) = self.edge(nodes[from as usize], nodes[to as usize])?;
            let is_numbered = self.sorts[sort].is_numbered;
            if *of_sort[sort].get_or_insert(sign) != sign || is_numbered && index != before {
                return None;
            }
        }
        Some(of_sort)
    }

    /// Returns assignments of a sign to each sort in which all edges with a sign belong to directions of its sorts.
    fn assignments(&self, signs: &Signs) -> Vec<Vec<usize>> {
        let mut left = vec![0; signs.signs.len()];
        for &(sign, _) in signs.of.values() {
            left[sign] += 1;
        }
        let mut search = Assigning {
            sorts: &self.sorts,
            reversed: (0..left.len()).map(|sign| signs.reversed(sign)).collect(),
            left,
            given: vec![None; self.sorts.len()],
            found: Vec::new(),
        };
        search.assign_from(0);
        search.found
    }
}

struct Assigning<'a> {
    sorts: &'a [Sort],
    reversed: Vec<Option<usize>>,
    /// For each sign, the number of edges that are not yet assigned to a sort.
    left: Vec<usize>,
    given: Vec<Option<usize>>,
    found: Vec<Vec<usize>>,
}

impl Assigning<'_> {
    /// Assigns signs to the sorts from index `sort`, in all possible ways.
    fn assign_from(&mut self, sort: usize) {
        if self.found.len() >= ATTEMPTS {
            return;
        }
        let Some(next) = self.sorts.get(sort) else {
            if self.left.iter().all(|&left| left == 0) {
                self.found.push(
                    self.given
                        .iter()
                        .map(|sign| sign.unwrap_or_default())
                        .collect(),
                );
            }
            return;
        };
        for sign in 0..self.left.len() {
            let fits = next.reverse.is_none_or(|reverse| {
                let expected = if reverse == sort {
                    Some(sign)
                } else {
                    self.given[reverse]
                };
                expected.is_none_or(|expected| self.reversed[sign] == Some(expected))
            });
            if fits && self.left[sign] >= next.edges {
                self.left[sign] -= next.edges;
                self.given[sort] = Some(sign);
                self.assign_from(sort + 1);
                self.given[sort] = None;
                self.left[sign] += next.edges;
            }
        }
    }
}

/// Maps the processes of a graph to the nodes of a topology to which it is isomorphic, such that each sort of
/// direction has a single sign. `nodes` is any valid mapping. Returns `None` if no such mapping was found.
#[must_use]
pub fn place(graph: &Graph, topology: &Topology, nodes: &[u32], signs: &Signs) -> Option<Vec<u32>> {
    let sorts = Sorts::new(topology);
    if sorts.signs(nodes, signs).is_some() {
        return Some(nodes.to_vec());
    }
    let bare = topology.graph();
    sorts.assignments(signs).into_iter().find_map(|given| {
        let color = |sign: usize, number: u32| sign as u32 * (graph.nodes() as u32 + 1) + number;
        let mut has_numbers = vec![false; signs.signs.len()];
        for (sort, &sign) in sorts.sorts.iter().zip(&given) {
            has_numbers[sign] |= sort.is_numbered;
        }
        let ours = Colored::by(graph, |from, to| match signs.of.get(&(from, to)) {
            Some(&(sign, before)) if has_numbers[sign] => color(sign, before + 1),
            Some(&(sign, _)) => color(sign, 0),
            None => u32::MAX,
        });
        let theirs = Colored::by(&bare, |from, to| match sorts.edge(from, to) {
            Some((sort, index)) if has_numbers[given[sort]] => color(given[sort], index + 1),
            Some((sort, _)) => color(given[sort], 0),
            None => u32::MAX,
        });
        isomorphism(&ours, &theirs)
    })
}

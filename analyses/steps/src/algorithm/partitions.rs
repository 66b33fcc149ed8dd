//! Partitions: operations that are related, so that they have steps of their own.
//!
//! Ends of messages and members of collective operations are in one partition, and so are sends and the
//! receives that are waited for with them. Partitions that are in front of each other have no order, so
//! they are one: the strongly connected components of the graph whose edges lead from each operation to
//! the next one of its location.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::unionfind::UnionFind;

use super::window::{Graph, Lists};
use super::{leaps, phases};

/// How partitions are merged beyond what has to be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Merging {
    pub leaps: bool,
    pub phases: bool,
}

impl Merging {
    /// Whether all operations have to be known before.
    pub fn needs_all(self) -> bool {
        self.leaps || self.phases
    }
}

/// The partitions of a window: each before those that happen behind it.
#[derive(Debug)]
pub(super) struct Partitions {
    /// The partition of each operation.
    pub of: Vec<usize>,
    /// The operations of each partition.
    pub members: Lists,
}

impl Partitions {
    /// Of operations that are in sets already.
    pub fn new(graph: &mut Graph, mut sets: UnionFind<usize>, merging: Merging) -> Self {
        if merging.phases {
            phases::merge(graph, &mut sets);
        }
        let mut partitions = Self::ordered(graph, &sets);
        if merging.leaps {
            leaps::merge(graph, &partitions, &mut sets);
            partitions = Self::ordered(graph, &sets);
        }
        partitions
    }

    /// Merges sets that are in front of each other, and puts all in order.
    fn ordered(graph: &Graph, sets: &UnionFind<usize>) -> Self {
        let labels = sets.clone().into_labeling();
        let mut numbers = vec![None; graph.len()];
        let mut set_graph = DiGraph::<(), ()>::with_capacity(0, graph.len());
        let set_of: Vec<NodeIndex> = labels
            .iter()
            .map(|&label| *numbers[label].get_or_insert_with(|| set_graph.add_node(())))
            .collect();
        for (own, next) in graph.next.iter().enumerate() {
            if let Some(next) = *next
                && set_of[own] != set_of[next]
            {
                set_graph.add_edge(set_of[own], set_of[next], ());
            }
        }
        // Components come with those that are reached before those that reach them.
        let components = kosaraju_scc(&set_graph);
        let mut number_of = vec![0; set_graph.node_count()];
        for (number, component) in components.iter().rev().enumerate() {
            for set in component {
                number_of[set.index()] = number;
            }
        }
        let of = set_of.iter().map(|set| number_of[set.index()]);
        let of: Vec<usize> = of.collect();
        let owned = of.iter().enumerate().map(|(own, &number)| (number, own));
        Self {
            members: Lists::new(components.len(), owned),
            of,
        }
    }

    /// Those of which all is known, and of all before them too. Nothing that is to come can be
    /// merged with these: it would have to be before them as well.
    pub fn complete<'a>(&'a self, graph: &Graph) -> impl Iterator<Item = &'a [usize]> {
        let members = self.members.iter();
        let mut is_complete: Vec<bool> = members
            .map(|members| {
                let mut members = members.iter();
                members.all(|&member| graph.operations[member].is_complete())
            })
            .collect();
        for (number, members) in self.members.iter().enumerate() {
            if is_complete[number] {
                continue;
            }
            for next in members.iter().filter_map(|&member| graph.next[member]) {
                is_complete[self.of[next]] = false;
            }
        }
        let all = self.members.iter().zip(is_complete);
        all.filter_map(|(members, is_complete)| is_complete.then_some(members))
    }
}

//! Divides operations into partitions: sets of related operations that have steps of their own.
//!
//! The two ends of a message are in one partition, and so are the members of a collective operation, and sends
//! together with the receives that are completed in the same wait. Partitions that precede each other have no order
//! and are merged: they are the strongly connected components of the graph whose edges lead from each operation to
//! the next one of its location.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::unionfind::UnionFind;

use super::graph::Graph;
use super::lists::Lists;

/// The partitions of a window, in topological order: each comes before its successors.
#[derive(Debug)]
pub(super) struct Partitions {
    /// The partition of each operation.
    pub of: Vec<usize>,
    /// The operations of each partition.
    pub members: Lists,
}

impl Partitions {
    /// Merges sets that precede each other, and puts the partitions in order.
    pub fn ordered(graph: &Graph, sets: &UnionFind<usize>) -> Self {
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
        // `kosaraju_scc` returns the components in reverse topological order.
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

    /// Returns the first operation of a partition.
    pub fn first(&self, partition: usize) -> usize {
        self.members.of(partition)[0]
    }

    /// Returns the first operations of two partitions.
    pub fn pair(&self, a: usize, b: usize) -> (usize, usize) {
        (self.first(a), self.first(b))
    }

    /// Returns the partitions whose operations, and all operations before them, are complete, as `is_complete` says. No
    /// later operation can be merged with these partitions: it would have to precede them as well.
    pub fn complete<'a>(
        &'a self,
        graph: &Graph,
        is_complete: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = &'a [usize]> {
        let members = self.members.iter();
        let complete = members.map(|members| members.iter().all(|&member| is_complete(member)));
        let mut is_complete: Vec<bool> = complete.collect();
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

//! Merges operations into phases that a region defines: each instance of the region is one phase across all
//! locations, and so is the time between two instances.
//!
//! Related operations stay together and move to the latest of their phases. Their successors in the same location
//! move with them, so that phases have an order.

use std::collections::HashMap;

use petgraph::unionfind::UnionFind;

use super::graph::Graph;
use super::lists::Lists;

/// Merges all operations of a phase into one set.
pub(super) fn merge(graph: &Graph, sets: &mut UnionFind<usize>) {
    let labels = sets.clone().into_labeling();
    let owned = labels.iter().enumerate().map(|(own, &set)| (set, own));
    let members = Lists::new(graph.len(), owned);
    let mut phases = vec![0; graph.len()];
    for (operation, &set) in graph.operations.iter().zip(&labels) {
        phases[set] = operation.phase.max(phases[set]);
    }
    let mut raised: Vec<usize> = (0..graph.len()).rev().collect();
    while let Some(set) = raised.pop() {
        for next in members.of(set).iter().filter_map(|&own| graph.next[own]) {
            let successor = labels[next];
            if phases[successor] < phases[set] {
                phases[successor] = phases[set];
                raised.push(successor);
            }
        }
    }
    let mut first_of: HashMap<u64, usize> = HashMap::new();
    for (own, &set) in labels.iter().enumerate() {
        sets.union(own, *first_of.entry(phases[set]).or_insert(own));
    }
}

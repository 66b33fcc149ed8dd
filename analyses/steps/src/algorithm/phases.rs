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
pub(super) fn merge(graph: &Graph, sets: &mut UnionFind<u32>) {
    let labels = sets.clone().into_labeling();
    let owned = labels.iter().enumerate();
    let members = Lists::new(graph.len(), owned.map(|(own, &set)| (set as usize, own)));
    let mut phases = vec![0; graph.len()];
    for (operation, &set) in graph.operations.iter().zip(&labels) {
        let phase = &mut phases[set as usize];
        *phase = operation.phase.max(*phase);
    }
    let mut raised: Vec<usize> = (0..graph.len()).rev().collect();
    while let Some(set) = raised.pop() {
        for next in members.of(set).filter_map(|own| graph.next(own)) {
            let successor = labels[next] as usize;
            if phases[successor] < phases[set] {
                phases[successor] = phases[set];
                raised.push(successor);
            }
        }
    }
    let mut first_of: HashMap<u64, u32> = HashMap::new();
    for (own, &set) in (0..).zip(&labels) {
        let first = first_of.entry(phases[set as usize]).or_insert(own);
        sets.union(own, *first);
    }
}

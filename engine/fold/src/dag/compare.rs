//! Compares two DAGs: nodes with the same content, nodes with the same shape, and all others.

use std::collections::HashMap;

use super::graph::{Edge, Graph, NodeId};
use super::key::{Key, Keys};

/// A node of each DAG, with the same children but different repetitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The node of the first DAG.
    pub before: NodeId,
    /// The node of the second DAG.
    pub after: NodeId,
    /// The order of each changed edge, with its repetitions before and after. Empty if only nodes further below have
    /// changed.
    pub edges: Vec<(usize, u32, u32)>,
}

/// The result of a comparison; each node of both DAGs is in one of the lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Pairs of nodes with the same content.
    pub common: Vec<(NodeId, NodeId)>,
    /// Pairs of nodes that differ only in counts.
    pub changed: Vec<Change>,
    /// Nodes that only the first DAG has.
    pub only_before: Vec<NodeId>,
    /// Nodes that only the second DAG has.
    pub only_after: Vec<NodeId>,
}

/// Compares two graphs by their keys, which must be computed from consistent keys of labels.
#[must_use]
pub fn compare(before: (&Graph, &Keys), after: (&Graph, &Keys)) -> Comparison {
    let mut comparison = Comparison::default();
    let by_content = numbers(&after.1.content);
    let mut is_paired = vec![false; after.0.len()];
    let mut left = Vec::new();
    for node in before.0.nodes() {
        match by_content.get(&before.1.content[node.index()]) {
            Some(&other) => {
                is_paired[other.index()] = true;
                comparison.common.push((node, other));
            }
            None => left.push(node),
        }
    }
    // Nodes of the same shape are paired in the order of their numbers.
    let mut by_shape: HashMap<Key, Vec<NodeId>> = HashMap::new();
    for node in after
        .0
        .nodes()
        .rev()
        .filter(|node| !is_paired[node.index()])
    {
        by_shape
            .entry(after.1.shape[node.index()])
            .or_default()
            .push(node);
    }
    for node in left {
        let same = by_shape.get_mut(&before.1.shape[node.index()]);
        match same.and_then(Vec::pop) {
            Some(other) => {
                is_paired[other.index()] = true;
                comparison.changed.push(Change {
                    before: node,
                    after: other,
                    edges: changes(before.0.edges(node), after.0.edges(other)),
                });
            }
            None => comparison.only_before.push(node),
        }
    }
    let unpaired = after.0.nodes().filter(|node| !is_paired[node.index()]);
    comparison.only_after = unpaired.collect();
    comparison
}

fn numbers(keys: &[Key]) -> HashMap<Key, NodeId> {
    let numbered = keys.iter().zip(0..).map(|(key, node)| (*key, NodeId(node)));
    numbered.collect()
}

fn changes(before: &[Edge], after: &[Edge]) -> Vec<(usize, u32, u32)> {
    let both = before.iter().zip(after).enumerate();
    both.filter(|(_, (before, after))| before.repetitions != after.repetitions)
        .map(|(order, (before, after))| (order, before.repetitions, after.repetitions))
        .collect()
}

//! What two DAGs have in common: nodes of the same content, of the same shape, and all others.

use std::collections::HashMap;

use super::graph::{Edge, Graph, NodeId};
use super::key::{Key, Keys};

/// A node of each of both DAGs with the same children but other repetitions of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The node of the first DAG.
    pub before: NodeId,
    /// The node of the second.
    pub after: NodeId,
    /// Order of the edges that changed, with their repetitions before and after. Empty where only
    /// nodes further below have changed.
    pub edges: Vec<(usize, u32, u32)>,
}

/// What comparing has found; each node of both DAGs is in one of the lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Nodes that both have.
    pub common: Vec<(NodeId, NodeId)>,
    /// Nodes whose counts differ.
    pub changed: Vec<Change>,
    /// Nodes that only the first has.
    pub only_before: Vec<NodeId>,
    /// Nodes that only the second has.
    pub only_after: Vec<NodeId>,
}

/// Compares two graphs by their keys, which say the same of labels.
#[must_use]
pub fn compare(before: (&Graph, &Keys), after: (&Graph, &Keys)) -> Comparison {
    let mut found = Comparison::default();
    let by_content = numbers(&after.1.content);
    let mut is_met = vec![false; after.0.len()];
    let mut left = Vec::new();
    for node in before.0.nodes() {
        match by_content.get(&before.1.content[node.index()]) {
            Some(&other) => {
                is_met[other.index()] = true;
                found.common.push((node, other));
            }
            None => left.push(node),
        }
    }
    // Nodes of one shape are paired in the order of their numbers.
    let mut by_shape: HashMap<Key, Vec<NodeId>> = HashMap::new();
    for node in after.0.nodes().rev().filter(|node| !is_met[node.index()]) {
        by_shape
            .entry(after.1.shape[node.index()])
            .or_default()
            .push(node);
    }
    for node in left {
        let same = by_shape.get_mut(&before.1.shape[node.index()]);
        match same.and_then(Vec::pop) {
            Some(other) => {
                is_met[other.index()] = true;
                found.changed.push(Change {
                    before: node,
                    after: other,
                    edges: changes(before.0.edges(node), after.0.edges(other)),
                });
            }
            None => found.only_before.push(node),
        }
    }
    let unmet = after.0.nodes().filter(|node| !is_met[node.index()]);
    found.only_after = unmet.collect();
    found
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

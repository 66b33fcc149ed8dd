//! Keys of nodes by content: two nodes of whatever traces have the same key if they are the same.

use super::graph::{Graph, NodeId, NodeKind};

/// A BLAKE3 hash of a node's label, kind, and children in order.
pub type Key = [u8; 32];

/// Both keys of every node of a graph.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// With the repetitions of all edges.
    pub content: Vec<Key>,
    /// The same without repetitions: the same for nodes that differ in counts alone.
    pub shape: Vec<Key>,
}

impl Keys {
    /// The keys of `graph`. Labels mean the same in all traces: `labels` has a key for each.
    #[must_use]
    pub fn of(graph: &Graph, labels: &[Key]) -> Self {
        let mut keys = Self::default();
        for node in graph.nodes() {
            let content = keys.hash(graph, labels, node, true);
            let shape = keys.hash(graph, labels, node, false);
            keys.content.push(content);
            keys.shape.push(shape);
        }
        keys
    }

    fn hash(&self, graph: &Graph, labels: &[Key], node: NodeId, with_counts: bool) -> Key {
        let of_children = if with_counts {
            &self.content
        } else {
            &self.shape
        };
        let mut hasher = blake3::Hasher::new();
        let kind = graph.kind(node);
        hasher.update(&[kind as u8]);
        if kind != NodeKind::Root
            && let Some(label) = labels.get(graph.label(node) as usize)
        {
            hasher.update(label);
        }
        for edge in graph.edges(node) {
            hasher.update(&of_children[edge.node.index()]);
            if with_counts {
                hasher.update(&[edge.kind as u8]);
                hasher.update(&edge.repetitions.to_le_bytes());
            }
        }
        hasher.finalize().into()
    }
}

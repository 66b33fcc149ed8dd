//! Computes keys of nodes from their content, so equal nodes of any two traces have the same key.

use super::graph::{Graph, NodeId, NodeKind};

/// A BLAKE3 hash of a node's label, kind, and children in order.
pub type Key = [u8; 32];

/// The content keys and shape keys of all nodes of a graph.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// Keys that include the kinds and repetitions of all edges.
    pub content: Vec<Key>,
    /// Keys without the kinds and repetitions of edges, which are equal for nodes that differ only in counts.
    pub shape: Vec<Key>,
}

/// The number of bytes that are hashed together: BLAKE3 is several times as fast on long pieces.
const PIECE: usize = 1 << 14;

impl Keys {
    /// Computes the keys of `graph`. `labels` contains a key for each label, which has the same meaning in all
    /// traces.
    #[must_use]
    pub fn new(graph: &Graph, labels: &[Key]) -> Self {
        let mut keys = Self::default();
        let mut piece = Vec::with_capacity(2 * PIECE);
        for node in graph.nodes() {
            let content = keys.hash(graph, labels, node, true, &mut piece);
            let shape = keys.hash(graph, labels, node, false, &mut piece);
            keys.content.push(content);
            keys.shape.push(shape);
        }
        keys
    }

    /// Returns the key of a node whose children have keys; `piece` is a buffer.
    fn hash(
        &self,
        graph: &Graph,
        labels: &[Key],
        node: NodeId,
        with_counts: bool,
        piece: &mut Vec<u8>,
    ) -> Key {
        let of_children = if with_counts {
            &self.content
        } else {
            &self.shape
        };
        let mut hasher = blake3::Hasher::new();
        piece.clear();
        let kind = graph.kind(node);
        piece.push(kind as u8);
        if kind != NodeKind::Root
            && let Some(label) = labels.get(graph.label(node) as usize)
        {
            piece.extend(label);
        }
        for edge in graph.edges(node) {
            piece.extend(&of_children[edge.node.index()]);
            if with_counts {
                piece.push(edge.kind as u8);
                piece.extend(edge.repetitions.to_le_bytes());
            }
            if piece.len() >= PIECE {
                hasher.update(piece);
                piece.clear();
            }
        }
        hasher.update(piece).finalize().into()
    }
}

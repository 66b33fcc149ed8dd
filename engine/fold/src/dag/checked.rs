//! Checks nodes from outside, such as from a file, before a graph relies on them.

use std::fmt;

use super::graph::{Edge, EdgeKind, Graph, NodeId, NodeKind};

/// The reason why a node cannot be part of a graph. Edges are identified by their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadNode {
    /// An edge leads to a node that does not precede this one, so there may be a cycle.
    Later(usize),
    /// An edge leads to a root.
    Root(usize),
    /// An edge has no repetitions.
    NoRepetitions(usize),
    /// A regular edge has several repetitions.
    Repeats(usize),
    /// A recursive edge leads to a different call from the one it begins at, or does not begin at a call.
    OtherCall(usize),
    /// An edge is recursive, and so is one before it.
    SecondRecursion(usize),
    /// A leaf has edges.
    Leaf,
    /// The graph has more nodes than 32 bits can number.
    TooMany,
}

impl fmt::Display for BadNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Later(edge) => write!(f, "edge {edge} leads to a node that comes later"),
            Self::Root(edge) => write!(f, "edge {edge} leads to a root"),
            Self::NoRepetitions(edge) => write!(f, "edge {edge} has 0 repetitions"),
            Self::Repeats(edge) => write!(f, "edge {edge} is regular but has several repetitions"),
            Self::OtherCall(edge) => {
                write!(
                    f,
                    "edge {edge} is recursive but does not lead to the same call"
                )
            }
            Self::SecondRecursion(edge) => {
                write!(f, "edge {edge} is recursive, and so is an earlier edge")
            }
            Self::Leaf => f.write_str("a leaf has edges"),
            Self::TooMany => f.write_str("there are more nodes than 32 bits can number"),
        }
    }
}

impl std::error::Error for BadNode {}

impl Graph {
    /// Appends a node, even if there is one with the same content.
    ///
    /// # Errors
    /// Returns an error if the node cannot be part of a graph; the graph is then unchanged.
    pub fn push(&mut self, kind: NodeKind, label: u64, edges: &[Edge]) -> Result<NodeId, BadNode> {
        if self.len() >= u32::MAX as usize {
            return Err(BadNode::TooMany);
        }
        if kind.is_leaf() && !edges.is_empty() {
            return Err(BadNode::Leaf);
        }
        let mut is_recursive = false;
        for (order, edge) in edges.iter().enumerate() {
            if edge.node.index() >= self.len() {
                return Err(BadNode::Later(order));
            }
            if self.kind(edge.node) == NodeKind::Root {
                return Err(BadNode::Root(order));
            }
            match (edge.kind, edge.repetitions) {
                (_, 0) => return Err(BadNode::NoRepetitions(order)),
                (EdgeKind::Regular, 2..) => return Err(BadNode::Repeats(order)),
                (EdgeKind::Regular | EdgeKind::Sequence, _) => {}
                (EdgeKind::Recursive, _) if is_recursive => {
                    return Err(BadNode::SecondRecursion(order));
                }
                (EdgeKind::Recursive, _) => {
                    let is_same = self.kind(edge.node) == kind && self.label(edge.node) == label;
                    if !kind.is_call() || !is_same {
                        return Err(BadNode::OtherCall(order));
                    }
                    is_recursive = true;
                }
            }
        }
        Ok(self.append(kind, label, edges))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_nodes_are_rejected() {
        let mut graph = Graph::default();
        let leaf = graph.push(NodeKind::Leaf, 1, &[]).unwrap();
        let call = graph.push(NodeKind::Call, 2, &[Edge::to(leaf)]).unwrap();
        let root = graph.push(NodeKind::Root, 0, &[Edge::to(call)]).unwrap();
        let edge = |node, repetitions, kind| Edge {
            node,
            repetitions,
            kind,
        };
        let recursive = edge(call, 3, EdgeKind::Recursive);
        let cases = [
            (NodeKind::Leaf, 1, vec![Edge::to(leaf)], BadNode::Leaf),
            (
                NodeKind::Call,
                2,
                vec![Edge::to(NodeId(3))],
                BadNode::Later(0),
            ),
            (
                NodeKind::Root,
                0,
                vec![Edge::to(call), Edge::to(root)],
                BadNode::Root(1),
            ),
            (
                NodeKind::Call,
                2,
                vec![edge(leaf, 0, EdgeKind::Sequence)],
                BadNode::NoRepetitions(0),
            ),
            (
                NodeKind::Call,
                2,
                vec![edge(leaf, 2, EdgeKind::Regular)],
                BadNode::Repeats(0),
            ),
            (NodeKind::Call, 3, vec![recursive], BadNode::OtherCall(0)),
            (
                NodeKind::OpenCall,
                2,
                vec![recursive],
                BadNode::OtherCall(0),
            ),
            (
                NodeKind::Call,
                2,
                vec![recursive, recursive],
                BadNode::SecondRecursion(1),
            ),
        ];
        for (kind, label, edges, expected) in cases {
            assert_eq!(graph.push(kind, label, &edges), Err(expected));
            assert!(!expected.to_string().is_empty());
        }
        assert_eq!(graph.len(), 3);
        let nested = graph.push(NodeKind::Call, 2, &[recursive]).unwrap();
        assert_eq!(graph.length(nested), 3 + 3 + 3);
    }
}

//! The form in which a graph is saved, for other tasks: its nodes, which are checked when they come back.

use serde::{Deserialize, Serialize};

use super::checked::BadNode;
use super::graph::{Edge, Graph, NodeKind};

/// The nodes of a graph, children before parents: their kinds, labels and edges.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedGraph(Vec<(NodeKind, u64, Vec<Edge>)>);

impl From<Graph> for SavedGraph {
    fn from(graph: Graph) -> Self {
        let nodes = graph.nodes();
        let nodes = nodes.map(|node| {
            let edges = graph.edges(node).to_vec();
            (graph.kind(node), graph.label(node), edges)
        });
        Self(nodes.collect())
    }
}

impl TryFrom<SavedGraph> for Graph {
    type Error = BadNode;

    fn try_from(SavedGraph(nodes): SavedGraph) -> Result<Self, Self::Error> {
        let mut graph = Self::default();
        for (kind, label, edges) in nodes {
            graph.push(kind, label, &edges)?;
        }
        Ok(graph)
    }
}

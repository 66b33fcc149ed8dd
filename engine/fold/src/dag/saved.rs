//! The form in which a graph is saved, for other tasks: its nodes, which are checked when they come back.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::graph::{Edge, Graph, NodeKind};

impl Serialize for Graph {
    /// Saves the kinds, labels and edges of the nodes, children before parents.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nodes = self.nodes();
        let nodes = nodes.map(|node| (self.kind(node), self.label(node), self.edges(node)));
        serializer.collect_seq(nodes)
    }
}

impl<'de> Deserialize<'de> for Graph {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let nodes = Vec::<(NodeKind, u64, Vec<Edge>)>::deserialize(deserializer)?;
        let mut graph = Self::default();
        for (kind, label, edges) in nodes {
            graph.push(kind, label, &edges).map_err(D::Error::custom)?;
        }
        Ok(graph)
    }
}

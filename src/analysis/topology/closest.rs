//! What comes closest to a graph that is no topology of the library.

use super::{Candidate, Graph, Topology};

/// The topology that comes closest to a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closest {
    /// The topology.
    pub topology: Topology,
    /// The node of the topology for each node of the graph.
    pub nodes: Vec<u32>,
    /// Edges that the topology has and the graph has not, by nodes of the graph, the smaller one first.
    pub missing: Vec<(u32, u32)>,
    /// Edges that the graph has and the topology has not, likewise.
    pub extra: Vec<(u32, u32)>,
    /// Why the graph is not the topology, in sentences.
    pub why: Vec<String>,
}

pub(super) fn closest(graph: &Graph, candidates: &[Candidate]) -> Option<Closest> {
    let _ = (graph, candidates);
    None
}

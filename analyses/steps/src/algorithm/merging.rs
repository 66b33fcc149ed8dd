//! Merges partitions beyond those that have to be merged, as the options of the user request.

use petgraph::unionfind::UnionFind;

use super::graph::Graph;
use super::partitions::Partitions;
use super::{leaps, phases};

/// Options for merging partitions beyond those that have to be merged.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Merging {
    pub leaps: bool,
    pub phases: bool,
}

impl Merging {
    /// Returns whether merging needs all operations of the trace.
    pub fn needs_all(self) -> bool {
        self.leaps || self.phases
    }
    /// Divides the operations of a graph into partitions. Operations in the same set are in the same partition.
    pub fn partitions(self, graph: &Graph, mut sets: UnionFind<usize>) -> Partitions {
        if self.phases {
            phases::merge(graph, &mut sets);
        }
        let partitions = Partitions::ordered(graph, &sets);
        if !self.leaps {
            return partitions;
        }
        leaps::merge(graph, &partitions, &mut sets);
        Partitions::ordered(graph, &sets)
    }
}

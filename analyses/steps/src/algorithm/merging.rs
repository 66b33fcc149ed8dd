//! Merges partitions beyond those that have to be merged, as the options of the user request.

use petgraph::unionfind::UnionFind;

use super::graph::Graph;
use super::partitions::Partitions;
use super::phases;

/// Options for merging partitions beyond those that have to be merged.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Merging {
    pub leaps: bool,
    pub phases: bool,
}

impl Merging {
    /// Returns whether partitions are merged.
    pub const fn is_requested(self) -> bool {
        self.leaps || self.phases
    }

    /// Divides the operations of a graph into partitions, before these are merged into leaps. Operations in the same
    /// set are in the same partition.
    pub fn partitions(self, graph: &Graph, sets: &mut UnionFind<u32>) -> Partitions {
        if self.phases {
            phases::merge(graph, sets);
        }
        Partitions::ordered(graph, sets)
    }
}

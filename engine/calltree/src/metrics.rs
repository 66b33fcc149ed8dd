//! Finds the metric events of a DAG. A trace may have one next to each enter and leave, so pictures are
//! clearer without them.

use foldtrace_fold::dag::{Dag, NodeId, NodeKind};
use foldtrace_trace::{EventKind, SymbolTable};

/// The nodes that are metric events, and the roots of locations that have only metric events.
#[derive(Clone, Debug, Default)]
pub struct MetricNodes {
    is_metric: Vec<bool>,
}

impl MetricNodes {
    /// Finds the metric nodes of a DAG whose labels refer to `symbols`.
    #[must_use]
    pub fn in_dag(dag: &Dag, symbols: &SymbolTable) -> Self {
        let graph = &dag.graph;
        let mut is_metric = vec![false; graph.len()];
        for node in graph.nodes() {
            let kind = graph.kind(node);
            is_metric[node.index()] = if kind == NodeKind::Root {
                let edges = graph.edges(node);
                !edges.is_empty() && edges.iter().all(|edge| is_metric[edge.node.index()])
            } else {
                let symbol = dag.symbol(node);
                kind.is_leaf() && symbol.is_some_and(|s| symbols.kind(s) == EventKind::Metric)
            };
        }
        Self { is_metric }
    }

    /// Returns whether a node is a metric event, or the root of a location that has only metric events.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.is_metric.get(node.index()).copied().unwrap_or(false)
    }

    /// Returns the number of locations that have only metric events.
    #[must_use]
    pub fn locations(&self, dag: &Dag) -> usize {
        let roots = dag.roots.iter();
        roots.filter(|root| self.contains(root.node)).count()
    }
}

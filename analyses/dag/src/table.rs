//! Computes table 1 of the paper on MTF: the numbers of nodes, edges and messages before and after compaction.

use foldtrace_fold::dag::{Children, Dag, Rules};
use foldtrace_matching::Links;
use serde::{Deserialize, Serialize};

/// The numbers of nodes, edges and messages of a DAG or of call trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Counts {
    /// Calls, other events, and one root per location.
    pub nodes: u64,
    /// Edges from nodes to their children; with folded child lists, children and loops as written.
    pub edges: u64,
    /// Messages with both ends.
    pub messages: u64,
}

impl Counts {
    /// Returns the sum of all counts.
    #[must_use]
    pub const fn sum(self) -> u64 {
        self.nodes + self.edges + self.messages
    }

    /// Returns the compaction rate from `before` to these counts, in percent.
    fn compaction(self, before: Self) -> f64 {
        if before.sum() == 0 {
            return 0.0;
        }
        100.0 * (1.0 - self.sum() as f64 / before.sum() as f64)
    }
}

/// The counts of a DAG whose child lists are folded into loops.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Folded {
    /// The counts. Edges are constructs here: children and loops as written.
    #[serde(flatten)]
    pub counts: Counts,
    /// Compaction rate in percent: `100 (1 - folded / before)`.
    #[cfg_attr(feature = "schema", schemars(range(max = 100)))]
    pub compaction: f64,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Table {
    /// The number of locations.
    pub locations: u64,
    /// The counts of the call trees.
    pub before: Counts,
    /// The counts of the DAG, by the rules of the paper.
    pub after: Counts,
    /// Compaction rate in percent: `100 (1 - after / before)`.
    #[cfg_attr(feature = "schema", schemars(range(max = 100)))]
    pub compaction: f64,
    /// The counts of the DAG with child lists folded into loops, which goes beyond the paper.
    pub folded: Folded,
}

/// Returns the row of a DAG that was built with `rules`. `children` contains the children of all its nodes.
#[must_use]
pub fn table(dag: &Dag, links: &Links, children: &Children, rules: Rules) -> Table {
    let graph = &dag.graph;
    let sizes = graph.tree_sizes();
    let nodes = dag.roots.iter().map(|root| sizes[root.node.index()]).sum();
    let before = Counts {
        nodes,
        edges: nodes - dag.roots.len() as u64,
        messages: links.messages,
    };
    let messages = if rules.messages {
        links.links.len() as u64
    } else {
        links.messages
    };
    let after = Counts {
        nodes: graph.len() as u64,
        edges: graph.all_edges().len() as u64,
        messages,
    };
    let folded = Counts {
        edges: children.terms(graph),
        ..after
    };
    Table {
        locations: dag.roots.len() as u64,
        before,
        after,
        compaction: after.compaction(before),
        folded: Folded {
            counts: folded,
            compaction: folded.compaction(before),
        },
    }
}

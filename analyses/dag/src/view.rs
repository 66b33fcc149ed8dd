//! Selects the part of a DAG that a picture shows: nodes down to a depth, and one line from a parent to each child.

use std::collections::BTreeMap;

use foldtrace_calltree::MetricNodes;
use foldtrace_fold::dag::{Dag, EdgeKind, NodeId};

use crate::Times;

/// The limits of the part of a DAG that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The maximum depth of nested calls, counted from the roots.
    pub depth: usize,
    /// The minimum share of the time that a node takes, in percent.
    pub min_percent: f64,
    /// The maximum number of children of a node: lines in a tree, different nodes in a picture.
    pub children: usize,
}

/// The number of occurrences of each node, and its share of the time.
#[derive(Clone, Debug)]
pub struct Shares {
    /// The number of occurrences in all locations, by node.
    pub occurrences: Vec<u64>,
    times: Option<Times>,
}

impl Shares {
    /// Creates the shares of a DAG. Without `times`, only the occurrences are known.
    #[must_use]
    pub fn new(dag: &Dag, times: Option<Times>) -> Self {
        Self {
            occurrences: dag.occurrences(),
            times,
        }
    }

    /// Returns the share of the time of all locations that a call or a root takes, including the calls within it, in
    /// percent. Returns `None` for other events, and if there are no times.
    #[must_use]
    pub fn percent(&self, dag: &Dag, node: NodeId) -> Option<f64> {
        let times = self.times.as_ref().filter(|times| times.total > 0)?;
        if dag.graph.kind(node).is_leaf() {
            return None;
        }
        let ticks = times.inclusive.get(node.index()).copied()?;
        Some(100.0 * ticks as f64 / times.total as f64)
    }
}

/// A node of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The node.
    pub node: NodeId,
    /// Other nodes that it represents.
    pub others: Vec<NodeId>,
    /// The length of the longest path from a root, in edges of the picture.
    pub layer: usize,
}

/// A line of the picture: all edges from a node to one of its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The parent.
    pub from: NodeId,
    /// The child.
    pub to: NodeId,
    /// The position of the first edge among the edges of the parent.
    pub order: usize,
    /// The number of edges.
    pub edges: u64,
    /// The number of occurrences of the child in one occurrence of the parent; the greatest one if the parent represents several.
    pub times: u64,
    /// The least number.
    pub least: u64,
    /// The number of levels in which the parent nests in itself around the child, if the edge is recursive.
    pub levels: Option<u32>,
}

impl Line {
    /// Returns the label of the line.
    #[must_use]
    pub fn text(&self) -> String {
        match (self.levels, self.times) {
            (Some(levels), _) => format!("nests ×{levels}"),
            (None, 1) => String::new(),
            (None, times) if self.least < times => format!("×{} to {times}", self.least),
            (None, times) => format!("×{times}"),
        }
    }
}

/// The part of a DAG that a picture shows.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The nodes, parents before children.
    pub nodes: Vec<Shown>,
    /// The lines, by parent and order.
    pub lines: Vec<Line>,
    /// The number of nodes that are not shown, not counting those that were left out.
    pub hidden: usize,
    /// Whether nodes that are alike are united.
    pub is_united: bool,
}

impl View {
    /// Selects the nodes within `extent`, except those in `left_out`.
    #[must_use]
    pub fn new(dag: &Dag, shares: &Shares, extent: Extent, left_out: &MetricNodes) -> Self {
        let graph = &dag.graph;
        let is_shown = |node| {
            let percent = shares.percent(dag, node);
            percent.unwrap_or(0.0) >= extent.min_percent && !left_out.contains(node)
        };
        // The shortest path from a root decides whether a node is shown, the longest path decides in which layer.
        let mut shortest: Vec<Option<usize>> = vec![None; graph.len()];
        let roots = dag.roots.iter();
        for root in roots.filter(|root| !left_out.contains(root.node)) {
            shortest[root.node.index()] = Some(0);
        }
        let mut layers = vec![0; graph.len()];
        let mut view = Self::default();
        for node in graph.nodes().rev() {
            let Some(way) = shortest[node.index()] else {
                view.hidden += usize::from(!left_out.contains(node));
                continue;
            };
            view.nodes.push(Shown {
                node,
                others: Vec::new(),
                layer: layers[node.index()],
            });
            if way >= extent.depth {
                continue;
            }
            let mut lines: BTreeMap<NodeId, Line> = BTreeMap::new();
            for (order, edge) in graph.edges(node).iter().enumerate() {
                if !is_shown(edge.node) {
                    continue;
                }
                if lines.len() == extent.children && !lines.contains_key(&edge.node) {
                    continue;
                }
                let line = lines.entry(edge.node).or_insert(Line {
                    from: node,
                    to: edge.node,
                    order,
                    edges: 0,
                    times: 0,
                    least: 0,
                    levels: None,
                });
                line.edges += 1;
                line.times += edge.times();
                line.least = line.times;
                if edge.kind == EdgeKind::Recursive {
                    line.levels = Some(edge.repetitions);
                }
                let below = &mut shortest[edge.node.index()];
                *below = Some(below.map_or(way + 1, |known| known.min(way + 1)));
                let layer = &mut layers[edge.node.index()];
                *layer = (*layer).max(layers_below(view.nodes.last()));
            }
            let mut lines: Vec<_> = lines.into_values().collect();
            lines.sort_by_key(|line| line.order);
            view.lines.append(&mut lines);
        }
        view
    }
}

impl Shown {
    /// Returns all nodes that it represents.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        [self.node].into_iter().chain(self.others.iter().copied())
    }
}

fn layers_below(parent: Option<&Shown>) -> usize {
    parent.map_or(0, |parent| parent.layer + 1)
}

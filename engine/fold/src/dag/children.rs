//! Folds child lists into nested loops, a rule that goes beyond the paper, where many edges remain.

use std::collections::BTreeMap;

use foldtrace_trace::{EventKind, Symbol, SymbolId, SymbolTable};
use rayon::prelude::*;

use super::graph::{Graph, NodeId};
use crate::{Construct, Folder, Model, Shapes};

/// The maximum number of repetitions of a child that are pushed into the folder at once.
const SLICE: usize = 1 << 12;

/// A placeholder for the symbol of a node that is nobody's child.
const UNUSED: SymbolId = SymbolId::new(u32::MAX);

/// The minimum number of edges to one child for which a child list is folded.
const FOLDED_FROM: u32 = 3;

/// The children of each node as constructs. An event of these models is a child: its symbol in [`Children::table`]
/// identifies a node.
#[derive(Clone, Debug)]
pub struct Children {
    models: BTreeMap<NodeId, Model>,
    table: SymbolTable,
}

impl Children {
    /// Folds the children of all nodes, with loop bodies of at most `max_body` terms. Lists in which no child occurs
    /// often enough for a loop are left unchanged.
    #[must_use]
    pub fn folded(graph: &Graph, max_body: usize) -> Self {
        let mut child_counts = ChildCounts::new(graph.len());
        let folded = graph
            .nodes()
            .filter(|&node| child_counts.has_repeats(graph, node));
        let folded: Vec<NodeId> = folded.collect();
        let mut table = SymbolTable::default();
        let mut symbols = vec![UNUSED; graph.len()];
        for edge in folded.iter().flat_map(|&node| graph.edges(node)) {
            let child = u64::from(edge.node.0);
            let symbol = &mut symbols[edge.node.index()];
            if *symbol == UNUSED {
                *symbol = table.intern(Symbol::new(EventKind::Enter, &[child]));
            }
        }
        let mut shapes = Shapes::default();
        shapes.update(&table);
        let models = folded.into_par_iter().map(|node| {
            let model = fold(graph, node, max_body, &symbols, &table, &shapes);
            (node, model)
        });
        Self {
            models: models.collect(),
            table,
        }
    }

    /// Returns the constructs of a node's children, or `None` if they were left unchanged.
    #[must_use]
    pub fn model(&self, node: NodeId) -> Option<&Model> {
        self.models.get(&node)
    }

    /// Returns the symbols of the models, for expanding them.
    #[must_use]
    pub fn table(&self) -> &SymbolTable {
        &self.table
    }

    /// Returns the node that an event of a model represents.
    #[must_use]
    pub fn node(&self, symbol: SymbolId) -> NodeId {
        NodeId(self.table.symbol(symbol).operands[0] as u32)
    }

    /// Returns the number of constructs that represent the edges of `graph`: for each node, the terms of its model or
    /// its edges, whichever are fewer.
    #[must_use]
    pub fn terms(&self, graph: &Graph) -> u64 {
        let terms = graph.nodes().map(|node| match self.model(node) {
            Some(model) => model.terms().min(graph.edges(node).len() as u64),
            None => graph.edges(node).len() as u64,
        });
        terms.sum()
    }
}

/// The number of edges of one node to each child.
struct ChildCounts {
    counts: Vec<u32>,
}

impl ChildCounts {
    fn new(nodes: usize) -> Self {
        Self {
            counts: vec![0; nodes],
        }
    }

    /// Returns whether enough edges of a node lead to one child for a loop.
    fn has_repeats(&mut self, graph: &Graph, node: NodeId) -> bool {
        let edges = graph.edges(node);
        let mut most = 0;
        for edge in edges {
            let count = &mut self.counts[edge.node.index()];
            *count += 1;
            most = most.max(*count);
        }
        for edge in edges {
            self.counts[edge.node.index()] = 0;
        }
        most >= FOLDED_FROM
    }
}

/// Folds the children of a node. The nested call of a recursive edge is one of them.
fn fold(
    graph: &Graph,
    node: NodeId,
    max_body: usize,
    symbols: &[SymbolId],
    table: &SymbolTable,
    shapes: &Shapes,
) -> Model {
    let mut folder = Folder::new(max_body);
    let mut settled: Vec<Construct> = Vec::new();
    let mut same: Vec<SymbolId> = Vec::new();
    for edge in graph.edges(node) {
        let mut left = edge.times();
        while left > 0 {
            let now = left.min(SLICE as u64);
            same.clear();
            same.resize(now as usize, symbols[edge.node.index()]);
            folder.push(&same, table, shapes);
            left -= now;
        }
        settled.append(&mut folder.take_settled());
    }
    let rest = folder.finish(table, shapes);
    settled.extend_from_slice(&rest.constructs);
    Model {
        constructs: settled.into(),
        events: rest.events,
    }
}

//! Child lists as nested loops: the rule beyond the paper, whose edges stayed many.

use foldtrace_trace::{EventKind, Symbol, SymbolId, SymbolTable};
use rayon::prelude::*;

use super::graph::{Graph, NodeId};
use crate::fold::{Construct, Folder, Model, Shapes};

/// Children of the same node that are pushed into the folder at once.
const SLICE: usize = 1 << 12;

/// The children of each node as constructs. An event of these models is a child: its symbol in
/// [`Children::table`] is its number as a node.
#[derive(Clone, Debug)]
pub struct Children {
    models: Vec<Option<Model>>,
    table: SymbolTable,
}

impl Children {
    /// Folds the children of all nodes, with bodies of up to `max_body` terms.
    #[must_use]
    pub fn of(graph: &Graph, max_body: usize) -> Self {
        Self::of_those(graph, max_body, |_| true)
    }

    /// The same of some nodes.
    #[must_use]
    pub fn of_those(
        graph: &Graph,
        max_body: usize,
        is_wanted: impl Fn(NodeId) -> bool + Sync,
    ) -> Self {
        let mut table = SymbolTable::default();
        for node in graph.nodes() {
            table.intern(Symbol::new(EventKind::Enter, &[u64::from(node.0)]));
        }
        let mut shapes = Shapes::default();
        shapes.update(&table);
        let models = (0..graph.len() as u32).into_par_iter().map(|node| {
            let node = NodeId(node);
            let is_folded = is_wanted(node) && graph.edges(node).len() > 1;
            is_folded.then(|| fold(graph, node, max_body, &table, &shapes))
        });
        Self {
            models: models.collect(),
            table,
        }
    }

    /// The constructs of a node's children; `None` if it was not folded, as a node is not that has
    /// less than two edges.
    #[must_use]
    pub fn model(&self, node: NodeId) -> Option<&Model> {
        self.models.get(node.index())?.as_ref()
    }

    /// The symbols of the models, for expanding them.
    #[must_use]
    pub fn table(&self) -> &SymbolTable {
        &self.table
    }

    /// The node that an event of a model is.
    #[must_use]
    pub fn node(&self, symbol: SymbolId) -> NodeId {
        NodeId(symbol.0)
    }

    /// Constructs of all nodes of `graph`: what is left of its edges.
    #[must_use]
    pub fn terms(&self, graph: &Graph) -> u64 {
        let terms = graph.nodes().map(|node| match self.model(node) {
            Some(model) => model.terms().min(graph.edges(node).len() as u64),
            None => graph.edges(node).len() as u64,
        });
        terms.sum()
    }
}

/// Folds the children of a node, the nested call of a recursive edge as one of them.
fn fold(
    graph: &Graph,
    node: NodeId,
    max_body: usize,
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
            same.resize(now as usize, SymbolId(edge.node.0));
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

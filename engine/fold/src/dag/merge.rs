//! Merges the graphs of all locations into one.

use foldtrace_trace::{LocationId, SymbolId};

use super::Roles;
use super::graph::{Edge, Graph, NodeId, NodeKind};
use super::labels::{LabelId, Labels, Variants};
use super::visit::{Visit, Visits};

/// The root node of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The location.
    pub location: LocationId,
    /// Its node; locations that do the same share one.
    pub node: NodeId,
}

/// The ordered DAG of a program.
#[derive(Clone, Debug, Default)]
pub struct Dag {
    /// The nodes and edges; labels of nodes are numbers of `labels`.
    pub graph: Graph,
    /// The labels of nodes.
    pub labels: Labels,
    /// The locations in ascending order of their ids.
    pub roots: Vec<Root>,
}

impl Dag {
    /// Merges the graphs of locations, each given with its root, as built by a [`Grower`](super::Grower).
    /// `representatives` contains, for each row of the table of symbols, the row that represents all equal ones. The
    /// order in which locations are given does not matter: nodes are numbered in the order of the locations' ids.
    #[must_use]
    pub fn merge(
        mut locations: Vec<(LocationId, Graph, NodeId)>,
        representatives: &[SymbolId],
    ) -> Self {
        locations.sort_by_key(|&(location, ..)| location);
        let mut dag = Self::default();
        for (location, graph, root) in locations {
            dag.absorb(location, &graph, root, representatives);
        }
        dag
    }

    fn absorb(
        &mut self,
        location: LocationId,
        graph: &Graph,
        root: NodeId,
        representatives: &[SymbolId],
    ) {
        self.graph.make_room(graph);
        let mut variants = Variants::default();
        let mut merged: Vec<NodeId> = Vec::with_capacity(graph.len());
        let mut edges: Vec<Edge> = Vec::new();
        for node in graph.nodes() {
            edges.clear();
            edges.extend(graph.edges(node).iter().map(|edge| Edge {
                node: merged[edge.node.index()],
                ..*edge
            }));
            let kind = graph.kind(node);
            let label = if kind == NodeKind::Root {
                0
            } else {
                let symbol = SymbolId::from(graph.label(node));
                let representative = representatives.get(symbol.row());
                let representative = representative.map_or(symbol, |&row| symbol.in_row(row));
                variants
                    .label(location, symbol, representative, &mut self.labels)
                    .into()
            };
            merged.push(self.graph.intern(kind, label, &edges).0);
        }
        self.roots.push(Root {
            location,
            node: merged[root.index()],
        });
    }

    /// Returns the label of a node, or `None` for a root.
    #[must_use]
    pub fn label(&self, node: NodeId) -> Option<LabelId> {
        (self.graph.kind(node) != NodeKind::Root).then(|| LabelId::from(self.graph.label(node)))
    }

    /// Returns the symbol that represents the first event of a node in all locations, or `None` for a root.
    #[must_use]
    pub fn symbol(&self, node: NodeId) -> Option<SymbolId> {
        Some(self.labels.get(self.label(node)?)?.symbol)
    }

    /// Returns the events of a location, as the location's own symbols.
    pub fn events<'a>(
        &'a self,
        root: Root,
        roles: &'a Roles,
    ) -> impl Iterator<Item = SymbolId> + 'a {
        let visits = Visits::new(&self.graph, root.node);
        visits.filter_map(move |visit| {
            let own = self
                .labels
                .symbol(root.location, self.label(visit.node())?)?;
            match visit {
                Visit::Leaf(_) | Visit::Enter(_) => Some(own),
                Visit::End(_) if visit.is_event(&self.graph) => roles.leave(own),
                Visit::End(_) => None,
            }
        })
    }

    /// Returns how often each node occurs in all locations together.
    #[must_use]
    pub fn occurrences(&self) -> Vec<u64> {
        self.graph
            .occurrences(self.roots.iter().map(|root| root.node))
    }

    /// Returns the DAG without sharing: each edge has a child of its own, so the graph is a forest.
    #[must_use]
    pub fn unshared(&self) -> Self {
        let mut tree = Graph::default();
        let roots = self.roots.iter().map(|&root| Root {
            node: self.graph.copy_tree(root.node, &mut tree),
            ..root
        });
        let roots = roots.collect();
        Self {
            graph: tree,
            labels: self.labels.clone(),
            roots,
        }
    }
}

impl Graph {
    /// Appends the tree below `node` to `tree`, with one node per edge, and returns the root of that tree.
    fn copy_tree(&self, node: NodeId, tree: &mut Self) -> NodeId {
        // The nodes on the current path, each with the number of its finished edges and the start of its copied
        // edges, which share one stack.
        let mut open = vec![(node, 0, 0)];
        let mut edges: Vec<Edge> = Vec::new();
        let mut last = node;
        while let Some((node, done, from)) = open.last_mut() {
            match self.edges(*node).get(*done) {
                Some(edge) => {
                    *done += 1;
                    let from = edges.len();
                    open.push((edge.node, 0, from));
                }
                None => {
                    let (node, from) = (*node, *from);
                    last = tree.append(self.kind(node), self.label(node), &edges[from..]);
                    edges.truncate(from);
                    open.pop();
                    if let Some((parent, done, _)) = open.last() {
                        edges.push(Edge {
                            node: last,
                            ..self.edges(*parent)[*done - 1]
                        });
                    }
                }
            }
        }
        last
    }
}

//! Walks the call tree that a graph represents, the exact inverse of growing the graph.

use super::graph::{Graph, NodeId, NodeKind, Stretch};

/// A step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// A leaf, which is an event.
    Leaf(NodeId),
    /// A call is entered, which is an event.
    Enter(NodeId),
    /// A call ends, which is an event unless it is an [`OpenCall`](NodeKind::OpenCall).
    End(NodeId),
}

impl Visit {
    /// Returns the node.
    #[must_use]
    pub const fn node(self) -> NodeId {
        match self {
            Self::Leaf(node) | Self::Enter(node) | Self::End(node) => node,
        }
    }

    /// Returns whether the step is an event of `graph`.
    #[must_use]
    pub fn is_event(self, graph: &Graph) -> bool {
        match self {
            Self::Leaf(_) | Self::Enter(_) => true,
            Self::End(node) => graph.kind(node) == NodeKind::Call,
        }
    }
}

/// A node that is being visited.
#[derive(Clone, Debug)]
struct Level<'a> {
    node: NodeId,
    stretches: [Option<Stretch<'a>>; 3],
    /// The index of the current stretch; the fields below are the time of the stretch, its edge, and the repetition
    /// of the edge.
    stretch: usize,
    time: u64,
    edge: usize,
    repetition: u64,
    /// Whether the current time of the stretch has begun.
    has_begun: bool,
}

enum Next {
    Visit(Visit),
    Child(NodeId),
    Done,
}

impl<'a> Level<'a> {
    fn new(graph: &'a Graph, node: NodeId) -> Self {
        Self {
            node,
            stretches: graph.all_stretches(node),
            stretch: 0,
            time: 0,
            edge: 0,
            repetition: 0,
            has_begun: false,
        }
    }

    fn next(&mut self) -> Next {
        loop {
            let Some(stretch) = self.stretches.get(self.stretch).copied().flatten() else {
                return Next::Done;
            };
            if self.time == stretch.times {
                (self.stretch, self.time) = (self.stretch + 1, 0);
                continue;
            }
            if !self.has_begun {
                self.has_begun = true;
                if stretch.begins {
                    return Next::Visit(Visit::Enter(self.node));
                }
            }
            if let Some(edge) = stretch.edges.get(self.edge) {
                if self.repetition == edge.times() {
                    (self.edge, self.repetition) = (self.edge + 1, 0);
                    continue;
                }
                self.repetition += 1;
                return Next::Child(edge.node);
            }
            (self.edge, self.time, self.has_begun) = (0, self.time + 1, false);
            if stretch.ends {
                return Next::Visit(Visit::End(self.node));
            }
        }
    }
}

/// A walk over the call tree below a node, in the order of events. Its memory is proportional to the depth of the
/// tree.
#[derive(Clone, Debug)]
pub struct Visits<'a> {
    graph: &'a Graph,
    levels: Vec<Level<'a>>,
}

impl<'a> Visits<'a> {
    /// Creates a walk over `node`.
    #[must_use]
    pub fn new(graph: &'a Graph, node: NodeId) -> Self {
        Self {
            graph,
            levels: vec![Level::new(graph, node)],
        }
    }
}

impl Iterator for Visits<'_> {
    type Item = Visit;

    fn next(&mut self) -> Option<Visit> {
        loop {
            match self.levels.last_mut()?.next() {
                Next::Visit(Visit::Enter(node)) if self.graph.kind(node) == NodeKind::Leaf => {
                    return Some(Visit::Leaf(node));
                }
                Next::Visit(visit) => return Some(visit),
                Next::Child(node) if self.graph.kind(node) == NodeKind::Leaf => {
                    return Some(Visit::Leaf(node));
                }
                Next::Child(node) => self.levels.push(Level::new(self.graph, node)),
                Next::Done => {
                    self.levels.pop();
                }
            }
        }
    }
}

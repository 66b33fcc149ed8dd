//! Nodes and edges as columns, with equal nodes stored once.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// Number of a node in its graph. Children have smaller numbers than their parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// As an index into columns.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// All of a location; has no event of its own.
    Root,
    /// A call: its first event enters it, its last one leaves it.
    Call,
    /// A call without the event that leaves it: it was never left, or before a call within it was.
    OpenCall,
    /// Any other event.
    Leaf,
}

impl NodeKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Root, Self::Call, Self::OpenCall, Self::Leaf];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Call => "call",
            Self::OpenCall => "open_call",
            Self::Leaf => "leaf",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it is a leaf.
    #[must_use]
    pub const fn is_leaf(self) -> bool {
        matches!(self, Self::Leaf)
    }

    /// Whether it is a call.
    #[must_use]
    pub const fn is_call(self) -> bool {
        matches!(self, Self::Call | Self::OpenCall)
    }
}

/// Why an edge has repetitions; the types of edges of MTF (figure 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// The child happens once.
    Regular,
    /// The child happens several times, one after the other.
    Sequence,
    /// The parent nests in itself, as often as the edge has repetitions; the child is the call of it
    /// within which that ends.
    Recursive,
}

impl EdgeKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Regular, Self::Sequence, Self::Recursive];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Regular => "regular",
            Self::Sequence => "sequence",
            Self::Recursive => "recursive",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// From a node to one of its children. Its order is its index among the edges of the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The child.
    pub node: NodeId,
    /// How often; at least once.
    pub repetitions: u32,
    /// What that means.
    pub kind: EdgeKind,
}

impl Edge {
    /// An edge to a child that happens once.
    #[must_use]
    pub const fn to(node: NodeId) -> Self {
        Self {
            node,
            repetitions: 1,
            kind: EdgeKind::Regular,
        }
    }

    /// How often the child itself happens where the edge stands.
    #[must_use]
    pub const fn times(self) -> u64 {
        match self.kind {
            EdgeKind::Recursive => 1,
            _ => self.repetitions as u64,
        }
    }
}

/// Which rules of compaction apply (MTF, section III.B).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Equal children one after the other are one edge.
    pub repeats: bool,
    /// Equal subtrees are one node.
    pub sharing: bool,
    /// A call that nests in itself has a recursive edge.
    pub recursion: bool,
    /// Messages between the same two calls are one.
    pub messages: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            repeats: true,
            sharing: true,
            recursion: true,
            messages: true,
        }
    }
}

/// Events of a node that come `times` times: the node's first event, children, the node's last event.
///
/// A node without a recursive edge is one stretch. One that nests in itself is three: what comes
/// before the nested call, once a level; the call in which nesting ends; what comes behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch<'a> {
    /// How often.
    pub times: u64,
    /// Whether each time begins with the event that enters the node, or that the node is.
    pub begins: bool,
    /// The children.
    pub edges: &'a [Edge],
    /// Index of the first of `edges` among those of the node.
    pub order: usize,
    /// Whether each time ends a call of the node.
    pub ends: bool,
    /// Whether there is an event for that.
    pub has_last: bool,
}

impl Stretch<'_> {
    /// Sums up a value of children over one time.
    pub(super) fn sum(&self, own: u64, of_child: impl Fn(NodeId) -> u64) -> u64 {
        self.edges.iter().fold(own, |sum, edge| {
            sum.saturating_add(edge.times().saturating_mul(of_child(edge.node)))
        })
    }

    /// Events of one time, where `length` is that of a child.
    fn length(&self, length: impl Fn(NodeId) -> u64) -> u64 {
        self.sum(u64::from(self.begins) + u64::from(self.has_last), length)
    }
}

/// The stretches of a node, in order.
fn stretches(kind: NodeKind, edges: &[Edge]) -> [Option<Stretch<'_>>; 3] {
    let stretch = |range: Range<usize>, times, begins, ends| {
        Some(Stretch {
            times,
            begins: begins && kind != NodeKind::Root,
            edges: &edges[range.clone()],
            order: range.start,
            ends: ends && kind.is_call(),
            has_last: ends && kind == NodeKind::Call,
        })
    };
    let all = edges.len();
    match edges.iter().position(|e| e.kind == EdgeKind::Recursive) {
        None => [stretch(0..all, 1, true, true), None, None],
        Some(at) => {
            let levels = u64::from(edges[at].repetitions);
            [
                stretch(0..at, levels, true, false),
                stretch(at..at + 1, 1, false, false),
                stretch(at + 1..all, levels, false, true),
            ]
        }
    }
}

/// Nodes and edges. What labels mean is known to who makes it.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    kinds: Vec<NodeKind>,
    labels: Vec<u32>,
    /// Where the edges of each node end, which begin where those of the node before end.
    ends: Vec<usize>,
    lengths: Vec<u64>,
    edges: Vec<Edge>,
    ids: HashTable<NodeId>,
}

const HASHER: FixedState = FixedState::with_seed(0x6461_6721);

fn hash(kind: NodeKind, label: u32, edges: &[Edge]) -> u64 {
    let mut hasher = HASHER.build_hasher();
    hasher.write_u64(u64::from(label) << 8 | kind as u64);
    for edge in edges {
        hasher.write_u64(u64::from(edge.node.0) << 32 | u64::from(edge.repetitions));
        if edge.kind == EdgeKind::Recursive {
            hasher.write_u8(1);
        }
    }
    hasher.finish()
}

impl Graph {
    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// All nodes, children before parents.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.len() as u32).map(NodeId)
    }

    /// What a node is.
    ///
    /// # Panics
    /// If it is not of this graph; so do all that take a node.
    #[must_use]
    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.kinds[node.index()]
    }

    /// The label of a node; 0 for a root.
    #[must_use]
    pub fn label(&self, node: NodeId) -> u32 {
        self.labels[node.index()]
    }

    /// Events of one occurrence of a node.
    #[must_use]
    pub fn length(&self, node: NodeId) -> u64 {
        self.lengths[node.index()]
    }

    /// Number of the first edge of a node among all edges.
    #[must_use]
    pub fn first_edge(&self, node: NodeId) -> usize {
        node.index().checked_sub(1).map_or(0, |one| self.ends[one])
    }

    /// The edges to the children of a node, in order.
    #[must_use]
    pub fn edges(&self, node: NodeId) -> &[Edge] {
        &self.edges[self.first_edge(node)..self.ends[node.index()]]
    }

    /// The edges of all nodes, parents in the order of their numbers.
    #[must_use]
    pub fn all_edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The events of a node, in order.
    pub fn stretches(&self, node: NodeId) -> impl Iterator<Item = Stretch<'_>> {
        self.all_stretches(node).into_iter().flatten()
    }

    /// The same, as they are kept while a node is visited.
    pub(super) fn all_stretches(&self, node: NodeId) -> [Option<Stretch<'_>>; 3] {
        stretches(self.kind(node), self.edges(node))
    }

    /// The edges of a node in order, each with its offset: events of the node before the first
    /// occurrence of the child there.
    pub fn placed_edges(&self, node: NodeId) -> impl Iterator<Item = (Edge, u64)> + '_ {
        let mut from = 0;
        self.stretches(node).flat_map(move |stretch| {
            let start = from;
            from += stretch.times * stretch.length(|child| self.length(child));
            let mut offset = start + u64::from(stretch.begins);
            stretch.edges.iter().map(move |&edge| {
                let placed = (edge, offset);
                offset += edge.times() * self.length(edge.node);
                placed
            })
        })
    }

    /// The recursive edge of a node.
    #[must_use]
    pub fn recursion(&self, node: NodeId) -> Option<Edge> {
        let mut edges = self.edges(node).iter();
        edges.find(|e| e.kind == EdgeKind::Recursive).copied()
    }

    /// Nodes of the call tree that each node stands for.
    #[must_use]
    pub fn tree_sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = Vec::with_capacity(self.len());
        for node in self.nodes() {
            let root = u64::from(self.kind(node) == NodeKind::Root);
            sizes.push(self.stretches(node).fold(root, |sum, stretch| {
                let own = u64::from(stretch.begins);
                let once = stretch.sum(own, |child| sizes[child.index()]);
                sum.saturating_add(stretch.times.saturating_mul(once))
            }));
        }
        sizes
    }

    /// How often each node happens below `root` that does. What is not below it costs nothing.
    #[must_use]
    pub fn below(&self, root: NodeId) -> Vec<(NodeId, u64)> {
        let mut waiting = BTreeMap::from([(root, 1u64)]);
        let mut counts = Vec::new();
        while let Some((node, count)) = waiting.pop_last() {
            counts.push((node, count));
            for stretch in self.stretches(node) {
                for edge in stretch.edges {
                    let times = count.saturating_mul(stretch.times.saturating_mul(edge.times()));
                    let below = waiting.entry(edge.node).or_default();
                    *below = below.saturating_add(times);
                }
            }
        }
        counts
    }

    /// How often each node happens below each of `roots`, all together.
    #[must_use]
    pub fn occurrences(&self, roots: impl IntoIterator<Item = NodeId>) -> Vec<u64> {
        let mut counts = vec![0u64; self.len()];
        for root in roots {
            counts[root.index()] = counts[root.index()].saturating_add(1);
        }
        for node in self.nodes().rev() {
            let count = counts[node.index()];
            if count == 0 {
                continue;
            }
            for stretch in self.stretches(node) {
                for edge in stretch.edges {
                    let times = count.saturating_mul(stretch.times.saturating_mul(edge.times()));
                    let below = &mut counts[edge.node.index()];
                    *below = below.saturating_add(times);
                }
            }
        }
        counts
    }

    /// The node of that content, and whether it is new.
    pub(super) fn intern(&mut self, kind: NodeKind, label: u32, edges: &[Edge]) -> (NodeId, bool) {
        let hashed = hash(kind, label, edges);
        let is_same = |&id: &NodeId| {
            self.kind(id) == kind && self.label(id) == label && self.edges(id) == edges
        };
        if let Some(&id) = self.ids.find(hashed, is_same) {
            return (id, false);
        }
        let id = self.append(kind, label, edges);
        let (kinds, labels, ends, edges) = (&self.kinds, &self.labels, &self.ends, &self.edges);
        self.ids.insert_unique(hashed, id, |&id| {
            let index = id.index();
            let from = index.checked_sub(1).map_or(0, |one| ends[one]);
            hash(kinds[index], labels[index], &edges[from..ends[index]])
        });
        (id, true)
    }

    /// Takes no more memory than it needs, for a graph that stays as it is.
    pub(super) fn shrink(&mut self) {
        self.kinds.shrink_to_fit();
        self.labels.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.lengths.shrink_to_fit();
        self.edges.shrink_to_fit();
    }

    /// Room for the edges of another graph, and no more: there may be many.
    pub(super) fn make_room(&mut self, other: &Self) {
        self.edges.reserve_exact(other.edges.len());
    }

    /// Removes the node that was interned last, which nothing may refer to.
    pub(super) fn remove_last(&mut self) {
        let Some(last) = self.nodes().next_back() else {
            return;
        };
        let hashed = hash(self.kind(last), self.label(last), self.edges(last));
        if let Ok(entry) = self.ids.find_entry(hashed, |&id| id == last) {
            entry.remove();
        }
        self.edges.truncate(self.first_edge(last));
        self.kinds.pop();
        self.labels.pop();
        self.lengths.pop();
        self.ends.pop();
    }

    /// A new node, though there may be one of the same content.
    ///
    /// Numbers are 32 bits wide; a graph would need 100 GB of distinct nodes to exhaust them.
    pub(super) fn append(&mut self, kind: NodeKind, label: u32, edges: &[Edge]) -> NodeId {
        let id = NodeId(u32::try_from(self.len()).unwrap_or(u32::MAX));
        let all = stretches(kind, edges).into_iter().flatten();
        let length = all.fold(0u64, |sum, stretch| {
            let once = stretch.length(|child| self.length(child));
            sum.saturating_add(stretch.times.saturating_mul(once))
        });
        self.kinds.push(kind);
        self.labels.push(label);
        self.lengths.push(length);
        self.edges.extend_from_slice(edges);
        self.ends.push(self.edges.len());
        id
    }
}

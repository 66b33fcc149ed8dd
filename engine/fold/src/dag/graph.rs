//! Stores nodes and edges as columns, with equal nodes stored once.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

/// The number of a node in its graph. Children have smaller numbers than their parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Returns the number as an index into columns.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NodeKind {
    /// A whole location; has no event of its own.
    Root,
    /// A call: its first event enters it, its last one leaves it.
    Call,
    /// A call without the event that leaves it: it was never left, or was left before a call nested in it.
    OpenCall,
    /// Any other event.
    Leaf,
}

impl NodeKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Root, Self::Call, Self::OpenCall, Self::Leaf];

    /// Returns the name used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Call => "call",
            Self::OpenCall => "open_call",
            Self::Leaf => "leaf",
        }
    }

    /// Returns the kind with this name, or `None` if the name is unknown.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns whether nodes of this kind are leaves.
    #[must_use]
    pub const fn is_leaf(self) -> bool {
        matches!(self, Self::Leaf)
    }

    /// Returns whether nodes of this kind are calls.
    #[must_use]
    pub const fn is_call(self) -> bool {
        matches!(self, Self::Call | Self::OpenCall)
    }
}

/// The reason for an edge's repetitions; the types of edges of MTF (figure 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EdgeKind {
    /// The child occurs once.
    Regular,
    /// The child occurs several times in a row.
    Sequence,
    /// The parent is nested in itself as many times as the edge has repetitions; the child is the innermost call, in
    /// which the recursion ends.
    Recursive,
}

impl EdgeKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Regular, Self::Sequence, Self::Recursive];

    /// Returns the name used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Regular => "regular",
            Self::Sequence => "sequence",
            Self::Recursive => "recursive",
        }
    }

    /// Returns the kind with this name, or `None` if the name is unknown.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// An edge from a node to one of its children. Its order is its index among the edges of the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// The child.
    pub node: NodeId,
    /// The number of repetitions; at least 1.
    pub repetitions: u32,
    /// The meaning of the repetitions.
    pub kind: EdgeKind,
}

impl Edge {
    /// Creates an edge to a child that occurs once.
    #[must_use]
    pub const fn to(node: NodeId) -> Self {
        Self {
            node,
            repetitions: 1,
            kind: EdgeKind::Regular,
        }
    }

    /// Returns how often the child itself occurs at this edge.
    #[must_use]
    pub const fn times(self) -> u64 {
        match self.kind {
            EdgeKind::Recursive => 1,
            _ => self.repetitions as u64,
        }
    }
}

/// The rules of compaction that apply (MTF, section III.B).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Equal consecutive children are one edge.
    pub repeats: bool,
    /// Equal subtrees are one node.
    pub sharing: bool,
    /// A call nested in itself has a recursive edge.
    pub recursion: bool,
    /// Messages between the same two calls are merged into one.
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

/// A part of a node's events that occurs `times` times: the node's first event, children, the node's last event.
///
/// A node without a recursive edge is one stretch. A node nested in itself is three: the part before the nested call,
/// once per level; the call in which the recursion ends; and the part after the nested call, once per level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch<'a> {
    /// The number of times.
    pub times: u64,
    /// Whether each time begins with the first event of the node: the event that enters a call, or the leaf itself.
    pub begins: bool,
    /// The edges to the children.
    pub edges: &'a [Edge],
    /// The index of the first of `edges` among those of the node.
    pub order: usize,
    /// Whether a call of the node ends with each time.
    pub ends: bool,
    /// Whether each time ends with an event that leaves the call.
    pub has_last: bool,
}

impl Stretch<'_> {
    /// Returns the sum of `own` and a value of the children over one time.
    pub(super) fn sum(&self, own: u64, of_child: impl Fn(NodeId) -> u64) -> u64 {
        self.edges.iter().fold(own, |sum, edge| {
            sum.saturating_add(edge.times().saturating_mul(of_child(edge.node)))
        })
    }

    /// Returns the number of events of one time, where `length` returns that of a child.
    fn length(&self, length: impl Fn(NodeId) -> u64) -> u64 {
        self.sum(u64::from(self.begins) + u64::from(self.has_last), length)
    }
}

/// Returns the stretches of a node, in order.
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

/// A graph of nodes and edges. The meaning of labels is defined by its creator.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    kinds: Vec<NodeKind>,
    labels: Vec<u64>,
    /// The end of each node's edges, which begin where those of the previous node end.
    ends: Vec<usize>,
    lengths: Vec<u64>,
    edges: Vec<Edge>,
    ids: HashTable<NodeId>,
}

const HASHER: FixedState = FixedState::with_seed(0x6461_6721);

fn hash(kind: NodeKind, label: u64, edges: &[Edge]) -> u64 {
    let mut hasher = HASHER.build_hasher();
    hasher.write_u64(label);
    hasher.write_u8(kind as u8);
    for edge in edges {
        hasher.write_u64(u64::from(edge.node.0) << 32 | u64::from(edge.repetitions));
        if edge.kind == EdgeKind::Recursive {
            hasher.write_u8(1);
        }
    }
    hasher.finish()
}

impl Graph {
    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Returns whether the graph has no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Returns all nodes, children before parents.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.len() as u32).map(NodeId)
    }

    /// Returns the kind of a node.
    ///
    /// # Panics
    /// Panics if the node is not in this graph, as do all methods that take a node.
    #[must_use]
    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.kinds[node.index()]
    }

    /// Returns the label of a node; 0 for a root.
    #[must_use]
    pub fn label(&self, node: NodeId) -> u64 {
        self.labels[node.index()]
    }

    /// Returns the number of events per occurrence of a node.
    #[must_use]
    pub fn length(&self, node: NodeId) -> u64 {
        self.lengths[node.index()]
    }

    /// Returns the index of the first edge of a node among all edges.
    #[must_use]
    pub fn first_edge(&self, node: NodeId) -> usize {
        node.index().checked_sub(1).map_or(0, |one| self.ends[one])
    }

    /// Returns the edges to the children of a node, in order.
    #[must_use]
    pub fn edges(&self, node: NodeId) -> &[Edge] {
        &self.edges[self.first_edge(node)..self.ends[node.index()]]
    }

    /// Returns the edges of all nodes, ordered by the numbers of the parents.
    #[must_use]
    pub fn all_edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the stretches of a node, in order.
    pub fn stretches(&self, node: NodeId) -> impl Iterator<Item = Stretch<'_>> {
        self.all_stretches(node).into_iter().flatten()
    }

    /// Returns the stretches as an array, for storage while a node is visited.
    pub(super) fn all_stretches(&self, node: NodeId) -> [Option<Stretch<'_>>; 3] {
        stretches(self.kind(node), self.edges(node))
    }

    /// Returns the edges of a node in order, each with its offset: the number of events of the node before the first
    /// occurrence of the child at that edge.
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

    /// Returns the recursive edge of a node, or `None` if it has none.
    #[must_use]
    pub fn recursion(&self, node: NodeId) -> Option<Edge> {
        let mut edges = self.edges(node).iter();
        edges.find(|e| e.kind == EdgeKind::Recursive).copied()
    }

    /// Returns the number of call tree nodes that each node represents.
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

    /// Returns how often each node occurs in `root`, for `root` itself and the nodes below it. Other nodes cost no
    /// time.
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

    /// Returns how often each node occurs in all of `roots` together, including the roots themselves.
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

    /// Returns the node with this content, and whether it is new.
    pub(super) fn intern(&mut self, kind: NodeKind, label: u64, edges: &[Edge]) -> (NodeId, bool) {
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

    /// Releases unused memory, for a graph that no longer changes.
    pub(super) fn shrink(&mut self) {
        self.kinds.shrink_to_fit();
        self.labels.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.lengths.shrink_to_fit();
        self.edges.shrink_to_fit();
    }

    /// Reserves exactly enough memory for the edges of another graph, because there may be many.
    pub(super) fn make_room(&mut self, other: &Self) {
        self.edges.reserve_exact(other.edges.len());
    }

    /// Removes the node that was interned last, to which nothing may refer.
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

    /// Appends a new node, even if there is one with the same content.
    ///
    /// Node numbers are 32 bits wide; a graph would need 100 GB of distinct nodes to exhaust them.
    pub(super) fn append(&mut self, kind: NodeKind, label: u64, edges: &[Edge]) -> NodeId {
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

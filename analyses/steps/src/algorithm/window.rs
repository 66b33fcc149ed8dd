//! Holds the operations that have no steps yet, with their known relations.
//!
//! A window is examined whenever it has doubled since the previous examination. So each operation is examined only a
//! few times, as long as the number of operations under way does not grow with the trace.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_trace::{Position, SymbolId, Timestamp, TraceError};
use petgraph::unionfind::UnionFind;
use slab::Slab;

use super::lateness::Metrics;
use super::partitions::{Merging, Partitions};
use super::{Kind, Sink};

/// The identifier of an operation while it is in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(usize);

/// An operation: the communication of one call of a location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    /// The number of its location.
    pub lane: usize,
    pub kind: Kind,
    /// The symbol of the event that entered the call.
    pub call: Option<SymbolId>,
    pub position: Position,
    pub events: u64,
    pub start: Timestamp,
    pub end: Timestamp,
    pub phase: u64,
    /// The number of its events that wait for matching.
    pub unsettled: u32,
    /// Whether more events may be added.
    pub is_open: bool,
    /// Whether a later call may still wait for its immediate sends, or its collective operation lacks members.
    pub is_held: bool,
    /// The first member of its collective operation.
    pub collective: Option<Key>,
}

impl Operation {
    /// Returns whether everything about the operation is known.
    pub fn is_complete(&self) -> bool {
        self.unsettled == 0 && !self.is_open && !self.is_held
    }
}

/// The operations that have no steps yet.
#[derive(Debug)]
pub(super) struct Window {
    operations: Slab<Operation>,
    /// All operations; the operations of a location are in order.
    order: Vec<Key>,
    /// The operations of the events that wait for matching.
    awaited: HashMap<(usize, Position), Key, FixedState>,
    /// Pairs of operations with a message from the first to the second.
    messages: Vec<(Key, Key)>,
    /// Pairs of operations that share a partition for other reasons.
    joined: Vec<(Key, Key)>,
    /// The number of operations at which the window is examined next, and its minimum.
    limit: usize,
    least: usize,
}

impl Window {
    pub fn new(least: usize) -> Self {
        Self {
            operations: Slab::new(),
            order: Vec::new(),
            awaited: HashMap::default(),
            messages: Vec::new(),
            joined: Vec::new(),
            limit: least,
            least,
        }
    }

    pub fn insert(&mut self, operation: Operation) -> Key {
        let key = Key(self.operations.insert(operation));
        self.order.push(key);
        key
    }

    /// Inserts an operation before an existing one of the same location.
    pub fn insert_before(&mut self, behind: Key, operation: Operation) -> Key {
        let key = self.insert(operation);
        if let Some(index) = self.order.iter().rposition(|&other| other == behind) {
            let last = self.order.len() - 1;
            self.order.swap(index, last);
        }
        key
    }

    /// Returns an operation that is still in the window; an open operation always is.
    pub fn operation(&mut self, key: Key) -> &mut Operation {
        &mut self.operations[key.0]
    }

    /// Marks an event of an operation as waiting for matching.
    pub fn await_match(&mut self, lane: usize, position: Position, key: Key) {
        self.awaited.insert((lane, position), key);
        self.operation(key).unsettled += 1;
    }

    /// Marks an event as matched; returns its operation.
    pub fn settle(&mut self, lane: usize, position: Position) -> Option<Key> {
        let key = self.awaited.remove(&(lane, position))?;
        self.operation(key).unsettled -= 1;
        Some(key)
    }

    /// Stops waiting for matching: no more events follow.
    pub fn settle_all(&mut self) {
        self.awaited.clear();
        for (_, operation) in &mut self.operations {
            operation.unsettled = 0;
            operation.is_open = false;
            operation.is_held = false;
        }
    }

    pub fn message(&mut self, send: Key, receive: Key) {
        self.messages.push((send, receive));
    }

    pub fn join(&mut self, a: Key, b: Key) {
        self.joined.push((a, b));
    }

    /// Records an operation as a member of the collective operation whose first member is `first`.
    pub fn member(&mut self, own: Key, first: Key) {
        self.operation(own).collective = Some(first);
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty() && self.order.is_empty() && self.messages.is_empty()
    }

    /// Returns whether the window is due for an examination.
    pub fn is_due(&self) -> bool {
        self.order.len() >= self.limit
    }

    /// Emits the partitions that are complete together with all partitions before them, and keeps the rest.
    pub fn examine(
        &mut self,
        merging: Merging,
        metrics: &mut Metrics,
        sink: &mut impl Sink,
    ) -> Result<(), TraceError> {
        let mut index_of = vec![0; self.operations.capacity()];
        for (index, key) in self.order.iter().enumerate() {
            index_of[key.0] = index;
        }
        let index = |key: Key| index_of[key.0];
        let operations = self.order.iter().map(|key| self.operations[key.0]);
        let messages = self.messages.iter().map(|&(a, b)| (index(a), index(b)));
        let messages: Vec<(usize, usize)> = messages.collect();
        let collective = |key: Key| self.operations[key.0].collective.map(index);
        let mut graph = Graph::new(
            operations.collect(),
            &messages,
            self.order.iter().map(|&key| collective(key)),
        );
        let mut unions = UnionFind::new(graph.len());
        let joined = self.joined.iter().map(|&(a, b)| (index(a), index(b)));
        for (a, b) in messages.iter().copied().chain(joined) {
            unions.union(a, b);
        }
        for own in 0..graph.len() {
            unions.union(own, graph.node(own));
        }
        let partitions = Partitions::new(&mut graph, unions, merging);
        let mut has_left = vec![false; graph.len()];
        metrics.begin(&graph);
        for members in partitions.complete(&graph) {
            metrics.emit(&graph, members, sink)?;
            members.iter().for_each(|&member| has_left[member] = true);
        }

        let stays = |key: &Key| !has_left[index_of[key.0]];
        self.messages.retain(|(send, _)| stays(send));
        self.joined.retain(|(a, _)| stays(a));
        let operations = &mut self.operations;
        self.order.retain(|key| {
            let stays = stays(key);
            if !stays {
                operations.remove(key.0);
            }
            stays
        });
        self.limit = (2 * self.order.len()).max(self.least);
        Ok(())
    }
}

/// Lists of indices, stored contiguously.
#[derive(Debug)]
pub(super) struct Lists {
    starts: Vec<usize>,
    items: Vec<usize>,
}

impl Lists {
    /// Creates the lists of `len` owners; each pair is an owner and an item of its list.
    pub fn new(len: usize, pairs: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut starts = vec![0; len + 1];
        for (owner, _) in pairs.clone() {
            starts[owner + 1] += 1;
        }
        for owner in 0..len {
            starts[owner + 1] += starts[owner];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[len]];
        for (owner, item) in pairs {
            items[next[owner]] = item;
            next[owner] += 1;
        }
        Self { starts, items }
    }

    /// Returns the list of an owner, in the order of the pairs.
    pub fn of(&self, owner: usize) -> &[usize] {
        &self.items[self.starts[owner]..self.starts[owner + 1]]
    }

    /// Iterates over all lists, by owner.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &[usize]> {
        (0..self.starts.len() - 1).map(|owner| self.of(owner))
    }
}

/// The operations of a window by their index, with the order between them.
#[derive(Debug)]
pub(super) struct Graph {
    pub operations: Vec<Operation>,
    /// The operations before and after each one in the same location.
    pub previous: Vec<Option<usize>>,
    pub next: Vec<Option<usize>>,
    /// The operations whose messages each one receives, and the operations that receive its messages.
    pub senders: Lists,
    pub receivers: Lists,
    /// The first member of the collective operation, or the operation itself.
    nodes: Vec<usize>,
    members: Lists,
}

impl Graph {
    fn new(
        operations: Vec<Operation>,
        messages: &[(usize, usize)],
        collectives: impl Iterator<Item = Option<usize>>,
    ) -> Self {
        let len = operations.len();
        let lanes = operations.iter().map(|it| it.lane + 1).max().unwrap_or(0);
        let mut latest: Vec<Option<usize>> = vec![None; lanes];
        let (mut previous, mut next) = (vec![None; len], vec![None; len]);
        for (index, operation) in operations.iter().enumerate() {
            let before = latest[operation.lane].replace(index);
            previous[index] = before;
            if let Some(before) = before {
                next[before] = Some(index);
            }
        }
        let nodes = collectives.enumerate();
        let nodes: Vec<usize> = nodes.map(|(own, first)| first.unwrap_or(own)).collect();
        let backwards = messages.iter().map(|&(send, receive)| (receive, send));
        let of_nodes = nodes.iter().enumerate().map(|(own, &node)| (node, own));
        Self {
            senders: Lists::new(len, backwards),
            receivers: Lists::new(len, messages.iter().copied()),
            members: Lists::new(len, of_nodes),
            operations,
            previous,
            next,
            nodes,
        }
    }

    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Returns the operation that represents all members of the same collective operation.
    pub fn node(&self, operation: usize) -> usize {
        self.nodes[operation]
    }

    /// Returns all operations that a node represents; empty if the operation represents none.
    pub fn members(&self, node: usize) -> &[usize] {
        self.members.of(node)
    }
}

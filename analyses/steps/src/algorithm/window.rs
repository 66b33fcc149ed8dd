//! Holds the operations that have no steps yet, with their known relations.
//!
//! A window is examined whenever it has doubled since the previous examination. So each operation is examined only a
//! few times, as long as the number of operations under way does not grow with the trace.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_trace::{Position, TraceError};
use petgraph::unionfind::UnionFind;
use slab::Slab;

use super::Sink;
use super::graph::Graph;
use super::lateness::Metrics;
use super::leaps::{self, AtHand};
use super::merging::Merging;
use super::operation::{Key, Operation};
use super::outlook::Outlook;
use super::partitions::Partitions;

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
    /// The operations to come.
    pub outlook: Outlook,
    /// The partitions of the next leap.
    at_hand: Option<AtHand<Key>>,
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
            outlook: Outlook::default(),
            at_hand: None,
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
    pub fn insert_before(&mut self, next: Key, operation: Operation) -> Key {
        let key = self.insert(operation);
        if let Some(index) = self.order.iter().rposition(|&other| other == next) {
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
        self.outlook.end_all();
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
        let mut partitions = merging.partitions(&graph, &mut unions);
        if merging.leaps {
            partitions = self.merge_leaps(&mut graph, &partitions, &mut unions, &index_of);
        }
        let may_leave = |own: usize| {
            graph.operations[own].is_complete() && (!merging.leaps || self.has_leaps(&graph, own))
        };
        let mut has_left = vec![false; graph.len()];
        metrics.begin(&graph);
        for members in partitions.complete(&graph, may_leave) {
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

    /// Merges the partitions of a window into leaps, as far as these are known. Returns all partitions.
    fn merge_leaps(
        &mut self,
        graph: &mut Graph,
        partitions: &Partitions,
        unions: &mut UnionFind<usize>,
        index_of: &[usize],
    ) -> Partitions {
        let at_hand = self.at_hand.take();
        let at_hand = at_hand.map(|it| it.map(|key| index_of[key.0]));
        let found = leaps::merge(graph, partitions, at_hand, &self.outlook);
        // Partitions that were merged because they precede each other stay merged.
        for members in partitions.members.iter() {
            members.windows(2).for_each(|pair| {
                unions.union(pair[0], pair[1]);
            });
        }
        for own in found.placed {
            graph.operations[own].is_in_leap = true;
            self.operations[self.order[own].0].is_in_leap = true;
        }
        for (a, b) in found.merged {
            unions.union(a, b);
            self.joined.push((self.order[a], self.order[b]));
        }
        self.at_hand = found.at_hand.map(|it| it.map(|own| self.order[own]));
        Partitions::ordered(graph, unions)
    }

    /// Returns whether an operation and the one after it are in leaps. The leap of the operation is final then.
    fn has_leaps(&self, graph: &Graph, own: usize) -> bool {
        let operation = &graph.operations[own];
        operation.is_in_leap
            && graph.next[own].map_or(self.outlook.has_ended(operation.lane), |next| {
                graph.operations[next].is_in_leap
            })
    }
}

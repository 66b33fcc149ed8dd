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
use super::oldest;
use super::operation::{Key, Operation};
use super::outlook::Outlook;
use super::partitions::Partitions;
use super::sent::SentBefore;

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
    /// Messages whose sends have left the window, with the operations that receive them.
    sent_before: Vec<(Key, SentBefore)>,
    /// Pairs of operations that share a partition for other reasons.
    joined: Vec<(Key, Key)>,
    /// The operations to come.
    pub outlook: Outlook,
    /// The partitions of the next leap.
    at_hand: Option<AtHand<Key>>,
    /// The number of operations at which the window is examined next, and its minimum.
    limit: usize,
    least: usize,
    /// The number of operations from which partitions are cut.
    most: Option<usize>,
}

impl Window {
    pub fn new(least: usize, most: Option<usize>) -> Self {
        Self {
            operations: Slab::new(),
            order: Vec::new(),
            awaited: HashMap::default(),
            messages: Vec::new(),
            sent_before: Vec::new(),
            joined: Vec::new(),
            outlook: Outlook::default(),
            at_hand: None,
            limit: most.map_or(least, |most| least.min(most)),
            least,
            most,
        }
    }

    pub fn insert(&mut self, operation: Operation) -> Key {
        let key = Key::new(self.operations.insert(operation));
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
        &mut self.operations[key.place()]
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

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.order.len()
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
        let mut index_of = vec![0_u32; self.operations.capacity()];
        for (index, key) in (0..).zip(&self.order) {
            index_of[key.place()] = index;
        }
        let index = |key: Key| index_of[key.place()];
        let operations = self.order.iter().map(|key| self.operations[key.place()]);
        let messages = self.messages.iter().map(|&(a, b)| (index(a), index(b)));
        let messages: Vec<(u32, u32)> = messages.collect();
        let sent_before = self.sent_before.iter();
        let sent_before = sent_before.map(|&(receive, sent)| (index(receive) as usize, sent));
        let collective = |key: Key| {
            self.operations[key.place()]
                .collective
                .map(|first| index(first) as usize)
        };
        let mut graph = Graph::new(
            operations.collect(),
            &messages,
            self.order.iter().map(|&key| collective(key)),
            sent_before.collect(),
        );
        let mut unions = UnionFind::new(graph.len());
        let joined = self.joined.iter().map(|&(a, b)| (index(a), index(b)));
        for (a, b) in messages.iter().copied().chain(joined) {
            unions.union(a, b);
        }
        for own in 0..graph.len() {
            unions.union(own as u32, graph.node(own) as u32);
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
            metrics.emit(&graph, members.clone(), sink)?;
            members.for_each(|member| has_left[member] = true);
        }
        if let Some(most) = self.most
            && !merging.is_requested()
            && has_left.iter().filter(|&&has_left| !has_left).count() > most
        {
            let leaving = oldest::leaving(&graph, &partitions, &has_left, most / 2);
            for members in leaving.iter().filter(|members| members.len() > 0) {
                metrics.emit(&graph, members.clone(), sink)?;
                members.for_each(|member| has_left[member] = true);
            }
        }

        let stays = |key: &Key| !has_left[index_of[key.place()] as usize];
        self.messages.retain(|(send, _)| stays(send));
        let sent_before = metrics.sent_before();
        let sent_before = sent_before.map(|(receive, sent)| (self.order[receive], sent));
        self.sent_before.extend(sent_before);
        self.sent_before.retain(|(receive, _)| stays(receive));
        self.joined.retain(|(a, b)| stays(a) && stays(b));
        let operations = &mut self.operations;
        self.order.retain(|key| {
            let stays = stays(key);
            if !stays {
                operations.remove(key.place());
            }
            stays
        });
        self.limit = self.next_limit();
        Ok(())
    }

    /// Returns the number of operations at which the window is examined next. Operations that cannot leave are not examined
    /// each time that others come.
    fn next_limit(&self) -> usize {
        let now = self.order.len();
        let doubled = (2 * now).max(self.least);
        let most = self.most.map_or(doubled, |most| most.max(now + now / 4));
        doubled.min(most)
    }

    /// Merges the partitions of a window into leaps, as far as these are known. Returns all partitions.
    fn merge_leaps(
        &mut self,
        graph: &mut Graph,
        partitions: &Partitions,
        unions: &mut UnionFind<u32>,
        index_of: &[u32],
    ) -> Partitions {
        let at_hand = self.at_hand.take();
        let at_hand = at_hand.map(|it| it.map(|key| index_of[key.place()] as usize));
        let found = leaps::merge(graph, partitions, at_hand, &self.outlook);
        // Partitions that were merged because they precede each other stay merged.
        for members in partitions.members.iter() {
            let after = members.clone().skip(1);
            members.zip(after).for_each(|(own, next)| {
                unions.union(own as u32, next as u32);
            });
        }
        for own in found.placed {
            graph.operations[own].is_in_leap = true;
            self.operations[self.order[own].place()].is_in_leap = true;
        }
        for (a, b) in found.merged {
            unions.union(a as u32, b as u32);
            self.joined.push((self.order[a], self.order[b]));
        }
        self.at_hand = found.at_hand.map(|it| it.map(|own| self.order[own]));
        Partitions::ordered(graph, unions)
    }

    /// Returns whether an operation and the one after it are in leaps. The leap of the operation is final then.
    fn has_leaps(&self, graph: &Graph, own: usize) -> bool {
        let operation = &graph.operations[own];
        operation.is_in_leap
            && graph
                .next(own)
                .map_or(self.outlook.has_ended(operation.lane()), |next| {
                    graph.operations[next].is_in_leap
                })
    }
}

//! Finds local steps: the order of the operations of a partition.
//!
//! Sends determine the structure, because a program often does not choose the order in which it receives. So sends
//! and collective operations are first divided into **strides**, as if receiving took no time: the stride of an
//! operation is the length of the longest path to it. All operations of a stride take the same step, the first one
//! after every operation that precedes any of them. The step of a receive is the first one after the preceding
//! operation of its location and after the latest of its sends.

use super::Kind;
use super::graph::Graph;
use super::lists::Items;

/// Finds the steps of partitions, and keeps its buffers between them.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// By operation: its place.
    places: Vec<Place>,
    /// The number of the current partition, counted from 1.
    partition: u32,
    ready: Vec<usize>,
    sequence: Vec<usize>,
}

/// The place of an operation in its partition.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The number of the latest partition that the operation belongs to.
    partition: u32,
    /// Its step, counted from 1; 0 if it is not assigned.
    step: u32,
    /// Of a node: the number of its predecessors that are not in the sequence yet.
    waits: u32,
    /// Of a node: the number of strides that have ended before it.
    strides: u32,
    /// Of a node: whether it is in the sequence.
    is_sorted: bool,
}

impl Order {
    /// Resets the buffers for the operations of a window.
    pub fn begin(&mut self, graph: &Graph) {
        self.places.clear();
        self.places.resize(graph.len(), Place::default());
        self.partition = 0;
    }

    /// Returns the step of an operation in its partition.
    pub fn step(&self, operation: usize) -> u32 {
        self.places[operation].step.saturating_sub(1)
    }

    /// Assigns steps to the operations of a partition; returns the number of steps.
    pub fn find(&mut self, graph: &Graph, members: &Items<'_>) -> u64 {
        self.partition += 1;
        for member in members.clone() {
            self.places[member].partition = self.partition;
        }
        if let Some((send, receive)) = lone_message(graph, members) {
            self.places[send].step = 1;
            self.places[receive].step = 2;
            return 2;
        }
        for member in members.clone() {
            let previous = self.previous(graph, member);
            let waits = usize::from(previous.is_some()) + graph.senders.of(member).len();
            self.places[graph.node(member)].waits += waits as u32;
        }
        self.sort(graph, members);
        self.assign(graph)
    }

    /// Returns whether an operation is in the current partition.
    pub fn is_inside(&self, operation: usize) -> bool {
        self.places[operation].partition == self.partition
    }

    /// Returns the operation before this one in the same location, if it is in the current partition.
    fn previous(&self, graph: &Graph, operation: usize) -> Option<usize> {
        let previous = graph.previous(operation);
        previous.filter(|&it| self.is_inside(it))
    }

    /// Sorts nodes topologically, each after its predecessors, and finds their strides.
    fn sort(&mut self, graph: &Graph, members: &Items<'_>) {
        self.sequence.clear();
        let places = &self.places;
        let is_ready = |&member: &usize| places[member].waits == 0 && graph.node(member) == member;
        self.ready.extend(members.clone().rev().filter(is_ready));
        let mut rest = members.clone();
        loop {
            while let Some(node) = self.ready.pop() {
                self.append(graph, node);
            }
            // In a contradictory trace, the remaining nodes may all wait for each other; then the first of them
            // proceeds.
            let left = rest.find(|&member| !self.places[graph.node(member)].is_sorted);
            match left {
                Some(member) => self.ready.push(graph.node(member)),
                None => return,
            }
        }
    }

    /// Adds a node to the sequence, and updates its successors.
    fn append(&mut self, graph: &Graph, node: usize) {
        if std::mem::replace(&mut self.places[node].is_sorted, true) {
            return;
        }
        self.sequence.push(node);
        let is_receive = graph.operations[node].kind == Kind::Receive;
        let reached = self.places[node].strides + u32::from(!is_receive);
        for member in graph.members(node) {
            for other in graph.receivers.of(member).chain(graph.next(member)) {
                if !self.is_inside(other) {
                    continue;
                }
                let other = graph.node(other);
                let place = &mut self.places[other];
                if place.is_sorted {
                    continue;
                }
                place.strides = place.strides.max(reached);
                place.waits = place.waits.saturating_sub(1);
                if place.waits == 0 {
                    self.ready.push(other);
                }
            }
        }
    }

    /// Assigns steps, stride by stride, and to the receives between strides; returns the number of steps.
    fn assign(&mut self, graph: &Graph) -> u64 {
        let turn = |node: usize, places: &[Place]| {
            let is_receive = graph.operations[node].kind == Kind::Receive;
            (places[node].strides, !is_receive)
        };
        let mut sequence = std::mem::take(&mut self.sequence);
        // The sort is stable: nodes at the same place keep their order.
        sequence.sort_by_key(|&node| turn(node, &self.places));
        let mut end = 0;
        let mut rest = &sequence[..];
        while let Some(&first) = rest.first() {
            let now = turn(first, &self.places);
            let is_now = |&&node: &&usize| turn(node, &self.places) == now;
            let (together, after) = rest.split_at(rest.iter().take_while(is_now).count());
            rest = after;
            let is_stride = now.1;
            if !is_stride {
                for &receive in together {
                    let before = graph.senders.of(receive);
                    let before = before.chain(self.previous(graph, receive));
                    let step = self.first_step_after(before);
                    self.places[receive].step = step;
                    end = end.max(step);
                }
                continue;
            }
            let nodes = together.iter().flat_map(|&node| graph.members(node));
            let before = nodes.clone();
            let before = before.filter_map(|member| self.previous(graph, member));
            let step = self.first_step_after(before);
            for member in nodes {
                self.places[member].step = step;
            }
            end = end.max(step);
        }
        sequence.clear();
        self.sequence = sequence;
        u64::from(end)
    }

    /// Returns the first step after the steps of some operations, counted from 1.
    fn first_step_after(&self, operations: impl Iterator<Item = usize>) -> u32 {
        let steps = operations.map(|operation| self.places[operation].step);
        steps.max().unwrap_or_default() + 1
    }
}

/// Returns the send and the receive of a partition that consists of these two: the most frequent partition of programs with
/// blocking messages.
fn lone_message(graph: &Graph, members: &Items<'_>) -> Option<(usize, usize)> {
    let mut members = members.clone();
    let (first, second) = (members.next()?, members.next()?);
    if members.next().is_some() {
        return None;
    }
    let kinds = (graph.operations[first].kind, graph.operations[second].kind);
    let (send, receive) = match kinds {
        (Kind::Send, Kind::Receive) => (first, second),
        (Kind::Receive, Kind::Send) => (second, first),
        _ => return None,
    };
    let lane = |operation: usize| graph.operations[operation].lane;
    let is_sent = graph.senders.of(receive).next() == Some(send);
    (is_sent && lane(send) != lane(receive)).then_some((send, receive))
}

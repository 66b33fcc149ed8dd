//! Finds local steps: the order of the operations of a partition.
//!
//! Sends determine the structure, because a program often does not choose the order in which it receives. So sends
//! and collective operations are first divided into **strides**, as if receiving took no time: the stride of an
//! operation is the length of the longest path to it. All operations of a stride take the same step, the first one
//! after every operation that precedes any of them. The step of a receive is the first one after the preceding
//! operation of its location and after the latest of its sends.

use super::Kind;
use super::graph::Graph;

/// Finds the steps of partitions, and keeps its buffers between them.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// By operation: its step in its partition, once it is assigned.
    steps: Vec<Option<u64>>,
    /// By operation: whether it belongs to the current partition.
    is_inside: Vec<bool>,
    /// By node: the number of its predecessors that are not in the sequence yet.
    waits: Vec<usize>,
    /// By node: the number of strides that have ended before it.
    strides: Vec<usize>,
    is_sorted: Vec<bool>,
    ready: Vec<usize>,
    sequence: Vec<usize>,
}

impl Order {
    /// Resets the buffers for the operations of a window.
    pub fn begin(&mut self, graph: &Graph) {
        let len = graph.len();
        let Self {
            steps,
            is_inside,
            waits,
            strides,
            is_sorted,
            ready,
            sequence,
        } = self;
        steps.clear();
        steps.resize(len, None);
        is_inside.clear();
        is_inside.resize(len, false);
        waits.clear();
        waits.resize(len, 0);
        strides.clear();
        strides.resize(len, 0);
        is_sorted.clear();
        is_sorted.resize(len, false);
        ready.clear();
        sequence.clear();
    }

    /// Returns the step of an operation in its partition.
    pub fn step(&self, operation: usize) -> u64 {
        self.steps[operation].unwrap_or_default()
    }

    /// Assigns steps to the operations of a partition; returns the number of steps.
    pub fn find(&mut self, graph: &Graph, members: &[usize]) -> u64 {
        for &member in members {
            self.is_inside[member] = true;
        }
        for &member in members {
            let previous = graph.previous[member].filter(|&it| self.is_inside[it]);
            self.waits[graph.node(member)] +=
                usize::from(previous.is_some()) + graph.senders.of(member).len();
        }
        self.sort(graph, members);
        let steps = self.assign(graph);
        for &member in members {
            self.is_inside[member] = false;
        }
        steps
    }

    /// Sorts nodes topologically, each after its predecessors, and finds their strides.
    fn sort(&mut self, graph: &Graph, members: &[usize]) {
        self.sequence.clear();
        let waits = &self.waits;
        let is_ready = |&&member: &&usize| waits[member] == 0 && graph.node(member) == member;
        self.ready.extend(members.iter().rev().filter(is_ready));
        let mut rest = members.iter();
        loop {
            while let Some(node) = self.ready.pop() {
                self.append(graph, node);
            }
            // In a contradictory trace, the remaining nodes may all wait for each other; then the first of them
            // proceeds.
            let left = rest.find(|&&member| !self.is_sorted[graph.node(member)]);
            match left {
                Some(&member) => self.ready.push(graph.node(member)),
                None => return,
            }
        }
    }

    /// Adds a node to the sequence, and updates its successors.
    fn append(&mut self, graph: &Graph, node: usize) {
        if std::mem::replace(&mut self.is_sorted[node], true) {
            return;
        }
        self.sequence.push(node);
        let is_receive = graph.operations[node].kind == Kind::Receive;
        let reached = self.strides[node] + usize::from(!is_receive);
        for &member in graph.members(node) {
            let next = graph.next[member].filter(|&next| self.is_inside[next]);
            let successors = graph.receivers.of(member).iter().copied().chain(next);
            for other in successors {
                let other = graph.node(other);
                if self.is_sorted[other] {
                    continue;
                }
                self.strides[other] = self.strides[other].max(reached);
                self.waits[other] = self.waits[other].saturating_sub(1);
                if self.waits[other] == 0 {
                    self.ready.push(other);
                }
            }
        }
    }

    /// Assigns steps, stride by stride, and to the receives between strides; returns the number of steps.
    fn assign(&mut self, graph: &Graph) -> u64 {
        let place = |node: usize, strides: &[usize]| {
            let is_receive = graph.operations[node].kind == Kind::Receive;
            2 * strides[node] + usize::from(!is_receive)
        };
        let strides = &self.strides;
        // The sort is stable: nodes at the same place keep their order.
        self.sequence.sort_by_key(|&node| place(node, strides));
        let mut sequence = std::mem::take(&mut self.sequence);
        let mut end = 0;
        for together in sequence.chunk_by(|&a, &b| place(a, strides) == place(b, strides)) {
            let is_stride = together
                .first()
                .is_some_and(|&node| graph.operations[node].kind != Kind::Receive);
            if !is_stride {
                for &receive in together {
                    let senders = graph.senders.of(receive).iter();
                    let before = graph.previous[receive].filter(|&it| self.is_inside[it]);
                    let before = senders.copied().chain(before);
                    let step = first_step_after(&self.steps, before);
                    self.steps[receive] = Some(step);
                    end = end.max(step + 1);
                }
                continue;
            }
            let nodes = together.iter().flat_map(|&node| graph.members(node));
            let before = nodes.clone().filter_map(|&member| {
                graph.previous[member].filter(|&previous| self.is_inside[previous])
            });
            let step = first_step_after(&self.steps, before);
            for &member in nodes {
                self.steps[member] = Some(step);
            }
            end = end.max(step + 1);
        }
        sequence.clear();
        self.sequence = sequence;
        end
    }
}

/// Returns the first step after the steps of some operations.
fn first_step_after(steps: &[Option<u64>], operations: impl Iterator<Item = usize>) -> u64 {
    let steps = operations.filter_map(|operation| steps[operation]);
    steps.map(|step| step + 1).max().unwrap_or_default()
}

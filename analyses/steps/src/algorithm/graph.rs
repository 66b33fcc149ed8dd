//! Orders the operations of a window by locations, messages and collective operations.

use super::lists::{Items, Lists};
use super::operation::Operation;
use super::sent::SentBefore;

/// The absence of an operation.
const NONE: u32 = u32::MAX;

/// The operations of a window by their index, with the order between them.
#[derive(Debug)]
pub(super) struct Graph {
    pub operations: Vec<Operation>,
    neighbours: Vec<Neighbours>,
    /// The operations whose messages each one receives, and the operations that receive its messages.
    pub senders: Lists,
    pub receivers: Lists,
    members: Lists,
    /// The messages that operations receive whose sends have left the window, by operation.
    sent_before: Vec<(usize, SentBefore)>,
}

/// The operations that are directly related to an operation.
#[derive(Clone, Copy, Debug)]
struct Neighbours {
    /// The operations before and after it in the same location, or [`NONE`].
    previous: u32,
    next: u32,
    /// The first member of its collective operation, or the operation itself.
    node: u32,
}

impl Graph {
    /// Creates the graph of `operations`, in which those of a location are in order. Each message is a pair of the
    /// operations that send and receive it, and `collectives` has the first member of each collective operation.
    /// `sent_before` has the messages whose sends have left the window, with the operations that receive them.
    pub fn new(
        operations: Vec<Operation>,
        messages: &[(u32, u32)],
        collectives: impl Iterator<Item = Option<usize>>,
        mut sent_before: Vec<(usize, SentBefore)>,
    ) -> Self {
        let len = operations.len();
        let lanes = operations.iter().map(|it| it.lane() + 1).max().unwrap_or(0);
        let mut latest = vec![NONE; lanes];
        let mut neighbours: Vec<Neighbours> = Vec::with_capacity(len);
        for ((index, operation), first) in (0..).zip(&operations).zip(collectives) {
            let previous = std::mem::replace(&mut latest[operation.lane()], index);
            if let Some(before) = neighbours.get_mut(previous as usize) {
                before.next = index;
            }
            neighbours.push(Neighbours {
                previous,
                next: NONE,
                node: first.map_or(index, |first| first as u32),
            });
        }
        sent_before.sort_by_key(|&(receive, _)| receive);
        let messages = messages.iter();
        let messages = messages.map(|&(send, receive)| (send as usize, receive as usize));
        let backwards = messages.clone().map(|(send, receive)| (receive, send));
        let of_nodes = neighbours.iter().enumerate();
        let of_nodes = of_nodes.map(|(own, its)| (its.node as usize, own));
        Self {
            senders: Lists::new(len, backwards),
            receivers: Lists::new(len, messages),
            members: Lists::new(len, of_nodes),
            operations,
            neighbours,
            sent_before,
        }
    }

    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Returns the operation before this one in the same location.
    #[inline]
    pub fn previous(&self, operation: usize) -> Option<usize> {
        let previous = self.neighbours[operation].previous;
        (previous != NONE).then_some(previous as usize)
    }

    /// Returns the operation after this one in the same location.
    #[inline]
    pub fn next(&self, operation: usize) -> Option<usize> {
        let next = self.neighbours[operation].next;
        (next != NONE).then_some(next as usize)
    }

    /// Returns the operation that represents all members of the same collective operation.
    #[inline]
    pub fn node(&self, operation: usize) -> usize {
        self.neighbours[operation].node as usize
    }

    /// Returns all operations that a node represents; none if the operation represents none.
    #[inline]
    pub fn members(&self, node: usize) -> Items<'_> {
        self.members.of(node)
    }

    /// Returns the messages that an operation receives whose sends have left the window.
    #[inline]
    pub fn sent_before(&self, operation: usize) -> impl Iterator<Item = &SentBefore> {
        let first = match &self.sent_before[..] {
            [] => 0,
            all => all.partition_point(|&(receive, _)| receive < operation),
        };
        let from_first = self.sent_before[first..].iter();
        let its = from_first.take_while(move |&&(receive, _)| receive == operation);
        its.map(|(_, sent)| sent)
    }
}

//! Orders the operations of a window by locations, messages and collective operations.

use super::lists::Lists;
use super::operation::Operation;

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
    /// Creates the graph of `operations`, in which those of a location are in order. Each message is a pair of the
    /// operations that send and receive it, and `collectives` has the first member of each collective operation.
    pub fn new(
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

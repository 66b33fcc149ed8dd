//! Graphs of the communication between processes.

/// A graph of the communication between processes. Its nodes are numbered from 0, and it has no loops and no multiple
/// edges. Each edge records which of its two ends send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// The start of each node's range in `neighbours`, followed by the end of the last range.
    first: Vec<u32>,
    neighbours: Vec<u32>,
    flows: Vec<Flow>,
}

/// The ends of an edge that send, as seen from one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flow {
    /// Both ends send.
    #[default]
    Both,
    /// Only this end sends.
    Out,
    /// Only the other end sends.
    In,
}

impl Flow {
    /// Returns the flow as seen from the other end.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Both => Self::Both,
            Self::Out => Self::In,
            Self::In => Self::Out,
        }
    }
}

impl Graph {
    /// Creates a graph of `nodes` nodes in which the first node of each pair sends to the second. Pairs may be
    /// repeated and in any order. Pairs of a node with itself, and pairs with nodes out of range, are ignored.
    #[must_use]
    pub fn new(nodes: usize, sends: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let is_node = |node: u32| (node as usize) < nodes;
        let sends = sends.into_iter();
        let sends = sends.filter(|&(from, to)| from != to && is_node(from) && is_node(to));
        let mut ends: Vec<(u32, u32, Flow)> = sends
            .flat_map(|(from, to)| [(from, to, Flow::Out), (to, from, Flow::In)])
            .collect();
        ends.sort_unstable();
        ends.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            if is_same && next.2 != kept.2 {
                kept.2 = Flow::Both;
            }
            is_same
        });
        let mut first = vec![0; nodes + 1];
        for &(node, ..) in &ends {
            first[node as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        Self {
            first,
            neighbours: ends.iter().map(|&(_, other, _)| other).collect(),
            flows: ends.iter().map(|&(.., flow)| flow).collect(),
        }
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Returns the number of edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.neighbours.len() / 2
    }

    fn range(&self, node: u32) -> std::ops::Range<usize> {
        self.first[node as usize] as usize..self.first[node as usize + 1] as usize
    }

    /// Returns the neighbours of a node, in ascending order.
    ///
    /// # Panics
    /// If `node` is not a node of the graph. This holds for all methods that take a node.
    #[must_use]
    pub fn neighbours(&self, node: u32) -> &[u32] {
        &self.neighbours[self.range(node)]
    }

    /// Returns the neighbours of a node, in ascending order, with the flow of the edge to each.
    pub fn edges_of(&self, node: u32) -> impl Iterator<Item = (u32, Flow)> {
        let range = self.range(node);
        let flows = self.flows[range.clone()].iter();
        self.neighbours[range].iter().copied().zip(flows.copied())
    }

    /// Returns the number of neighbours of a node.
    #[must_use]
    pub fn degree(&self, node: u32) -> usize {
        self.range(node).len()
    }

    /// Returns whether two nodes are neighbours.
    #[must_use]
    pub fn has_edge(&self, one: u32, other: u32) -> bool {
        self.neighbours(one).binary_search(&other).is_ok()
    }

    /// Returns all edges, each once, with the smaller node first.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, Flow)> {
        (0..self.nodes() as u32).flat_map(move |node| {
            let edges = self.edges_of(node).filter(move |&(other, _)| node < other);
            edges.map(move |(other, flow)| (node, other, flow))
        })
    }

    /// Returns whether only one end of each edge sends, and there is an edge.
    #[must_use]
    pub fn is_one_way(&self) -> bool {
        !self.flows.is_empty() && self.flows.iter().all(|&flow| flow != Flow::Both)
    }

    /// Returns the graph whose node `numbers[n]` is node n of this graph; `numbers` is a permutation.
    #[must_use]
    pub fn renumbered(&self, numbers: &[u32]) -> Self {
        let number = |node: u32| numbers[node as usize];
        let sends = self.iter().flat_map(|(one, other, flow)| {
            let (one, other) = (number(one), number(other));
            let there = (flow != Flow::In).then_some((one, other));
            let back = (flow != Flow::Out).then_some((other, one));
            there.into_iter().chain(back)
        });
        Self::new(self.nodes(), sends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_know_who_sends() {
        let graph = Graph::new(4, [(0, 1), (1, 0), (2, 1), (2, 2), (3, 9), (2, 1)]);
        assert_eq!((graph.nodes(), graph.edges()), (4, 2));
        assert_eq!(graph.neighbours(1), [0, 2]);
        assert_eq!(graph.degree(3), 0);
        assert!(graph.has_edge(1, 2) && !graph.has_edge(0, 2) && !graph.is_one_way());
        let edges: Vec<_> = graph.iter().collect();
        assert_eq!(edges, [(0, 1, Flow::Both), (1, 2, Flow::In)]);
        let edges: Vec<_> = graph.renumbered(&[3, 2, 1, 0]).iter().collect();
        assert_eq!(edges, [(1, 2, Flow::Out), (2, 3, Flow::Both)]);
    }
}

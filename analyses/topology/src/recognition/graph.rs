//! Graphs of who communicates with whom.

/// Who communicates with whom: a graph whose nodes are numbers from 0, without loops and without
/// double edges. An edge knows which of its two ends sends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Where the neighbours of each node begin, and where the last ones end.
    first: Vec<u32>,
    neighbours: Vec<u32>,
    flows: Vec<Flow>,
}

/// Which end of an edge sends, seen from one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flow {
    /// Both ends send.
    #[default]
    Both,
    /// This end sends.
    Out,
    /// The other end sends.
    In,
}

impl Flow {
    /// What the other end sees.
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
    /// The graph of `nodes` nodes in which the first of each pair sends to the second. Who sends to itself
    /// has no edge; pairs may come twice and in any order, those of nodes that are none are left out.
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

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// How many edges there are.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.neighbours.len() / 2
    }

    fn range(&self, node: u32) -> std::ops::Range<usize> {
        self.first[node as usize] as usize..self.first[node as usize + 1] as usize
    }

    /// The neighbours of a node, in order.
    ///
    /// # Panics
    /// If it is no node of the graph, as all that take a node do.
    #[must_use]
    pub fn neighbours(&self, node: u32) -> &[u32] {
        &self.neighbours[self.range(node)]
    }

    /// The neighbours of a node, in order, and which end of the edge to each sends.
    pub fn edges_of(&self, node: u32) -> impl Iterator<Item = (u32, Flow)> {
        let range = self.range(node);
        let flows = self.flows[range.clone()].iter();
        self.neighbours[range].iter().copied().zip(flows.copied())
    }

    /// How many neighbours a node has.
    #[must_use]
    pub fn degree(&self, node: u32) -> usize {
        self.range(node).len()
    }

    /// Whether two nodes are neighbours.
    #[must_use]
    pub fn has_edge(&self, one: u32, other: u32) -> bool {
        self.neighbours(one).binary_search(&other).is_ok()
    }

    /// All edges, each once, its smaller node first.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, Flow)> {
        (0..self.nodes() as u32).flat_map(move |node| {
            let edges = self.edges_of(node).filter(move |&(other, _)| node < other);
            edges.map(move |(other, flow)| (node, other, flow))
        })
    }

    /// Whether of every edge only one end sends, and there is an edge.
    #[must_use]
    pub fn is_one_way(&self) -> bool {
        !self.flows.is_empty() && self.flows.iter().all(|&flow| flow != Flow::Both)
    }

    /// The graph whose node `numbers[n]` is node n of this one; `numbers` is a permutation.
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

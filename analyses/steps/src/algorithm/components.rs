//! Finds strongly connected components in topological order, after Tarjan, Depth-First Search and Linear Graph
//! Algorithms (1972).

/// A number that is not assigned yet.
const NONE: u32 = u32::MAX;

/// The strongly connected components of a graph.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Components {
    /// The component of each node. Components are numbered in topological order: each comes before its successors.
    /// Among those without an order, the one whose first node has the lower number tends to come first.
    pub of: Vec<u32>,
    /// The number of components.
    pub count: usize,
}

/// A node whose successors are being visited.
struct Visit<S> {
    node: u32,
    /// The successors that have not been looked at yet.
    rest: S,
}

impl Components {
    /// Finds the components of a graph with `len` nodes and these successors of each node.
    pub fn new<S: Iterator<Item = usize>>(len: usize, successors: impl Fn(usize) -> S) -> Self {
        let mut search = Search {
            component: vec![NONE; len],
            components: 0,
            order: vec![NONE; len],
            visited: 0,
            lowest: vec![0; len],
            open: Vec::new(),
        };
        let mut visits = Vec::new();
        // Components are found in reverse order, so the nodes are visited in reverse order as well.
        for root in (0..len).rev() {
            if search.order[root] != NONE {
                continue;
            }
            let rest = successors(root);
            visits.push(search.begin(root, rest));
            while let Some(visit) = visits.last_mut() {
                let node = visit.node as usize;
                match visit.rest.next() {
                    Some(next) if search.order[next] == NONE => {
                        let rest = successors(next);
                        visits.push(search.begin(next, rest));
                    }
                    Some(next) => {
                        if search.component[next] == NONE {
                            search.reach(node, search.order[next]);
                        }
                    }
                    None => {
                        visits.pop();
                        search.end(node);
                        if let Some(before) = visits.last() {
                            search.reach(before.node as usize, search.lowest[node]);
                        }
                    }
                }
            }
        }
        let last = search.components.wrapping_sub(1);
        let mut of = search.component;
        of.iter_mut().for_each(|number| *number = last - *number);
        Self {
            of,
            count: search.components as usize,
        }
    }
}

/// The state of a search for components.
struct Search {
    /// The component of each node, numbered in reverse topological order; [`NONE`] while it is not known.
    component: Vec<u32>,
    components: u32,
    /// The number of nodes visited before each node, or [`NONE`].
    order: Vec<u32>,
    visited: u32,
    /// The lowest order of a node without a component that is known to be reachable from each node.
    lowest: Vec<u32>,
    /// The visited nodes without a component.
    open: Vec<u32>,
}

impl Search {
    fn begin<S>(&mut self, node: usize, rest: S) -> Visit<S> {
        self.order[node] = self.visited;
        self.lowest[node] = self.visited;
        self.visited += 1;
        let node = node as u32;
        self.open.push(node);
        Visit { node, rest }
    }

    /// Notes that a node without a component is reachable from another one.
    fn reach(&mut self, node: usize, order: u32) {
        self.lowest[node] = self.lowest[node].min(order);
    }

    /// Ends the visit of a node. If it was the first one of its component, the component is complete.
    fn end(&mut self, node: usize) {
        if self.lowest[node] != self.order[node] {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.component[member as usize] = self.components;
            if member as usize == node {
                break;
            }
        }
        self.components += 1;
    }
}

#[cfg(test)]
mod tests {
    use petgraph::algo::kosaraju_scc;
    use petgraph::graph::DiGraph;
    use proptest::prelude::*;

    use super::*;

    fn found(len: usize, edges: &[(usize, usize)]) -> Components {
        let successors = |node| edges.iter().filter(move |edge| edge.0 == node);
        Components::new(len, |node| successors(node).map(|edge| edge.1))
    }

    #[test]
    fn nodes_without_an_order_keep_their_order() {
        assert_eq!(found(4, &[(0, 2), (1, 3)]).of, [0, 1, 2, 3]);
        assert_eq!(found(4, &[(2, 0), (3, 2)]).of, [3, 0, 2, 1]);
        assert_eq!(found(0, &[]).count, 0);
    }

    #[test]
    fn a_long_path_does_not_exhaust_the_stack() {
        let len = 1 << 20;
        let next = |node: usize| (node + 1 < len).then_some(node + 1).into_iter();
        assert_eq!(Components::new(len, next).count, len);
        let back = |node: usize| std::iter::once((node + 1) % len);
        assert_eq!(Components::new(len, back).count, 1);
    }

    proptest! {
        #[test]
        fn components_are_those_of_petgraph_in_topological_order(
            len in 1..24_usize,
            edges in prop::collection::vec((0..24_usize, 0..24_usize), 0..60),
        ) {
            let edges = edges.into_iter().map(|(from, to)| (from % len, to % len));
            let edges: Vec<(usize, usize)> = edges.collect();
            let found = found(len, &edges);
            let numbers = edges.iter().map(|&(from, to)| (from as u32, to as u32));
            let mut graph = DiGraph::<(), ()>::from_edges(numbers);
            while graph.node_count() < len {
                graph.add_node(());
            }
            let expected = kosaraju_scc(&graph);
            prop_assert_eq!(found.count, expected.len());
            for component in &expected {
                let number = found.of[component[0].index()];
                prop_assert!(component.iter().all(|node| found.of[node.index()] == number));
            }
            for (from, to) in edges {
                prop_assert!(found.of[from] <= found.of[to]);
            }
        }
    }
}

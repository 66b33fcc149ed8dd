//! Colours the edges of graphs, so that isomorphisms have to keep the colours.

use super::{Flow, Graph};

/// A graph whose edges have a colour at each end.
#[derive(Clone, Debug)]
pub struct Colored<'a> {
    pub(super) graph: &'a Graph,
    /// The start of each node's edges in the lists of colours; empty if all edges have the same colour.
    first: Vec<usize>,
    /// The colour of each edge as the neighbour sees it.
    seen: Vec<u32>,
    /// The colour of each edge as the node itself sees it.
    own: Vec<u32>,
}

impl<'a> Colored<'a> {
    /// Creates a graph whose edges all have the same colour.
    #[must_use]
    pub const fn plain(graph: &'a Graph) -> Self {
        Self {
            graph,
            first: Vec::new(),
            seen: Vec::new(),
            own: Vec::new(),
        }
    }

    /// Colours the edges of a graph by their flow: whether this end, the other end or both send.
    #[must_use]
    pub fn flows(graph: &'a Graph) -> Self {
        let mut flows = (0..graph.nodes() as u32).flat_map(|node| graph.edges_of(node));
        // `by` requests the colours in this order.
        Self::by(graph, |_, _| {
            flows.next().map_or(0, |(_, flow)| color_of(flow))
        })
    }

    /// Colours the edges of a graph. `color` receives the node that sees the edge, and the node at its other end.
    #[must_use]
    pub fn by(graph: &'a Graph, mut color: impl FnMut(u32, u32) -> u32) -> Self {
        let nodes = 0..graph.nodes() as u32;
        let mut first = vec![0];
        let mut own = Vec::new();
        for node in nodes.clone() {
            own.extend(graph.neighbours(node).iter().map(|&to| color(node, to)));
            first.push(own.len());
        }
        let seen = nodes.flat_map(|node| {
            let (first, own) = (&first, &own);
            graph.neighbours(node).iter().map(move |&to| {
                let back = graph.neighbours(to).binary_search(&node);
                back.map_or(0, |back| own[first[to as usize] + back])
            })
        });
        let seen = seen.collect();
        Self {
            graph,
            first,
            seen,
            own,
        }
    }

    /// Returns the neighbours of a node with the colours that they see.
    pub(super) fn seen(&self, node: u32) -> impl Iterator<Item = (u32, u32)> {
        let colors = self.colors_of(&self.seen, node).iter();
        let colors = colors.copied().chain(std::iter::repeat(0));
        self.graph.neighbours(node).iter().copied().zip(colors)
    }

    /// Returns the part of a list that belongs to a node; empty if there are no colours.
    fn colors_of<'b>(&self, list: &'b [u32], node: u32) -> &'b [u32] {
        let range = self.first.get(node as usize..node as usize + 2);
        range.map_or(&[], |range| &list[range[0]..range[1]])
    }

    /// Returns the colour of an edge as `from` sees it.
    pub(super) fn color(&self, from: u32, to: u32) -> Option<u32> {
        let index = self.graph.neighbours(from).binary_search(&to).ok()?;
        Some(
            self.colors_of(&self.own, from)
                .get(index)
                .copied()
                .unwrap_or(0),
        )
    }
}

const fn color_of(flow: Flow) -> u32 {
    match flow {
        Flow::Both => 0,
        Flow::Out => 1,
        Flow::In => 2,
    }
}

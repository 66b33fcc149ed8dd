//! Determines whether two graphs are isomorphic, and finds an isomorphism.
//!
//! Colour refinement ([`super::refinement`]) sorts the nodes of both graphs into cells. While a cell has several
//! nodes of each graph, one node of the first graph is mapped to each node of the second in turn, and refinement
//! continues. For meshes, trees and similar graphs, one to three such choices are enough, and none has to be undone.
//! For some graphs the search would take too long, so it gives up after a fixed amount of backtracking.

use super::refinement::Cells;
use super::{Flow, Graph};

/// Maximum number of edges to visit after the first choice was undone, before the search gives up. This takes at most
/// about a second.
const BUDGET: u64 = 1 << 26;

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

/// The result of comparing two graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The graphs are isomorphic. Contains the node of the second graph for each node of the first.
    Isomorphic(Vec<u32>),
    /// The graphs are not isomorphic.
    Different,
    /// The search gave up.
    Undecided,
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
        let colors = self.of(&self.seen, node).iter();
        let colors = colors.copied().chain(std::iter::repeat(0));
        self.graph.neighbours(node).iter().copied().zip(colors)
    }

    /// Returns the part of a list that belongs to a node; empty if there are no colours.
    fn of<'b>(&self, list: &'b [u32], node: u32) -> &'b [u32] {
        let range = self.first.get(node as usize..node as usize + 2);
        range.map_or(&[], |range| &list[range[0]..range[1]])
    }

    /// Returns the colour of an edge as `from` sees it.
    fn color(&self, from: u32, to: u32) -> Option<u32> {
        let index = self.graph.neighbours(from).binary_search(&to).ok()?;
        Some(self.of(&self.own, from).get(index).copied().unwrap_or(0))
    }
}

const fn color_of(flow: Flow) -> u32 {
    match flow {
        Flow::Both => 0,
        Flow::Out => 1,
        Flow::In => 2,
    }
}

/// Returns the node of the second graph for each node of the first, if the graphs are isomorphic. Also returns `None`
/// if the search gives up; [`compare`] distinguishes the two cases.
#[must_use]
pub fn isomorphism(one: &Colored, other: &Colored) -> Option<Vec<u32>> {
    isomorphism_from(one, other, &[])
}

/// Finds an isomorphism like [`isomorphism`], with the images of some nodes of the first graph given.
#[must_use]
pub fn isomorphism_from(one: &Colored, other: &Colored, fixed: &[(u32, u32)]) -> Option<Vec<u32>> {
    match compare(one, other, fixed) {
        Answer::Isomorphic(mapping) => Some(mapping),
        Answer::Different | Answer::Undecided => None,
    }
}

/// Determines whether two graphs are isomorphic, with the images of some nodes of the first graph given.
#[must_use]
pub fn compare(one: &Colored, other: &Colored, fixed: &[(u32, u32)]) -> Answer {
    within(one, other, fixed, BUDGET)
}

fn within(one: &Colored, other: &Colored, fixed: &[(u32, u32)], budget: u64) -> Answer {
    let size = |graph: &Graph| (graph.nodes(), graph.edges());
    let nodes = one.graph.nodes() as u32;
    let is_node = |&(from, to): &(u32, u32)| from.max(to) < nodes;
    if size(one.graph) != size(other.graph) || !fixed.iter().all(is_node) {
        return Answer::Different;
    }
    let mut cells = Cells::new(one, other);
    let is_possible = fixed.iter().all(|&(from, to)| cells.fix(from, to).is_ok());
    if !is_possible || cells.refine().is_err() {
        return Answer::Different;
    }
    let mut search = Search {
        cells,
        choices: Vec::new(),
        budget,
        limit: u64::MAX,
    };
    loop {
        if !search.choose() {
            let mapping = search.cells.mapping();
            if is_isomorphism(one, other, &mapping) {
                return Answer::Isomorphic(mapping);
            }
        }
        if let Some(answer) = search.go_on() {
            return answer;
        }
    }
}

/// A backtracking search.
struct Search<'a> {
    cells: Cells<'a>,
    choices: Vec<Choice>,
    budget: u64,
    /// The amount of work at which the search gives up; set when a choice is undone for the first time.
    limit: u64,
}

/// A node of the first graph that is mapped to each node of the second in its cell in turn.
struct Choice {
    cell: u32,
    node: u32,
    last: Option<u32>,
    /// The state of the cells before the choice.
    mark: usize,
}

impl Search<'_> {
    /// Adds the next choice, if there is one left.
    fn choose(&mut self) -> bool {
        // Cells before the one of the last choice are settled.
        let from = self.choices.last().map_or(0, |choice| choice.cell);
        let cell = self.cells.unsettled(from);
        let choice = cell.and_then(|cell| {
            let node = self.cells.pick(cell)?;
            let mark = self.cells.mark();
            let last = None;
            Some(Choice {
                cell,
                node,
                last,
                mark,
            })
        });
        let is_some = choice.is_some();
        self.choices.extend(choice);
        is_some
    }

    /// Advances to the next possibility that refinement does not rule out. Returns the answer if there is none.
    fn go_on(&mut self) -> Option<Answer> {
        while let Some(choice) = self.choices.last_mut() {
            self.cells.undo(choice.mark);
            if choice.last.is_some() && self.limit == u64::MAX {
                self.limit = self.cells.work + self.budget;
            }
            if self.cells.work > self.limit {
                return Some(Answer::Undecided);
            }
            let Some(partner) = self.cells.partner(choice.cell, choice.last) else {
                self.choices.pop();
                continue;
            };
            choice.last = Some(partner);
            let is_fixed = self.cells.fix(choice.node, partner).is_ok();
            if is_fixed && self.cells.refine().is_ok() {
                return None;
            }
        }
        Some(Answer::Different)
    }
}

/// Returns whether a mapping of nodes is an isomorphism.
pub(super) fn is_isomorphism(one: &Colored, other: &Colored, mapping: &[u32]) -> bool {
    let mut is_free = vec![true; other.graph.nodes()];
    let mut take = |&to: &u32| {
        let free = is_free.get_mut(to as usize);
        free.is_some_and(|free| std::mem::replace(free, false))
    };
    mapping.len() == one.graph.nodes()
        && mapping.len() == other.graph.nodes()
        && one.graph.edges() == other.graph.edges()
        && mapping.iter().all(&mut take)
        && (0..).zip(mapping).all(|(node, &image)| {
            let mut neighbours = one.graph.neighbours(node).iter();
            neighbours.all(|&neighbour| {
                one.color(node, neighbour) == other.color(image, mapping[neighbour as usize])
            })
        })
}

#[cfg(test)]
mod tests {
    use super::super::{CustomPattern, Library};
    use super::*;

    #[test]
    fn who_may_not_take_back_does_not_say_that_they_differ() {
        let text = "name = 'Shrikhande'\nsizes = [4, 4]\nperiodic = true\noffsets = [[0, 1], [1, 0], [1, 1]]";
        let library = Library::default().with(vec![CustomPattern::parse(text).unwrap()]);
        let candidates = library.candidates(16);
        let rook = candidates
            .iter()
            .find(|candidate| candidate.name == "4x4 butterfly");
        let graphs = [&candidates[0], rook.unwrap()].map(|candidate| candidate.build().graph());
        let [one, other] = [&graphs[0], &graphs[1]].map(Colored::plain);
        assert_eq!(within(&one, &other, &[], 0), Answer::Undecided);
        assert_eq!(within(&one, &other, &[], BUDGET), Answer::Different);
        assert_eq!(compare(&one, &one, &[(0, 0), (1, 0)]), Answer::Different);
        assert!(isomorphism_from(&one, &one, &[(3, 9)]).is_some());
        assert_eq!(isomorphism_from(&one, &one, &[(3, 16)]), None);
    }
}

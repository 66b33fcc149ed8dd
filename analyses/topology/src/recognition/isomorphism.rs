//! Whether two graphs are the same but for the numbers of their nodes, and how.
//!
//! Colour refinement ([`super::refinement`]) sorts the nodes of both into cells. While a cell has several of
//! each, one of the first graph is tried with each of the second in turn, and refinement goes on from there. On
//! meshes, trees and the like one to three such choices settle everything and none has to be taken back. There
//! are graphs for which that never ends; so who has taken back too much gives up.

use super::refinement::Cells;
use super::{Flow, Graph};

/// Edges that are looked at after the first choice was taken back, before the answer is that there is none.
/// That is a second or less.
const BUDGET: u64 = 1 << 26;

/// A graph whose edges have colours, one at each end.
#[derive(Clone, Debug)]
pub struct Colored<'a> {
    pub(super) graph: &'a Graph,
    /// Where the edges of each node begin, if they are not all of the same colour.
    first: Vec<usize>,
    /// The colour that the neighbour sees.
    seen: Vec<u32>,
    /// The colour that the node itself sees.
    own: Vec<u32>,
}

/// What is known of two graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They are isomorphic: the node of the second graph for each of the first.
    Isomorphic(Vec<u32>),
    /// They are not.
    Different,
    /// It would take too long to know.
    Undecided,
}

impl<'a> Colored<'a> {
    /// All edges have the same colour.
    #[must_use]
    pub const fn plain(graph: &'a Graph) -> Self {
        Self {
            graph,
            first: Vec::new(),
            seen: Vec::new(),
            own: Vec::new(),
        }
    }

    /// The ends that send have another colour than those that do not.
    #[must_use]
    pub fn flows(graph: &'a Graph) -> Self {
        let mut flows = (0..graph.nodes() as u32).flat_map(|node| graph.edges_of(node));
        // `by` asks for the edges in this order.
        Self::by(graph, |_, _| {
            flows.next().map_or(0, |(_, flow)| color_of(flow))
        })
    }

    /// Colours by the node that sees the edge and the one at its other end.
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

    /// The neighbours of a node, and the colours that they see.
    pub(super) fn seen(&self, node: u32) -> impl Iterator<Item = (u32, u32)> {
        let colors = self.of(&self.seen, node).iter();
        let colors = colors.copied().chain(std::iter::repeat(0));
        self.graph.neighbours(node).iter().copied().zip(colors)
    }

    /// Part of a list that belongs to a node; nothing if there are no colours.
    fn of<'b>(&self, list: &'b [u32], node: u32) -> &'b [u32] {
        let range = self.first.get(node as usize..node as usize + 2);
        range.map_or(&[], |range| &list[range[0]..range[1]])
    }

    /// The colour of an edge as `from` sees it.
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

/// The node of the second graph for each of the first, if they are the same but for the numbers of their nodes.
/// None, too, if that would take too long to know; [`compare`] tells the two apart.
#[must_use]
pub fn isomorphism(one: &Colored, other: &Colored) -> Option<Vec<u32>> {
    isomorphism_from(one, other, &[])
}

/// The same where it is known of some nodes of the first graph which ones of the second they are.
#[must_use]
pub fn isomorphism_from(one: &Colored, other: &Colored, fixed: &[(u32, u32)]) -> Option<Vec<u32>> {
    match compare(one, other, fixed) {
        Answer::Isomorphic(mapping) => Some(mapping),
        Answer::Different | Answer::Undecided => None,
    }
}

/// Whether two graphs are the same but for the numbers of their nodes, where some nodes of the first are
/// known to be certain ones of the second.
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

/// A search through choices that can be taken back.
struct Search<'a> {
    cells: Cells<'a>,
    choices: Vec<Choice>,
    budget: u64,
    /// How much work is too much, once a choice was taken back.
    limit: u64,
}

/// A node of the first graph, for which each of the second in its cell is tried in turn.
struct Choice {
    cell: u32,
    node: u32,
    last: Option<u32>,
    /// Where cells are as they were before.
    mark: usize,
}

impl Search<'_> {
    /// Begins with the next choice, if anything is left to choose.
    fn choose(&mut self) -> bool {
        // Cells before that of the last choice are settled.
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

    /// Takes the next possibility that refinement does not rule out. Gives the answer if there is none.
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

/// Whether a mapping of nodes is an isomorphism.
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

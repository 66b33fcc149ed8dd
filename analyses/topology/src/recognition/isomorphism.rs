//! Determines whether two graphs are isomorphic, and finds an isomorphism.
//!
//! Colour refinement ([`super::refinement`]) sorts the nodes of both graphs into cells. While a cell has several
//! nodes of each graph, one node of the first graph is mapped to each node of the second in turn, and refinement
//! continues. For meshes, trees and similar graphs, one to three such choices are enough, and none has to be undone.
//! For some graphs the search would take too long, so it gives up after a fixed amount of backtracking.

use super::Graph;
use super::colored::Colored;
use super::refinement::Cells;

/// Maximum number of edges to visit after the first choice was undone, before the search gives up. This takes at most
/// about a second.
const BUDGET: u64 = 1 << 26;

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
        if let Some(answer) = search.advance() {
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
    fn advance(&mut self) -> Option<Answer> {
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
    fn without_backtracking_the_answer_is_undecided() {
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

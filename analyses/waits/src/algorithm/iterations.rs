//! Follows the loops of a location's model: which iteration of which outermost loop an event belongs to.

use foldtrace_fold::{Construct, Layout, Model, Polynomial};
use foldtrace_trace::Position;
use serde::{Deserialize, Serialize};

/// An iteration of an outermost loop in the model of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Iteration {
    /// The number of the loop among the constructs of the model, from 1.
    pub construct: u32,
    /// The number of the iteration, from 0.
    pub index: u32,
}

/// An outermost loop of a model.
#[derive(Clone, Debug)]
struct OuterLoop {
    construct: u32,
    first: u64,
    end: u64,
    /// The number of events of an iteration, by its index.
    length: Polynomial,
}

/// The iterations of a location, for positions that increase.
#[derive(Clone, Debug, Default)]
pub(crate) struct Iterations {
    /// The loops that have not ended, the next one last.
    loops: Vec<OuterLoop>,
    /// The index of the current iteration of the next loop, and the first position after it.
    index: i64,
    iteration_end: u64,
}

impl Iterations {
    pub fn new(model: &Model) -> Self {
        let layout = Layout::new(model);
        let placed = (1..).zip(model.constructs.iter()).zip(&layout.constructs);
        let loops = placed.filter_map(|((construct, it), placed)| {
            let Construct::Loop(_) = it else {
                return None;
            };
            let first = placed.position.at(&[])?;
            let end = first + placed.length.at(&[])?;
            Some(OuterLoop {
                construct,
                first: u64::try_from(first).ok()?,
                end: u64::try_from(end).ok()?,
                length: placed.iteration.clone(),
            })
        });
        let mut loops: Vec<OuterLoop> = loops.collect();
        loops.reverse();
        let mut iterations = Self {
            loops,
            index: 0,
            iteration_end: 0,
        };
        iterations.begin();
        iterations
    }

    /// Begins the first iteration of the next loop.
    fn begin(&mut self) {
        self.index = 0;
        if let Some(next) = self.loops.last() {
            self.iteration_end = next.first + length(next, 0);
        }
    }

    /// Returns the iteration of the event at `position`, which must not precede the position asked for before.
    #[inline]
    pub fn at(&mut self, position: Position) -> Option<Iteration> {
        loop {
            let next = self.loops.last()?;
            if position.0 < next.first {
                return None;
            }
            if position.0 >= next.end {
                self.loops.pop();
                self.begin();
                continue;
            }
            while position.0 >= self.iteration_end {
                self.index += 1;
                self.iteration_end += length(next, self.index);
            }
            return Some(Iteration {
                construct: next.construct,
                index: u32::try_from(self.index).unwrap_or(u32::MAX),
            });
        }
    }
}

/// Returns the number of events of an iteration: at least 1, so that following a loop ends.
fn length(outer: &OuterLoop, index: i64) -> u64 {
    let length = outer.length.at(&[index]);
    length
        .and_then(|length| u64::try_from(length).ok())
        .map_or(1, |length| length.max(1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use foldtrace_fold::{Folder, Shapes};
    use foldtrace_trace::{EventKind, Symbol, SymbolTable};

    use super::*;

    #[test]
    fn positions_belong_to_iterations_of_outermost_loops() {
        let mut symbols = SymbolTable::default();
        let mut symbol = |region| symbols.intern(Symbol::new(EventKind::Enter, &[region]));
        let [a, b, c, d] = [0, 1, 2, 3].map(&mut symbol);
        let mut events = vec![d];
        events.extend([a, b].repeat(5));
        events.push(d);
        events.extend([c, c, c, b].repeat(4));
        let mut shapes = Shapes::default();
        shapes.update(&symbols);
        let mut folder = Folder::new(16);
        folder.push(&events, &symbols, &shapes);
        let mut iterations = Iterations::new(&folder.finish(&symbols, &shapes));
        let found = (0..events.len() as u64).map(|position| {
            let iteration = iterations.at(Position(position))?;
            Some((iteration.construct, iteration.index))
        });
        let mut expected = vec![None];
        expected.extend((0..10).map(|event| Some((2, event / 2))));
        expected.push(None);
        expected.extend((0..16).map(|event| Some((4, event / 4))));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}

//! Draws logical steps, in the style of figures 1 and 3 of Isaacs et al.
//!
//! A column is a step, and a row is a process. A box is an operation; the bar before it is the aggregate since the
//! previous operation. The colour shows how late they are. The same events are also drawn in physical time, because
//! each picture shows what the other one hides. If there are too many steps, a map of all of them is above. A [`Grid`]
//! describes what to draw, independently of its source.

mod draw;
mod gather;
mod html;
mod legend;
mod levels;
mod named;
mod place;
mod svg;
#[cfg(test)]
mod tests;
mod whole;

pub use gather::{Gatherer, View};
pub use html::steps_html;
pub use named::picture;
pub use svg::steps_svg;

use std::collections::BTreeMap;

use foldtrace_trace::{Clock, LocationId, Position, Timestamp};

use crate::{Kind, StepEvent};
use whole::Whole;

/// The contents of a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// The title, such as the name of the store.
    pub title: String,
    /// A one-line summary.
    pub summary: String,
    /// A note about what is not drawn, and how to see it; empty if everything is drawn.
    pub left_out: String,
    /// The labels of the rows.
    pub rows: Vec<String>,
    /// Operations and aggregates, row by row, each row in order of steps.
    pub cells: Vec<Cell>,
    /// Messages, as pairs of the indices of the sending and the receiving cell.
    pub messages: Vec<(usize, usize)>,
    /// The lateness of all steps, unless all of them are drawn.
    whole: Option<Whole>,
    /// Rankings of where lateness begins, each with its title.
    pub origins: Vec<(String, Vec<Beginning>)>,
    /// The clock of all times.
    pub clock: Clock,
}

/// An operation or an aggregate that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The number of its row.
    pub row: usize,
    /// Its name, such as `MPI_Send`.
    pub name: String,
    /// The event, with its times and its lateness.
    pub event: StepEvent,
}

/// An origin of lateness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beginning {
    /// The index of its cell, if it is drawn.
    pub cell: Option<usize>,
    /// Its row and its step, if the row is drawn.
    pub at: Option<(usize, u64)>,
    /// Its location and step, such as `32, step 54`.
    pub place: String,
    /// A description with the name of the origin and the amount of lateness.
    pub text: String,
    /// The pairs of cells by which lateness spreads, as far as they are drawn.
    pub path: Vec<(usize, usize)>,
}

/// Converts ticks to seconds.
fn seconds(clock: Clock, ticks: u64) -> f64 {
    ticks as f64 / clock.ticks_per_second.max(1) as f64
}

/// Returns the seconds from the beginning of the trace to a time.
fn since(clock: Clock, time: Timestamp) -> f64 {
    let ticks = i128::from(time.0) - i128::from(clock.global_offset);
    ticks as f64 / clock.ticks_per_second.max(1) as f64
}

impl Cell {
    fn is_aggregate(&self) -> bool {
        self.event.kind == Kind::Aggregate
    }

    fn ticks(&self) -> u64 {
        self.event.end.0.saturating_sub(self.event.start.0)
    }
}

impl Grid {
    /// Creates a grid of the events in `rows`, which are locations with their labels. `name` returns the name of an
    /// event; messages are pairs of trace events, by location and position.
    pub fn new(
        rows: &[(LocationId, String)],
        events: impl IntoIterator<Item = StepEvent>,
        messages: impl IntoIterator<Item = [(LocationId, Position); 2]>,
        mut name: impl FnMut(&StepEvent) -> String,
    ) -> Self {
        let numbers = rows.iter().enumerate();
        let numbers: BTreeMap<LocationId, usize> = numbers.map(|(row, one)| (one.0, row)).collect();
        let cells = events.into_iter().filter_map(|event| {
            let row = *numbers.get(&event.location)?;
            let name = name(&event);
            Some(Cell { row, name, event })
        });
        let mut cells: Vec<Cell> = cells.collect();
        cells.sort_by_key(|cell| (cell.row, cell.event.step, cell.event.kind));
        let mut grid = Self {
            rows: rows.iter().map(|(_, label)| label.clone()).collect(),
            cells,
            ..Self::default()
        };
        let places = Places::new(&grid, &numbers);
        let messages = messages.into_iter().filter_map(|[send, receive]| {
            Some((places.operation(send)?, places.operation(receive)?))
        });
        grid.messages = messages.collect();
        grid.messages.sort_unstable();
        grid.messages.dedup();
        grid
    }

    /// Returns the lateness of all cells of the map of all steps, if there is one, in ticks.
    fn lateness_of_map(&self) -> impl Iterator<Item = u64> {
        self.whole.iter().flat_map(Whole::lateness)
    }

    /// Returns the first and the last step that are drawn.
    fn steps(&self) -> (u64, u64) {
        let steps = self.cells.iter().map(|cell| cell.event.step);
        let first = steps.clone().min().unwrap_or(0);
        (first, steps.max().unwrap_or(0))
    }

    /// Returns the start of the first event and the completion of the last one.
    fn span(&self) -> (Timestamp, Timestamp) {
        let cells = self.cells.iter();
        let from = cells.clone().map(|cell| cell.event.start).min();
        let to = cells.map(|cell| cell.event.end).max();
        (from.unwrap_or_default(), to.unwrap_or_default())
    }

    /// Returns the cells of each collective operation, which share their step and partition.
    fn collectives(&self) -> BTreeMap<(u64, u64), Vec<usize>> {
        let mut found: BTreeMap<(u64, u64), Vec<usize>> = BTreeMap::new();
        for (number, cell) in self.cells.iter().enumerate() {
            if cell.event.kind == Kind::Collective {
                let place = (cell.event.step, cell.event.partition);
                found.entry(place).or_default().push(number);
            }
        }
        found
    }
}

/// An index from trace events to the cells of their operations.
struct Places {
    /// By location: the first position, the position after the last one, and the cell of each operation, by position.
    operations: BTreeMap<LocationId, Vec<(u64, u64, usize)>>,
}

impl Places {
    fn new(grid: &Grid, numbers: &BTreeMap<LocationId, usize>) -> Self {
        let locations = numbers.keys().map(|&location| (location, Vec::new()));
        let mut operations: BTreeMap<_, Vec<_>> = locations.collect();
        for (number, cell) in grid.cells.iter().enumerate() {
            if let Some(mine) = operations.get_mut(&cell.event.location)
                && !cell.is_aggregate()
            {
                let first = cell.event.position.0;
                mine.push((first, first + cell.event.events, number));
            }
        }
        for mine in operations.values_mut() {
            mine.sort_unstable();
        }
        Self { operations }
    }

    fn operation(&self, (location, position): (LocationId, Position)) -> Option<usize> {
        let mine = self.operations.get(&location)?;
        let after = mine.partition_point(|&(first, _, _)| first <= position.0);
        let &(_, end, number) = mine.get(after.checked_sub(1)?)?;
        (position.0 < end).then_some(number)
    }
}

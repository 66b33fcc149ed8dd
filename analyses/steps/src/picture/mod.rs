//! Logical steps to look at, as figures 1 and 3 of Isaacs et al. have them.
//!
//! A column is a step, a row a process; a box is an operation, and a bar before it what was done since the one
//! before. Colour says how late they are. Beside it stand the same events in physical time, so that one sees
//! what each picture hides. A [`Grid`] says what is drawn; where it comes from is not known here.

mod draw;
mod gather;
mod html;
mod legend;
mod levels;
mod named;
mod place;
mod style;
mod svg;
#[cfg(test)]
mod tests;

pub use gather::{Gatherer, View};
pub use html::steps_html;
pub use named::picture;
pub use svg::steps_svg;

use std::collections::BTreeMap;

use foldtrace_trace::{Clock, LocationId, Position, Timestamp};

use crate::{Kind, StepEvent};

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Of what it is.
    pub title: String,
    /// What that is like, in a line.
    pub summary: String,
    /// What is not drawn, and how to see it; empty if all is.
    pub left_out: String,
    /// What the rows are called.
    pub rows: Vec<String>,
    /// Operations and aggregates, a row after the other, each in its order.
    pub cells: Vec<Cell>,
    /// Messages, by the numbers of the cells that send and receive them.
    pub messages: Vec<(usize, usize)>,
    /// Where lateness begins: rankings, and what each is of.
    pub origins: Vec<(String, Vec<Beginning>)>,
    /// What time means.
    pub clock: Clock,
}

/// An operation or an aggregate that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The number of its row.
    pub row: usize,
    /// What it is, such as `MPI_Send`.
    pub name: String,
    /// When it was, and how late.
    pub event: StepEvent,
}

/// Where lateness begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beginning {
    /// The cell, if it is drawn.
    pub cell: Option<usize>,
    /// Where it is, such as `32, step 54`.
    pub place: String,
    /// How much, and what it is about.
    pub text: String,
    /// From which cell to which one it goes on, as far as they are drawn.
    pub path: Vec<(usize, usize)>,
}

/// Seconds of so many ticks.
fn seconds(clock: Clock, ticks: u64) -> f64 {
    ticks as f64 / clock.ticks_per_second.max(1) as f64
}

/// Seconds from the beginning of the trace.
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
    /// A grid of some events: those of `rows`, each a location with what it is called. `name` says what an event
    /// is; messages are pairs of events, by location and position.
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

    /// The first and the last step that are drawn.
    fn steps(&self) -> (u64, u64) {
        let steps = self.cells.iter().map(|cell| cell.event.step);
        let first = steps.clone().min().unwrap_or(0);
        (first, steps.max().unwrap_or(0))
    }

    /// When the first event begins, and when the last one is complete.
    fn span(&self) -> (Timestamp, Timestamp) {
        let cells = self.cells.iter();
        let from = cells.clone().map(|cell| cell.event.start).min();
        let to = cells.map(|cell| cell.event.end).max();
        (from.unwrap_or_default(), to.unwrap_or_default())
    }

    /// The cells of each collective operation: those that share step and partition.
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

/// Which operation has an event.
struct Places {
    /// Of each location: first event, event behind the last, and cell of its operations, by position.
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
        let behind = mine.partition_point(|&(first, _, _)| first <= position.0);
        let &(_, end, number) = mine.get(behind.checked_sub(1)?)?;
        (position.0 < end).then_some(number)
    }
}

//! Computes where the cells are in the two pictures.

use foldtrace_trace::Timestamp;

use super::Grid;

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Frame {
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    pub fn middle(&self) -> f64 {
        self.y + self.height / 2.0
    }
}

/// The horizontal axis of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Steps,
    Time,
}

/// The positions of all cells in a picture.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub axis: Axis,
    /// The rectangles of the cells of the grid.
    pub frames: Vec<Frame>,
    pub width: f64,
    /// The height of a row.
    pub row: f64,
    pub rows: usize,
}

impl Placed {
    pub fn height(&self) -> f64 {
        self.row * self.rows as f64
    }

    /// Returns the line of a message, from its send to its receive.
    pub fn message(&self, (from, to): (usize, usize)) -> (f64, f64, f64, f64) {
        let (from, to) = (&self.frames[from], &self.frames[to]);
        match self.axis {
            Axis::Steps => (from.right(), from.middle(), to.x, to.middle()),
            Axis::Time => (from.x, from.middle(), to.right(), to.middle()),
        }
    }
}

/// The layout of the columns of steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    first: u64,
    pub count: u64,
    /// The distance from a step to the next one.
    pub pitch: f64,
    aggregate: f64,
    operation: f64,
}

/// The width that steps fill if they can.
const ROOM: f64 = 1000.0;
/// The distance from the bar of an aggregate to the box of its operation.
const APART: f64 = 1.5;

impl Columns {
    pub fn new(grid: &Grid) -> Self {
        let (first, last) = grid.steps();
        let count = last - first + 1;
        // A picture with few steps has wider columns.
        let pitch = (ROOM / count as f64).round().clamp(18.0, 44.0);
        let (aggregate, operation) = ((0.28 * pitch).round(), (0.44 * pitch).round());
        Self {
            first,
            count,
            pitch,
            aggregate,
            operation,
        }
    }

    pub fn width(&self) -> f64 {
        self.pitch * self.count as f64
    }

    /// Returns the left edge of the column of a step, where a new partition may begin.
    pub fn left(&self, step: u64) -> f64 {
        self.pitch * step.saturating_sub(self.first) as f64
    }

    pub fn aggregate(&self, step: u64) -> (f64, f64) {
        let spare = self.pitch - self.aggregate - APART - self.operation;
        (self.left(step) + spare / 2.0, self.aggregate)
    }

    pub fn operation(&self, step: u64) -> (f64, f64) {
        let (x, width) = self.aggregate(step);
        (x + width + APART, self.operation)
    }

    /// Returns the middle of the box of a step.
    pub fn middle(&self, step: u64) -> f64 {
        let (x, width) = self.operation(step);
        x + width / 2.0
    }
}

/// Returns the height of a row.
fn row(rows: usize) -> f64 {
    match rows {
        0..=24 => 20.0,
        25..=80 => 14.0,
        _ => 10.0,
    }
}

/// Returns the top and the height of a box in its row; bars of aggregates are thinner.
fn lane(row: f64, is_aggregate: bool) -> (f64, f64) {
    let height = (row * 0.7).round();
    let height = if is_aggregate { height / 2.0 } else { height };
    ((row - height) / 2.0, height)
}

/// Places cells by their steps.
pub(super) fn logical(grid: &Grid) -> Placed {
    let columns = Columns::new(grid);
    let row = row(grid.rows.len());
    let frames = grid.cells.iter().map(|cell| {
        let (y, height) = lane(row, cell.is_aggregate());
        let (x, width) = if cell.is_aggregate() {
            columns.aggregate(cell.event.step)
        } else {
            columns.operation(cell.event.step)
        };
        Frame {
            x,
            y: y + row * cell.row as f64,
            width,
            height,
        }
    });
    Placed {
        axis: Axis::Steps,
        frames: frames.collect(),
        width: columns.width(),
        row,
        rows: grid.rows.len(),
    }
}

/// The minimum width of an operation that takes no time.
const THIN: f64 = 0.8;

/// Places cells by their times, in a picture of the given width.
pub(super) fn physical(grid: &Grid, width: f64) -> Placed {
    let (from, to) = grid.span();
    let ticks = to.0.saturating_sub(from.0).max(1) as f64;
    let row = row(grid.rows.len());
    let inner = width - THIN;
    let at = |time: Timestamp| inner * (time.0.saturating_sub(from.0) as f64 / ticks);
    let frames = grid.cells.iter().map(|cell| {
        let (y, height) = lane(row, cell.is_aggregate());
        let (x, right) = (at(cell.event.start), at(cell.event.end));
        let least = if cell.is_aggregate() { 0.0 } else { THIN };
        Frame {
            x,
            y: y + row * cell.row as f64,
            width: (right - x).max(least),
            height,
        }
    });
    Placed {
        axis: Axis::Time,
        frames: frames.collect(),
        width,
        row,
        rows: grid.rows.len(),
    }
}

/// The bracket of a partition: its number, its first and last step, and its line, counted upwards from the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bracket {
    pub partition: u64,
    pub first: u64,
    pub last: u64,
    pub line: usize,
}

/// Returns the brackets over the steps of partitions. Returns none if they need too many lines: then only the marks
/// between cells distinguish partitions.
pub(super) fn brackets(grid: &Grid) -> Vec<Bracket> {
    const LINES: usize = 3;
    let mut spans = std::collections::BTreeMap::new();
    for cell in &grid.cells {
        let step = cell.event.step;
        let span = spans.entry(cell.event.partition).or_insert((step, step));
        *span = (span.0.min(step), span.1.max(step));
    }
    let mut spans: Vec<_> = spans.into_iter().collect();
    spans.sort_by_key(|&(partition, (first, _))| (first, partition));
    let mut free = [0_u64; LINES];
    let mut brackets = Vec::with_capacity(spans.len());
    for (partition, (first, last)) in spans {
        let Some(line) = free.iter().position(|&step| step <= first) else {
            return Vec::new();
        };
        free[line] = last + 1;
        brackets.push(Bracket {
            partition,
            first,
            last,
            line,
        });
    }
    brackets
}

//! Computes the positions of all elements in the picture of a model (Ketterlin et al., RR-8562, section IV). The
//! layout is geometry only, without texts and colours.

mod ends;
mod phases;
mod place;
mod plan;
#[cfg(test)]
mod tests;

use foldtrace_fold::merge::{Channel, Construct, Process};

/// Vertical distance between two neighbouring processes.
pub const ROW: f64 = 28.0;
/// Width of an event that communicates.
const PITCH: f64 = 13.0;
/// Width of an event that does not communicate.
const LOCAL: f64 = 5.0;
/// Additional length of a message per row that it crosses.
const SLOPE: f64 = 4.0;
/// Space around a box and after a body.
const MARGIN: f64 = 6.0;
/// Width of the section in which processes change rows.
const BEND: f64 = 40.0;
/// Distance from the first process of an innermost box to the top of the box.
const OVERHANG: f64 = 10.5;
/// How much farther the outermost box extends than an innermost one.
const NESTED: f64 = 2.5;

/// Widths of labels, and which events are local.
pub struct Widths<'a> {
    /// Width of the name of a process.
    pub process: f64,
    /// Width of the name of a collective operation.
    pub operation: &'a dyn Fn(&Construct) -> f64,
    /// Whether an event involves no other process.
    pub is_local: &'a dyn Fn(&Construct) -> bool,
}

impl std::fmt::Debug for Widths<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Widths")
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

/// The space for a collective operation.
struct PoleWidth {
    width: f64,
    /// Whether the name is upright, next to the line.
    is_upright: bool,
}

impl Widths<'_> {
    /// Returns the width of a number of iterations, such as `249x`.
    fn count(&self, count: u64) -> f64 {
        (count.to_string().len() as f64 + 1.0) * 6.0
    }

    fn pole(&self, construct: &Construct, (top, bottom): (usize, usize)) -> PoleWidth {
        let name = (self.operation)(construct);
        let is_upright = name <= (bottom - top) as f64 * ROW + OVERHANG;
        PoleWidth {
            width: if is_upright { 20.0 } else { name + 10.0 },
            is_upright,
        }
    }
}

/// A point in the picture; y grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Distance to the right.
    pub x: f64,
    /// Distance downwards.
    pub y: f64,
}

/// The box of a loop.
#[derive(Clone, Debug)]
pub struct LoopBox {
    /// The index of the construct in the order of the text, from 0.
    pub construct: usize,
    /// The enclosing loop.
    pub parent: Option<usize>,
    /// The number of enclosing loops.
    pub depth: usize,
    /// The number of iterations.
    pub count: u64,
    /// Upper left corner.
    pub from: Point,
    /// Lower right corner.
    pub to: Point,
    /// The processes with the y coordinates at which their lines enter, if any of them has left its row; the picture
    /// then has to label them.
    pub moved: Vec<(Process, f64)>,
}

/// What a picture shows for an end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// An arrow leads to its other end.
    Arrow,
    /// The other end is in another iteration of the same loop.
    Later,
    /// The other end is not in the loop.
    Outside,
    /// The other end does not exist in the trace.
    Dangling,
}

/// One end of a message.
#[derive(Clone, Copy, Debug)]
pub struct Tip {
    /// The channel.
    pub channel: Channel,
    /// Whether the message is sent here.
    pub is_send: bool,
    /// What the picture shows for it.
    pub fate: Fate,
}

/// An event.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The index of its construct.
    pub construct: usize,
    /// The enclosing loop.
    pub parent: Option<usize>,
    /// Its position.
    pub at: Point,
    /// The ends of messages at this event; empty for a local event.
    pub tips: Vec<Tip>,
}

/// A collective operation.
#[derive(Clone, Debug)]
pub struct Pole {
    /// The index of its construct.
    pub construct: usize,
    /// The enclosing loop.
    pub parent: Option<usize>,
    /// The x coordinate of its line.
    pub x: f64,
    /// The y coordinates of its members, from the top.
    pub members: Vec<f64>,
    /// Whether there is room for its name along the line.
    pub is_upright: bool,
    /// Whether the operation has participants that are missing from the trace.
    pub is_open: bool,
}

/// Messages between two constructs.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// The index of the construct that sends.
    pub from: usize,
    /// The index of the construct that receives.
    pub to: usize,
    /// The channel.
    pub channel: Channel,
    /// The number of messages.
    pub messages: u64,
    /// The point at which it begins.
    pub tail: Point,
    /// The point at which it ends.
    pub head: Point,
    /// Its number among the arrows between the same two points.
    pub rank: usize,
    /// Whether it connects parts of collective operations.
    pub is_collective: bool,
}

/// All elements in the picture of a model. The first process is at y = 0.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The right edge of the layout.
    pub width: f64,
    /// The y coordinate of the last process.
    pub height: f64,
    /// Loops, outer ones first.
    pub boxes: Vec<LoopBox>,
    /// Events.
    pub marks: Vec<Mark>,
    /// Collective operations.
    pub poles: Vec<Pole>,
    /// Messages.
    pub arrows: Vec<Arrow>,
    /// The line of each process, as its two ends and, in between, pairs of points at which it changes rows.
    pub lines: Vec<Vec<Point>>,
}

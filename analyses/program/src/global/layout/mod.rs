//! Where everything in the picture of a model stands (Ketterlin et al., RR-8562, section IV). Geometry
//! only: no words, no colours.

mod phases;
mod place;
mod plan;
#[cfg(test)]
mod tests;

use foldtrace_fold::merge::{Channel, Construct, Process};

/// From a process to the next one.
pub const ROW: f64 = 28.0;
/// An event that communicates.
const PITCH: f64 = 13.0;
/// An event that does not.
const LOCAL: f64 = 5.0;
/// What a message takes for each row that it passes.
const SLOPE: f64 = 4.0;
/// Around a box, and behind a body.
const MARGIN: f64 = 6.0;
/// Where processes change rows.
const BEND: f64 = 40.0;
/// From the first process of an innermost box to its top.
const OVERHANG: f64 = 10.5;
/// How much higher an outer box is, in all.
const NESTED: f64 = 2.5;

/// How wide words are.
pub struct Widths<'a> {
    /// The name of a process.
    pub process: f64,
    /// The name of a collective operation.
    pub operation: &'a dyn Fn(&Construct) -> f64,
    /// Whether an event is nobody else's business.
    pub is_local: &'a dyn Fn(&Construct) -> bool,
}

impl std::fmt::Debug for Widths<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Widths")
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

/// What a collective operation takes.
struct PoleWidth {
    width: f64,
    /// Whether its name stands upright, beside the line.
    is_upright: bool,
}

impl Widths<'_> {
    /// The number of iterations, as `249x`.
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

/// A point; y grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// A loop.
#[derive(Clone, Debug)]
pub struct LoopBox {
    /// Which construct, in the order of the text, from 0.
    pub construct: usize,
    /// The loop around it.
    pub parent: Option<usize>,
    /// Loops around it.
    pub depth: usize,
    /// Iterations.
    pub count: u64,
    /// Left upper corner.
    pub from: Point,
    /// Right lower corner.
    pub to: Point,
    /// The processes and where their lines enter, if any of them has left its row, so that the picture
    /// has to name them.
    pub moved: Vec<(Process, f64)>,
}

/// What becomes of an end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// There is an arrow to its other end.
    Arrow,
    /// The other end is in another iteration of the same loop.
    Later,
    /// The other end is not in the loop.
    Outside,
    /// There is no other end.
    Dangling,
}

/// One end of a message.
#[derive(Clone, Copy, Debug)]
pub struct Tip {
    /// The channel.
    pub channel: Channel,
    /// Whether the message is sent here.
    pub is_send: bool,
    /// What becomes of it.
    pub fate: Fate,
}

/// An event.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Which construct.
    pub construct: usize,
    /// The loop around it.
    pub parent: Option<usize>,
    /// Where.
    pub at: Point,
    /// Which ends it is: none of a local event.
    pub tips: Vec<Tip>,
}

/// A collective operation.
#[derive(Clone, Debug)]
pub struct Pole {
    /// Which construct.
    pub construct: usize,
    /// The loop around it.
    pub parent: Option<usize>,
    /// Where.
    pub x: f64,
    /// The rows of its members, from the top.
    pub members: Vec<f64>,
    /// Whether there is room for its name along the line.
    pub is_upright: bool,
    /// Whether others that take part are not in it.
    pub is_open: bool,
}

/// Messages between two constructs.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// Which construct sends.
    pub from: usize,
    /// Which construct receives.
    pub to: usize,
    /// The channel.
    pub channel: Channel,
    /// How many.
    pub messages: u64,
    /// Where it begins.
    pub tail: Point,
    /// Where it ends.
    pub head: Point,
    /// Which of several arrows between the same two points it is.
    pub rank: usize,
    /// Whether it joins parts of collective operations.
    pub is_collective: bool,
}

/// Everything in the picture of a model. The first process is at y = 0.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Right of everything.
    pub width: f64,
    /// The last process.
    pub height: f64,
    /// Loops, outer ones first.
    pub boxes: Vec<LoopBox>,
    /// Events.
    pub marks: Vec<Mark>,
    /// Collective operations.
    pub poles: Vec<Pole>,
    /// Messages.
    pub arrows: Vec<Arrow>,
    /// Where the line of each process changes its row: pairs of points, with the ends of the line.
    pub lines: Vec<Vec<Point>>,
}

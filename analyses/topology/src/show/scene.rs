//! Arranges the elements of a picture of a topology: processes at their positions, and lines between them.

use std::collections::{HashMap, HashSet};

use super::place::{PITCH, Placed, Point};
use crate::Pair;
use crate::find::{Component, Part};
use crate::recognition::Topology;

/// Radius of a node.
pub(super) const RADIUS: f64 = 12.0;
/// Minimum distance between a line and a node that is not one of its ends.
const CLEAR: f64 = RADIUS + 1.0;
/// Space around nodes, for lines that go around.
const AROUND: f64 = 0.75 * PITCH;
/// Maximum number of lines times nodes for which obstacles are checked.
const WORK: usize = 20_000_000;

/// A process.
pub(super) struct Node {
    pub rank: u64,
    pub at: Point,
    /// Its coordinates in the topology; `None` if it has none.
    pub place: Option<Vec<u32>>,
    /// Whether the process has no edges.
    pub is_idle: bool,
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An edge.
    Edge,
    /// Traffic that is too little to be an edge.
    Outside,
    /// An edge of the program that the closest topology does not have.
    Extra,
    /// An edge of the closest topology that the program does not have.
    Missing,
}

/// The course of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    /// Straight from node to node.
    Straight,
    /// Past nodes between the ends, bent towards this point.
    Curved(Point),
    /// From one layer to the next.
    Down,
    /// Around a periodic mesh: from each end towards the point where the other end would be.
    Around([Point; 2]),
}

impl Way {
    /// Returns the course from the other end.
    pub fn reversed(self) -> Self {
        match self {
            Self::Around([there, back]) => Self::Around([back, there]),
            way => way,
        }
    }
}

/// A line between two nodes.
pub(super) struct Line {
    pub kind: Kind,
    pub ends: [usize; 2],
    pub way: Way,
    pub pair: Pair,
}

/// All elements of a picture. Node n is node n of the part, and lines are pairs of the part.
pub(super) struct Scene {
    pub nodes: Vec<Node>,
    pub lines: Vec<Line>,
    pub size: Point,
}

/// A component with its positions.
struct Block<'a> {
    component: &'a Component,
    placed: Placed,
    /// The index of each process in the positions.
    places: Vec<u32>,
    /// The topology of the component, if it is known.
    topology: Option<&'a Topology>,
}

impl<'a> Block<'a> {
    fn new(component: &'a Component) -> Self {
        let found = component.topology();
        let found = found.map(|found| (&found.topology, &found.nodes));
        let closest = component.identification.closest.as_ref();
        let closest = closest.map(|closest| (&closest.topology, &closest.nodes));
        let nodes = component.nodes.len();
        let (placed, places) = match found.or(closest) {
            Some((topology, places)) => (Placed::new(topology), places.clone()),
            None => (Placed::circle(nodes), (0..nodes as u32).collect()),
        };
        Self {
            component,
            placed,
            places,
            topology: found.map(|(topology, _)| topology),
        }
    }

    /// Moves the upper left corner of the nodes to `corner`, and returns the lower right one.
    fn move_to(&mut self, corner: Point) -> Point {
        let nodes = &mut self.placed.nodes;
        let least = |of: fn(&Point) -> f64| nodes.iter().map(of).fold(f64::INFINITY, f64::min);
        let (left, top) = (least(|at| at.x), least(|at| at.y));
        let mut last = corner;
        for at in nodes {
            *at = at.minus(Point { x: left, y: top }).plus(corner, 1.0);
            last = Point {
                x: last.x.max(at.x),
                y: last.y.max(at.y),
            };
        }
        last
    }
}

impl Scene {
    /// Creates the picture of a part.
    pub fn new(part: &Part) -> Self {
        let mut blocks: Vec<Block<'_>> = part.components.iter().map(Block::new).collect();
        let mut size = arrange(&mut blocks);
        let nodes = part.ranks.iter().map(|&rank| Node {
            rank,
            at: Point::default(),
            place: None,
            is_idle: true,
        });
        let mut nodes: Vec<Node> = nodes.collect();
        for block in &blocks {
            for (&own, &place) in block.component.nodes.iter().zip(&block.places) {
                let node = &mut nodes[own as usize];
                node.at = block.placed.nodes[place as usize];
                node.place = block.topology.map(|it| it.coordinates(place));
                node.is_idle = false;
            }
        }
        place_idle(&mut nodes, &mut size);
        let mut scene = Self {
            nodes,
            lines: Vec::new(),
            size,
        };
        for (pairs, kind) in [(&part.filtered, Kind::Outside), (&part.kept, Kind::Edge)] {
            for (&ends, &pair) in &pairs.pairs {
                scene.connect(kind, ends, pair);
            }
        }
        for block in &blocks {
            scene.close(block);
        }
        scene
    }

    fn connect(&mut self, kind: Kind, (one, other): (u32, u32), pair: Pair) {
        self.lines.push(Line {
            kind,
            ends: [one, other].map(|node| node as usize),
            way: Way::Straight,
            pair,
        });
    }

    /// Determines the courses of the lines of a block, and adds lines for missing edges.
    fn close(&mut self, block: &Block<'_>) {
        let nodes = &block.component.nodes;
        let closest = block.component.identification.closest.as_ref();
        if let Some(closest) = closest.filter(|_| block.topology.is_none()) {
            let ends = |&(one, other): &(u32, u32)| (nodes[one as usize], nodes[other as usize]);
            let extra: HashSet<[usize; 2]> = closest.extra.iter().map(ends).map(sorted).collect();
            let is_extra = |line: &&mut Line| extra.contains(&line.ends);
            for line in self.lines.iter_mut().filter(is_extra) {
                line.kind = Kind::Extra;
            }
            for pair in closest.missing.iter().map(ends) {
                self.connect(Kind::Missing, pair, Pair::default());
            }
        }
        let place_of: HashMap<usize, u32> = nodes
            .iter()
            .map(|&own| own as usize)
            .zip(block.places.iter().copied())
            .collect();
        let looks = self.lines.len() * nodes.len() <= WORK;
        for index in 0..self.lines.len() {
            let [one, other] = self.lines[index].ends;
            let (Some(&from), Some(&to)) = (place_of.get(&one), place_of.get(&other)) else {
                continue;
            };
            let beyond = [(from, to), (to, from)].map(|(a, b)| block.placed.beyond(a, b));
            self.lines[index].way = match beyond {
                [Some(there), Some(back)] => Way::Around([there, back]),
                _ if block.placed.is_tree && self.lines[index].kind == Kind::Edge => Way::Down,
                _ if looks && self.is_blocked(one, other, nodes) => {
                    Way::Curved(self.past(one, other, nodes))
                }
                _ => Way::Straight,
            };
        }
    }

    /// Returns whether another node is on the straight line between two nodes.
    fn is_blocked(&self, one: usize, other: usize, nodes: &[u32]) -> bool {
        let (from, to) = (self.nodes[one].at, self.nodes[other].at);
        let way = to.minus(from);
        let (ahead, length) = (way.unit(), way.length());
        let mut others = nodes.iter().map(|&node| node as usize);
        others.any(|node| {
            let at = self.nodes[node].at.minus(from);
            let along = at.x * ahead.x + at.y * ahead.y;
            let aside = at.x * ahead.y - at.y * ahead.x;
            let is_between = along > CLEAR && along < length - CLEAR;
            node != one && node != other && is_between && aside.abs() < CLEAR
        })
    }

    /// Returns the point towards which a blocked line is bent: the first that leads past all nodes, if there is one.
    fn past(&self, one: usize, other: usize, nodes: &[u32]) -> Point {
        let (from, to) = (self.nodes[one].at, self.nodes[other].at);
        let way = to.minus(from);
        let bend = 0.55 * PITCH + 0.13 * way.length();
        let middle = from.plus(way, 0.5);
        let by = |side: f64| middle.plus(way.unit().left(), side * bend);
        let is_free = |by: Point| {
            let others = nodes.iter().map(|&node| node as usize);
            let mut others = others.filter(|&node| node != one && node != other);
            !others.any(|node| is_met(self.nodes[node].at, [from, by, to]))
        };
        let mut sides = [1.0, -1.0, 1.4, -1.4, 0.6, -0.6].map(by).into_iter();
        sides.find(|&by| is_free(by)).unwrap_or_else(|| by(1.0))
    }
}

/// Returns the ends of a line in ascending order.
fn sorted((one, other): (u32, u32)) -> [usize; 2] {
    [one.min(other) as usize, one.max(other) as usize]
}

/// Returns whether a node is on the curve from the first point to the last one that bends towards the second.
fn is_met(node: Point, [from, by, to]: [Point; 3]) -> bool {
    let mut steps = (1..24).map(|step| f64::from(step) / 24.0);
    steps.any(|t| {
        let here = from.plus(by.minus(from), t);
        let ahead = by.plus(to.minus(by), t);
        here.plus(ahead.minus(here), t).minus(node).length() < CLEAR
    })
}

/// Arranges components in rows, with about as many rows as components per row, and returns the total size.
fn arrange(blocks: &mut [Block<'_>]) -> Point {
    let row = (blocks.len() as f64).sqrt().ceil().max(1.0) as usize;
    let (mut size, mut top) = (Point::default(), AROUND);
    for blocks in blocks.chunks_mut(row) {
        let (mut left, mut bottom) = (AROUND, top);
        for block in blocks {
            let last = block.move_to(Point { x: left, y: top });
            left = last.x + 2.0 * AROUND;
            bottom = bottom.max(last.y);
        }
        size.x = size.x.max(left - AROUND);
        top = bottom + 2.0 * AROUND;
        size.y = top - AROUND;
    }
    size
}

/// Places the processes without edges below the others.
fn place_idle(nodes: &mut [Node], size: &mut Point) {
    let step = 3.0 * RADIUS;
    let row = ((size.x - AROUND) / step).max(12.0) as usize;
    let top = size.y + RADIUS;
    let idle = nodes.iter_mut().filter(|node| node.is_idle);
    for (number, node) in idle.enumerate() {
        node.at = Point {
            x: AROUND + step * (number % row) as f64,
            y: top + step * (number / row) as f64,
        };
        size.x = size.x.max(node.at.x + AROUND);
        size.y = size.y.max(node.at.y + 2.0 * RADIUS);
    }
}

//! What a picture of a topology has: processes at their places, and lines between them.

use std::collections::{HashMap, HashSet};

use super::place::{PITCH, Placed, Point};
use crate::Pair;
use crate::find::{Component, Part};
use crate::recognition::Topology;

/// How large nodes are.
pub(super) const RADIUS: f64 = 12.0;
/// How far a line keeps from nodes that it does not end at.
const CLEAR: f64 = RADIUS + 1.0;
/// Room around nodes, for lines that go around.
const AROUND: f64 = 0.75 * PITCH;
/// Lines that are looked at, times nodes that may be in their way.
const WORK: usize = 20_000_000;

/// A process.
pub(super) struct Node {
    pub rank: u64,
    pub at: Point,
    /// Its place in the topology; `None` if it has none.
    pub place: Option<Vec<u32>>,
    /// Whether it has no edges.
    pub is_idle: bool,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An edge.
    Edge,
    /// Traffic that is no edge.
    Outside,
    /// An edge that the program has and the closest topology has not.
    Extra,
    /// An edge that the closest topology has and the program has not.
    Missing,
}

/// How a line runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    /// From node to node.
    Straight,
    /// Past nodes between them, towards this point.
    Curved(Point),
    /// From layer to layer.
    Down,
    /// Around: from either end towards where the other one would be.
    Around([Point; 2]),
}

impl Way {
    /// The same from the other end.
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

/// All of a picture: node n is that of the part, and lines are those of its pairs.
pub(super) struct Scene {
    pub nodes: Vec<Node>,
    pub lines: Vec<Line>,
    pub size: Point,
}

/// A component at its place.
struct Block<'a> {
    component: &'a Component,
    placed: Placed,
    /// Which of the places each process has.
    places: Vec<u32>,
    /// What it is, if that is something known.
    topology: Option<&'a Topology>,
}

impl<'a> Block<'a> {
    fn of(component: &'a Component) -> Self {
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

    /// Moves the left upper node to a corner, and gives the lower right one.
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
    /// The picture of a part.
    pub fn of(part: &Part) -> Self {
        let mut blocks: Vec<Block<'_>> = part.components.iter().map(Block::of).collect();
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

    /// Lines of a block find their ways, and those come in that are missing.
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

    /// Whether another node stands between two.
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

    /// The point towards which a line bends that would meet nodes on its way: the first that leads past all,
    /// if one does.
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

/// The ends of a line in order.
fn sorted((one, other): (u32, u32)) -> [usize; 2] {
    [one.min(other) as usize, one.max(other) as usize]
}

/// Whether a node stands on a curve from the first point to the last one, which bends towards the second.
fn is_met(node: Point, [from, by, to]: [Point; 3]) -> bool {
    let mut steps = (1..24).map(|step| f64::from(step) / 24.0);
    steps.any(|t| {
        let here = from.plus(by.minus(from), t);
        let ahead = by.plus(to.minus(by), t);
        here.plus(ahead.minus(here), t).minus(node).length() < CLEAR
    })
}

/// Components stand in rows that are about as long as all of them are high. Gives the size of all.
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

/// Processes without edges stand below the others.
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

//! Computes the positions of the nodes of a topology in a picture. The layout is geometry only, without texts and
//! colours.

use std::f64::consts::TAU;
use std::fmt::{self, Display};

use foldtrace_view::svg::Length;

use crate::recognition::{DirectionId, Rule, Topology};

/// A point; x grows to the right and y downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
}

impl Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Length(self.x), Length(self.y))
    }
}

impl Point {
    pub fn plus(self, other: Self, times: f64) -> Self {
        Self {
            x: self.x + times * other.x,
            y: self.y + times * other.y,
        }
    }

    pub fn minus(self, other: Self) -> Self {
        self.plus(other, -1.0)
    }

    pub fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    /// Returns the vector of length 1 in the same direction.
    pub fn unit(self) -> Self {
        let length = self.length().max(f64::MIN_POSITIVE);
        Self {
            x: self.x / length,
            y: self.y / length,
        }
    }

    /// Returns the vector after a quarter turn to the left.
    pub fn left(self) -> Self {
        Self {
            x: self.y,
            y: -self.x,
        }
    }
}

/// Distance between neighbours in a mesh.
pub(super) const PITCH: f64 = 58.0;
/// Distance between the leaves of a tree.
const LEAF: f64 = 28.0;
/// Distance between the layers of a tree.
const LAYER: f64 = 84.0;
/// Distance between processes on a circle.
const ARC: f64 = 42.0;
/// Slant of an axis that passes the two nodes of another dimension.
const SLANT: f64 = 0.52;
/// Number of nodes per row for a line.
const ROW: usize = 16;

/// The positions of nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Placed {
    pub nodes: Vec<Point>,
    /// Whether the nodes are arranged in layers.
    pub is_tree: bool,
    /// The periodic mesh; `None` for any other topology.
    mesh: Option<PeriodicMesh>,
}

/// The axes of a periodic mesh, and the coordinates of its nodes.
#[derive(Clone, Debug)]
struct PeriodicMesh {
    /// The step along each axis, and the number of nodes along it.
    axes: Vec<(Point, u32)>,
    coordinates: Vec<Vec<u32>>,
}

impl Placed {
    /// Computes the positions of the nodes of a topology.
    pub fn new(topology: &Topology) -> Self {
        match &topology.rule {
            Rule::Mesh { is_periodic, .. } => mesh(topology, *is_periodic),
            Rule::Cliques if topology.dims.len() > 1 => mesh(topology, false),
            Rule::Tree { .. } | Rule::MergeTree { .. } => Self {
                is_tree: true,
                ..Self::at(tree(topology))
            },
            Rule::Star => Self::at(star(topology.nodes())),
            Rule::Cg => Self::at(rows(topology.nodes(), cg_row(topology))),
            Rule::Cliques | Rule::Edges => Self::circle(topology.nodes()),
        }
    }

    fn at(nodes: Vec<Point>) -> Self {
        Self {
            nodes,
            ..Self::default()
        }
    }

    /// Places the given number of nodes on a circle, the first at the top.
    pub fn circle(nodes: usize) -> Self {
        Self::at(circle(nodes))
    }

    /// For an edge around the mesh, returns where the neighbour `to` of `from` would be if the mesh continued.
    pub fn beyond(&self, from: u32, to: u32) -> Option<Point> {
        let mesh = self.mesh.as_ref()?;
        let [one, other] = [from, to].map(|node| &mesh.coordinates[node as usize]);
        let mut at = self.nodes[from as usize];
        let mut goes_around = false;
        for ((&one, &other), &(step, size)) in one.iter().zip(other).zip(&mesh.axes) {
            let mut ahead = i64::from(other) - i64::from(one);
            if size > 2 && 2 * ahead.abs() > i64::from(size) {
                ahead -= ahead.signum() * i64::from(size);
                goes_around = true;
            }
            at = at.plus(step, ahead as f64);
        }
        goes_around.then_some(at)
    }
}

fn mesh(topology: &Topology, is_periodic: bool) -> Placed {
    let nodes = topology.nodes();
    match &*topology.dims {
        [_] if is_periodic => return Placed::circle(nodes),
        [_] => return Placed::at(rows(nodes, ROW)),
        _ => (),
    }
    let axes = axes(&topology.dims);
    let coordinates = (0..nodes as u32).map(|node| topology.coordinates(node));
    let coordinates: Vec<Vec<u32>> = coordinates.collect();
    let places = coordinates.iter().map(|coordinates| {
        let steps = coordinates.iter().zip(&axes);
        steps.fold(Point::default(), |at, (&times, &(step, _))| {
            at.plus(step, times.into())
        })
    });
    Placed {
        nodes: places.collect(),
        is_tree: false,
        mesh: is_periodic.then_some(PeriodicMesh { axes, coordinates }),
    }
}

/// Returns the step and the size of each axis. The last axis goes to the right, the one before it downwards, and a
/// third one backwards. With more than three dimensions, each further pair of axes forms a grid of grids.
fn axes(dims: &[u32]) -> Vec<(Point, u32)> {
    if let &[planes, rows, columns] = dims {
        let slant = if planes > 2 { 0.42 } else { 0.46 };
        let steps = [
            Point {
                x: slant * PITCH * 1.1,
                y: -slant * PITCH,
            },
            Point {
                x: 0.0,
                y: 1.25 * PITCH,
            },
            Point {
                x: 1.35 * PITCH,
                y: 0.0,
            },
        ];
        return steps.into_iter().zip([planes, rows, columns]).collect();
    }
    let mut axes = Vec::new();
    let pitch = if dims.len() > 2 { 1.3 * PITCH } else { PITCH };
    let mut step = Point { x: pitch, y: pitch };
    let mut slant = Point::default();
    for (index, &size) in dims.iter().rev().enumerate() {
        let (at, length, aside) = match index % 2 {
            0 => (Point { x: step.x, ..slant }, &mut step.x, &mut slant.y),
            _ => (Point { y: step.y, ..slant }, &mut step.y, &mut slant.x),
        };
        axes.push((at, size));
        // With two nodes, the next axis is slanted, so that its lines pass the nodes between their ends.
        (*length, *aside) = match size {
            ..=2 => (2.15 * *length, SLANT * *length),
            _ => (*length * f64::from(size) + 0.6 * PITCH, 0.0),
        };
    }
    axes.reverse();
    axes
}

/// Returns positions in rows of `row` nodes.
fn rows(nodes: usize, row: usize) -> Vec<Point> {
    let places = (0..nodes).map(|node| Point {
        x: PITCH * (node % row) as f64,
        y: PITCH * (node / row) as f64,
    });
    places.collect()
}

/// Returns the length of a row of processes in NAS CG: it has a direction per power of two, and the transposed one.
fn cg_row(topology: &Topology) -> usize {
    1 << topology.directions.len().saturating_sub(1).min(16)
}

fn circle(nodes: usize) -> Vec<Point> {
    let radius = (ARC * nodes as f64 / TAU).max(1.2 * PITCH);
    let places = (0..nodes).map(|node| {
        let (sin, cos) = (TAU * node as f64 / nodes as f64).sin_cos();
        Point {
            x: radius * sin,
            y: -radius * cos,
        }
    });
    places.collect()
}

/// Returns the positions of a centre and of all other nodes around it.
fn star(nodes: usize) -> Vec<Point> {
    let mut places = vec![Point::default()];
    places.extend(circle(nodes.saturating_sub(1)));
    places.truncate(nodes);
    places
}

/// Returns positions in layers from top to bottom; a parent is above the middle of its children.
fn tree(topology: &Topology) -> Vec<Point> {
    let mut layout = Layers {
        topology,
        parents: parents(topology),
        next: 0.0,
        places: vec![Point::default(); topology.nodes()],
    };
    if topology.nodes() > 0 {
        layout.place(0, 0);
    }
    layout.places
}

/// Returns the directions to parents.
fn parents(topology: &Topology) -> Vec<DirectionId> {
    let directions = (0..).map(DirectionId).zip(&topology.directions);
    let parents = directions.filter(|(_, direction)| direction.sort == "parent");
    parents.map(|(id, _)| id).collect()
}

struct Layers<'a> {
    topology: &'a Topology,
    parents: Vec<DirectionId>,
    /// The x coordinate of the next leaf.
    next: f64,
    places: Vec<Point>,
}

impl Layers<'_> {
    /// Places a node and its descendants, and returns the node's x coordinate.
    fn place(&mut self, node: u32, layer: usize) -> f64 {
        let topology = self.topology;
        let children = topology.neighbours(node).iter();
        let children = children.filter(|(direction, _)| !self.parents.contains(direction));
        let mut children: Vec<u32> = children.map(|&(_, child)| child).collect();
        children.sort_unstable();
        let places: Vec<f64> = children
            .into_iter()
            .map(|child| self.place(child, layer + 1))
            .collect();
        let x = match (places.first(), places.last()) {
            (Some(first), Some(last)) => (first + last) / 2.0,
            _ => {
                let x = self.next;
                self.next += LEAF;
                x
            }
        };
        self.places[node as usize] = Point {
            x,
            y: LAYER * layer as f64,
        };
        x
    }
}

//! Defines candidates for the topology of a program, and builds their topologies.

mod cg;
mod cliques;
mod mesh;
mod trees;

use std::sync::Arc;

use super::{Direction, DirectionId, Rule, Topology};
use mesh::Mesh;

pub(super) use cg::edges as cg_edges;
pub(super) use mesh::{Stencil, opposite};

/// A possible topology. It is not built yet: there are many candidates, and a few numbers exclude most of them.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name in the style of Xu et al.: `4x4 grid`, `16 ring`.
    pub name: String,
    /// The name without the sizes.
    pub family: String,
    /// The sizes of its dimensions; only the number of nodes if it has no dimensions.
    pub dims: Vec<u32>,
    pub(super) shape: Shape,
}

/// The rule that defines the edges of a candidate.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// A mesh that is periodic or not, with the neighbours of a stencil.
    Mesh(bool, Stencil),
    Wavefront,
    Cliques,
    Tree(u32),
    MergeTree(u32),
    Star,
    Cg,
    /// A mesh that is periodic or not, with neighbours at the given offsets.
    Offsets(bool, Arc<[Vec<i32>]>),
    Edges(Arc<[(u32, u32)]>),
}

/// Whether a mesh is periodic: its dimensions are open.
pub(super) const OPEN: bool = false;
/// Whether a mesh is periodic: its dimensions are closed.
pub(super) const CLOSED: bool = true;

impl Candidate {
    /// Creates a candidate, which is named after its sizes and its family.
    pub(super) fn new(family: &str, dims: Vec<u32>, shape: Shape) -> Self {
        let sizes: Vec<String> = dims.iter().map(u32::to_string).collect();
        Self {
            name: format!("{} {family}", sizes.join("x")),
            family: family.to_owned(),
            dims,
            shape,
        }
    }

    /// Creates a mesh whose nodes have neighbours at the given offsets.
    pub(super) fn mesh(
        family: &str,
        dims: Vec<u32>,
        is_periodic: bool,
        offsets: Arc<[Vec<i32>]>,
    ) -> Self {
        Self::new(family, dims, Shape::Offsets(is_periodic, offsets))
    }

    /// Creates a candidate with a list of edges: each once, its smaller node first.
    pub(super) fn with_edges(family: &str, nodes: u32, edges: Arc<[(u32, u32)]>) -> Self {
        Self::new(family, vec![nodes], Shape::Edges(edges))
    }

    /// Returns the number of edges, without building the topology.
    #[must_use]
    pub fn edges(&self) -> u64 {
        let nodes: u64 = self.dims.iter().map(|&size| u64::from(size)).product();
        match &self.shape {
            Shape::Cliques => cliques::edges(&self.dims),
            Shape::Tree(_) | Shape::MergeTree(_) | Shape::Star => nodes.saturating_sub(1),
            Shape::Cg => cg::edges(nodes as u32).unwrap_or(0),
            Shape::Edges(edges) => edges.len() as u64,
            Shape::Mesh(..) | Shape::Wavefront | Shape::Offsets(..) => {
                self.as_mesh().map_or(0, |mesh| mesh.edges())
            }
        }
    }

    /// Returns whether only one end of each edge sends.
    #[must_use]
    pub const fn is_one_way(&self) -> bool {
        matches!(self.shape, Shape::Wavefront)
    }

    /// Returns whether all nodes are equivalent: for each two of them, there is an automorphism of the topology that
    /// maps one to the other.
    #[must_use]
    pub const fn is_transitive(&self) -> bool {
        match self.shape {
            Shape::Mesh(is_periodic, _) | Shape::Offsets(is_periodic, _) => is_periodic,
            Shape::Cliques => true,
            _ => false,
        }
    }

    /// Builds the topology.
    #[must_use]
    pub fn build(&self) -> Topology {
        let names = (self.name.clone(), self.family.clone());
        let nodes = self.dims.iter().product();
        match &self.shape {
            Shape::Cliques => cliques::build(names.0, names.1, &self.dims),
            Shape::Tree(arity) => trees::tree(names, nodes, *arity),
            Shape::MergeTree(arity) => trees::merge_tree(names, nodes, *arity),
            Shape::Star => trees::star(names, nodes),
            Shape::Cg => cg::build(names, nodes),
            Shape::Edges(edges) => listed(names, nodes, edges),
            Shape::Mesh(..) | Shape::Wavefront | Shape::Offsets(..) => {
                let offsets = Vec::new();
                let none = Mesh::new(&self.dims, OPEN, offsets);
                let topology = self.as_mesh().unwrap_or(none).build(names.0, names.1);
                if self.is_one_way() {
                    topology.one_way()
                } else {
                    topology
                }
            }
        }
    }

    fn as_mesh(&self) -> Option<Mesh<'_>> {
        let (is_periodic, offsets) = match &self.shape {
            Shape::Mesh(is_periodic, stencil) => (*is_periodic, stencil.offsets(self.dims.len())),
            Shape::Wavefront => (OPEN, Stencil::Axes.offsets(self.dims.len())),
            Shape::Offsets(is_periodic, offsets) => (*is_periodic, offsets.to_vec()),
            _ => return None,
        };
        Some(Mesh::new(&self.dims, is_periodic, offsets))
    }
}

/// Builds the topology of a list of edges.
fn listed(names: (String, String), nodes: u32, edges: &[(u32, u32)]) -> Topology {
    let ends = edges
        .iter()
        .flat_map(|&(one, other)| [(one, other), (other, one)]);
    let mut ends: Vec<(u32, u32)> = ends.collect();
    ends.sort_unstable();
    let mut last = (0, 0);
    let neighbours: Vec<_> = ends
        .into_iter()
        .map(|(from, to)| {
            let index = if last.0 == from { last.1 } else { 0 };
            last = (from, index + 1);
            (from, DirectionId(index), to)
        })
        .collect();
    let most = neighbours
        .iter()
        .map(|&(_, DirectionId(index), _)| index + 1);
    let most = most.max().unwrap_or(0);
    let all: Vec<DirectionId> = (0..most).map(DirectionId).collect();
    let directions = (0..most).map(|index| numbered("neighbour", index, all.clone()));
    let directions = directions.collect();
    Topology::new(names, vec![nodes], Rule::Edges, directions, neighbours)
}

/// Returns a direction that is the only one of its sort.
fn named(sort: &str, reverse: Vec<DirectionId>) -> Direction {
    Direction {
        sort: sort.to_owned(),
        index: 0,
        is_numbered: false,
        reverse,
    }
}

/// Returns one of several directions of a sort.
fn numbered(sort: &str, index: u32, reverse: Vec<DirectionId>) -> Direction {
    Direction {
        is_numbered: true,
        index,
        ..named(sort, reverse)
    }
}

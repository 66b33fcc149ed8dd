//! The library of patterns: the possible topologies of a number of processes.

mod cg;
mod cliques;
mod factors;
mod mesh;
mod trees;

use std::sync::Arc;

use super::{CustomPattern, Direction, DirectionId, Rule, Topology};
use mesh::{Mesh, Stencil};

pub(super) use factors::products;
pub(super) use mesh::opposite;

/// The arities of trees.
const ARITIES: [u32; 17] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 32, 64];

/// The known patterns: the built-in patterns and user-defined ones.
#[derive(Clone, Debug, Default)]
pub struct Library {
    own: Vec<CustomPattern>,
}

/// A possible topology. It is not built yet: there are many candidates, and a few numbers exclude most of them.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name in the style of Xu et al.: `4x4 grid`, `16 ring`.
    pub name: String,
    /// The name without the sizes.
    pub family: String,
    /// The sizes of its dimensions; only the number of nodes if it has no dimensions.
    pub dims: Vec<u32>,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    Mesh(bool, Stencil),
    Wavefront,
    Cliques,
    Tree(u32),
    MergeTree(u32),
    Star,
    Cg,
    Offsets(bool, Arc<[Vec<i32>]>),
    Edges(Arc<[(u32, u32)]>),
}

const OPEN: bool = false;
const CLOSED: bool = true;

impl Library {
    /// Adds user-defined patterns, which come before all others.
    #[must_use]
    pub fn with(mut self, patterns: Vec<CustomPattern>) -> Self {
        self.own.extend(patterns);
        self
    }

    /// Returns the possible topologies of a program with `nodes` processes, the simplest first. In a family with
    /// several sizes, those whose largest dimension is smallest come first.
    ///
    /// The candidates include wavefronts, which match only programs in which one of each two neighbours sends
    /// ([`Candidate::is_one_way`]).
    #[must_use]
    pub fn candidates(&self, nodes: usize) -> Vec<Candidate> {
        let Some(nodes) = u32::try_from(nodes).ok().filter(|&nodes| nodes > 0) else {
            return Vec::new();
        };
        let mut list = List {
            nodes,
            sizes: factors::factorisations(nodes),
            found: Vec::new(),
        };
        list.found.extend(
            self.own
                .iter()
                .flat_map(|pattern| pattern.candidates(nodes)),
        );
        list.meshes();
        list.trees();
        list.stencils();
        list.cubes();
        list.found
    }
}

/// The candidates so far.
struct List {
    nodes: u32,
    sizes: Vec<Vec<u32>>,
    found: Vec<Candidate>,
}

impl List {
    /// Adds a candidate without dimensions.
    fn single(&mut self, family: &str, shape: Shape) {
        let candidate = Candidate::new(family, vec![self.nodes], shape);
        self.found.push(candidate);
    }

    /// Adds a candidate for each product of sizes that fits.
    fn each(&mut self, family: &str, shape: &Shape, is_fit: impl Fn(&[u32]) -> bool) {
        let sizes = self.sizes.iter().filter(|sizes| is_fit(sizes));
        let candidates = sizes.map(|sizes| Candidate::new(family, sizes.clone(), shape.clone()));
        self.found.extend(candidates);
    }

    fn meshes(&mut self) {
        let axes = |is_periodic| Shape::Mesh(is_periodic, Stencil::Axes);
        self.single("line", axes(OPEN));
        if self.nodes > 2 {
            self.single("ring", axes(CLOSED));
        }
        self.each("wavefront", &Shape::Wavefront, |sizes| sizes.len() <= 3);
        self.each("grid", &axes(OPEN), |_| true);
        // A dimension of two nodes has one edge, whether it is periodic or not.
        self.each("torus", &axes(CLOSED), |sizes| sizes[0] > 2);
    }

    fn trees(&mut self) {
        if self.nodes > 3 {
            self.single("star", Shape::Star);
        }
        // With a larger arity, all other nodes are children of the first one, which is a star.
        let nodes = self.nodes;
        let arities = || ARITIES.into_iter().filter(move |&arity| arity + 1 < nodes);
        for arity in arities() {
            let family = match arity {
                2 => "binary tree".to_owned(),
                _ => format!("{arity}-ary tree"),
            };
            self.single(&family, Shape::Tree(arity));
        }
        for arity in arities() {
            self.single(&format!("{arity}-ary merge tree"), Shape::MergeTree(arity));
        }
    }

    fn stencils(&mut self) {
        if self.nodes > 2 {
            self.single("all-to-all", Shape::Cliques);
        }
        if cg::edges(self.nodes).is_some() {
            self.single("CG stencil", Shape::Cg);
        }
        for (is_periodic, word) in [(CLOSED, ""), (OPEN, "open ")] {
            for (stencil, name, dimensions) in [
                (Stencil::Six, "6-p stencil", 2..=2),
                (Stencil::Eight, "8-p stencil", 2..=3),
                (Stencil::TwentySix, "26-p stencil", 3..=3),
            ] {
                let shape = Shape::Mesh(is_periodic, stencil);
                let is_fit = |sizes: &[u32]| dimensions.contains(&sizes.len());
                self.each(&format!("{word}{name}"), &shape, is_fit);
            }
        }
    }

    fn cubes(&mut self) {
        if self.nodes > 2 && self.nodes.is_power_of_two() {
            let sizes = vec![2; self.nodes.ilog2() as usize];
            self.found.push(Candidate {
                name: format!("{} hypercube", self.nodes),
                family: "hypercube".to_owned(),
                dims: sizes,
                shape: Shape::Mesh(CLOSED, Stencil::Axes),
            });
        }
        self.each("butterfly", &Shape::Cliques, |_| true);
    }
}

impl Candidate {
    fn new(family: &str, dims: Vec<u32>, shape: Shape) -> Self {
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

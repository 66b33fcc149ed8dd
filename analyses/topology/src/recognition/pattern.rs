//! Defines a topology: its nodes, and the neighbours of each node by direction.

use super::Graph;

/// The number of a direction of a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirectionId(pub u32);

/// A direction: a name for the same neighbour of every node, such as the eastern one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direction {
    /// The name that all directions of this sort share: `+x`, `-x`, `parent`, `child`.
    pub sort: String,
    /// The index among several directions of its sort, from 0, as for the n-th child.
    pub index: u32,
    /// Whether there are several directions of its sort, so that its name needs the index.
    pub is_numbered: bool,
    /// The directions that may lead back from the neighbour in this direction: one direction in a mesh, and any child
    /// for a parent.
    pub reverse: Vec<DirectionId>,
}

impl Direction {
    /// Returns its name: `+x`, `parent`, `child 3`.
    #[must_use]
    pub fn name(&self) -> String {
        if self.is_numbered {
            format!("{} {}", self.sort, self.index)
        } else {
            self.sort.clone()
        }
    }
}

/// The rule for the neighbours of a node, for any number of nodes. It is needed to generate programs; all other code
/// uses [`Topology::neighbour`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A mesh. Nodes are numbered by their coordinates, the last one fastest.
    Mesh {
        /// Whether the mesh is periodic in every dimension.
        is_periodic: bool,
        /// The offset of the neighbour in each direction, one number per dimension. In a periodic dimension of two
        /// nodes, both ways are one direction.
        offsets: Vec<Vec<i32>>,
    },
    /// Cliques along the dimensions of a mesh: each node has edges to all nodes that differ in one coordinate.
    /// Direction n of a dimension leads n + 1 nodes further, cyclically.
    Cliques,
    /// A tree: node n has the children `arity * n + 1` to `arity * n + arity`. Directions: the parent, then the
    /// children.
    Tree {
        /// The maximum number of children of a node.
        arity: u32,
    },
    /// A merge tree: node n has, on each level l with `n % arity^(l+1) == 0`, the children
    /// `n + k * arity^l` for k from 1 to arity − 1. Directions: the parent, then the children, level by
    /// level.
    MergeTree {
        /// The number of nodes that are merged into one on each level.
        arity: u32,
    },
    /// A star: node 0 has edges to all others. Directions: the centre, then nodes 1, 2, …
    Star,
    /// The topology of NAS CG: rows whose length is a power of two, in which processes communicate with partners at
    /// distances 1, 2, 4, …, and with the transposed process. Directions: one partner per power, and the transposed
    /// process, which on the diagonal is the node itself.
    Cg,
    /// A list of edges. Direction n of a node leads to its n-th neighbour.
    Edges,
}

/// A topology with a certain number of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Its name in the style of Xu et al.: `4x4 grid`, `8x8 6-p stencil`, `16 ring`.
    pub name: String,
    /// The name without the sizes.
    pub family: String,
    /// The sizes of its dimensions; only the number of nodes if it has no dimensions.
    pub dims: Vec<u32>,
    /// The rule for the neighbours of a node.
    pub rule: Rule,
    /// Its directions.
    pub directions: Vec<Direction>,
    /// The start of each node's range in `neighbours`, followed by the end of the last range.
    first: Vec<u32>,
    /// The neighbours of each node with their directions, sorted by direction.
    neighbours: Vec<(DirectionId, u32)>,
    is_one_way: bool,
    /// The sets of nodes that a program on this topology refers to, each with a flag per node.
    roles: Vec<Vec<bool>>,
}

impl Topology {
    /// Creates a topology whose edges are `neighbours`: from a node, in a direction, to a node. If a node has several
    /// neighbours in the same direction, the first is kept.
    #[must_use]
    pub fn new(
        (name, family): (String, String),
        dims: Vec<u32>,
        rule: Rule,
        directions: Vec<Direction>,
        mut neighbours: Vec<(u32, DirectionId, u32)>,
    ) -> Self {
        let nodes: usize = dims.iter().map(|&size| size as usize).product();
        neighbours.retain(|&(from, _, to)| (from.max(to) as usize) < nodes);
        neighbours.sort_by_key(|&(from, direction, _)| (from, direction));
        neighbours.dedup_by_key(|&mut (from, direction, _)| (from, direction));
        let mut first = vec![0; nodes + 1];
        for &(from, ..) in &neighbours {
            first[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let neighbours = neighbours.into_iter();
        Self {
            name,
            family,
            dims,
            rule,
            directions,
            first,
            neighbours: neighbours
                .map(|(_, direction, to)| (direction, to))
                .collect(),
            is_one_way: false,
            roles: Vec::new(),
        }
    }

    /// Returns the topology with `roles`, the sets of nodes that a program refers to by number. A set has a flag
    /// per node: whether the node belongs to it.
    #[must_use]
    pub fn with_roles(self, roles: Vec<Vec<bool>>) -> Self {
        Self { roles, ..self }
    }

    /// Returns the sets of nodes that a program on this topology refers to; empty for a topology of the library.
    #[must_use]
    pub fn roles(&self) -> &[Vec<bool>] {
        &self.roles
    }

    /// Returns whether a node belongs to a role; `false` if there is no role with this number.
    #[must_use]
    pub fn has_role(&self, node: u32, role: u32) -> bool {
        let nodes = self.roles.get(role as usize);
        nodes.and_then(|nodes| nodes.get(node as usize)) == Some(&true)
    }

    /// Returns the topology with edges on which only the smaller node sends, as in a wavefront. Directions stay as
    /// they are, because a receiver has to name its sender, too.
    #[must_use]
    pub fn one_way(self) -> Self {
        Self {
            is_one_way: true,
            ..self
        }
    }

    /// Returns whether only the smaller node of each edge sends.
    #[must_use]
    pub const fn is_one_way(&self) -> bool {
        self.is_one_way
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// Returns the neighbours of a node with their directions, sorted by direction.
    ///
    /// # Panics
    /// If `node` is not a node of the topology. This holds for all methods that take a node.
    #[must_use]
    pub fn neighbours(&self, node: u32) -> &[(DirectionId, u32)] {
        let [first, last] = [node, node + 1].map(|node| self.first[node as usize] as usize);
        &self.neighbours[first..last]
    }

    /// Returns the neighbour of a node in a direction.
    #[must_use]
    pub fn neighbour(&self, node: u32, direction: DirectionId) -> Option<u32> {
        let neighbours = self.neighbours(node);
        let found = neighbours.binary_search_by_key(&direction, |&(direction, _)| direction);
        found.ok().map(|index| neighbours[index].1)
    }

    /// Returns the first direction in which `to` is a neighbour of `from`.
    #[must_use]
    pub fn direction(&self, from: u32, to: u32) -> Option<DirectionId> {
        let mut neighbours = self.neighbours(from).iter();
        let found = neighbours.find(|&&(_, neighbour)| neighbour == to);
        found.map(|&(direction, _)| direction)
    }

    /// Returns the coordinates of a node, one number per dimension.
    #[must_use]
    pub fn coordinates(&self, node: u32) -> Vec<u32> {
        let mut rest = node;
        let mut coordinates = vec![0; self.dims.len()];
        for (coordinate, size) in coordinates.iter_mut().zip(&self.dims).rev() {
            *coordinate = rest % size;
            rest /= size;
        }
        coordinates
    }

    /// Returns its graph. Both ends of each edge send, unless the topology [is one-way](Self::is_one_way).
    #[must_use]
    pub fn graph(&self) -> Graph {
        let nodes = 0..self.nodes() as u32;
        let neighbours = nodes.flat_map(|node| {
            let neighbours = self.neighbours(node).iter();
            let neighbours = neighbours.map(move |&(_, to)| (node, to));
            neighbours.filter(|&(from, to)| from < to || !self.is_one_way)
        });
        Graph::new(self.nodes(), neighbours)
    }
}

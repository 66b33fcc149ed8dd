//! One topology: its nodes, and who is in which direction of whom.

use super::Graph;

/// A direction of a topology, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirectionId(pub u32);

/// A direction: a word for the same neighbour of every node, such as the one to the east.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direction {
    /// What stands for all directions of this sort: `+x`, `-x`, `parent`, `child`.
    pub sort: String,
    /// Which one of its sort it is, from 0, where there are several: the n-th child.
    pub index: u32,
    /// Whether there are several of its sort, so that a name needs the index.
    pub is_numbered: bool,
    /// From the neighbour in this direction, where the node itself may be: one direction in a mesh; of a
    /// parent, any child.
    pub reverse: Vec<DirectionId>,
}

impl Direction {
    /// Its name: `+x`, `parent`, `child 3`.
    #[must_use]
    pub fn name(&self) -> String {
        if self.is_numbered {
            format!("{} {}", self.sort, self.index)
        } else {
            self.sort.clone()
        }
    }
}

/// How to find the neighbours of a node, for any number of nodes. What writes programs needs it; everything
/// else asks [`Topology::neighbour`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A mesh; nodes are numbered by their coordinates, the last one fastest.
    Mesh {
        /// Whether it is closed in every dimension.
        is_periodic: bool,
        /// Offset of the neighbour in each direction, a number a dimension. Where a closed dimension has
        /// two nodes, both ways are one direction.
        offsets: Vec<Vec<i32>>,
    },
    /// Nodes have coordinates as in a mesh; each has edges to all others that differ in one of them. Direction
    /// n of a dimension is n + 1 nodes further, around.
    Cliques,
    /// Node n has the children `arity * n + 1` and the next ones. Directions: the parent, then the children.
    Tree {
        /// The most children of a node.
        arity: u32,
    },
    /// A merge tree: node n has, on each level l with `n % arity^(l+1) == 0`, the children
    /// `n + k * arity^l` for k from 1 to arity − 1. Directions: the parent, then the children, level by
    /// level.
    MergeTree {
        /// How many nodes become one on each level.
        arity: u32,
    },
    /// Node 0 has edges to all others. Directions: the centre, then node 1 and the next ones.
    Star,
    /// The pattern of NAS CG: rows of a power of two processes which exchange with partners at 1, 2, 4, …
    /// in the row, and with the transposed process. Directions: a partner for each power, the transposed
    /// one. On the diagonal that is the node itself.
    Cg,
    /// Edges as a list, in which direction n of a node is its n-th neighbour.
    Edges,
}

/// A topology of a certain size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Its name in the style of Xu et al.: `4x4 grid`, `8x8 6-p stencil`, `16 ring`.
    pub name: String,
    /// The name without the sizes.
    pub family: String,
    /// Sizes of its dimensions; one, the number of nodes, where it has none.
    pub dims: Vec<u32>,
    /// How neighbours are found.
    pub rule: Rule,
    /// Its directions.
    pub directions: Vec<Direction>,
    /// Where the neighbours of each node begin, and where the last ones end.
    first: Vec<u32>,
    /// Neighbours of nodes with their directions, in order of these.
    neighbours: Vec<(DirectionId, u32)>,
    is_one_way: bool,
    /// The sets of nodes that a program on this topology refers to, each with a flag per node.
    roles: Vec<Vec<bool>>,
}

impl Topology {
    /// A topology whose edges are `neighbours`, from which node in which direction to which node. Of two in
    /// the same direction of a node the first stays.
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

    /// The same, but of each edge only the smaller node sends, as in a wavefront. Directions stay as they
    /// are, since who receives has a word for where from, too.
    #[must_use]
    pub fn one_way(self) -> Self {
        Self {
            is_one_way: true,
            ..self
        }
    }

    /// Whether of each edge only the smaller node sends.
    #[must_use]
    pub const fn is_one_way(&self) -> bool {
        self.is_one_way
    }

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// The neighbours of a node with their directions, in order of these.
    ///
    /// # Panics
    /// If it is no node of the topology, as all that take a node do.
    #[must_use]
    pub fn neighbours(&self, node: u32) -> &[(DirectionId, u32)] {
        let [first, last] = [node, node + 1].map(|node| self.first[node as usize] as usize);
        &self.neighbours[first..last]
    }

    /// The neighbour of a node in a direction.
    #[must_use]
    pub fn neighbour(&self, node: u32, direction: DirectionId) -> Option<u32> {
        let neighbours = self.neighbours(node);
        let found = neighbours.binary_search_by_key(&direction, |&(direction, _)| direction);
        found.ok().map(|index| neighbours[index].1)
    }

    /// The first direction in which `to` is a neighbour of `from`.
    #[must_use]
    pub fn direction(&self, from: u32, to: u32) -> Option<DirectionId> {
        let mut neighbours = self.neighbours(from).iter();
        let found = neighbours.find(|&&(_, neighbour)| neighbour == to);
        found.map(|&(direction, _)| direction)
    }

    /// Coordinates of a node, a number a dimension.
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

    /// Its graph. Both ends of its edges send, unless it [is one-way](Self::is_one_way).
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

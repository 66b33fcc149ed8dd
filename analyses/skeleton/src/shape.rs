//! Resizes a topology to another number of processes, with the rules by which the written program finds neighbours.

use foldtrace_topology::recognition::{DirectionId, Rule, Topology};

/// The sizes of a topology with some number of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The sizes of its dimensions; a single size if the topology has no dimensions.
    pub dims: Vec<u32>,
    /// The number of copies of the topology, without edges between them.
    pub copies: u32,
}

impl Shape {
    /// Returns the shape of a topology with `nodes` nodes.
    ///
    /// # Errors
    /// Returns an error if there is no such shape; the error describes which numbers of nodes are possible.
    pub fn new(topology: &Topology, nodes: u32) -> Result<Self, String> {
        let alone = |dims| Self { dims, copies: 1 };
        if nodes as usize == topology.nodes() {
            return Ok(alone(topology.dims.clone()));
        }
        match &topology.rule {
            Rule::Mesh { is_periodic, .. } => mesh(&topology.dims, *is_periodic, nodes),
            Rule::Cliques => Ok(alone(shared_out(nodes, topology.dims.len()))),
            Rule::Cg if !nodes.is_power_of_two() => Err("a power of two".to_owned()),
            Rule::Edges => Err(format!("{} processes", topology.nodes())),
            _ => Ok(alone(vec![nodes])),
        }
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.copies * self.dims.iter().product::<u32>()
    }

    /// Returns the neighbour of a node in a direction, by the rule of the topology alone.
    #[must_use]
    pub fn neighbour(&self, topology: &Topology, node: u32, direction: u32) -> Option<u32> {
        if direction as usize >= topology.directions.len() {
            return None;
        }
        let nodes = self.nodes();
        let found = match &topology.rule {
            Rule::Mesh {
                is_periodic,
                offsets,
            } => in_mesh(
                &self.dims,
                *is_periodic,
                offsets.get(direction as usize)?,
                node,
            ),
            Rule::Cliques => in_cliques(&topology.dims, &self.dims, node, direction),
            Rule::Tree { arity } => in_tree(*arity, node, direction),
            Rule::MergeTree { arity } => {
                let directions = topology.directions.len() as u32;
                in_merge_tree(*arity, directions, node, direction)
            }
            Rule::Star => match (node, direction) {
                (0, 0) => None,
                (0, other) => Some(other),
                (node, 0) => ((node as usize) < topology.directions.len()).then_some(0),
                _ => None,
            },
            Rule::Cg => in_cg(nodes, topology.directions.len() as u32, node, direction),
            Rule::Edges => topology.neighbour(node, DirectionId(direction)),
        };
        // In CG, a process on the diagonal exchanges messages with itself.
        let is_itself = |other| other == node && topology.rule != Rule::Cg;
        found.filter(|&other| other < nodes && !is_itself(other))
    }

    /// Returns the coordinates of a node.
    #[must_use]
    pub fn coordinates(&self, node: u32) -> Vec<u32> {
        coordinates(&self.dims, node)
    }
}

/// Returns the topology with another number of nodes.
///
/// # Errors
/// Returns an error if there is no such topology; the error describes which numbers of processes are possible.
pub fn resized(topology: &Topology, nodes: u32) -> Result<Topology, String> {
    let shape = Shape::new(topology, nodes)?;
    Ok(by_rule(topology, &shape))
}

/// Returns whether the rule of a topology yields the neighbours of the topology.
#[must_use]
pub fn is_by_rule(topology: &Topology) -> bool {
    let shape = Shape {
        dims: topology.dims.clone(),
        copies: 1,
    };
    let nodes = 0..topology.nodes() as u32;
    let same = by_rule(topology, &shape);
    nodes
        .into_iter()
        .all(|node| topology.neighbours(node) == same.neighbours(node))
}

fn by_rule(topology: &Topology, shape: &Shape) -> Topology {
    let nodes = shape.nodes();
    let directions = 0..topology.directions.len() as u32;
    let neighbours = (0..nodes).flat_map(|node| {
        directions.clone().filter_map(move |direction| {
            let to = shape.neighbour(topology, node, direction)?;
            Some((node, DirectionId(direction), to))
        })
    });
    let neighbours = neighbours.collect();
    let dims = match shape.copies {
        1 => shape.dims.clone(),
        _ => vec![nodes],
    };
    let name = format!("{nodes} {}", topology.family);
    let rule = topology.rule.clone();
    let names = (name, topology.family.clone());
    Topology::new(names, dims, rule, topology.directions.clone(), neighbours)
}

/// Returns the shape of a mesh with `nodes` nodes. A closed dimension of size 2 has one direction for both ways, so
/// it cannot have a larger size: such meshes grow in other dimensions, or consist of several copies.
fn mesh(recorded: &[u32], is_periodic: bool, nodes: u32) -> Result<Shape, String> {
    let mut rest = nodes;
    let mut dims = recorded.to_vec();
    let is_pair = |size: u32| is_periodic && size == 2;
    for size in dims.iter_mut().filter(|size| is_pair(**size)) {
        *size = if rest.is_multiple_of(2) { 2 } else { 1 };
        rest /= *size;
    }
    let free = recorded.iter().filter(|&&size| !is_pair(size)).count();
    if free == 0 {
        return match rest.is_power_of_two() {
            true => Ok(Shape { dims, copies: rest }),
            false => Err("a power of two".to_owned()),
        };
    }
    let mut shared = shared_out(rest, free).into_iter();
    for (size, recorded) in dims.iter_mut().zip(recorded) {
        if !is_pair(*recorded) {
            *size = shared.next().unwrap_or(1);
        }
    }
    Ok(Shape { dims, copies: 1 })
}

/// Divides a number of nodes into dimensions of similar sizes, the largest first.
fn shared_out(nodes: u32, dimensions: usize) -> Vec<u32> {
    let mut dims = vec![1; dimensions];
    let mut factors = Vec::new();
    let (mut rest, mut prime) = (nodes, 2);
    while rest > 1 {
        if rest.is_multiple_of(prime) {
            factors.push(prime);
            rest /= prime;
        } else {
            prime += 1;
        }
    }
    for factor in factors.into_iter().rev() {
        if let Some(least) = dims.iter_mut().min() {
            *least *= factor;
        }
    }
    dims.sort_unstable_by(|one, other| other.cmp(one));
    dims
}

fn coordinates(dims: &[u32], node: u32) -> Vec<u32> {
    let mut rest = node;
    let mut coordinates = vec![0; dims.len()];
    for (coordinate, size) in coordinates.iter_mut().zip(dims).rev() {
        *coordinate = rest % size;
        rest /= size;
    }
    coordinates
}

fn in_mesh(dims: &[u32], is_periodic: bool, offsets: &[i32], node: u32) -> Option<u32> {
    let size: u32 = dims.iter().product();
    let mut other = 0;
    for ((at, &size), &offset) in coordinates(dims, node).iter().zip(dims).zip(offsets) {
        let (there, size) = (i64::from(*at) + i64::from(offset), i64::from(size));
        if !is_periodic && !(0..size).contains(&there) {
            return None;
        }
        other = other * size + there.rem_euclid(size);
    }
    u32::try_from(other)
        .ok()
        .map(|other| node / size * size + other)
}

/// Returns how far a direction leads among `now` nodes if it was recorded with the distance `further` among `was`
/// nodes. In a clique of another size than the recorded one, directions of the first half lead forward, those of the
/// second half backward, so that both ends of a message remain directions of the program.
fn distance(further: u32, was: u32, now: u32) -> Option<u32> {
    let nearer = further.min(was - further);
    match () {
        () if now == was => Some(further),
        () if 2 * further == was || 2 * nearer > now => None,
        () if 2 * further < was => Some(nearer),
        () => Some(now - nearer),
    }
}

/// Returns the neighbour of a node in cliques. The directions of the last dimension come first.
fn in_cliques(recorded: &[u32], dims: &[u32], node: u32, direction: u32) -> Option<u32> {
    let mut rest = direction;
    let mut stride = 1;
    for (&was, &size) in recorded.iter().zip(dims).rev() {
        if rest >= was - 1 {
            rest -= was - 1;
            stride *= size;
            continue;
        }
        let further = distance(rest + 1, was, size);
        let at = node / stride % size;
        let there = (at + further?) % size;
        return Some(node - at * stride + there * stride);
    }
    None
}

fn in_tree(arity: u32, node: u32, direction: u32) -> Option<u32> {
    match direction {
        0 => Some(node.checked_sub(1)? / arity),
        child => node.checked_mul(arity)?.checked_add(child),
    }
}

/// Returns the neighbour of a node in a merge tree. A child for which there is no direction is the root of a tree of
/// its own.
fn in_merge_tree(arity: u32, directions: u32, node: u32, direction: u32) -> Option<u32> {
    let others = arity.max(2) - 1;
    let mut step = 1_u32;
    for level in 0..directions.div_ceil(others) {
        let next = step.checked_mul(others + 1)?;
        let first = 1 + level * others;
        if !node.is_multiple_of(next) {
            let own = first + node / step % (others + 1) - 1;
            return (direction == 0 && own < directions).then(|| node - node % next);
        }
        if (first..first + others).contains(&direction) {
            return node.checked_add((direction - first + 1).checked_mul(step)?);
        }
        step = next;
    }
    None
}

fn in_cg(nodes: u32, directions: u32, node: u32, direction: u32) -> Option<u32> {
    let power = nodes.ilog2();
    let rows = 1 << (power / 2);
    let columns = nodes / rows;
    if direction + 1 < directions {
        let distance = 1u32.checked_shl(direction)?;
        return (distance < columns).then_some(node ^ distance);
    }
    let wide = columns / rows;
    let half = node / wide;
    Some(wide * (half % rows * rows + half / rows) + node % wide)
}

//! Compares the spectra of graphs: the eigenvalues of their adjacency matrices, or values that follow from them.
//!
//! Computing the eigenvalues of n nodes takes O(n³). For more than [`MOST`] nodes, closed walks are counted instead:
//! the number of closed walks of length k is the sum of the k-th powers of all eigenvalues, so different numbers mean
//! different spectra. They are integers, and cheap to compute if nodes have few neighbours. The numbers of nodes at
//! each distance from each node are compared as well, which distinguishes large meshes with the same short walks.

use nalgebra::DMatrix;

use super::Graph;

/// Maximum number of nodes for which eigenvalues are computed.
const MOST: usize = 512;
/// Maximum number of edges to visit for closed walks of each length.
const WALKS: u64 = 1 << 22;
/// Maximum number of edges to visit for distances.
const DISTANCES: u64 = 1 << 27;

/// Invariants of a graph that depend on its spectrum, and others that are the same for isomorphic graphs.
#[derive(Clone, Debug, Default)]
pub(super) struct Spectrum {
    /// The eigenvalues, sorted.
    eigenvalues: Vec<f64>,
    /// The maximum difference between two eigenvalues that count as equal.
    tolerance: f64,
    /// The numbers of closed walks of lengths 2, 3, 4, … as far as they are cheap to compute, modulo 2^64.
    walks: Vec<u64>,
    /// A hash per node of the numbers of nodes at each distance from it, sorted.
    distances: Vec<u64>,
}

impl Spectrum {
    /// Computes the spectrum of a graph. With `is_transitive`, all nodes are equivalent, so only one is examined.
    pub(super) fn new(graph: &Graph, is_transitive: bool) -> Self {
        if graph.nodes() <= MOST
            && let Some(eigenvalues) = eigenvalues(graph)
        {
            let most = (0..graph.nodes() as u32).map(|node| graph.degree(node));
            let most = most.max().unwrap_or(0).max(1);
            return Self {
                eigenvalues,
                // The solver is backward stable: the error of an eigenvalue is a small multiple of n * epsilon *
                // norm, and the norm is at most the largest degree. For 512 nodes that is about 1e-13 of the degree,
                // so this tolerance is far above it. A tolerance that is too large costs an isomorphism test; one
                // that is too small would give a wrong result.
                tolerance: 1e-6 * most as f64,
                ..Self::default()
            };
        }
        let nodes = graph.nodes() as u64;
        let (starts, times) = if is_transitive {
            (nodes.min(1), nodes)
        } else {
            (nodes, 1)
        };
        Self {
            walks: walks(graph, starts as u32, times),
            distances: distances(graph, starts as u32, times),
            ..Self::default()
        }
    }

    /// Returns whether two graphs may be isomorphic, according to their invariants.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let tolerance = self.tolerance.max(other.tolerance);
        let mut pairs = self.eigenvalues.iter().zip(&other.eigenvalues);
        let mut walks = self.walks.iter().zip(&other.walks);
        // Distances are compared only if they were computed for both graphs.
        let has_both = !self.distances.is_empty() && !other.distances.is_empty();
        pairs.all(|(one, other)| (one - other).abs() <= tolerance)
            && walks.all(|(one, other)| one == other)
            && (!has_both || self.distances == other.distances)
    }
}

/// Returns the eigenvalues of the adjacency matrix, sorted, if they can be computed.
fn eigenvalues(graph: &Graph) -> Option<Vec<f64>> {
    if graph.nodes() == 0 {
        return None;
    }
    let mut matrix = DMatrix::<f64>::zeros(graph.nodes(), graph.nodes());
    for (one, other, _) in graph.iter() {
        matrix[(one as usize, other as usize)] = 1.0;
        matrix[(other as usize, one as usize)] = 1.0;
    }
    let mut values = matrix.symmetric_eigenvalues().as_slice().to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values
        .iter()
        .all(|value| value.is_finite())
        .then_some(values)
}

/// Counts closed walks of lengths 2, 3, 4, … from the first `starts` nodes, and multiplies the counts by `times`.
fn walks(graph: &Graph, starts: u32, times: u64) -> Vec<u64> {
    let mut found = Vec::new();
    for half in 1..=5 {
        let mut counter = Counter::new(graph);
        let mut sums = [0_u64; 2];
        for start in 0..starts {
            let [even, odd] = counter.count(start, half);
            sums = [sums[0].wrapping_add(even), sums[1].wrapping_add(odd)];
            if counter.work > WALKS {
                return found;
            }
        }
        found.extend(sums.map(|sum| sum.wrapping_mul(times)));
    }
    found
}

/// Counts walks from one node after the other.
struct Counter<'a> {
    graph: &'a Graph,
    /// The number of walks to each node: of the current length, and of one more step.
    to: [Vec<u64>; 2],
    /// The step in which each node was last reached, numbered over all starts.
    reached: Vec<u64>,
    step: u64,
    work: u64,
}

impl<'a> Counter<'a> {
    fn new(graph: &'a Graph) -> Self {
        let none = || vec![0; graph.nodes()];
        Self {
            graph,
            to: [none(), none()],
            reached: none(),
            step: 0,
            work: 0,
        }
    }

    /// Returns the number of closed walks of lengths `2 * half` and `2 * half + 1` from a node. Each consists of two
    /// walks of about half the length to the same node.
    fn count(&mut self, start: u32, half: u32) -> [u64; 2] {
        let [mut now, mut next] = std::mem::take(&mut self.to);
        let mut reached = vec![start];
        now[start as usize] = 1;
        let mut last = [0; 2];
        for step in 0..=half {
            let mut further = Vec::new();
            self.step += 1;
            for &node in &reached {
                let walks = now[node as usize];
                for &to in self.graph.neighbours(node) {
                    if std::mem::replace(&mut self.reached[to as usize], self.step) != self.step {
                        further.push(to);
                    }
                    next[to as usize] = next[to as usize].wrapping_add(walks);
                }
                self.work += self.graph.degree(node) as u64 + 1;
            }
            if step == half {
                let sum = |to: &[u64]| {
                    let products = reached
                        .iter()
                        .map(|&node| now[node as usize].wrapping_mul(to[node as usize]));
                    products.fold(0, u64::wrapping_add)
                };
                last = [sum(&now), sum(&next)];
            }
            for node in reached.drain(..) {
                now[node as usize] = 0;
            }
            reached = further;
            std::mem::swap(&mut now, &mut next);
        }
        for node in reached {
            now[node as usize] = 0;
        }
        self.to = [now, next];
        last
    }
}

/// Returns a hash of the numbers of nodes at each distance for each of the first `starts` nodes, each `times` times,
/// sorted. Returns an empty list if the computation takes too long.
fn distances(graph: &Graph, starts: u32, times: u64) -> Vec<u64> {
    let work = (graph.nodes() as u64 + 2 * graph.edges() as u64) * u64::from(starts);
    if work > DISTANCES {
        return Vec::new();
    }
    let mut from = vec![u32::MAX; graph.nodes()];
    let numbers = (0..starts).map(|start| profile(graph, start, &mut from));
    let numbers = numbers.flat_map(|number| (0..times).map(move |_| number));
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

/// Returns a hash of the numbers of nodes at each distance from a node. `from` has the start from which each node was
/// last reached.
pub(super) fn profile(graph: &Graph, start: u32, from: &mut [u32]) -> u64 {
    let mut number = 1_u64;
    let (mut reached, mut further) = (vec![start], Vec::new());
    from[start as usize] = start;
    while !reached.is_empty() {
        number = number
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
            .wrapping_add(reached.len() as u64);
        for &node in &reached {
            for &to in graph.neighbours(node) {
                if from[to as usize] != start {
                    from[to as usize] = start;
                    further.push(to);
                }
            }
        }
        reached.clear();
        std::mem::swap(&mut reached, &mut further);
    }
    number
}

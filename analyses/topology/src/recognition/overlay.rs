//! Overlays one graph on another, so that as many edges as possible coincide. The optimum is hard to find; this
//! module finds a good overlay.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use super::spectrum::profile;
use super::{Graph, Topology, numbering};

/// Marks a node without an image.
const NONE: u32 = u32::MAX;
/// Maximum length of the walks that are counted from each node.
const LENGTHS: usize = 8;
/// Maximum number of nodes of a graph in which images are swapped.
const MOST_SWAPPED: usize = 256;
/// Maximum number of edges to visit while swapping images.
const SWAPS: u64 = 1 << 18;

/// Returns how many edges of a graph are mapped to edges of another; `nodes` has the image of each node.
pub(super) fn common(graph: &Graph, other: &Graph, nodes: &[u32]) -> usize {
    let image = |node: u32| nodes[node as usize];
    let edges = graph.iter();
    edges
        .filter(|&(one, two, _)| other.has_edge(image(one), image(two)))
        .count()
}

/// Returns the best of several overlays of a graph on a topology: the usual numberings, and overlays that grow from
/// pairs of nodes by mapping neighbours to neighbours. `work` is the remaining budget.
pub(super) fn best(graph: &Graph, topology: &Topology, other: &Graph, work: &mut u64) -> Vec<u32> {
    let enough = graph.edges().min(other.edges());
    let mut best: Option<(usize, Vec<u32>)> = None;
    let mut keep = |nodes: Vec<u32>| {
        let common = common(graph, other, &nodes);
        if best.as_ref().is_none_or(|best| common > best.0) {
            best = Some((common, nodes));
        }
        common >= enough
    };
    let is_found = numbering::usual(topology).any(&mut keep);
    let near = [graph, other].map(|graph| (!is_found).then(|| Near::new(graph, work)).flatten());
    if let [Some(one), Some(two)] = near {
        let near = [one, two];
        // The cost of finding the seeds.
        *work = work.saturating_sub((nodes_of(other) * other.edges() / 8) as u64);
        for seed in seeds(&near) {
            let nodes = grow(&near, seed, work);
            if nodes.is_none_or(&mut keep) {
                break;
            }
        }
    }
    let mut nodes = best.map_or_else(Vec::new, |(_, nodes)| nodes);
    if !is_found && graph.nodes() <= MOST_SWAPPED {
        exchange(graph, other, &mut nodes, work);
    }
    nodes
}

/// Returns the number of nodes that may be used as seeds.
fn nodes_of(graph: &Graph) -> usize {
    graph.nodes().min(MOST_SWAPPED)
}

/// Returns pairs of nodes to start from: some nodes of the graph with a node of each kind of the other graph.
fn seeds(pair: &[Near; 2]) -> Vec<(u32, u32)> {
    let [graph, other] = [pair[0].graph, pair[1].graph];
    let nodes = || 0..graph.nodes() as u32;
    let ends = [
        nodes().min_by_key(|&node| graph.degree(node)),
        nodes().max_by_key(|&node| graph.degree(node)),
        nodes().next(),
    ];
    let mut from: Vec<u32> = ends.into_iter().flatten().collect();
    from.sort_unstable();
    from.dedup();
    let mut reached = vec![NONE; other.nodes()];
    // Profiles of many nodes are expensive, so only the first nodes are used.
    let mut sorts: Vec<(u64, u32)> = (0..nodes_of(other) as u32)
        .map(|node| (profile(other, node, &mut reached), node))
        .collect();
    sorts.sort_unstable();
    sorts.dedup_by_key(|&mut (profile, _)| profile);
    let mut pairs: Vec<(u32, u32)> = from
        .iter()
        .flat_map(|&from| sorts.iter().map(move |&(_, to)| (from, to)))
        .collect();
    pairs.sort_by_key(|&(from, to)| differ(pair, from, to));
    pairs
}

/// Grows an overlay from a pair of nodes. The next pair is always the one with the most neighbours that are mapped to
/// each other; among equal pairs, the one with the most mapped nodes two steps away that are connected in as many
/// ways in both graphs. Returns `None` if the budget is exceeded.
fn grow(pair: &[Near; 2], seed: (u32, u32), work: &mut u64) -> Option<Vec<u32>> {
    let [graph, other] = [pair[0].graph, pair[1].graph];
    let mut growth = Growth {
        pair,
        nodes: vec![NONE; graph.nodes()],
        is_free: vec![true; other.nodes()],
        scores: HashMap::new(),
        waiting: BinaryHeap::from([((0, 0), Reverse(0), Reverse(seed))]),
    };
    let mut rest = by_degree(graph);
    loop {
        let Some((_, _, Reverse((from, to)))) = growth.waiting.pop() else {
            // Continue with another component of the graph.
            let Some(from) = rest.find(|&node| growth.nodes[node as usize] == NONE) else {
                return Some(growth.nodes);
            };
            let free = (0..other.nodes() as u32).filter(|&node| growth.is_free[node as usize]);
            let to = free.min_by_key(|&to| differ(pair, from, to))?;
            growth.put(from, to, work)?;
            continue;
        };
        if growth.is_left(from, to) {
            growth.put(from, to, work)?;
        }
    }
}

/// A graph with data on the surroundings of each node.
struct Near<'a> {
    graph: &'a Graph,
    /// The nodes two steps away from each node, with the number of ways to each.
    two: Vec<Vec<(u32, u32)>>,
    /// The number of walks of each length up to [`LENGTHS`] from each node, on a logarithmic scale.
    around: Vec<[f32; LENGTHS]>,
}

impl<'a> Near<'a> {
    /// Collects the surroundings of all nodes; returns `None` if the budget is exceeded.
    fn new(graph: &'a Graph, work: &mut u64) -> Option<Self> {
        let nodes = 0..graph.nodes() as u32;
        let two = nodes.map(|node| {
            let around = graph.neighbours(node).iter();
            let ends = around.flat_map(|&next| graph.neighbours(next));
            let mut ends: Vec<u32> = ends.copied().filter(|&end| end != node).collect();
            *work = work.checked_sub(ends.len() as u64 / 4 + 1)?;
            ends.sort_unstable();
            let ways = ends.chunk_by(|one, next| one == next);
            Some(ways.map(|ways| (ways[0], ways.len() as u32)).collect())
        });
        let two = two.collect::<Option<_>>()?;
        let mut around = vec![[0.0; LENGTHS]; graph.nodes()];
        let mut walks = vec![1.0_f32; graph.nodes()];
        for length in 0..LENGTHS {
            let of = |node| {
                graph
                    .neighbours(node)
                    .iter()
                    .map(|&to| walks[to as usize])
                    .sum()
            };
            walks = (0..graph.nodes() as u32).map(of).collect();
            for (around, walks) in around.iter_mut().zip(&walks) {
                around[length] = walks.ln_1p();
            }
        }
        Some(Self { graph, two, around })
    }
}

/// Returns how much the surroundings of a node of one graph differ from those of a node of the other.
fn differ(pair: &[Near; 2], one: u32, two: u32) -> u32 {
    let [one, two] = [&pair[0].around[one as usize], &pair[1].around[two as usize]];
    let differ: f32 = one
        .iter()
        .zip(two)
        .map(|(one, two)| (one - two).abs())
        .sum();
    (differ * 1e3) as u32
}

/// A pair of nodes that may be mapped to each other: its score, the difference of their surroundings, and the nodes.
type Next = ((u32, u32), Reverse<u32>, Reverse<(u32, u32)>);

/// A partial overlay with the candidates for the next pair.
struct Growth<'a> {
    pair: &'a [Near<'a>; 2],
    nodes: Vec<u32>,
    is_free: Vec<bool>,
    /// For each pair of nodes, the number of neighbours that are mapped to each other, and of nodes two steps away.
    scores: HashMap<(u32, u32), (u32, u32)>,
    waiting: BinaryHeap<Next>,
}

impl Growth<'_> {
    fn is_left(&self, from: u32, to: u32) -> bool {
        self.nodes[from as usize] == NONE && self.is_free[to as usize]
    }

    /// Maps a node to another one.
    fn put(&mut self, from: u32, to: u32, work: &mut u64) -> Option<()> {
        self.nodes[from as usize] = to;
        self.is_free[to as usize] = false;
        let [graph, other] = self.pair;
        let [ones, others] = [&graph.two[from as usize], &other.two[to as usize]];
        let direct = graph.graph.degree(from) * other.graph.degree(to);
        let pairs = direct + ones.len() * others.len();
        *work = work.checked_sub(pairs as u64 + 1)?;
        for &(one, ways) in ones {
            let alike = others.iter().filter(|&&(_, others)| others == ways);
            for &(two, _) in alike {
                self.score(one, two, (0, 1));
            }
        }
        for &one in graph.graph.neighbours(from) {
            for &two in other.graph.neighbours(to) {
                self.score(one, two, (1, 0));
            }
        }
        Some(())
    }

    fn score(&mut self, one: u32, two: u32, more: (u32, u32)) {
        if self.is_left(one, two) {
            let score = self.scores.entry((one, two)).or_default();
            *score = (score.0 + more.0, score.1 + more.1);
            if score.0 > 0 {
                let differ = differ(self.pair, one, two);
                let entry = (*score, Reverse(differ), Reverse((one, two)));
                self.waiting.push(entry);
            }
        }
    }
}

/// Returns all nodes, sorted by degree in descending order.
fn by_degree(graph: &Graph) -> std::vec::IntoIter<u32> {
    let mut nodes: Vec<u32> = (0..graph.nodes() as u32).collect();
    nodes.sort_by_key(|&node| Reverse(graph.degree(node)));
    nodes.into_iter()
}

/// Swaps the images of two nodes as long as more edges coincide after the swap.
fn exchange(graph: &Graph, other: &Graph, nodes: &mut [u32], work: &mut u64) {
    let mut left = SWAPS.min(*work);
    *work -= left;
    let all = 0..graph.nodes() as u32;
    let mut is_better = true;
    while is_better {
        is_better = false;
        for one in all.clone() {
            if hits(graph, other, nodes, one) == graph.degree(one) {
                continue;
            }
            for two in all.clone().filter(|&two| two != one) {
                let cost = graph.degree(one) + graph.degree(two) + 1;
                let Some(rest) = left.checked_sub(cost as u64) else {
                    return;
                };
                left = rest;
                let both =
                    |nodes: &[u32]| hits(graph, other, nodes, one) + hits(graph, other, nodes, two);
                let before = both(nodes);
                nodes.swap(one as usize, two as usize);
                if both(nodes) > before {
                    is_better = true;
                } else {
                    nodes.swap(one as usize, two as usize);
                }
            }
        }
    }
    *work += left;
}

/// Returns the number of edges of a node that are mapped to edges of the other graph.
fn hits(graph: &Graph, other: &Graph, nodes: &[u32], node: u32) -> usize {
    let image = nodes[node as usize];
    let neighbours = graph.neighbours(node).iter();
    neighbours
        .filter(|&&to| other.has_edge(image, nodes[to as usize]))
        .count()
}

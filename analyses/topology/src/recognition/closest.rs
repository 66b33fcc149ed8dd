//! Finds the topology that is closest to a graph without a matching topology in the library.

use super::{Candidate, Graph, Topology, components, overlay};

/// Maximum number of pairs of nodes to compare over all candidates: about 0.1 s.
const WORK: u64 = 1 << 20;
/// Maximum number of candidates to overlay on the graph.
const MOST: usize = 64;

/// The topology that is closest to a graph: the fewest edges have to be removed and added. The overlay of the two is
/// the best one that was found; there may be a better one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closest {
    /// The topology.
    pub topology: Topology,
    /// The node of the topology for each node of the graph.
    pub nodes: Vec<u32>,
    /// Edges of the topology that the graph does not have, by nodes of the graph, the smaller one first.
    pub missing: Vec<(u32, u32)>,
    /// Edges of the graph that the topology does not have, by nodes of the graph, the smaller one first.
    pub extra: Vec<(u32, u32)>,
    /// The differences between the graph and the topology, in words.
    pub why: Vec<String>,
}

/// Returns the closest candidate, or the simplest of several; `None` if the graph has no edges.
pub(super) fn closest(graph: &Graph, candidates: &[Candidate]) -> Option<Closest> {
    if graph.edges() == 0 {
        return None;
    }
    // One-way candidates are left out, because the direction of edges does not matter here.
    let candidates = candidates.iter().enumerate();
    let candidates = candidates.filter(|(_, candidate)| !candidate.is_one_way());
    let differ = |candidate: &Candidate| candidate.edges().abs_diff(graph.edges() as u64);
    let mut candidates: Vec<(u64, usize, &Candidate)> = candidates
        .map(|(index, candidate)| (differ(candidate), index, candidate))
        .collect();
    candidates.sort_unstable_by_key(|&(differ, index, _)| (differ, index));
    let mut work = WORK;
    let mut best: Option<(u64, usize, Topology, Vec<u32>)> = None;
    for (least, index, candidate) in candidates.into_iter().take(MOST) {
        if best
            .as_ref()
            .is_some_and(|best| (least, index) > (best.0, best.1))
        {
            continue;
        }
        let topology = candidate.build();
        let other = topology.graph();
        let nodes = overlay::best(graph, &topology, &other, &mut work);
        let common = overlay::common(graph, &other, &nodes);
        let distance = (graph.edges() + other.edges() - 2 * common) as u64;
        if best
            .as_ref()
            .is_none_or(|best| (distance, index) < (best.0, best.1))
        {
            best = Some((distance, index, topology, nodes));
        }
    }
    best.map(|(_, _, topology, nodes)| Closest::new(graph, topology, nodes))
}

impl Closest {
    fn new(graph: &Graph, topology: Topology, nodes: Vec<u32>) -> Self {
        let other = topology.graph();
        let mut processes = nodes.clone();
        for (process, &node) in (0..).zip(&nodes) {
            processes[node as usize] = process;
        }
        Self {
            missing: absent(&other, graph, &processes),
            extra: absent(graph, &other, &nodes)
                .into_iter()
                .map(|(one, two)| ordered(processes[one as usize], processes[two as usize]))
                .collect(),
            why: differences(graph, &other, &topology.name),
            topology,
            nodes,
        }
    }
}

const fn ordered(one: u32, two: u32) -> (u32, u32) {
    if one < two { (one, two) } else { (two, one) }
}

/// Returns the edges of a graph that another graph does not have, by the nodes of the other graph.
fn absent(graph: &Graph, other: &Graph, nodes: &[u32]) -> Vec<(u32, u32)> {
    let edges = graph.iter();
    let edges = edges.map(|(one, two, _)| ordered(nodes[one as usize], nodes[two as usize]));
    let mut edges: Vec<_> = edges
        .filter(|&(one, two)| !other.has_edge(one, two))
        .collect();
    edges.sort_unstable();
    edges
}

/// Describes the differences between two graphs.
fn differences(graph: &Graph, other: &Graph, name: &str) -> Vec<String> {
    let name = format!("{} {name}", article(name));
    let mut why = Vec::new();
    if graph.edges() != other.edges() {
        let edges = count(graph.edges(), "edge", "edges");
        why.push(format!("{edges}, but {name} has {}", other.edges()));
    }
    let parts = [graph, other].map(|graph| components(graph).len());
    if parts[0] != parts[1] {
        let unconnected = count(parts[0], "unconnected part", "unconnected parts");
        why.push(format!("{unconnected}, but {name} has {}", parts[1]));
    }
    why.extend(degree_differences(graph, other, &name));
    if why.is_empty() {
        let triangles = [graph, other].map(triangles);
        if triangles[0] != triangles[1] {
            let found = count(triangles[0], "triangle", "triangles");
            why.push(format!("{found}, but {name} has {}", triangles[1]));
        }
    }
    if why.is_empty() {
        why.push(format!(
            "as many edges and neighbours as {name}, but no numbering was found that maps one to the other"
        ));
    }
    why
}

/// Describes the differences in the numbers of neighbours.
fn degree_differences(graph: &Graph, other: &Graph, name: &str) -> Vec<String> {
    let degrees = |graph: &Graph| {
        let degrees = (0..graph.nodes() as u32).map(|node| graph.degree(node));
        let mut degrees: Vec<usize> = degrees.collect();
        degrees.sort_unstable();
        degrees
    };
    let (own, others) = (degrees(graph), degrees(other));
    let (Some(&least), Some(&most)) = (others.first(), others.last()) else {
        return Vec::new();
    };
    let mut why = Vec::new();
    for group in own.chunk_by(|one, next| one == next) {
        let bound = match group[0] {
            degree if degree > most => format!("at most {most}"),
            degree if degree < least => format!("at least {least}"),
            _ => continue,
        };
        let processes = count(group.len(), "process has", "processes have");
        let neighbours = count(group[0], "neighbour", "neighbours");
        why.push(format!("{processes} {neighbours}, but {name} has {bound}"));
    }
    if why.is_empty() && own != others {
        let differs = (least..=most).find_map(|degree| {
            let of = |degrees: &[usize]| degrees.iter().filter(|&&d| d == degree).count();
            let (own, others) = (of(&own), of(&others));
            (own != others).then_some((degree, own, others))
        });
        why.extend(differs.map(|(degree, own, others)| {
            let processes = count(own, "process has", "processes have");
            let neighbours = count(degree, "neighbour", "neighbours");
            format!("{processes} {neighbours}, but {others} do in {name}")
        }));
    }
    why
}

fn triangles(graph: &Graph) -> usize {
    let edges = graph.iter();
    let corners = edges.map(|(one, two, _)| {
        let mut corners = graph.neighbours(two).iter();
        corners
            .by_ref()
            .filter(|&&corner| corner > two && graph.has_edge(one, corner))
            .count()
    });
    corners.sum()
}

/// Formats a number with the word for what it counts.
fn count(number: usize, one: &str, several: &str) -> String {
    match number {
        0 => format!("no {one}"),
        1 => format!("1 {one}"),
        _ => format!("{number} {several}"),
    }
}

/// Returns the article of a name that begins with a number.
fn article(name: &str) -> &'static str {
    let digits = name
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .unwrap_or("");
    let is_teen = digits == "11" || digits == "18";
    if is_teen || digits.starts_with('8') {
        "an"
    } else {
        "a"
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Library, identify};
    use super::*;

    fn grid(nodes: usize, name: &str) -> Graph {
        let candidates = Library::default().candidates(nodes);
        let found = candidates.iter().find(|candidate| candidate.name == name);
        found.unwrap().build().graph()
    }

    fn edges(graph: &Graph) -> Vec<(u32, u32)> {
        graph.iter().map(|(one, two, _)| (one, two)).collect()
    }

    fn of(nodes: usize, edges: &[(u32, u32)]) -> Closest {
        let graph = Graph::new(nodes, edges.iter().copied());
        identify(&graph, &Library::default()).closest.unwrap()
    }

    #[test]
    fn an_edge_too_many_or_too_few_is_named() {
        let mut changed = edges(&grid(20, "5x4 grid"));
        changed.push((0, 19));
        let found = of(20, &changed);
        assert_eq!(found.topology.name, "5x4 grid");
        assert_eq!((found.missing, found.extra), (vec![], vec![(0, 19)]));
        assert_eq!(
            found.why,
            [
                "32 edges, but a 5x4 grid has 31",
                "2 processes have 2 neighbours, but 4 do in a 5x4 grid"
            ]
        );

        changed.retain(|&edge| edge != (0, 19) && edge != (0, 1));
        changed.push((0, 5));
        let found = of(20, &changed);
        assert_eq!((found.missing, found.extra), (vec![(0, 1)], vec![(0, 5)]));
    }

    #[test]
    fn numbers_do_not_matter() {
        for seed in 0..10 {
            let mut numbers: Vec<u32> = (0..64).collect();
            fastrand::Rng::with_seed(seed).shuffle(&mut numbers);
            for (name, removed) in [
                ("8x8 grid", (0, 1)),
                ("8x8 torus", (20, 21)),
                ("2x2x2x2x2x2 grid", (0, 1)),
                ("8x8 6-p stencil", (8, 9)),
            ] {
                let mut changed = edges(&grid(64, name));
                changed.retain(|&edge| edge != removed);
                let graph = Graph::new(64, changed).renumbered(&numbers);
                let found = identify(&graph, &Library::default()).closest.unwrap();
                assert_eq!(found.topology.name, name);
                let [one, two] = [removed.0, removed.1].map(|node: u32| numbers[node as usize]);
                assert_eq!(found.missing, [ordered(one, two)]);
                assert!(found.extra.is_empty());
            }
        }
    }

    #[test]
    fn differences_are_described_in_words() {
        let mut two = edges(&grid(8, "8 ring"));
        two.retain(|&edge| edge != (3, 4) && edge != (0, 7));
        let why = of(8, &two).why;
        assert_eq!(why[0], "6 edges, but an 8 line has 7");
        assert_eq!(why[1], "2 unconnected parts, but an 8 line has 1");
        assert_eq!(article("18x2 grid"), "an");
        assert_eq!(article("4x4 grid"), "a");
        assert_eq!(article("knight"), "a");
    }
}

//! Identifies the topologies that a graph matches, by increasingly expensive tests, each of which is applied to the
//! candidates that passed the previous ones (Xu et al., section 4.2).

use super::closest::{Closest, closest};
use super::colored::Colored;
use super::isomorphism::{Answer, compare, is_isomorphism};
use super::spectrum::Spectrum;
use super::{Candidate, Graph, Library, Topology, numbering};

/// The topologies that a graph matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identification {
    /// Names of the candidates with the same number of nodes and edges, and the same degrees. In this list and in all
    /// others, the simplest candidate comes first.
    pub simple: Vec<String>,
    /// Names of the candidates in `simple` that have the same spectrum.
    pub spectrum: Vec<String>,
    /// Candidates in `spectrum` that are isomorphic to the graph.
    pub isomorphic: Vec<Match>,
    /// Names of the candidates in `spectrum` for which the isomorphism test took too long.
    pub undecided: Vec<String>,
    /// The closest topology, if none is isomorphic.
    pub closest: Option<Closest>,
}

/// A topology that a graph matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The topology.
    pub topology: Topology,
    /// The node of the topology for each node of the graph.
    pub nodes: Vec<u32>,
}

/// Identifies the topologies of a library that a graph matches, independently of the numbering of its nodes. The
/// direction of messages matters only for one-way topologies.
///
/// If processes are numbered by the coordinates of the topology, with its dimensions in any order, this numbering is
/// chosen among all possible mappings of the nodes.
#[must_use]
pub fn identify(graph: &Graph, library: &Library) -> Identification {
    let candidates = candidates(graph, library);
    let mut found = isomorphic(graph, &candidates);
    if found.isomorphic.is_empty() {
        found.closest = closest(graph, &candidates);
    }
    found
}

/// Identifies topologies like [`identify`], but does not search for the closest topology if none is isomorphic. That
/// search takes most of the time.
#[must_use]
pub fn recognise(graph: &Graph, library: &Library) -> Identification {
    isomorphic(graph, &candidates(graph, library))
}

fn candidates(graph: &Graph, library: &Library) -> Vec<Candidate> {
    let mut candidates = library.candidates(graph.nodes());
    candidates.retain(|candidate| graph.is_one_way() || !candidate.is_one_way());
    candidates
}

fn isomorphic(graph: &Graph, candidates: &[Candidate]) -> Identification {
    let mut found = Identification::default();
    let mut spectrum = None;
    for built in simple(graph, candidates) {
        let name = &built.candidate.name;
        found.simple.push(name.clone());
        // A graph with a usual numbering needs no further tests.
        let usual = built.usual(graph);
        if usual.is_none() {
            let spectrum = spectrum.get_or_insert_with(|| Spectrum::new(graph, false));
            let is_transitive = built.candidate.is_transitive();
            if !spectrum.agrees(&Spectrum::new(&built.graph, is_transitive)) {
                continue;
            }
        }
        found.spectrum.push(name.clone());
        match usual.map_or_else(|| built.compare(graph), Answer::Isomorphic) {
            Answer::Isomorphic(nodes) => found.isomorphic.push(Match {
                topology: built.topology,
                nodes,
            }),
            Answer::Different => {}
            Answer::Undecided => found.undecided.push(name.clone()),
        }
    }
    found
}

/// A candidate whose graph was built.
struct Built<'a> {
    candidate: &'a Candidate,
    topology: Topology,
    graph: Graph,
}

/// Builds the candidates with the same number of edges and the same degrees as the graph.
fn simple<'a>(
    graph: &Graph,
    candidates: &'a [Candidate],
) -> impl Iterator<Item = Built<'a>> + use<'a> {
    let edges = graph.edges() as u64;
    let expected = degrees(graph);
    let candidates = candidates.iter();
    let candidates = candidates.filter(move |candidate| candidate.edges() == edges);
    let built = candidates.map(|candidate| {
        let topology = candidate.build();
        let graph = topology.graph();
        Built {
            candidate,
            topology,
            graph,
        }
    });
    built.filter(move |built| degrees(&built.graph) == expected)
}

/// Returns the degrees of all nodes, in ascending order.
fn degrees(graph: &Graph) -> Vec<usize> {
    let mut degrees: Vec<usize> = (0..graph.nodes() as u32)
        .map(|node| graph.degree(node))
        .collect();
    degrees.sort_unstable();
    degrees
}

impl Built<'_> {
    /// Colours the edges of a graph by flow if the candidate is one-way.
    fn colored<'a>(&self, graph: &'a Graph) -> Colored<'a> {
        if self.candidate.is_one_way() {
            Colored::flows(graph)
        } else {
            Colored::plain(graph)
        }
    }

    /// Returns the usual numbering of processes that is an isomorphism, if any.
    fn usual(&self, graph: &Graph) -> Option<Vec<u32>> {
        let (one, other) = (self.colored(graph), self.colored(&self.graph));
        numbering::usual(&self.topology).find(|nodes| is_isomorphism(&one, &other, nodes))
    }

    fn compare(&self, graph: &Graph) -> Answer {
        // In a transitive topology, all nodes are equivalent, so the first process can be mapped to any of them.
        let is_transitive = self.candidate.is_transitive();
        let fixed: &[(u32, u32)] = if is_transitive { &[(0, 0)] } else { &[] };
        compare(&self.colored(graph), &self.colored(&self.graph), fixed)
    }
}

//! Which topologies a graph has: tests that cost more and more, each of what the ones before left (Xu et
//! al., section 4.2).

use super::closest::{Closest, closest};
use super::isomorphism::{Answer, Colored, compare, is_isomorphism};
use super::spectrum::Spectrum;
use super::{Candidate, Graph, Library, Topology, numbering};

/// Which topologies a graph has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identification {
    /// Names of the candidates with as many nodes and edges, and the same degrees; the simplest first, as
    /// in all these lists.
    pub simple: Vec<String>,
    /// Those of them that have the same spectrum.
    pub spectrum: Vec<String>,
    /// Those of them that are isomorphic to the graph.
    pub isomorphic: Vec<Match>,
    /// Those of which it would take too long to know if they are.
    pub undecided: Vec<String>,
    /// What comes closest, if none is isomorphic.
    pub closest: Option<Closest>,
}

/// A topology that a graph has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The topology.
    pub topology: Topology,
    /// The node of the topology for each node of the graph.
    pub nodes: Vec<u32>,
}

/// Which topologies of a library a graph has, however its nodes are numbered. Who sends matters for those that are
/// one-way only.
///
/// Where processes are numbered by the coordinates of the topology, in any order of its dimensions, nodes
/// are mapped in this way, of all that are possible.
#[must_use]
pub fn identify(graph: &Graph, library: &Library) -> Identification {
    let candidates = candidates(graph, library);
    let mut found = isomorphic(graph, &candidates);
    if found.isomorphic.is_empty() {
        found.closest = closest(graph, &candidates);
    }
    found
}

/// Identifies topologies as [`identify`] does, but does not look for the closest topology if none is isomorphic.
/// That search takes most of the time.
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
        // Whoever is numbered as usual needs no further test.
        let usual = built.usual(graph);
        if usual.is_none() {
            let spectrum = spectrum.get_or_insert_with(|| Spectrum::of(graph, false));
            let is_transitive = built.candidate.is_transitive();
            if !spectrum.agrees(&Spectrum::of(&built.graph, is_transitive)) {
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

/// A candidate that was built.
struct Built<'a> {
    candidate: &'a Candidate,
    topology: Topology,
    graph: Graph,
}

/// Those with as many edges and the same degrees.
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

/// The degrees of all nodes, in order.
fn degrees(graph: &Graph) -> Vec<usize> {
    let mut degrees: Vec<usize> = (0..graph.nodes() as u32)
        .map(|node| graph.degree(node))
        .collect();
    degrees.sort_unstable();
    degrees
}

impl Built<'_> {
    /// A graph with the colours that matter.
    fn colored<'a>(&self, graph: &'a Graph) -> Colored<'a> {
        if self.candidate.is_one_way() {
            Colored::flows(graph)
        } else {
            Colored::plain(graph)
        }
    }

    /// The usual numbering of processes that is an isomorphism.
    fn usual(&self, graph: &Graph) -> Option<Vec<u32>> {
        let (one, other) = (self.colored(graph), self.colored(&self.graph));
        numbering::usual(&self.topology).find(|nodes| is_isomorphism(&one, &other, nodes))
    }

    fn compare(&self, graph: &Graph) -> Answer {
        // Where all nodes are alike, the first process may be any of them.
        let is_transitive = self.candidate.is_transitive();
        let fixed: &[(u32, u32)] = if is_transitive { &[(0, 0)] } else { &[] };
        compare(&self.colored(graph), &self.colored(&self.graph), fixed)
    }
}

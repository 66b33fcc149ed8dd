//! Exports topologies as JSON.

use foldtrace_matching::Traffic;
use serde::Serialize;

use super::words::{named, shares, unique};
use crate::Pairs;
use crate::find::{Component, Part, Scope, TopologyReport};

/// The topology of a program and of its parts as JSON; `schemas/topology.schema.json` describes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct TopologyJson {
    /// The topology of the whole program.
    #[serde(flatten)]
    pub program: PartJson,
    /// The topologies of parts of the program: of the requested parts; otherwise, if the topology of the program is
    /// unknown, of every part with a known topology.
    pub parts: Vec<ScopedJson>,
}

/// A part of a program, with its topology.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ScopedJson {
    /// The property that distinguishes the messages of the part from others.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["tag", "communicator", "construct"])))]
    pub by: &'static str,
    /// The tag; absent if the messages have none, or too many to be distinguished.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub tag: Option<u64>,
    /// The id of the communicator; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub communicator: Option<u64>,
    /// The name of the communicator, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub name: Option<String>,
    /// The number of the construct in `loops --global`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub construct: Option<String>,
    /// The topology of the part.
    #[serde(flatten)]
    pub part: PartJson,
}

/// A set of messages and its topology.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct PartJson {
    /// The number of processes that may take part.
    pub processes: usize,
    /// The ranks of these processes in the program; for a communicator, in its order.
    pub ranks: Vec<u64>,
    /// The topology, such as `4x4 grid`; null if unknown. If several components have topologies, their numbers and
    /// names: `4 x 4 line`.
    pub topology: Option<String>,
    /// The sizes of the topology's dimensions; empty if there is no topology, or several.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1))))]
    pub dims: Vec<u32>,
    /// The number of connected components of two or more processes.
    pub components: usize,
    /// Whether only one process of each two neighbours sends.
    pub one_way: bool,
    /// The ranks of the processes without an edge.
    pub idle: Vec<u64>,
    /// The candidates that were left after each test.
    pub candidates: CandidatesJson,
    /// All traffic: between processes, of processes with themselves, and with unknown processes.
    pub traffic: AllTrafficJson,
    /// The traffic between processes without an edge.
    pub traffic_outside: OutsideJson,
    /// The pairs of processes that are edges.
    pub edges: Vec<PairJson>,
    /// The pairs of processes with too little traffic to be edges.
    pub filtered: FilteredJson,
    /// The result with another threshold; null if it is the same.
    pub otherwise: Option<OtherwiseJson>,
    /// The closest topology to the first component whose topology is unknown; null if there is none.
    pub closest: Option<ClosestJson>,
    /// The positions of the processes in the topology.
    pub nodes: Vec<NodeJson>,
}

/// The names of the topologies that were left after each test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct CandidatesJson {
    /// After the simple tests: numbers of nodes and edges, and degrees.
    pub simple: Vec<String>,
    /// After the comparison of spectra.
    pub spectrum: Vec<String>,
    /// After the isomorphism test: all names of the topology.
    pub isomorphic: Vec<String>,
    /// The topologies that may match, but for which the isomorphism test gave up.
    pub undecided: Vec<String>,
}

/// A number of messages and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct TrafficJson {
    /// The number of messages.
    pub messages: u64,
    /// The number of bytes; null if the trace does not record it.
    pub bytes: Option<u64>,
}

/// All traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct AllTrafficJson {
    /// The number of messages between different processes.
    pub messages: u64,
    /// The number of bytes of these messages; null if the trace does not record it.
    pub bytes: Option<u64>,
    /// The traffic of processes with themselves.
    pub to_self: TrafficJson,
    /// The traffic from or to processes that are unknown or do not take part.
    pub elsewhere: TrafficJson,
}

/// Traffic outside of the topology.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct OutsideJson {
    /// The share of all messages between different processes, from 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub messages: f64,
    /// The share of the bytes of these messages, from 0 to 1; null if the trace does not record them.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub bytes: Option<f64>,
    /// The amount of the traffic.
    pub counts: OutsideCountsJson,
}

/// The amount of traffic outside of the topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct OutsideCountsJson {
    /// The number of pairs of processes.
    pub pairs: usize,
    /// The number of messages.
    pub messages: u64,
    /// The number of bytes; null if the trace does not record it.
    pub bytes: Option<u64>,
}

/// The traffic between two processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct PairJson {
    /// The ranks of both processes.
    pub ranks: [u64; 2],
    /// The traffic from the first process to the second.
    pub there: TrafficJson,
    /// The traffic from the second process to the first.
    pub back: TrafficJson,
}

/// The pairs that were filtered out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct FilteredJson {
    /// Minimum traffic of an edge, as a share of the traffic of the busiest pair; 0 if every pair is an edge.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub threshold: f64,
    /// The unit of traffic.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["messages", "bytes"])))]
    pub measure: &'static str,
    /// The pairs below the threshold.
    pub pairs: Vec<PairJson>,
}

/// The result with another threshold.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct OtherwiseJson {
    /// The other threshold.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub threshold: f64,
    /// The name of the topology with this threshold; null if it is unknown.
    pub topology: Option<String>,
}

/// The closest topology.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ClosestJson {
    /// The name of the topology.
    pub topology: String,
    /// The sizes of its dimensions.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1))))]
    pub dims: Vec<u32>,
    /// Edges of the topology that the program does not have, by the ranks of both ends.
    pub missing: Vec<[u64; 2]>,
    /// Edges of the program that the topology does not have, by the ranks of both ends.
    pub extra: Vec<[u64; 2]>,
    /// The differences between the program and the topology, in words.
    pub why: Vec<String>,
}

/// The position of a process in the topology.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct NodeJson {
    /// The rank of the process.
    pub rank: u64,
    /// The number of its component, counted from 0.
    pub component: usize,
    /// Its node of the topology.
    pub node: u32,
    /// The coordinates of the node, one per dimension.
    pub coordinates: Vec<u32>,
}

impl From<Traffic> for TrafficJson {
    fn from(Traffic { messages, bytes }: Traffic) -> Self {
        Self { messages, bytes }
    }
}

/// Converts the topologies of a program to JSON.
#[must_use]
pub fn topology_json(found: &TopologyReport) -> TopologyJson {
    let parts = found.parts.iter().map(|part| {
        let mut scoped = ScopedJson {
            by: "tag",
            tag: None,
            communicator: None,
            name: None,
            construct: None,
            part: part_json(part),
        };
        match &part.scope {
            Scope::Program => scoped.by = "program",
            Scope::Tag(tag) => scoped.tag = *tag,
            Scope::Communicator { id, name } => {
                (scoped.by, scoped.communicator) = ("communicator", *id);
                scoped.name.clone_from(name);
            }
            Scope::Construct(number) => {
                (scoped.by, scoped.construct) = ("construct", Some(number.clone()));
            }
        }
        scoped
    });
    TopologyJson {
        program: part_json(&found.program),
        parts: parts.collect(),
    }
}

fn part_json(part: &Part) -> PartJson {
    let answers = part.answer();
    let dims = match &*answers {
        [_] => part.components.first().and_then(Component::topology),
        _ => None,
    };
    let all = part.pairs.total();
    PartJson {
        processes: part.ranks.len(),
        ranks: part.ranks.clone(),
        topology: (!answers.is_empty()).then(|| named(&answers)),
        dims: dims.map_or_else(Vec::new, |found| found.topology.dims.clone()),
        components: part.components.len(),
        one_way: part.kept.graph().is_one_way(),
        idle: part.idle(),
        candidates: candidates(part),
        traffic: AllTrafficJson {
            messages: all.messages,
            bytes: all.bytes,
            to_self: part.pairs.to_self.into(),
            elsewhere: part.pairs.elsewhere.into(),
        },
        traffic_outside: outside(part),
        edges: pairs(part, &part.kept),
        filtered: FilteredJson {
            threshold: part.threshold,
            measure: part.pairs.measure().name(),
            pairs: pairs(part, &part.filtered),
        },
        otherwise: part.otherwise.as_ref().map(|other| OtherwiseJson {
            threshold: other.threshold,
            topology: (!other.answer.is_empty()).then(|| named(&other.answer)),
        }),
        closest: part.components.iter().find_map(|it| closest(part, it)),
        nodes: nodes(part),
    }
}

fn candidates(part: &Part) -> CandidatesJson {
    let of = |names: fn(&Component) -> &[String]| {
        unique(
            part.components
                .iter()
                .flat_map(|it| names(it).iter().map(|name| &**name)),
        )
    };
    let isomorphic = part.components.iter();
    let isomorphic = isomorphic.flat_map(|it| &it.identification.isomorphic);
    CandidatesJson {
        simple: of(|it| &it.identification.simple),
        spectrum: of(|it| &it.identification.spectrum),
        isomorphic: unique(isomorphic.map(|it| &*it.topology.name)),
        undecided: of(|it| &it.identification.undecided),
    }
}

fn outside(part: &Part) -> OutsideJson {
    let (all, outside) = (part.pairs.total(), part.filtered.total());
    let (messages, bytes) = shares(&outside, &all);
    OutsideJson {
        messages,
        bytes,
        counts: OutsideCountsJson {
            pairs: part.filtered.pairs.len(),
            messages: outside.messages,
            bytes: outside.bytes.or(all.bytes.map(|_| 0)),
        },
    }
}

fn pairs(part: &Part, pairs: &Pairs) -> Vec<PairJson> {
    let pairs = pairs.pairs.iter().map(|(&(one, other), pair)| PairJson {
        ranks: [one, other].map(|node| part.ranks[node as usize]),
        there: pair.there.into(),
        back: pair.back.into(),
    });
    pairs.collect()
}

fn closest(part: &Part, component: &Component) -> Option<ClosestJson> {
    if component.topology().is_some() {
        return None;
    }
    let closest = component.identification.closest.as_ref()?;
    let rank = |node: u32| {
        let own = component.nodes.get(node as usize).copied().unwrap_or(node);
        part.ranks.get(own as usize).copied().unwrap_or_default()
    };
    let ranks = |pairs: &[(u32, u32)]| {
        let pairs = pairs.iter();
        pairs
            .map(|&(one, other)| [rank(one), rank(other)])
            .collect()
    };
    Some(ClosestJson {
        topology: closest.topology.name.clone(),
        dims: closest.topology.dims.clone(),
        missing: ranks(&closest.missing),
        extra: ranks(&closest.extra),
        why: closest.why.clone(),
    })
}

fn nodes(part: &Part) -> Vec<NodeJson> {
    let mut nodes = Vec::new();
    for (number, component) in part.components.iter().enumerate() {
        let Some(found) = component.topology() else {
            continue;
        };
        let placed = component.nodes.iter().zip(&found.nodes);
        nodes.extend(placed.map(|(&own, &node)| NodeJson {
            rank: part.ranks[own as usize],
            component: number,
            node,
            coordinates: found.topology.coordinates(node),
        }));
    }
    nodes.sort_by_key(|node| node.rank);
    nodes
}

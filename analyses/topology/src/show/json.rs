//! Topologies as JSON.

use foldtrace_matching::Traffic;
use serde::Serialize;

use super::words::{named, shares, unique};
use crate::Pairs;
use crate::find::{Component, Found, Part, Scope};

/// A topology as JSON; `schemas/topology.schema.json` describes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TopologyJson {
    /// The whole program.
    #[serde(flatten)]
    pub program: PartJson,
    /// Its parts.
    pub parts: Vec<ScopedJson>,
}

/// A part of a program, and which one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScopedJson {
    /// `tag`, `communicator` or `construct`.
    pub by: &'static str,
    /// The tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<u64>,
    /// The id of the communicator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub communicator: Option<u64>,
    /// The name of the communicator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The number of the construct in `loops --global`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub construct: Option<String>,
    /// What it is.
    #[serde(flatten)]
    pub part: PartJson,
}

/// Messages that are looked at together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartJson {
    /// How many processes may take part.
    pub processes: usize,
    /// Their ranks.
    pub ranks: Vec<u64>,
    /// What they are; none if that is nothing known.
    pub topology: Option<String>,
    /// The sizes of the dimensions of that; empty if there are several.
    pub dims: Vec<u32>,
    /// How many parts there are that do not communicate with each other.
    pub components: usize,
    /// Whether of each two neighbours only one sends.
    pub one_way: bool,
    /// Ranks of those without an edge.
    pub idle: Vec<u64>,
    /// What was left after each test.
    pub candidates: CandidatesJson,
    /// All messages between processes, to oneself, and of those who are not known.
    pub traffic: AllTrafficJson,
    /// What is not on edges.
    pub traffic_outside: OutsideJson,
    /// Who communicates with whom.
    pub edges: Vec<PairJson>,
    /// Who communicates too little to be an edge.
    pub filtered: FilteredJson,
    /// What another threshold gives, if that is something else.
    pub otherwise: Option<OtherwiseJson>,
    /// What is closest, where nothing fits.
    pub closest: Option<ClosestJson>,
    /// Where processes are in the topology.
    pub nodes: Vec<NodeJson>,
}

/// Names of topologies that tests have left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CandidatesJson {
    /// After the simple tests.
    pub simple: Vec<String>,
    /// After that of the spectrum.
    pub spectrum: Vec<String>,
    /// After that of isomorphism: what it is, by any name.
    pub isomorphic: Vec<String>,
    /// Those for which it was not decided.
    pub undecided: Vec<String>,
}

/// Messages and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TrafficJson {
    /// Messages.
    pub messages: u64,
    /// Their bytes; none if the trace does not say.
    pub bytes: Option<u64>,
}

/// All traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AllTrafficJson {
    /// Messages between processes.
    pub messages: u64,
    /// Their bytes; none if the trace does not say.
    pub bytes: Option<u64>,
    /// Messages to oneself.
    pub to_self: TrafficJson,
    /// Messages of those, or to those, who are not known.
    pub elsewhere: TrafficJson,
}

/// Traffic outside of the topology.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OutsideJson {
    /// Share of the messages.
    pub messages: f64,
    /// Share of the bytes; none if the trace does not say.
    pub bytes: Option<f64>,
    /// How much that is.
    pub counts: OutsideCountsJson,
}

/// How much traffic is outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OutsideCountsJson {
    /// Pairs of processes.
    pub pairs: usize,
    /// Messages.
    pub messages: u64,
    /// Their bytes; none if the trace does not say.
    pub bytes: Option<u64>,
}

/// What two processes send to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PairJson {
    /// The ranks of both.
    pub ranks: [u64; 2],
    /// What the first sends to the second.
    pub there: TrafficJson,
    /// What the second sends to the first.
    pub back: TrafficJson,
}

/// What was filtered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FilteredJson {
    /// The share of the pair with the most that an edge needs.
    pub threshold: f64,
    /// `messages` or `bytes`.
    pub measure: &'static str,
    /// Pairs with less.
    pub pairs: Vec<PairJson>,
}

/// What another threshold gives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherwiseJson {
    /// The threshold.
    pub threshold: f64,
    /// The topology; none if it is nothing known.
    pub topology: Option<String>,
}

/// The closest topology.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClosestJson {
    /// Its name.
    pub topology: String,
    /// The sizes of its dimensions.
    pub dims: Vec<u32>,
    /// Edges that it has and the program has not, by ranks.
    pub missing: Vec<[u64; 2]>,
    /// Edges that the program has and it has not, by ranks.
    pub extra: Vec<[u64; 2]>,
    /// Why the program is not that.
    pub why: Vec<String>,
}

/// Where a process is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeJson {
    /// The rank of the process.
    pub rank: u64,
    /// In which component.
    pub component: usize,
    /// Which node of the topology it is.
    pub node: u32,
    /// The coordinates of the node.
    pub coordinates: Vec<u32>,
}

impl From<Traffic> for TrafficJson {
    fn from(Traffic { messages, bytes }: Traffic) -> Self {
        Self { messages, bytes }
    }
}

/// A topology as JSON.
#[must_use]
pub fn topology_json(found: &Found) -> TopologyJson {
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

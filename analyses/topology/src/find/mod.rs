//! Finds the communication topology of a store's program, after Xu et al.: the known topology that matches the
//! messages between processes, according to the models alone and independently of the numbering of ranks.
//!
//! [`recognition`](crate::recognition) defines the topologies and recognises them in graphs; this module has
//! everything that needs a store. [`find`] identifies the topology of the whole program and, on demand, of its parts:
//! the messages with one tag, in one communicator, or in one construct.

mod apart;
mod exchange;
mod identifier;

pub use exchange::Sent;

use foldtrace_fold::Selection;
use foldtrace_matching::Exchange;
use foldtrace_program::Merging;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, TraceError};

use crate::Pairs;
use crate::recognition::{Graph, Identification, Library, Match};
use identifier::Identifier;

/// The default for [`Options::threshold`] (Xu et al., section 4.1).
pub const THRESHOLD: f64 = 0.05;

/// Options for identifying a topology.
#[derive(Clone, Debug)]
pub struct Options {
    /// Minimum traffic of an edge, as a share of the traffic of the busiest pair. Pairs with less traffic are
    /// ignored.
    pub threshold: f64,
    /// The kind of parts to identify separately. If `None`, and the topology of the whole program is unknown, all
    /// kinds are tried and the parts with known topologies are reported.
    pub by: Option<By>,
    /// The topologies to compare with.
    pub library: Library,
    /// How models are merged, to find the loops in which messages are sent.
    pub merging: Merging,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threshold: THRESHOLD,
            by: None,
            library: Library::default(),
            merging: Merging::new(Selection::Communication),
        }
    }
}

/// A criterion by which messages are divided into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum By {
    /// The tag of a message.
    Tag,
    /// The communicator of a message.
    Communicator,
    /// The loop of the program's model in which a message is sent.
    Construct,
}

/// The set of messages that an answer is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// All messages of the program.
    Program,
    /// The messages with a tag; `None` for messages between processes whose tags are not recorded, or too many to be
    /// distinguished.
    Tag(Option<u64>),
    /// The messages in a communicator.
    Communicator {
        /// The id of the communicator; `None` if the trace does not record it.
        id: Option<u64>,
        /// The name of the communicator, if it has one.
        name: Option<String>,
    },
    /// The messages in a construct, by its number in `loops --global`.
    Construct(String),
}

/// The topology of a program, with the messages on which it is based.
#[derive(Clone, Debug)]
pub struct TopologyReport {
    /// The messages of the program.
    pub sent: Sent,
    /// The topology of the whole program.
    pub program: Part,
    /// The topologies of parts: the requested parts or, if the topology of the whole program is unknown, the parts
    /// with known topologies.
    pub parts: Vec<Part>,
    /// A note if loops were not tried because the models are too large to merge.
    pub diagnostics: Diagnostics,
}

/// A set of messages and its topology.
#[derive(Clone, Debug)]
pub struct Part {
    /// The set of messages.
    pub scope: Scope,
    /// The ranks of the processes that may take part. Node n of `pairs` is the n-th of them.
    pub ranks: Vec<u64>,
    /// All traffic between processes.
    pub pairs: Pairs,
    /// Minimum traffic of an edge, as a share of the traffic of the busiest pair; 0 if every pair is an edge.
    pub threshold: f64,
    /// The pairs that are edges.
    pub kept: Pairs,
    /// The pairs with too little traffic to be edges.
    pub filtered: Pairs,
    /// The connected components, without isolated processes.
    pub components: Vec<Component>,
    /// The result with another threshold, if it is a different topology.
    pub otherwise: Option<Otherwise>,
}

/// A connected component of processes.
#[derive(Clone, Debug)]
pub struct Component {
    /// The node of the part for each node of the graph.
    pub nodes: Vec<u32>,
    /// The communication within the component.
    pub graph: Graph,
    /// The topologies that match the graph.
    pub identification: Identification,
}

/// The topology of a part with another threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct Otherwise {
    /// The threshold.
    pub threshold: f64,
    /// The topologies of its components.
    pub answer: Vec<Answer>,
}

/// The topology of one or more components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The number of components with this topology.
    pub components: usize,
    /// The name of the topology.
    pub topology: String,
    /// Whether only one process of each pair of neighbours sends, although the topology does not require it.
    pub is_one_way: bool,
}

impl Component {
    /// Returns the topology of the component, with the positions of its nodes, if it is known.
    #[must_use]
    pub fn topology(&self) -> Option<&Match> {
        self.identification.isomorphic.first()
    }
}

impl Part {
    /// Returns the topologies of the components; empty if a component is unidentified or if there are none.
    #[must_use]
    pub fn answer(&self) -> Vec<Answer> {
        answer(&self.components)
    }

    /// Returns the only component, if it has all processes.
    #[must_use]
    pub fn whole(&self) -> Option<&Component> {
        match &*self.components {
            [one] if one.nodes.len() == self.ranks.len() => Some(one),
            _ => None,
        }
    }

    /// Returns the ranks of the processes without edges.
    #[must_use]
    pub fn idle(&self) -> Vec<u64> {
        let mut is_idle = vec![true; self.ranks.len()];
        for component in &self.components {
            for &node in &component.nodes {
                is_idle[node as usize] = false;
            }
        }
        let ranks = self.ranks.iter().zip(is_idle);
        ranks
            .filter(|(_, idle)| *idle)
            .map(|(&rank, _)| rank)
            .collect()
    }
}

fn answer(components: &[Component]) -> Vec<Answer> {
    let mut answers: Vec<Answer> = Vec::new();
    for component in components {
        let Some(found) = component.topology() else {
            return Vec::new();
        };
        let answer = Answer {
            components: 1,
            topology: found.topology.name.clone(),
            is_one_way: component.graph.is_one_way() && !found.topology.is_one_way(),
        };
        let mut known = answers.iter_mut();
        let same =
            known.find(|it| (&it.topology, it.is_one_way) == (&answer.topology, answer.is_one_way));
        match same {
            Some(same) => same.components += 1,
            None => answers.push(answer),
        }
    }
    answers
}

/// Finds the topology of the program of a store.
///
/// # Errors
/// If a table is missing or damaged, or the work was stopped.
pub fn find(
    store: &StoreReader,
    options: &Options,
    progress: &Progress,
) -> Result<TopologyReport, TraceError> {
    let sent = exchange::sent(store, progress)?;
    let ranks = ranks(store, &sent.exchange);
    let mut identifier = Identifier::new(&options.library, options.threshold);
    let pairs = Pairs::from_exchange(&sent.exchange, &ranks);
    let program = identifier.part(Scope::Program, ranks, pairs);
    let parts = apart::Apart {
        store,
        sent: &sent,
        program: &program,
        merging: &options.merging,
        progress,
    };
    let mut diagnostics = Diagnostics::default();
    let parts = parts.find(options.by, &mut identifier, &mut diagnostics)?;
    Ok(TopologyReport {
        sent,
        program,
        parts,
        diagnostics,
    })
}

/// Returns the ranks of the processes and of their peers, in order.
fn ranks(store: &StoreReader, exchange: &Exchange) -> Vec<u64> {
    let processes = store.names().processes().iter();
    let mut ranks: Vec<u64> = processes.map(|process| process.rank).collect();
    let peers = exchange.lanes.keys();
    ranks.extend(peers.flat_map(|lane| lane.sender.into_iter().chain(lane.receiver)));
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

//! The communication topology of a store's program, after Xu et al.: who exchanges messages with whom, from
//! its models alone, and which known topology that is, whatever the ranks are called.
//!
//! What topologies there are, and how one is recognised, is said by
//! [`recognition`](crate::recognition); here is what needs a store. [`find`] gives the whole
//! program, and on demand its parts: what is sent with one tag, in one communicator, or in one construct.

mod apart;
mod exchange;
mod identifier;

pub use exchange::Sent;

use foldtrace_matching::Exchange;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::TraceError;

use crate::Pairs;
use crate::recognition::{Graph, Identification, Library, Match};
use identifier::Identifier;

/// The least share that pairs have of the traffic of the pair with the most, if nothing else is wanted
/// (Xu et al., section 4.1).
pub const THRESHOLD: f64 = 0.05;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Options {
    /// Pairs with less than this share of the traffic of the pair with the most are no edges.
    pub threshold: f64,
    /// Parts to look at by themselves. Without, all are tried if the whole program is nothing known, and
    /// those that are something are given.
    pub by: Option<By>,
    /// The topologies to compare with.
    pub library: Library,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threshold: THRESHOLD,
            by: None,
            library: Library::default(),
        }
    }
}

/// What takes messages apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum By {
    /// Their tags.
    Tag,
    /// Their communicators.
    Communicator,
    /// The loops of the model of the program that they are sent in.
    Construct,
}

/// Which messages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// All of the program.
    Program,
    /// Those with a tag; `None` where the trace does not say.
    Tag(Option<u64>),
    /// Those in a communicator.
    Communicator {
        /// Its id; `None` where the trace does not say.
        id: Option<u64>,
        /// Its name, if it has one.
        name: Option<String>,
    },
    /// Those in a construct, by its number in `loops --global`.
    Construct(String),
}

/// The topology of a program, and what it was found in.
#[derive(Clone, Debug)]
pub struct Found {
    /// What is sent, and by whom.
    pub sent: Sent,
    /// The whole program.
    pub program: Part,
    /// Parts of it: those that were asked for, or those that are something known where the whole is not.
    pub parts: Vec<Part>,
}

/// Messages that are looked at together, and what they are.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which messages.
    pub scope: Scope,
    /// The processes that may take part, by their ranks in the program; node n of `pairs` is the n-th.
    pub ranks: Vec<u64>,
    /// Everything that is exchanged.
    pub pairs: Pairs,
    /// The share of the pair with the most that an edge needs; 0 if every pair is one.
    pub threshold: f64,
    /// What are edges.
    pub kept: Pairs,
    /// What is too little to be.
    pub filtered: Pairs,
    /// What is connected by edges, without processes that are alone.
    pub components: Vec<Component>,
    /// What comes out with another threshold, if that is another topology.
    pub otherwise: Option<Otherwise>,
}

/// Processes that are connected by edges.
#[derive(Clone, Debug)]
pub struct Component {
    /// The node of the part that each node of the graph is.
    pub nodes: Vec<u32>,
    /// Who communicates with whom.
    pub graph: Graph,
    /// What that is.
    pub identification: Identification,
}

/// What a part is with another threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct Otherwise {
    /// The threshold.
    pub threshold: f64,
    /// The answer.
    pub answer: Vec<Answer>,
}

/// What components are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How many of them are this.
    pub components: usize,
    /// The name of the topology.
    pub topology: String,
    /// Whether of each two neighbours only one sends, although the topology does not demand it.
    pub is_one_way: bool,
}

impl Component {
    /// The topology that it is, and where its nodes are in it.
    #[must_use]
    pub fn topology(&self) -> Option<&Match> {
        self.identification.isomorphic.first()
    }
}

impl Part {
    /// What its components are; nothing if one of them is nothing known, or there is none.
    #[must_use]
    pub fn answer(&self) -> Vec<Answer> {
        answer(&self.components)
    }

    /// The only component, if it has all processes.
    #[must_use]
    pub fn whole(&self) -> Option<&Component> {
        match &*self.components {
            [one] if one.nodes.len() == self.ranks.len() => Some(one),
            _ => None,
        }
    }

    /// Processes without edges.
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
) -> Result<Found, TraceError> {
    let sent = exchange::sent(store, progress)?;
    let ranks = ranks(store, &sent.exchange);
    let mut identifier = Identifier::new(&options.library, options.threshold);
    let pairs = Pairs::of(&sent.exchange, &ranks);
    let program = identifier.part(Scope::Program, ranks, pairs);
    let parts = apart::Apart {
        store,
        sent: &sent,
        program: &program,
        progress,
    };
    let parts = parts.find(options.by, &mut identifier)?;
    Ok(Found {
        sent,
        program,
        parts,
    })
}

/// The ranks of the processes, and of those with whom they communicate, in order.
fn ranks(store: &StoreReader, exchange: &Exchange) -> Vec<u64> {
    let processes = store.names().processes().iter();
    let mut ranks: Vec<u64> = processes.map(|process| process.rank).collect();
    let peers = exchange.lanes.keys();
    ranks.extend(peers.flat_map(|lane| lane.sender.into_iter().chain(lane.receiver)));
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

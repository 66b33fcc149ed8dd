//! Systems: the concurrent activities of a set of processes (Ketterlin et al., RR-8562, section III.A).

use std::sync::Arc;

use foldtrace_trace::SymbolId;
use smallvec::SmallVec;

use super::{Channel, End, Process};
use crate::model::Step;

/// The number of messages that leave or reach a construct at each end of a channel, in order of the ends. Most events have
/// one end.
pub(super) type Flow = SmallVec<[(End, u64); 1]>;

/// An event of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// The process that executes the event.
    pub process: Process,
    /// The symbol of the event.
    pub symbol: SymbolId,
}

/// The growth of a number of an event with the index of an enclosing loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoopStep {
    /// The slot of the operand that grows.
    pub slot: u8,
    /// The number of loops between the event and this loop; 0 for the innermost enclosing loop.
    pub distance: u16,
    /// The growth per iteration.
    pub coefficient: i64,
}

impl LoopStep {
    /// Returns the steps of an event that is in `depth` loops in the form of the model of one process.
    #[must_use]
    pub fn steps(steps: &[Self], depth: u16) -> Vec<Step> {
        // The outermost loop comes first.
        let steps = steps.iter().rev().map(|step| Step {
            slot: step.slot,
            depth: depth.saturating_sub(1 + step.distance),
            coefficient: step.coefficient,
        });
        steps.collect()
    }
}

/// The kind of a construct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An event of one process.
    Event {
        /// The event when the indices of all enclosing loops are zero.
        member: Member,
        /// The growth of its tag with these indices, in order of the distance of the loops.
        steps: Box<[LoopStep]>,
    },
    /// A collective operation of the processes that were found to take part.
    Collective {
        /// The event of each participating process, in order of the processes.
        members: Arc<[Member]>,
        /// Whether no process leaves before all have entered.
        synchronises: bool,
    },
    /// A loop.
    Loop {
        /// The number of iterations.
        count: u64,
        /// The system of one iteration.
        body: Arc<System>,
    },
}

/// An event, a collective operation or a loop of some processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Construct {
    /// The kind of the construct.
    pub kind: Kind,
    /// The processes with events in the construct, in order.
    pub processes: Arc<[Process]>,
    /// The Lamport clock, from the start of the system: greater than that of all constructs that have to come before.
    pub clock: u32,
    /// The messages exchanged with other constructs, summed over all iterations of a loop.
    pub(super) flow: Flow,
    /// The number of times the loop was shifted.
    pub(super) shifts: u8,
}

impl Construct {
    /// Returns whether the construct contains events of a process.
    #[must_use]
    pub fn covers(&self, process: Process) -> bool {
        self.processes.binary_search(&process).is_ok()
    }

    /// Returns the number of iterations and the body of a loop, or `None` for other constructs.
    #[must_use]
    pub fn as_loop(&self) -> Option<(u64, &System)> {
        match &self.kind {
            Kind::Loop { count, body } => Some((*count, body)),
            _ => None,
        }
    }

    /// Returns whether the construct is a collective operation, or the known part of one.
    #[must_use]
    pub const fn is_collective(&self) -> bool {
        matches!(self.kind, Kind::Collective { .. })
    }

    /// Returns the number of events, over all processes and iterations.
    #[must_use]
    pub fn events(&self) -> u64 {
        match &self.kind {
            Kind::Event { .. } => 1,
            Kind::Collective { members, .. } => members.len() as u64,
            Kind::Loop { count, body } => count * body.events(),
        }
    }

    /// Returns whether a number of any of its events depends on the index of a loop.
    pub(super) fn has_steps(&self) -> bool {
        match &self.kind {
            Kind::Event { steps, .. } => !steps.is_empty(),
            Kind::Collective { .. } => false,
            Kind::Loop { body, .. } => body.has_steps,
        }
    }

    /// Creates an event of a process, `alone`.
    pub(super) fn event(
        member: Member,
        alone: &Arc<[Process]>,
        steps: Box<[LoopStep]>,
        flow: Flow,
    ) -> Self {
        Self {
            kind: Kind::Event { member, steps },
            processes: Arc::clone(alone),
            clock: 0,
            flow,
            shifts: 0,
        }
    }

    pub(super) fn collective(members: Vec<Member>, synchronises: bool, flow: Flow) -> Self {
        Self {
            processes: members.iter().map(|member| member.process).collect(),
            kind: Kind::Collective {
                members: Arc::from(members),
                synchronises,
            },
            clock: 0,
            flow,
            shifts: 0,
        }
    }

    pub(super) fn repeat(count: u64, body: Arc<System>) -> Self {
        let mut processes: Vec<Process> = Vec::new();
        for construct in &body.constructs {
            processes.extend(construct.processes.iter());
        }
        processes.sort_unstable();
        processes.dedup();
        let flow = body.open.iter().map(|&(end, n)| (end, n * count));
        Self {
            flow: flow.collect(),
            processes: Arc::from(processes),
            kind: Kind::Loop { count, body },
            clock: 0,
            shifts: 0,
        }
    }

    /// Returns this loop with other iterations.
    pub(super) fn with_iterations(&self, count: u64, body: Arc<System>) -> Self {
        let flow = body.open.iter().map(|&(end, n)| (end, n * count));
        Self {
            flow: flow.collect(),
            processes: Arc::clone(&self.processes),
            kind: Kind::Loop { count, body },
            clock: 0,
            shifts: self.shifts,
        }
    }

    /// Returns the number of messages that pass through one of its ends.
    pub(super) fn volume(&self, end: End) -> u64 {
        let found = self.flow.binary_search_by_key(&end, |&(end, _)| end);
        found.map_or(0, |index| self.flow[index].1)
    }
}

/// Messages between two constructs of a system, or collective operations in which both take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// The index of the sending construct in the system.
    pub from: u32,
    /// The index of the receiving construct; the same as `from` if messages of one iteration arrive in a later one.
    pub to: u32,
    /// The channel.
    pub channel: Channel,
    /// The number of messages.
    pub messages: u64,
}

/// The channels that are matched between the constructs of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Matched {
    /// All channels, for a whole program.
    All,
    /// The channels whose messages do not leave the iteration of a loop, in order.
    Only(Arc<[Channel]>),
}

impl Matched {
    pub(super) fn contains(&self, channel: Channel) -> bool {
        match self {
            Self::All => true,
            Self::Only(channels) => channels.binary_search(&channel).is_ok(),
        }
    }
}

/// The constructs of some processes: (V, T, C) of the paper. T is implicit: constructs that share a process follow
/// each other. `links` are C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// V, in an order that keeps the order of each process and, if possible, in which messages are sent before they
    /// are received.
    pub constructs: Vec<Construct>,
    /// C: the messages between the constructs.
    pub links: Vec<Link>,
    /// The messages sent or received without another end in this system: the potential of the paper.
    pub(super) open: Flow,
    pub(super) matched: Matched,
    /// Whether a number of any event depends on the index of a loop.
    pub(super) has_steps: bool,
}

impl System {
    /// Creates a system of one process that exchanges nothing with itself.
    pub(super) fn sequence(mut constructs: Vec<Construct>) -> Self {
        for (clock, construct) in (0..).zip(&mut constructs) {
            construct.clock = clock;
        }
        Self {
            open: total(&constructs),
            has_steps: constructs.iter().any(Construct::has_steps),
            constructs,
            links: Vec::new(),
            matched: Matched::Only(Arc::from([])),
        }
    }

    /// Returns the number of messages at each end without another end in this system, in order of the ends; empty for
    /// a complete program.
    pub fn open(&self) -> impl Iterator<Item = (End, u64)> {
        self.open.iter().copied()
    }

    /// Returns the number of events, over all processes.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.constructs.iter().map(Construct::events).sum()
    }

    /// Returns the number of events, collective operations and loops as written.
    #[must_use]
    pub fn terms(&self) -> u64 {
        let inner = |(_, body): (u64, &Self)| body.terms();
        let terms = |construct: &Construct| 1 + construct.as_loop().map_or(0, inner);
        self.constructs.iter().map(terms).sum()
    }

    /// Returns the number of loops as written.
    #[must_use]
    pub fn loops(&self) -> u64 {
        let loops = self.constructs.iter().filter_map(Construct::as_loop);
        loops.map(|(_, body)| 1 + body.loops()).sum()
    }

    /// Returns the maximum nesting depth of loops.
    #[must_use]
    pub fn depth(&self) -> u64 {
        let loops = self.constructs.iter().filter_map(Construct::as_loop);
        loops.map(|(_, body)| 1 + body.depth()).max().unwrap_or(0)
    }
}

/// Returns the sum of the flows of all constructs.
pub(super) fn total(constructs: &[Construct]) -> Flow {
    let flows = constructs.iter().flat_map(|construct| &construct.flow);
    let mut all: Flow = flows.copied().collect();
    all.sort_unstable();
    all.dedup_by(|next, sum| {
        let is_same = next.0 == sum.0;
        if is_same {
            sum.1 += next.1;
        }
        is_same
    });
    all
}

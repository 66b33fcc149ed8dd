//! Systems: what a set of processes does, side by side (Ketterlin et al., RR-8562, section III.A).

use std::sync::Arc;

use foldtrace_trace::SymbolId;

use super::{Channel, End, Process};

/// How many messages leave or reach a construct at each end of a channel, in order of the ends.
pub(super) type Flow = Vec<(End, u64)>;

/// A process with what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Who.
    pub process: Process,
    /// The event.
    pub symbol: SymbolId,
}

/// What a construct is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An event of one process.
    Event(Member),
    /// A collective operation of those that were found to take part, by process.
    Collective {
        /// Who takes part.
        members: Arc<[Member]>,
        /// Whether nobody leaves before all have come.
        synchronises: bool,
    },
    /// A loop.
    Loop {
        /// Iterations.
        count: u64,
        /// What each iteration is.
        body: Arc<System>,
    },
}

/// An event, a collective operation or a loop of some processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Construct {
    /// What it is.
    pub kind: Kind,
    /// The processes whose events are in it, in order.
    pub processes: Arc<[Process]>,
    /// Lamport's clock, from the start of the system: greater than that of all that has to come before.
    pub clock: u32,
    /// What it exchanges with other constructs, all iterations of a loop together.
    pub(super) flow: Flow,
    /// How often the loop was shifted.
    pub(super) shifts: u8,
}

impl Construct {
    /// Whether events of a process are in it.
    #[must_use]
    pub fn covers(&self, process: Process) -> bool {
        self.processes.binary_search(&process).is_ok()
    }

    /// The iterations and the body of a loop.
    #[must_use]
    pub fn as_loop(&self) -> Option<(u64, &System)> {
        match &self.kind {
            Kind::Loop { count, body } => Some((*count, body)),
            _ => None,
        }
    }

    /// Whether it is a collective operation, or what is known of one.
    #[must_use]
    pub const fn is_collective(&self) -> bool {
        matches!(self.kind, Kind::Collective { .. })
    }

    /// Events in it, of all processes and iterations.
    #[must_use]
    pub fn events(&self) -> u64 {
        match &self.kind {
            Kind::Event(_) => 1,
            Kind::Collective { members, .. } => members.len() as u64,
            Kind::Loop { count, body } => count * body.events(),
        }
    }

    pub(super) fn event(member: Member, flow: Flow) -> Self {
        Self {
            kind: Kind::Event(member),
            processes: Arc::from([member.process]),
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

    /// The same loop with other iterations.
    pub(super) fn with_count(&self, iterations: u64) -> Option<Self> {
        let Kind::Loop { body, .. } = &self.kind else {
            return None;
        };
        let flow = body.open.iter().map(|&(end, n)| (end, n * iterations));
        Some(Self {
            kind: Kind::Loop {
                count: iterations,
                body: Arc::clone(body),
            },
            processes: Arc::clone(&self.processes),
            clock: 0,
            flow: flow.collect(),
            shifts: self.shifts,
        })
    }

    /// How much goes through one of its ends.
    pub(super) fn volume(&self, end: End) -> u64 {
        let found = self.flow.binary_search_by_key(&end, |&(end, _)| end);
        found.map_or(0, |index| self.flow[index].1)
    }
}

/// Messages between two constructs of a system, or collective operations that both take part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// The construct that sends, by its index in the system.
    pub from: u32,
    /// The construct that receives; the same one where messages of one iteration arrive in a later one.
    pub to: u32,
    /// The channel.
    pub channel: Channel,
    /// How many.
    pub messages: u64,
}

/// Which channels are matched between the constructs of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Matched {
    /// All of them: that of a whole program.
    All,
    /// Those whose messages do not leave the iteration of a loop, in order.
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

/// Constructs of some processes: (V, T, C) of the paper. Constructs that a process has in common with
/// another one's predecessor follow it (T); `links` are C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// V, in an order in which each process has its own, and, where there is one, in which messages are
    /// sent before they are received.
    pub constructs: Vec<Construct>,
    /// C.
    pub links: Vec<Link>,
    /// What is sent or received without another end in this system: the potential of the paper.
    pub(super) open: Flow,
    pub(super) matched: Matched,
}

impl System {
    /// A system of one process that exchanges nothing with itself.
    pub(super) fn sequence(mut constructs: Vec<Construct>) -> Self {
        for (clock, construct) in (0..).zip(&mut constructs) {
            construct.clock = clock;
        }
        Self {
            open: total(&constructs),
            constructs,
            links: Vec::new(),
            matched: Matched::Only(Arc::from([])),
        }
    }

    /// What is left without another end, in order; nothing in a whole program.
    pub fn open(&self) -> impl Iterator<Item = (End, u64)> {
        self.open.iter().copied()
    }

    /// Events in it, of all processes.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.constructs.iter().map(Construct::events).sum()
    }

    /// Events, collective operations and loops as written.
    #[must_use]
    pub fn terms(&self) -> u64 {
        let inner = |(_, body): (u64, &Self)| body.terms();
        let terms = |construct: &Construct| 1 + construct.as_loop().map_or(0, inner);
        self.constructs.iter().map(terms).sum()
    }

    /// Loops as written.
    #[must_use]
    pub fn loops(&self) -> u64 {
        let loops = self.constructs.iter().filter_map(Construct::as_loop);
        loops.map(|(_, body)| 1 + body.loops()).sum()
    }

    /// How deep loops are nested.
    #[must_use]
    pub fn depth(&self) -> u64 {
        let loops = self.constructs.iter().filter_map(Construct::as_loop);
        loops.map(|(_, body)| 1 + body.depth()).max().unwrap_or(0)
    }
}

/// The flows of all constructs together.
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

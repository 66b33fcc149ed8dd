//! Determines the meanings of the events of a store for the words of its processes.

use std::collections::HashMap;

use foldtrace_matching::{Census, Communicators};
use foldtrace_mpi::{Routine, blocking_collective};
use foldtrace_store::StoreReader;
use foldtrace_topology::Sent;
use foldtrace_topology::recognition::{DirectionId, Topology};
use foldtrace_trace::{
    DefinitionKind, EventKind, LocationId, Names, Operand, Symbol, SymbolId, SymbolTable,
};
use indexmap::IndexSet;

use crate::model::{CommunicatorId, Letter, Meaning, Wording};

/// The context that is required to interpret the events of a store.
pub(super) struct Understanding<'a> {
    pub names: &'a Names,
    pub symbols: &'a SymbolTable,
    pub census: &'a Census,
    communicators: &'a Communicators,
    /// The number of each process, by its rank.
    processes: HashMap<u64, u32>,
    /// Whether collective operations have events of their own.
    has_operations: bool,
}

impl<'a> Understanding<'a> {
    /// Creates the context of a store whose processes have these ranks.
    pub fn new(store: &'a StoreReader, sent: &'a Sent, ranks: &[u64]) -> Self {
        let symbols = store.symbols();
        let has_operations = sent.census.locations().any(|(_, counts)| {
            let mut symbols = counts.iter().map(|&(id, _)| symbols.kind(id));
            symbols.any(EventKind::is_collective)
        });
        Self {
            names: store.names(),
            symbols,
            communicators: &sent.communicators,
            census: &sent.census,
            processes: ranks.iter().copied().zip(0..).collect(),
            has_operations,
        }
    }

    /// Returns the number of the process with this rank.
    pub fn process(&self, rank: u64) -> Option<u32> {
        self.processes.get(&rank).copied()
    }

    /// Returns the process to which the process with this rank sends, or from which it receives, by an event.
    pub fn peer(&self, rank: u64, symbol: &Symbol) -> Option<u32> {
        let peer = symbol.get(Operand::Peer)?;
        let communicator = symbol.get(Operand::Communicator);
        let ranks = self.communicators.ranks();
        self.process(ranks.rank(communicator, peer, Some(rank)))
    }

    /// Returns whether each process has a communicator of its own with this id.
    pub fn is_alone(&self, communicator: u64) -> bool {
        self.communicators.ranks().is_of_each_alone(communicator)
    }

    fn is_of_all(&self, communicator: u64) -> bool {
        let ranks = self.communicators.ranks();
        let size = ranks.size(communicator);
        !self.is_alone(communicator) && size.is_none_or(|size| size >= self.processes.len() as u64)
    }
}

/// The meanings of the events of one process.
pub(super) struct Meanings<'a> {
    all: &'a Understanding<'a>,
    wording: Wording,
    topology: &'a Topology,
    nodes: &'a [u32],
    /// The number of the process, and its rank.
    process: u32,
    rank: u64,
    known: Vec<Option<Meaning>>,
    /// The communicators that do not contain all processes, in the order in which this process uses them.
    some: IndexSet<u64>,
}

impl<'a> Meanings<'a> {
    /// Creates the meanings for a process with this number and rank. `nodes` contains the node of each process.
    pub fn new(
        all: &'a Understanding<'a>,
        wording: Wording,
        (topology, nodes): (&'a Topology, &'a [u32]),
        (process, rank): (u32, u64),
    ) -> Self {
        Self {
            all,
            wording,
            topology,
            nodes,
            process,
            rank,
            known: vec![None; all.symbols.len()],
            some: IndexSet::new(),
        }
    }

    /// Returns the meaning of an event with this symbol.
    pub fn meaning(&mut self, symbol: SymbolId) -> Meaning {
        let known = self.known.get(symbol.row()).copied().flatten();
        let meaning = known.unwrap_or_else(|| {
            let meaning = self.find(&self.all.symbols.symbol(symbol));
            self.known[symbol.row()] = Some(meaning);
            meaning
        });
        if self.wording.has_tags && self.all.symbols.is_tagged(symbol) {
            meaning.with_tag(symbol.tag().into())
        } else {
            meaning
        }
    }

    fn find(&mut self, symbol: &Symbol) -> Meaning {
        let tag = symbol.get(Operand::Tag).filter(|_| self.wording.has_tags);
        match symbol.kind {
            EventKind::Enter | EventKind::CallingContextEnter => self.call(symbol),
            kind if kind.is_leave() => Meaning::Leave,
            kind if kind.is_send() || kind.is_receive() => {
                let Some(direction) = self.direction(symbol) else {
                    return Meaning::Outside;
                };
                let letter = if kind.is_send() {
                    Letter::Send { direction, tag }
                } else {
                    Letter::Receive { direction, tag }
                };
                match kind {
                    EventKind::MpiIsend | EventKind::MpiIrecv => Meaning::Posted(letter),
                    _ => Meaning::Letter(letter),
                }
            }
            kind if kind.is_collective() => Meaning::Letter(Letter::Collective {
                operation: symbol.get(Operand::Operation),
                root: symbol.get(Operand::Root),
                communicator: self.communicator(symbol),
            }),
            _ => Meaning::Nothing,
        }
    }

    fn call(&self, symbol: &Symbol) -> Meaning {
        let names = self.all.names;
        let callee = names.callee(symbol);
        let name = callee.and_then(|callee| names.name(DefinitionKind::Region, callee));
        let Some(name) = name else {
            return Meaning::Enter { is_mpi: false };
        };
        if !self.all.has_operations
            && let Some(operation) = blocking_collective(name)
        {
            return Meaning::Call(Letter::Collective {
                operation: Some(operation as u64),
                root: None,
                communicator: CommunicatorId(0),
            });
        }
        let is_mpi = Routine::called(name) != Routine::Other;
        Meaning::Enter { is_mpi }
    }

    fn direction(&self, symbol: &Symbol) -> Option<DirectionId> {
        let node = |process: u32| self.nodes.get(process as usize).copied();
        let peer = node(self.all.peer(self.rank, symbol)?)?;
        self.topology.direction(node(self.process)?, peer)
    }

    fn communicator(&mut self, symbol: &Symbol) -> CommunicatorId {
        let window = symbol.get(Operand::Window);
        let of_window = || self.all.communicators.ranks().of_window(window?);
        let id = symbol.get(Operand::Communicator).or_else(of_window);
        let id = id.map(|id| self.all.communicators.canonical(id));
        match id.filter(|&id| !self.all.is_of_all(id)) {
            Some(id) => CommunicatorId(self.some.insert_full(id).0 as u32 + 1),
            None => CommunicatorId(0),
        }
    }

    /// Returns the communicators that this process uses and that do not contain all processes, in the order of use.
    pub fn into_communicators(self) -> Vec<u64> {
        self.some.into_iter().collect()
    }
}

/// The location at which a process communicates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MainLocation {
    /// The location of the process that communicates most; `None` if the process has no location.
    pub location: Option<LocationId>,
    /// The number of sends, receives and collective operations at this location.
    pub calls: u64,
    /// The number of sends, receives and collective operations at the other locations of the process.
    pub elsewhere: u64,
}

impl Understanding<'_> {
    /// Returns the location at which each process communicates.
    pub fn main_locations(&self) -> Vec<MainLocation> {
        let mut places = vec![MainLocation::default(); self.processes.len()];
        for (location, counts) in self.census.locations() {
            let rank = self.names.rank(location).map(|(rank, _)| rank);
            let Some(process) = rank.and_then(|rank| self.process(rank)) else {
                continue;
            };
            let calls = counts.iter();
            let calls = calls.filter(|&&(id, _)| self.symbols.kind(id).is_communication());
            let calls: u64 = calls.map(|&(_, count)| count).sum();
            let place = &mut places[process as usize];
            if place.location.is_none() || calls > place.calls {
                place.location = Some(location);
                place.elsewhere += std::mem::replace(&mut place.calls, calls);
            } else {
                place.elsewhere += calls;
            }
        }
        places
    }
}

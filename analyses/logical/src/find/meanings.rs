//! What the events of a store mean for the words of its processes.

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

/// What is known of a store that its events alone do not tell.
pub(super) struct Understanding<'a> {
    pub names: &'a Names,
    pub symbols: &'a SymbolTable,
    pub census: &'a Census,
    communicators: &'a Communicators,
    /// The number of a process by its rank.
    processes: HashMap<u64, u32>,
    /// Whether collective operations have events of their own.
    has_operations: bool,
}

impl<'a> Understanding<'a> {
    /// That of a store whose processes have these ranks.
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

    /// The process of a rank.
    pub fn process(&self, rank: u64) -> Option<u32> {
        self.processes.get(&rank).copied()
    }

    /// Whom a location of a process with that rank sends to, or receives from, by an event.
    pub fn peer(&self, rank: u64, symbol: &Symbol) -> Option<u32> {
        let peer = symbol.get(Operand::Peer)?;
        let communicator = symbol.get(Operand::Communicator);
        let ranks = self.communicators.ranks();
        self.process(ranks.rank(communicator, peer, Some(rank)))
    }

    /// Whether each process has a communicator of its own under this id.
    pub fn is_alone(&self, communicator: u64) -> bool {
        self.communicators.ranks().is_of_each_alone(communicator)
    }

    fn is_of_all(&self, communicator: u64) -> bool {
        let ranks = self.communicators.ranks();
        let size = ranks.size(communicator);
        !self.is_alone(communicator) && size.is_none_or(|size| size >= self.processes.len() as u64)
    }
}

/// What events of one process mean.
pub(super) struct Meanings<'a> {
    all: &'a Understanding<'a>,
    wording: Wording,
    topology: &'a Topology,
    nodes: &'a [u32],
    /// The number of the process, and its rank.
    process: u32,
    rank: u64,
    known: Vec<Option<Meaning>>,
    /// Communicators of some processes, in the order in which this one uses them.
    some: IndexSet<u64>,
}

impl<'a> Meanings<'a> {
    /// Those of a process of that rank, where processes are at these nodes.
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

    /// What an event with a symbol means.
    pub fn of(&mut self, symbol: SymbolId) -> Meaning {
        if let Some(Some(known)) = self.known.get(symbol.index()) {
            return *known;
        }
        let meaning = self.find(&self.all.symbols.symbol(symbol));
        self.known[symbol.index()] = Some(meaning);
        meaning
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
        let operation = match self.all.has_operations {
            true => None,
            false => blocking_collective(name),
        };
        if let Some(operation) = operation {
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

    /// The communicators of some processes that this one uses, in order.
    pub fn into_communicators(self) -> Vec<u64> {
        self.some.into_iter().collect()
    }
}

/// Where a process communicates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// Of its locations the one that communicates most; none if it has none.
    pub location: Option<LocationId>,
    /// Its messages and collective operations there.
    pub calls: u64,
    /// Those in its other locations.
    pub elsewhere: u64,
}

impl Understanding<'_> {
    /// Where each process communicates.
    pub fn places(&self) -> Vec<Place> {
        let mut places = vec![Place::default(); self.processes.len()];
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

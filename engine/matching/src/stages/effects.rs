//! What the events of each symbol do to calls, and to what is under way: messages, requests, collective operations.

use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use foldtrace_mpi::{Routine, synchronises};
use foldtrace_trace::{EventKind, LocationId, Names, Operand, Symbol, SymbolId, SymbolTable};
use indexmap::{IndexMap, IndexSet};

use super::Communication;
use crate::channels::{Channels, End};
use crate::collectives::{Party, Sequence, party, sequence};
use crate::{Action, CalleeIndex, Communicators, RegionIndex};

/// What an event does, wherever it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing that matters.
    None,
    /// It enters a call.
    Enter(CalleeIndex, RegionIndex, Called),
    /// It leaves a call.
    Leave(CalleeIndex),
    /// It opens a request.
    Open(Request),
    /// It closes a request, if one is open.
    Close(Request),
    /// It cancels a request.
    Cancel,
    /// It communicates: the [`Part`] of its location says what it does.
    Communicate,
}

/// What is under way in a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// A non-blocking send whose completion will be recorded.
    Send,
    /// A non-blocking receive.
    Receive,
    /// A non-blocking collective operation.
    Operation,
    /// A blocking collective operation.
    Call,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// No MPI routine.
    Other,
    /// An MPI routine.
    Mpi,
    /// A collective operation without events of its own, by its code.
    Operation(u8),
}

/// The part of a location in the messages or operations of a symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// What it adds to a sum that is 0, over all locations, if nothing is under way.
    pub balance: u64,
    /// What else the event does to requests, if anything.
    pub effect: Effect,
    /// The number of the sequence of operations, if all locations take part in it.
    pub sequence: Option<usize>,
    /// Whether no location can leave the operation before all have entered it.
    pub synchronises: bool,
}

/// The parts of a location.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// By row of the table of symbols.
    of_symbols: HashMap<u32, Part, FixedState>,
    /// By code: those in operations without events of their own.
    of_calls: HashMap<u8, Part, FixedState>,
}

impl Parts {
    pub fn of_symbol(&self, symbol: SymbolId) -> Option<&Part> {
        self.of_symbols.get(&symbol.row_number())
    }

    pub fn of_call(&self, code: u8) -> Option<&Part> {
        self.of_calls.get(&code)
    }
}

/// What the events of a trace do.
#[derive(Debug)]
pub(super) struct Effects {
    /// By row of the table of symbols.
    effects: Vec<Effect>,
    /// By number of the location.
    parts: Vec<Parts>,
    /// The numbers of operations of the sequences in which all these locations take part.
    operations: Vec<u64>,
}

impl Effects {
    /// Returns what the events of a trace do, of which these locations communicate.
    pub fn new(
        names: &Names,
        communication: Communication<'_>,
        symbols: &SymbolTable,
        locations: &[LocationId],
    ) -> Self {
        let sequences = Sequences::new(names, communication, symbols, locations.len());
        let channels = Channels::new(
            names,
            communication.communicators,
            communication.census,
            symbols,
        );
        let parts = communication.census.locations();
        let parts = parts.filter(|(location, _)| locations.binary_search(location).is_ok());
        let parts = parts.map(|(location, counts)| {
            let completes =
                |&(id, _): &(SymbolId, u64)| symbols.kind(id) == EventKind::MpiIsendComplete;
            let completes_sends = counts.iter().any(completes);
            let of_symbols = counts.iter().filter_map(|&(id, _)| {
                let symbol = symbols.symbol(id);
                let part = if symbol.kind.is_collective() {
                    let key = Key::events(&symbol, location, names, communication.communicators);
                    sequences.part(key, location, symbol.get(Operand::Operation))?
                } else {
                    let (channel, end) = channels.end(location, id, symbol.kind)?;
                    Part::of_message(channel, end, symbol.kind, completes_sends)
                };
                Some((id.row_number(), part))
            });
            let of_calls = sequences.codes.iter().filter_map(|&code| {
                let part = sequences.part(Key::Calls(code), location, Some(code.into()))?;
                Some((code, part))
            });
            Parts {
                of_symbols: of_symbols.collect(),
                of_calls: of_calls.collect(),
            }
        });
        Self {
            parts: parts.collect(),
            effects: effects(communication, symbols),
            operations: sequences.operations,
        }
    }

    /// Returns the numbers of operations of the sequences in which all locations take part.
    pub fn operations(&self) -> impl Iterator<Item = u64> {
        self.operations.iter().copied()
    }

    /// Returns the parts of a location by its number.
    pub fn parts(&self, number: usize) -> &Parts {
        &self.parts[number]
    }

    /// Returns what events of a symbol do.
    #[inline]
    pub fn of(&self, symbol: SymbolId) -> Effect {
        self.effects
            .get(symbol.row())
            .copied()
            .unwrap_or(Effect::None)
    }
}

/// Returns what events do, by row of the table of symbols.
fn effects(communication: Communication<'_>, symbols: &SymbolTable) -> Vec<Effect> {
    let Communication { regions, calls, .. } = communication;
    let is_mpi = regions.regions().iter();
    let is_mpi = is_mpi.map(|region| Routine::called(&region.name) != Routine::Other);
    let is_mpi: Vec<bool> = is_mpi.collect();
    let effects = symbols
        .iter()
        .map(|(id, symbol)| match regions.action(id.row()) {
            Action::Enter(callee, region) => {
                let called = match calls.operation(id) {
                    Some(code) => Called::Operation(code as u8),
                    None if is_mpi[region.0 as usize] => Called::Mpi,
                    None => Called::Other,
                };
                Effect::Enter(callee, region, called)
            }
            Action::Leave(callee) => Effect::Leave(callee),
            Action::None => match symbol.kind {
                EventKind::MpiCollectiveBegin | EventKind::RmaCollectiveBegin => {
                    Effect::Open(Request::Call)
                }
                EventKind::NonBlockingCollectiveRequest => Effect::Open(Request::Operation),
                EventKind::MpiIrecvRequest => Effect::Open(Request::Receive),
                EventKind::MpiIsendComplete => Effect::Close(Request::Send),
                EventKind::MpiRequestCancelled => Effect::Cancel,
                kind if kind.is_communication() => Effect::Communicate,
                _ => Effect::None,
            },
        });
    effects.collect()
}

impl Part {
    fn of_message(channel: usize, end: End, kind: EventKind, completes_sends: bool) -> Self {
        let weight = hash((channel, None));
        Self {
            balance: match end {
                End::Send => weight,
                End::Receive => weight.wrapping_neg(),
            },
            effect: match kind {
                EventKind::MpiIsend if completes_sends => Effect::Open(Request::Send),
                EventKind::MpiIrecv => Effect::Close(Request::Receive),
                _ => Effect::None,
            },
            sequence: None,
            synchronises: false,
        }
    }
}

/// What identifies a sequence of operations: that of their events, or the code of calls without events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Events(Sequence),
    Calls(u8),
}

impl Key {
    fn events(
        symbol: &Symbol,
        location: LocationId,
        names: &Names,
        communicators: &Communicators,
    ) -> Self {
        Self::Events(sequence(symbol, party(names, location), communicators))
    }
}

/// Those who take part in a sequence of operations.
#[derive(Debug, Default)]
struct Members {
    /// The number of each party.
    parties: IndexSet<Party, FixedState>,
    /// The number of operations of each location.
    locations: HashMap<LocationId, u64, FixedState>,
    /// The number among the sequences in which all locations take part.
    common: Option<usize>,
}

/// The sequences of collective operations of a trace.
#[derive(Debug)]
struct Sequences<'a> {
    names: &'a Names,
    members: IndexMap<Key, Members, FixedState>,
    /// The codes of calls that are operations.
    codes: BTreeSet<u8>,
    /// By number of those in which all locations take part: the number of operations.
    operations: Vec<u64>,
}

impl<'a> Sequences<'a> {
    /// Returns the sequences of a trace. `locations` is the number of locations that communicate.
    fn new(
        names: &'a Names,
        communication: Communication<'_>,
        symbols: &SymbolTable,
        locations: usize,
    ) -> Self {
        let Communication {
            communicators,
            census,
            calls,
            ..
        } = communication;
        let mut sequences = Self {
            names,
            members: IndexMap::default(),
            codes: symbols
                .iter()
                .filter_map(|(id, _)| calls.operation(id))
                .map(|code| code as u8)
                .collect(),
            operations: Vec::new(),
        };
        let mut has_probes = false;
        for (location, counts) in census.locations() {
            for &(id, count) in counts {
                let symbol = symbols.symbol(id);
                if symbol.kind.is_collective() {
                    sequences.add(
                        Key::events(&symbol, location, names, communicators),
                        location,
                        count,
                    );
                }
                has_probes |= takes_by_id(symbol.kind);
            }
        }
        for location in calls.locations() {
            for code in sequences.codes.clone() {
                sequences.add(Key::Calls(code), location, calls.per_location());
            }
        }
        // The order in which messages are received does not follow from the symbols of probes.
        if !has_probes {
            sequences.find_common(communicators, locations);
        }
        sequences
    }

    fn add(&mut self, key: Key, location: LocationId, operations: u64) {
        let members = self.members.entry(key).or_default();
        members.parties.insert(party(self.names, location));
        *members.locations.entry(location).or_default() += operations;
    }

    /// Numbers the sequences in which `all` locations take part, each for its own process.
    fn find_common(&mut self, communicators: &Communicators, all: usize) {
        for (key, members) in &mut self.members {
            let size = match key {
                Key::Calls(_) => None,
                Key::Events(sequence) if !sequence.is_blocking() => continue,
                Key::Events(sequence) => sequence.size(communicators),
            };
            let has_all = members.parties.len() == all && members.locations.len() == all;
            if has_all && size.is_none_or(|size| size == all as u64) {
                members.common = Some(self.operations.len());
                self.operations
                    .push(members.locations.values().copied().max().unwrap_or(0));
            }
        }
    }

    /// Returns the part of a location in an operation.
    fn part(&self, key: Key, location: LocationId, code: Option<u64>) -> Option<Part> {
        let (number, _, members) = self.members.get_full(&key)?;
        let own = members.parties.get_index_of(&party(self.names, location))?;
        let next = (own + 1) % members.parties.len();
        // Over all parties, these differences add up to 0.
        let weight = |party: usize| hash((number, Some((code, party))));
        Some(Part {
            balance: weight(own).wrapping_sub(weight(next)),
            effect: Effect::Close(match key {
                Key::Events(sequence) if !sequence.is_in_background() => Request::Call,
                _ => Request::Operation,
            }),
            sequence: members.common,
            synchronises: code.is_some_and(|code| synchronises(code as usize)),
        })
    }
}

/// Returns whether an event of this kind takes a message, or refers to one that was taken, by an id.
const fn takes_by_id(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::MpiProbe | EventKind::MpiMrecv | EventKind::MpiImrecv
    )
}

/// Returns a number such that sums of different numbers are equal only by a chance of 1 in 2^64.
fn hash(number: (usize, Option<(Option<u64>, usize)>)) -> u64 {
    FixedState::default().hash_one(number)
}

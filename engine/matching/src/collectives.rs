//! Collective operations: which events of which processes are one and the same operation.
//!
//! The n-th collective operation of each process on a communicator belongs to instance n; non-blocking
//! ones count for themselves, and those of RMA by their window. Events come in the order of time over
//! all locations. What waits in memory are the instances that somebody will still take part in.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;
use foldtrace_trace::{
    Diagnostic, Diagnostics, EventKind, EventRef, LocationId, Names, Operand, Place, Quantity,
    Severity, Symbol, SymbolId, SymbolTable,
};
use indexmap::IndexMap;

use super::{Census, Communicators, Matching, Moment};

/// What one location has done in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The location.
    pub location: LocationId,
    /// Rank of its process in the program.
    pub rank: Option<u64>,
    /// The operation that it names.
    pub operation: Option<u64>,
    /// Where it began, or where it was asked for if it is non-blocking.
    pub begin: Option<Moment>,
    /// Where it was complete.
    pub end: Moment,
    /// Bytes that it sent.
    pub bytes: Option<u64>,
    /// Bytes that it received.
    pub bytes_received: Option<u64>,
}

/// A collective operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// Kind of the events that complete it.
    pub kind: EventKind,
    /// The operation that the first of its members names.
    pub operation: Option<u64>,
    /// The communicator, or that of the window.
    pub communicator: Option<u64>,
    /// The window of an operation of RMA.
    pub window: Option<u64>,
    /// Number of the operation among those on its communicator or window, from 0.
    pub number: u64,
    /// Rank of the root in the program.
    pub root: Option<u64>,
    /// How many processes are in the communicator.
    pub size: Option<u64>,
    /// Who took part, in the order in which they were complete.
    pub members: Vec<Member>,
}

/// What numbers collective operations: each process counts on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sequence {
    kind: EventKind,
    communicator: Option<u64>,
    window: Option<u64>,
    /// Who has it alone, if each process has one of its own.
    alone: Option<Party>,
}

/// Who counts: a process, or a location that is of none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Party {
    Process(u64),
    Location(LocationId),
}

/// The instances of a sequence that are under way.
#[derive(Clone, Debug)]
struct Track {
    sequence: Sequence,
    /// How many operations each party has in all, and how many of them were seen.
    parties: HashMap<Party, (u64, u64), FixedState>,
    /// The parties' numbers of operations, in ascending order.
    totals: Vec<u64>,
    /// Number of the first instance under way.
    first: u64,
    under_way: VecDeque<Collective>,
}

/// Finds the collective operations of a trace.
#[derive(Debug)]
pub struct Collectives<'a> {
    communicators: &'a Communicators,
    names: &'a Names,
    tracks: Vec<Track>,
    track_of: HashMap<(LocationId, SymbolId), usize, FixedState>,
    /// What was begun and not ended: of MPI, and of RMA.
    begun: HashMap<(LocationId, EventKind), Moment, FixedState>,
    /// Non-blocking operations by their requests.
    requested: HashMap<(LocationId, u64), Moment, FixedState>,
    found: Vec<Collective>,
    diagnostics: Diagnostics,
}

impl<'a> Collectives<'a> {
    /// Collective operations of a trace in which `census` has counted.
    #[must_use]
    pub fn new(
        names: &'a Names,
        communicators: &'a Communicators,
        census: &Census,
        symbols: &SymbolTable,
    ) -> Self {
        let mut tracks: IndexMap<Sequence, Track> = IndexMap::new();
        let mut track_of = HashMap::default();
        for (location, counts) in census.locations() {
            let party = party(names, location);
            for &(id, count) in counts {
                let symbol = symbols.symbol(id);
                if !symbol.kind.is_collective() {
                    continue;
                }
                let sequence = sequence(&symbol, party, communicators);
                let entry = tracks.entry(sequence);
                track_of.insert((location, id), entry.index());
                let track = entry.or_insert_with(|| Track::new(sequence));
                track.parties.entry(party).or_default().0 += count;
            }
        }
        let mut tracks: Vec<Track> = tracks.into_values().collect();
        for track in &mut tracks {
            track.totals = track.parties.values().map(|(all, _)| *all).collect();
            track.totals.sort_unstable();
        }
        Self {
            communicators,
            names,
            tracks,
            track_of,
            begun: HashMap::default(),
            requested: HashMap::default(),
            found: Vec::new(),
            diagnostics: Diagnostics::default(),
        }
    }

    /// A location has completed an operation.
    fn end(
        &mut self,
        location: LocationId,
        event: &EventRef,
        begin: Option<Moment>,
        symbol: &Symbol,
    ) {
        let number = self.track_of.get(&(location, event.symbol));
        let Some(track) = number.and_then(|&number| self.tracks.get_mut(number)) else {
            return;
        };
        let own = self.names.rank(location).map(|(rank, _)| rank);
        let member = Member {
            location,
            rank: own,
            operation: symbol.get(Operand::Operation),
            begin,
            end: Moment::of(event),
            bytes: event.get(Quantity::Bytes),
            bytes_received: event.get(Quantity::BytesReceived),
        };
        let root = symbol.get(Operand::Root);
        let communicator = track.sequence.communicator;
        let root = root.map(|root| self.communicators.ranks().rank(communicator, root, own));
        track.add(
            party(self.names, location),
            member,
            root,
            self.communicators,
        );
        while let Some(collective) = track.next_complete() {
            conclude(collective, &mut self.found, &mut self.diagnostics);
        }
    }

    fn conclude(&mut self, collective: Collective) {
        conclude(collective, &mut self.found, &mut self.diagnostics);
    }

    /// An operation, if there is one, of which only the beginning is recorded.
    fn never_ended(&mut self, location: LocationId, begun: Option<Moment>) {
        if let Some(begun) = begun {
            let message = "a collective operation is begun, and its end is not recorded";
            let place = Place::default().event(location, begun.position);
            let odd = Diagnostic::new(Severity::Note, "collectives.without_end", message);
            self.diagnostics.report(odd.at(place));
        }
    }
}

impl Matching for Collectives<'_> {
    type Found = Collective;

    fn take(&mut self, location: LocationId, event: &EventRef, symbols: &SymbolTable) {
        let kind = symbols.kind(event.symbol);
        match kind {
            EventKind::MpiCollectiveBegin | EventKind::RmaCollectiveBegin => {
                let older = self.begun.insert((location, kind), Moment::of(event));
                self.never_ended(location, older);
            }
            EventKind::NonBlockingCollectiveRequest => {
                if let Some(request) = event.get(Quantity::Request) {
                    let asked = Moment::of(event);
                    let older = self.requested.insert((location, request), asked);
                    self.never_ended(location, older);
                }
            }
            EventKind::MpiCollectiveEnd => {
                let begin = EventKind::MpiCollectiveBegin;
                let begin = self.begun.remove(&(location, begin));
                self.end(location, event, begin, &symbols.symbol(event.symbol));
            }
            EventKind::RmaCollectiveEnd => {
                let begin = EventKind::RmaCollectiveBegin;
                let begin = self.begun.remove(&(location, begin));
                self.end(location, event, begin, &symbols.symbol(event.symbol));
            }
            EventKind::NonBlockingCollectiveComplete => {
                let begin = event
                    .get(Quantity::Request)
                    .and_then(|request| self.requested.remove(&(location, request)));
                self.end(location, event, begin, &symbols.symbol(event.symbol));
            }
            _ => {}
        }
    }

    fn found(&mut self) -> std::vec::Drain<'_, Self::Found> {
        self.found.drain(..)
    }

    fn finish(mut self) -> (Vec<Self::Found>, Diagnostics) {
        let begun = self.begun.drain().map(|((location, _), at)| (location, at));
        let requested = self.requested.drain();
        let mut open: Vec<_> = requested
            .map(|((location, _), at)| (location, at))
            .chain(begun)
            .collect();
        open.sort_by_key(|(location, at)| (*location, at.position));
        for (location, at) in open {
            self.never_ended(location, Some(at));
        }
        for track in std::mem::take(&mut self.tracks) {
            for collective in track.under_way {
                self.conclude(collective);
            }
        }
        (self.found, self.diagnostics)
    }
}

impl Track {
    fn new(sequence: Sequence) -> Self {
        Self {
            sequence,
            parties: HashMap::default(),
            totals: Vec::new(),
            first: 0,
            under_way: VecDeque::new(),
        }
    }

    /// The next operation of a party.
    fn add(
        &mut self,
        party: Party,
        member: Member,
        root: Option<u64>,
        communicators: &Communicators,
    ) {
        let (_, seen) = self.parties.entry(party).or_default();
        let index = seen.saturating_sub(self.first) as usize;
        *seen += 1;
        while self.under_way.len() <= index {
            let number = self.first + self.under_way.len() as u64;
            let Sequence {
                kind,
                communicator,
                window,
                ..
            } = self.sequence;
            self.under_way.push_back(Collective {
                kind,
                operation: None,
                communicator,
                window,
                number,
                root: None,
                size: communicator.and_then(|id| communicators.ranks().size(id)),
                members: Vec::new(),
            });
        }
        if let Some(collective) = self.under_way.get_mut(index) {
            if collective.members.is_empty() {
                collective.operation = member.operation;
            }
            collective.root = collective.root.or(root);
            collective.members.push(member);
        }
    }

    /// The first instance, if all have taken part that ever will.
    fn next_complete(&mut self) -> Option<Collective> {
        let without = self.totals.partition_point(|&all| all <= self.first);
        let expected = self.totals.len() - without;
        let has_all = |collective: &Collective| collective.members.len() >= expected;
        if !self.under_way.front().is_some_and(has_all) {
            return None;
        }
        self.first += 1;
        self.under_way.pop_front()
    }
}

/// Gives out an operation, and tells what is odd about it.
fn conclude(collective: Collective, found: &mut Vec<Collective>, diagnostics: &mut Diagnostics) {
    let Some(first) = collective.members.first() else {
        return;
    };
    let place = || Place::default().event(first.location, first.end.position);
    let members = collective.members.len() as u64;
    if let Some(size) = collective.size
        && members < size
    {
        let message = format!("{members} of {size} processes take part in a collective operation");
        let odd = Diagnostic::new(Severity::Note, "collectives.incomplete", message);
        diagnostics.report(odd.at(place()));
    }
    if (collective.members.iter()).any(|member| member.operation != collective.operation) {
        let message = "processes take part in a collective operation with different ones";
        let odd = Diagnostic::new(Severity::Warning, "collectives.mixed_operations", message);
        diagnostics.report(odd.at(place()));
    }
    found.push(collective);
}

pub(super) fn party(names: &Names, location: LocationId) -> Party {
    match names.rank(location) {
        Some((rank, _)) => Party::Process(rank),
        None => Party::Location(location),
    }
}

/// What numbers the operations of a symbol.
fn sequence(symbol: &Symbol, party: Party, communicators: &Communicators) -> Sequence {
    let window = symbol.get(Operand::Window);
    let communicator = match window {
        Some(window) => communicators.ranks().of_window(window),
        None => symbol.get(Operand::Communicator),
    };
    let is_alone = communicator.is_some_and(|id| communicators.ranks().is_of_each_alone(id));
    Sequence {
        kind: symbol.kind,
        communicator: communicator.map(|id| communicators.canonical(id)),
        window,
        alone: is_alone.then_some(party),
    }
}

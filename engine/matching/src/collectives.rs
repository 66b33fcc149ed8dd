//! Finds collective operations: the events of different processes that belong to the same operation.
//!
//! The n-th collective operation of each process on a communicator belongs to instance n; non-blocking operations are
//! counted separately, and RMA operations by their window. Events come in the order of time over all locations. Only
//! the instances in which a process will still take part are kept in memory.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;
use foldtrace_trace::{
    Diagnostic, Diagnostics, EventKind, EventRef, LocationId, Names, Operand, Place, Quantity,
    Severity, Symbol, SymbolId, SymbolTable,
};
use indexmap::IndexMap;

use super::{Census, Communicators, Matching, Moment};

/// The part of one location in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The location of the member.
    pub location: LocationId,
    /// The rank of the member's process in the program.
    pub rank: Option<u64>,
    /// The operation that the member names.
    pub operation: Option<u64>,
    /// The moment at which the operation began, or was requested if it is non-blocking.
    pub begin: Option<Moment>,
    /// The moment at which the operation was complete.
    pub end: Moment,
    /// The number of bytes sent.
    pub bytes: Option<u64>,
    /// The number of bytes received.
    pub bytes_received: Option<u64>,
}

/// A collective operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// The kind of the events that complete the operation.
    pub kind: EventKind,
    /// The operation that its first member names.
    pub operation: Option<u64>,
    /// The communicator, or the communicator of the window.
    pub communicator: Option<u64>,
    /// The window of an RMA operation.
    pub window: Option<u64>,
    /// The number of the operation among those on its communicator or window, from 0.
    pub number: u64,
    /// The rank of the root in the program.
    pub root: Option<u64>,
    /// The number of processes in the communicator.
    pub size: Option<u64>,
    /// The members, in the order in which they completed the operation.
    pub members: Vec<Member>,
}

/// The key by which each process numbers its collective operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sequence {
    kind: EventKind,
    communicator: Option<u64>,
    window: Option<u64>,
    /// The only party of the sequence, if each process has a communicator of its own under the same id.
    alone: Option<Party>,
}

impl Sequence {
    /// Returns whether its operations are blocking ones of MPI.
    pub(super) fn is_blocking(self) -> bool {
        self.kind == EventKind::MpiCollectiveEnd
    }

    /// Returns whether its operations are non-blocking.
    pub(super) fn is_in_background(self) -> bool {
        self.kind == EventKind::NonBlockingCollectiveComplete
    }

    /// Returns the number of processes in the communicator.
    pub(super) fn size(self, communicators: &Communicators) -> Option<u64> {
        self.communicator
            .and_then(|id| communicators.ranks().size(id))
    }
}

/// A party that counts operations: a process, or a location without a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Party {
    Process(u64),
    Location(LocationId),
}

/// The instances of a sequence that are in progress.
#[derive(Clone, Debug)]
struct Track {
    sequence: Sequence,
    /// For each party, its total number of operations, and the number seen so far.
    parties: HashMap<Party, (u64, u64), FixedState>,
    /// The parties' total numbers of operations, in ascending order.
    totals: Vec<u64>,
    /// The number of the first instance in progress.
    first: u64,
    in_progress: VecDeque<Collective>,
}

/// A matcher of the collective operations of a trace.
#[derive(Debug)]
pub struct Collectives<'a> {
    communicators: &'a Communicators,
    names: &'a Names,
    tracks: Vec<Track>,
    track_of: HashMap<(LocationId, SymbolId), usize, FixedState>,
    /// Operations that have begun and not ended, for MPI and for RMA.
    begun: HashMap<(LocationId, EventKind), Moment, FixedState>,
    /// Non-blocking operations, by request.
    requested: HashMap<(LocationId, u64), Moment, FixedState>,
    found: Vec<Collective>,
    diagnostics: Diagnostics,
}

impl<'a> Collectives<'a> {
    /// Creates a matcher for the trace whose events `census` has counted.
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

    /// Processes the completion of an operation in a location.
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

    /// Reports an operation, if any, of which only the beginning is recorded.
    fn never_ended(&mut self, location: LocationId, begun: Option<Moment>) {
        if let Some(begun) = begun {
            let message = "the end of a collective operation is not recorded";
            let place = Place::default().event(location, begun.position);
            let diagnostic = Diagnostic::new(Severity::Note, "collectives.without_end", message);
            self.diagnostics.report(diagnostic.at(place));
        }
    }
}

impl Matching for Collectives<'_> {
    type Match = Collective;

    fn needs(kind: EventKind) -> bool {
        matches!(
            kind,
            EventKind::MpiCollectiveBegin
                | EventKind::RmaCollectiveBegin
                | EventKind::NonBlockingCollectiveRequest
                | EventKind::MpiCollectiveEnd
                | EventKind::RmaCollectiveEnd
                | EventKind::NonBlockingCollectiveComplete
        )
    }

    fn take(&mut self, location: LocationId, event: &EventRef, symbols: &SymbolTable) {
        let kind = symbols.kind(event.symbol);
        match kind {
            EventKind::MpiCollectiveBegin | EventKind::RmaCollectiveBegin => {
                let older = self.begun.insert((location, kind), Moment::of(event));
                self.never_ended(location, older);
            }
            EventKind::NonBlockingCollectiveRequest => {
                if let Some(request) = event.get(Quantity::Request) {
                    let moment = Moment::of(event);
                    let older = self.requested.insert((location, request), moment);
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

    fn found(&mut self) -> std::vec::Drain<'_, Self::Match> {
        self.found.drain(..)
    }

    fn finish(mut self) -> (Vec<Self::Match>, Diagnostics) {
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
            for collective in track.in_progress {
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
            in_progress: VecDeque::new(),
        }
    }

    /// Adds the next operation of a party.
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
        while self.in_progress.len() <= index {
            let number = self.first + self.in_progress.len() as u64;
            let Sequence {
                kind,
                communicator,
                window,
                ..
            } = self.sequence;
            self.in_progress.push_back(Collective {
                kind,
                operation: None,
                communicator,
                window,
                number,
                root: None,
                size: self.sequence.size(communicators),
                members: Vec::new(),
            });
        }
        if let Some(collective) = self.in_progress.get_mut(index) {
            if collective.members.is_empty() {
                collective.operation = member.operation;
            }
            collective.root = collective.root.or(root);
            collective.members.push(member);
        }
    }

    /// Removes and returns the first instance if no other party will take part in it.
    fn next_complete(&mut self) -> Option<Collective> {
        let without = self.totals.partition_point(|&all| all <= self.first);
        let expected = self.totals.len() - without;
        let has_all = |collective: &Collective| collective.members.len() >= expected;
        if !self.in_progress.front().is_some_and(has_all) {
            return None;
        }
        self.first += 1;
        self.in_progress.pop_front()
    }
}

/// Adds an operation to the found ones, and reports its problems.
fn conclude(collective: Collective, found: &mut Vec<Collective>, diagnostics: &mut Diagnostics) {
    let Some(first) = collective.members.first() else {
        return;
    };
    let place = || Place::default().event(first.location, first.end.position);
    let members = collective.members.len() as u64;
    if let Some(size) = collective.size
        && members < size
    {
        let message =
            format!("only {members} of {size} processes take part in a collective operation");
        let diagnostic = Diagnostic::new(Severity::Note, "collectives.incomplete", message);
        diagnostics.report(diagnostic.at(place()));
    }
    if (collective.members.iter()).any(|member| member.operation != collective.operation) {
        let message = "processes name different operations in the same collective operation";
        let diagnostic =
            Diagnostic::new(Severity::Warning, "collectives.mixed_operations", message);
        diagnostics.report(diagnostic.at(place()));
    }
    found.push(collective);
}

pub(super) fn party(names: &Names, location: LocationId) -> Party {
    match names.rank(location) {
        Some((rank, _)) => Party::Process(rank),
        None => Party::Location(location),
    }
}

/// Returns the key by which operations of a symbol are numbered.
pub(super) fn sequence(symbol: &Symbol, party: Party, communicators: &Communicators) -> Sequence {
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

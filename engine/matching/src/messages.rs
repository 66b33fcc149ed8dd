//! Finds messages: each send with its receive, in FIFO order by sender, receiver, communicator and tag.
//!
//! Events come in the order of time over all locations. Only messages in progress are kept in memory: sent and not
//! received yet, received before they were sent because a clock is ahead, or not completed yet. A send or receive
//! without a counterpart is also a message, with only that end.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use foldtrace_trace::{
    Diagnostic, Diagnostics, EventKind, EventRef, LocationId, Names, Operand, Place, Quantity,
    Severity, Symbol, SymbolId, SymbolTable,
};
use slab::Slab;

use super::channels::{Arrival, Channels, End, Route};
use super::{Census, Communicators, Matching, Moment, RankGroups, RankRange};

/// The send or receive of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The location of the event.
    pub location: LocationId,
    /// The moment of the event.
    pub moment: Moment,
    /// The number of bytes that the event records.
    pub bytes: Option<u64>,
}

impl Side {
    /// Returns the location and the moment of the event.
    fn at(&self) -> (LocationId, Moment) {
        (self.location, self.moment)
    }
}

/// A message with at least one end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The rank of the sender in the program.
    pub sender: Option<u64>,
    /// The rank of the receiver in the program.
    pub receiver: Option<u64>,
    /// The tag.
    pub tag: Option<u64>,
    /// The communicator of the send.
    pub send_communicator: Option<u64>,
    /// The communicator of the receive, or of the probe before it.
    pub receive_communicator: Option<u64>,
    /// The send, or the beginning of a non-blocking send.
    pub send: Option<Side>,
    /// The moment at which a non-blocking send was complete.
    pub completed: Option<Moment>,
    /// The receive.
    pub receive: Option<Side>,
    /// The moment at which a non-blocking receive was posted, in the location of the receive.
    pub posted: Option<Moment>,
}

impl Message {
    /// Returns the ticks from the send to the receive; negative if the clocks of the two locations disagree.
    #[must_use]
    pub fn latency(&self) -> Option<i64> {
        Some(self.send?.moment.ticks_to(self.receive?.moment))
    }
}

/// The events that a message waits for.
#[derive(Clone, Copy, Debug, Default)]
struct Waits {
    for_other_end: bool,
    for_completion: bool,
    /// A probe has taken the message; its receive is still to come.
    for_receive: bool,
}

/// A message that still waits for events.
#[derive(Clone, Copy, Debug, Default)]
struct PendingMessage {
    message: Message,
    waits: Waits,
    /// The key of the next message of the channel that waits for the same side.
    next: Option<u32>,
}

/// The pending operation of a request, in its location.
#[derive(Clone, Copy, Debug)]
enum Requested {
    /// A non-blocking send of the message with this key.
    Send(usize),
    /// A non-blocking receive.
    Receive(Moment),
    /// A non-blocking receive of the message with this key, which a probe has taken.
    ReceiveOf(usize, Moment),
    /// An operation of a message to another receiver than those of interest.
    Elsewhere,
}

/// A matcher of the sends and receives of a trace.
#[derive(Debug)]
pub struct Messages<'a> {
    communicators: &'a Communicators,
    names: &'a Names,
    channels: Channels,
    /// The processes whose messages are found: those that they receive.
    receivers: RankRange,
    /// The groups of receivers; `None` if they are one.
    groups: Option<&'a RankGroups>,
    /// The locations that record the completion of non-blocking sends.
    completing: HashSet<LocationId, FixedState>,
    pending: Slab<PendingMessage>,
    requests: HashMap<(LocationId, u64), Requested, FixedState>,
    /// Messages that a probe has taken, by rank and message id.
    taken: HashMap<(Option<u64>, u64), usize, FixedState>,
    found: Vec<Message>,
    /// The problems of each group of receivers.
    diagnostics: Vec<Diagnostics>,
}

impl<'a> Messages<'a> {
    /// Creates a matcher for the trace whose events `census` has counted.
    #[must_use]
    pub fn new(
        names: &'a Names,
        communicators: &'a Communicators,
        census: &Census,
        symbols: &SymbolTable,
    ) -> Self {
        let records_completion = |counts: &[(_, u64)]| {
            let mut kinds = counts.iter().map(|&(symbol, _)| symbols.kind(symbol));
            kinds.any(|kind| kind == EventKind::MpiIsendComplete)
        };
        let completing = census
            .locations()
            .filter(|(_, counts)| records_completion(counts));
        Self {
            communicators,
            names,
            channels: Channels::new(names, communicators, census, symbols),
            receivers: RankRange::ALL,
            groups: None,
            completing: completing.map(|(location, _)| location).collect(),
            pending: Slab::new(),
            requests: HashMap::default(),
            taken: HashMap::default(),
            found: Vec::new(),
            diagnostics: vec![Diagnostics::default()],
        }
    }

    /// Finds a message when both of its ends have come, without waiting for the completion of a non-blocking send.
    #[must_use]
    pub fn without_completions(mut self) -> Self {
        self.completing.clear();
        self
    }

    /// Finds only the messages that some processes receive. The messages of each process are found in the order in which a matcher
    /// of all processes finds them.
    #[must_use]
    pub fn with_receivers(mut self, receivers: RankRange) -> Self {
        self.receivers = receivers;
        self
    }

    /// Reports problems by groups of receivers: those of the first group come first. Together, matchers of consecutive groups report
    /// the same problems as one of all groups.
    #[must_use]
    pub fn with_groups(mut self, groups: &'a RankGroups) -> Self {
        self.groups = Some(groups);
        self.diagnostics = vec![Diagnostics::default(); groups.count()];
        self
    }

    /// Returns the locations whose events are needed.
    #[must_use]
    pub fn locations(&self) -> HashSet<LocationId> {
        let ends = self.channels.receivers();
        let concerned = ends.filter(|&(_, receiver)| self.receivers.contains(receiver));
        let concerned = concerned.map(|(location, _)| location);
        let own = self
            .names
            .processes()
            .iter()
            .filter(|process| self.receivers.contains(Some(process.rank)));
        concerned
            .chain(own.flat_map(|process| process.locations.iter().copied()))
            .collect()
    }

    /// Returns whether the messages of a location with a symbol are found.
    fn is_found(&self, location: LocationId, symbol: SymbolId) -> bool {
        self.receivers == RankRange::ALL
            || self
                .receivers
                .contains(self.channels.receiver(location, symbol))
    }

    /// Returns whether the messages that a location receives are found.
    fn is_receiver(&self, location: LocationId) -> bool {
        self.receivers == RankRange::ALL || self.receivers.contains(self.rank(location))
    }

    fn send(&mut self, location: LocationId, event: &EventRef, symbol: &Symbol) {
        if !self.is_found(location, event.symbol) {
            if symbol.kind == EventKind::MpiIsend && self.completing.contains(&location) {
                self.request(location, event, Requested::Elsewhere);
            }
            return;
        }
        let key = self.arrive(End::Send, location, event, symbol);
        let Some(pending) = self.pending.get_mut(key) else {
            return;
        };
        pending.message.send = Some(side(location, event));
        pending.message.send_communicator = symbol.get(Operand::Communicator);
        if symbol.kind == EventKind::MpiIsend && self.completing.contains(&location) {
            pending.waits.for_completion = event.get(Quantity::Request).is_some();
            self.request(location, event, Requested::Send(key));
        }
        self.settle(key);
    }

    fn receive(&mut self, location: LocationId, event: &EventRef, symbol: &Symbol) {
        let posted = match symbol.kind {
            EventKind::MpiIrecv => self.posted(location, event),
            _ => None,
        };
        if !self.is_found(location, event.symbol) {
            return;
        }
        let key = self.arrive(End::Receive, location, event, symbol);
        let Some(pending) = self.pending.get_mut(key) else {
            return;
        };
        pending.message.receive = Some(side(location, event));
        pending.message.receive_communicator = symbol.get(Operand::Communicator);
        pending.message.posted = posted;
        self.settle(key);
    }

    /// Returns the moment at which the receive that completes with `event` was posted.
    fn posted(&mut self, location: LocationId, event: &EventRef) -> Option<Moment> {
        match self.requested(location, event) {
            Some(Requested::Receive(posted)) => Some(posted),
            other => {
                self.never_completed(location, other);
                None
            }
        }
    }

    /// Processes a probe. If it gives a message an id, it takes the message out of the order of the others.
    fn probe(&mut self, location: LocationId, event: &EventRef, symbol: &Symbol) {
        let Some(id) = event.get(Quantity::Value) else {
            return;
        };
        if !self.is_found(location, event.symbol) {
            return;
        }
        let key = self.arrive(End::Receive, location, event, symbol);
        let Some(pending) = self.pending.get_mut(key) else {
            return;
        };
        pending.message.receive_communicator = symbol.get(Operand::Communicator);
        pending.waits.for_receive = true;
        let rank = self.rank(location);
        // The id may have belonged to another message until now.
        if let Some(older) = self.taken.insert((rank, id), key) {
            self.never_received(older);
        }
    }

    /// Removes and returns the message that a probe has taken under the id that `event` names.
    fn take_by_id(&mut self, location: LocationId, event: &EventRef) -> Option<usize> {
        let id = event.get(Quantity::Value)?;
        let rank = self.rank(location);
        self.taken.remove(&(rank, id))
    }

    /// Processes the receive of a message that a probe has taken; without a `key`, no probe is known.
    fn receive_taken(
        &mut self,
        key: Option<usize>,
        location: LocationId,
        event: &EventRef,
        posted: Option<Moment>,
    ) {
        let key = key.unwrap_or_else(|| {
            let receiver = self.rank(location);
            let route = Route::new(None, receiver, None);
            self.pending.insert(PendingMessage::new(route))
        });
        if let Some(pending) = self.pending.get_mut(key) {
            pending.message.receive = Some(side(location, event));
            pending.message.posted = posted;
            pending.waits.for_receive = false;
        }
        self.settle(key);
    }

    /// Processes the arrival of an end of a message. Returns the key of the message, which is new unless the other
    /// end has already arrived.
    fn arrive(
        &mut self,
        end: End,
        location: LocationId,
        event: &EventRef,
        symbol: &Symbol,
    ) -> usize {
        let Some(channel) = self.channels.get_mut(location, event.symbol) else {
            // The census does not contain the symbol.
            return self.pending.insert(PendingMessage::default());
        };
        let tag = symbol.get(Operand::Tag);
        let arrival = channel.arrive(end, tag);
        let key = match arrival {
            Arrival::Meets(key) => {
                let key = key as usize;
                if let Some(pending) = self.pending.get_mut(key) {
                    pending.waits.for_other_end = false;
                    channel.leave(tag, pending.next.take());
                }
                key
            }
            Arrival::Waits | Arrival::Alone => {
                let mut pending = PendingMessage::new(channel.route(tag));
                pending.waits.for_other_end = arrival == Arrival::Waits;
                self.pending.insert(pending)
            }
        };
        if arrival == Arrival::Waits
            && let Some(before) = channel.wait(end, tag, key as u32)
            && let Some(before) = self.pending.get_mut(before as usize)
        {
            before.next = Some(key as u32);
        }
        for first in channel.left_alone(end) {
            self.leave_alone(first);
        }
        key
    }

    /// Processes a queue of messages for which no other end will arrive, given by the key of the first one.
    fn leave_alone(&mut self, first: u32) {
        let mut next = Some(first);
        while let Some(key) = next.take() {
            let key = key as usize;
            if let Some(pending) = self.pending.get_mut(key) {
                pending.waits.for_other_end = false;
                next = pending.next.take();
            }
            self.settle(key);
        }
    }

    /// Records an operation that completes under the request of `event`.
    fn request(&mut self, location: LocationId, event: &EventRef, requested: Requested) {
        let Some(request) = event.get(Quantity::Request) else {
            return;
        };
        let older = self.requests.insert((location, request), requested);
        self.never_completed(location, older);
    }

    /// Removes and returns the operation that completes with `event`.
    fn requested(&mut self, location: LocationId, event: &EventRef) -> Option<Requested> {
        let request = event.get(Quantity::Request)?;
        self.requests.remove(&(location, request))
    }

    /// Processes a request, if any, that is never completed.
    fn never_completed(&mut self, location: LocationId, requested: Option<Requested>) {
        let posted = match requested {
            None | Some(Requested::Elsewhere) => return,
            Some(Requested::Send(key)) => return self.complete(key, None),
            Some(Requested::Receive(posted)) => posted,
            Some(Requested::ReceiveOf(key, posted)) => {
                self.never_received(key);
                posted
            }
        };
        self.report(
            self.rank(location),
            Severity::Note,
            "messages.incomplete_receive",
            (location, posted),
            || "the completion of a non-blocking receive is not recorded".to_owned(),
        );
    }

    /// Processes a message that a probe has taken and that is never received.
    fn never_received(&mut self, key: usize) {
        if let Some(pending) = self.pending.get_mut(key) {
            pending.waits.for_receive = false;
        }
        self.settle(key);
    }

    /// Processes the completion of a non-blocking send; `completed` is `None` if the send never completes.
    fn complete(&mut self, key: usize, completed: Option<Moment>) {
        if let Some(pending) = self.pending.get_mut(key) {
            pending.message.completed = completed;
            pending.waits.for_completion = false;
        }
        self.settle(key);
    }

    /// Concludes the message if it waits for nothing more.
    fn settle(&mut self, key: usize) {
        let waits = self.pending.get(key).map(|pending| pending.waits);
        let is_complete =
            waits.is_some_and(|w| !(w.for_other_end || w.for_completion || w.for_receive));
        if is_complete && let Some(pending) = self.pending.try_remove(key) {
            self.conclude(pending.message);
        }
    }

    /// Adds a message to the found ones, and reports its problems.
    fn conclude(&mut self, message: Message) {
        let canonical = |id: Option<u64>| id.map(|id| self.communicators.canonical(id));
        let agree = canonical(message.send_communicator) == canonical(message.receive_communicator);
        match (message.send, message.receive) {
            (Some(_), Some(receive)) => {
                if let Some(latency @ ..0) = message.latency() {
                    self.report(
                        message.receiver,
                        Severity::Warning,
                        "messages.negative_latency",
                        receive.at(),
                        || {
                            let ticks = latency.unsigned_abs();
                            format!("a message is received {ticks} ticks before it is sent")
                        },
                    );
                }
                if !agree {
                    self.report(
                        message.receiver,
                        Severity::Note,
                        "messages.other_communicator",
                        receive.at(),
                        || "a message is sent and received in different communicators".to_owned(),
                    );
                }
            }
            (Some(send), None) => {
                self.report(
                    message.receiver,
                    Severity::Note,
                    "messages.unmatched_send",
                    send.at(),
                    || "a send has no matching receive".to_owned(),
                );
            }
            (None, Some(receive)) => {
                self.report(
                    message.receiver,
                    Severity::Note,
                    "messages.unmatched_receive",
                    receive.at(),
                    || "a receive has no matching send".to_owned(),
                );
            }
            // A probe found a message without a send or receive.
            (None, None) => return,
        }
        self.found.push(message);
    }

    /// Reports a problem of a receiver; the message is formatted only if the problem is kept.
    fn report(
        &mut self,
        receiver: Option<u64>,
        severity: Severity,
        key: &'static str,
        (location, moment): (LocationId, Moment),
        message: impl FnOnce() -> String,
    ) {
        let group = self.groups.map_or(0, |groups| groups.of(receiver));
        self.diagnostics[group].report_with(severity, key, || {
            let place = Place::default().event(location, moment.position);
            Diagnostic::new(severity, key, message()).at(place)
        });
    }

    fn rank(&self, location: LocationId) -> Option<u64> {
        self.names.rank(location).map(|(rank, _)| rank)
    }
}

impl Matching for Messages<'_> {
    type Match = Message;

    fn needs(kind: EventKind) -> bool {
        matches!(
            kind,
            EventKind::MpiSend
                | EventKind::MpiIsend
                | EventKind::MpiRecv
                | EventKind::MpiIrecv
                | EventKind::MpiIrecvRequest
                | EventKind::MpiIsendComplete
                | EventKind::MpiRequestCancelled
                | EventKind::MpiProbe
                | EventKind::MpiMrecv
                | EventKind::MpiImrecvRequest
                | EventKind::MpiImrecv
        )
    }

    fn take(&mut self, location: LocationId, event: &EventRef, symbols: &SymbolTable) {
        let kind = symbols.kind(event.symbol);
        match kind {
            EventKind::MpiSend | EventKind::MpiIsend => {
                self.send(location, event, &symbols.symbol(event.symbol));
            }
            EventKind::MpiRecv | EventKind::MpiIrecv => {
                self.receive(location, event, &symbols.symbol(event.symbol));
            }
            EventKind::MpiIrecvRequest | EventKind::MpiImrecvRequest
                if !self.is_receiver(location) =>
            {
                self.request(location, event, Requested::Elsewhere);
            }
            EventKind::MpiMrecv if !self.is_receiver(location) => {}
            EventKind::MpiImrecv if !self.is_receiver(location) => {
                let other = self.requested(location, event);
                self.never_completed(location, other);
            }
            EventKind::MpiIrecvRequest => {
                self.request(location, event, Requested::Receive(Moment::of(event)));
            }
            EventKind::MpiIsendComplete => match self.requested(location, event) {
                Some(Requested::Send(key)) => self.complete(key, Some(Moment::of(event))),
                other => self.never_completed(location, other),
            },
            EventKind::MpiRequestCancelled => match self.requested(location, event) {
                Some(Requested::Send(key)) => self.complete(key, None),
                Some(Requested::ReceiveOf(key, _)) => self.never_received(key),
                Some(Requested::Receive(_) | Requested::Elsewhere) | None => {}
            },
            EventKind::MpiProbe => self.probe(location, event, &symbols.symbol(event.symbol)),
            EventKind::MpiMrecv => {
                let key = self.take_by_id(location, event);
                self.receive_taken(key, location, event, None);
            }
            EventKind::MpiImrecvRequest => {
                let key = self.take_by_id(location, event);
                let posted = Moment::of(event);
                let requested = match key {
                    Some(key) => Requested::ReceiveOf(key, posted),
                    None => Requested::Receive(posted),
                };
                self.request(location, event, requested);
            }
            EventKind::MpiImrecv => match self.requested(location, event) {
                Some(Requested::ReceiveOf(key, posted)) => {
                    self.receive_taken(Some(key), location, event, Some(posted));
                }
                Some(Requested::Receive(posted)) => {
                    self.receive_taken(None, location, event, Some(posted));
                }
                other => {
                    self.never_completed(location, other);
                    self.receive_taken(None, location, event, None);
                }
            },
            _ => {}
        }
    }

    fn found(&mut self) -> std::vec::Drain<'_, Self::Match> {
        self.found.drain(..)
    }

    fn finish(mut self) -> (Vec<Self::Match>, Diagnostics) {
        let mut open: Vec<_> = self.requests.drain().collect();
        open.sort_by_key(|((location, request), _)| (*location, *request));
        for ((location, _), requested) in open {
            self.never_completed(location, Some(requested));
        }
        let pending = std::mem::take(&mut self.pending).into_iter();
        let mut last: Vec<Message> = pending.map(|(_, pending)| pending.message).collect();
        let place = |side: Side| (side.location, side.moment.position);
        last.sort_by_key(|message| [message.send, message.receive].map(|side| side.map(place)));
        last.into_iter().for_each(|message| self.conclude(message));
        let problems = self.diagnostics.into_iter();
        let problems = problems.reduce(|mut all, of_group| {
            all.merge(of_group);
            all
        });
        (self.found, problems.unwrap_or_default())
    }
}

impl PendingMessage {
    fn new(route: Route) -> Self {
        Self {
            message: Message {
                sender: route.sender(),
                receiver: route.receiver(),
                tag: route.tag(),
                ..Message::default()
            },
            ..Self::default()
        }
    }
}

fn side(location: LocationId, event: &EventRef) -> Side {
    Side {
        location,
        moment: Moment::of(event),
        bytes: event.get(Quantity::Bytes),
    }
}

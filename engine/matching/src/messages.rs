//! Messages: each send with its receive, in FIFO order by sender, receiver, communicator and tag.
//!
//! Events come in the order of time over all locations. What waits in memory is what is on its way: sent
//! and not received yet, received before it was sent by a clock that is ahead, or not completed yet.
//! Sends and receives without another end are messages too, with that end alone.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use foldtrace_trace::{
    Diagnostic, Diagnostics, EventKind, EventRef, LocationId, Names, Operand, Place, Quantity,
    Severity, Symbol, SymbolTable,
};
use slab::Slab;

use super::channels::{Arrival, Channels, End, Route};
use super::{Census, Communicators, Matching, Moment};

/// One end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Whose event it is.
    pub location: LocationId,
    /// The event.
    pub moment: Moment,
    /// Bytes that it names.
    pub bytes: Option<u64>,
}

impl Side {
    /// Whose event it is, and where and when.
    fn at(&self) -> (LocationId, Moment) {
        (self.location, self.moment)
    }
}

/// A message; at least one of both ends is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Rank of the sender in the program.
    pub sender: Option<u64>,
    /// Rank of the receiver in the program.
    pub receiver: Option<u64>,
    /// Its tag.
    pub tag: Option<u64>,
    /// The communicator that the send names.
    pub send_communicator: Option<u64>,
    /// The communicator that the receive names, or the probe before it.
    pub receive_communicator: Option<u64>,
    /// Where it was sent, or where sending began.
    pub send: Option<Side>,
    /// When a non-blocking send was complete.
    pub completed: Option<Moment>,
    /// Where it was received.
    pub receive: Option<Side>,
    /// When a non-blocking receive was posted, in the location of the receive.
    pub posted: Option<Moment>,
}

impl Message {
    /// Ticks from the send to the receive; less than 0 if the clocks of both disagree.
    #[must_use]
    pub fn latency(&self) -> Option<i64> {
        Some(self.send?.moment.ticks_to(self.receive?.moment))
    }
}

/// What a message waits for.
#[derive(Clone, Copy, Debug, Default)]
struct Waits {
    for_other_end: bool,
    for_completion: bool,
    /// A probe has taken it; what receives it is to come.
    for_receive: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct OnItsWay {
    message: Message,
    waits: Waits,
}

/// What a request of a location stands for.
#[derive(Clone, Copy, Debug)]
enum Requested {
    /// A non-blocking send, the message of this key.
    Send(usize),
    /// A non-blocking receive.
    Receive(Moment),
    /// A non-blocking receive of the message of this key, which a probe has taken.
    ReceiveOf(usize, Moment),
}

/// Finds the messages of a trace.
#[derive(Debug)]
pub struct Messages<'a> {
    communicators: &'a Communicators,
    names: &'a Names,
    channels: Channels,
    /// Locations that tell when non-blocking sends are complete.
    completing: HashSet<LocationId, FixedState>,
    on_their_way: Slab<OnItsWay>,
    requests: HashMap<(LocationId, u64), Requested, FixedState>,
    /// Messages that a probe has taken, by rank and message id.
    taken: HashMap<(Option<u64>, u64), usize, FixedState>,
    found: Vec<Message>,
    diagnostics: Diagnostics,
}

impl<'a> Messages<'a> {
    /// Messages of a trace in which `census` has counted.
    #[must_use]
    pub fn new(
        names: &'a Names,
        communicators: &'a Communicators,
        census: &Census,
        symbols: &SymbolTable,
    ) -> Self {
        let tells = |counts: &[(_, u64)]| {
            let mut kinds = counts.iter().map(|&(symbol, _)| symbols.kind(symbol));
            kinds.any(|kind| kind == EventKind::MpiIsendComplete)
        };
        let completing = census.locations().filter(|(_, counts)| tells(counts));
        Self {
            communicators,
            names,
            channels: Channels::new(names, communicators, census, symbols),
            completing: completing.map(|(location, _)| location).collect(),
            on_their_way: Slab::new(),
            requests: HashMap::default(),
            taken: HashMap::default(),
            found: Vec::new(),
            diagnostics: Diagnostics::default(),
        }
    }

    fn send(&mut self, location: LocationId, event: &EventRef, symbol: &Symbol) {
        let key = self.arrive(End::Send, location, event);
        let Some(on_its_way) = self.on_their_way.get_mut(key) else {
            return;
        };
        on_its_way.message.send = Some(side(location, event));
        on_its_way.message.send_communicator = symbol.get(Operand::Communicator);
        if symbol.kind == EventKind::MpiIsend && self.completing.contains(&location) {
            on_its_way.waits.for_completion = event.get(Quantity::Request).is_some();
            self.request(location, event, Requested::Send(key));
        }
        self.settle(key);
    }

    fn receive(&mut self, location: LocationId, event: &EventRef, symbol: &Symbol) {
        let posted = match symbol.kind {
            EventKind::MpiIrecv => self.posted(location, event),
            _ => None,
        };
        let key = self.arrive(End::Receive, location, event);
        let Some(on_its_way) = self.on_their_way.get_mut(key) else {
            return;
        };
        on_its_way.message.receive = Some(side(location, event));
        on_its_way.message.receive_communicator = symbol.get(Operand::Communicator);
        on_its_way.message.posted = posted;
        self.settle(key);
    }

    /// When the receive that completes with `event` was posted.
    fn posted(&mut self, location: LocationId, event: &EventRef) -> Option<Moment> {
        match self.requested(location, event) {
            Some(Requested::Receive(posted)) => Some(posted),
            other => {
                self.never_completed(location, other);
                None
            }
        }
    }

    /// A probe takes a message out of the order of all others if it gives it an id.
    fn probe(&mut self, location: LocationId, event: &EventRef, symbol: &Symbol) {
        let Some(id) = event.get(Quantity::Value) else {
            return;
        };
        let key = self.arrive(End::Receive, location, event);
        let Some(on_its_way) = self.on_their_way.get_mut(key) else {
            return;
        };
        on_its_way.message.receive_communicator = symbol.get(Operand::Communicator);
        on_its_way.waits.for_receive = true;
        let rank = self.rank(location);
        // The id may have been of another message until now.
        if let Some(older) = self.taken.insert((rank, id), key) {
            self.never_received(older);
        }
    }

    /// The message of the id that an event names, which a probe has taken.
    fn take_by_id(&mut self, location: LocationId, event: &EventRef) -> Option<usize> {
        let id = event.get(Quantity::Value)?;
        let rank = self.rank(location);
        self.taken.remove(&(rank, id))
    }

    /// The receive of a message that a probe has taken; without a `key`, no probe is known.
    fn receive_taken(
        &mut self,
        key: Option<usize>,
        location: LocationId,
        event: &EventRef,
        posted: Option<Moment>,
    ) {
        let key = key.unwrap_or_else(|| {
            let receiver = self.rank(location);
            let route = Route {
                receiver,
                ..Route::default()
            };
            self.on_their_way.insert(OnItsWay::new(route))
        });
        if let Some(on_its_way) = self.on_their_way.get_mut(key) {
            on_its_way.message.receive = Some(side(location, event));
            on_its_way.message.posted = posted;
            on_its_way.waits.for_receive = false;
        }
        self.settle(key);
    }

    /// An end of a message arrives: gives the key of the message, new or that of the other end.
    fn arrive(&mut self, end: End, location: LocationId, event: &EventRef) -> usize {
        let Some(channel) = self.channels.of(location, event.symbol) else {
            // Nobody has counted it.
            return self.on_their_way.insert(OnItsWay::default());
        };
        match channel.arrive(end) {
            Arrival::Meets(key) => {
                if let Some(on_its_way) = self.on_their_way.get_mut(key) {
                    on_its_way.waits.for_other_end = false;
                }
                key
            }
            Arrival::Waits => {
                let mut on_its_way = OnItsWay::new(channel.route);
                on_its_way.waits.for_other_end = true;
                let key = self.on_their_way.insert(on_its_way);
                channel.wait(key);
                key
            }
            Arrival::Alone => self.on_their_way.insert(OnItsWay::new(channel.route)),
        }
    }

    /// The location begins something that completes under the request of `event`.
    fn request(&mut self, location: LocationId, event: &EventRef, requested: Requested) {
        let Some(request) = event.get(Quantity::Request) else {
            return;
        };
        let older = self.requests.insert((location, request), requested);
        self.never_completed(location, older);
    }

    /// What completes with `event`.
    fn requested(&mut self, location: LocationId, event: &EventRef) -> Option<Requested> {
        let request = event.get(Quantity::Request)?;
        self.requests.remove(&(location, request))
    }

    /// A request, if there is one, of which nothing more is heard.
    fn never_completed(&mut self, location: LocationId, requested: Option<Requested>) {
        let posted = match requested {
            None => return,
            Some(Requested::Send(key)) => return self.complete(key, None),
            Some(Requested::Receive(posted)) => posted,
            Some(Requested::ReceiveOf(key, posted)) => {
                self.never_received(key);
                posted
            }
        };
        self.report(
            Severity::Note,
            "messages.incomplete_receive",
            (location, posted),
            || "a non-blocking receive is begun, and its completion is not recorded".to_owned(),
        );
    }

    /// Nothing receives a message that a probe has taken.
    fn never_received(&mut self, key: usize) {
        if let Some(on_its_way) = self.on_their_way.get_mut(key) {
            on_its_way.waits.for_receive = false;
        }
        self.settle(key);
    }

    /// A non-blocking send is complete, or will never be.
    fn complete(&mut self, key: usize, completed: Option<Moment>) {
        if let Some(on_its_way) = self.on_their_way.get_mut(key) {
            on_its_way.message.completed = completed;
            on_its_way.waits.for_completion = false;
        }
        self.settle(key);
    }

    /// The message is found if it waits for nothing.
    fn settle(&mut self, key: usize) {
        let waits = self.on_their_way.get(key).map(|it| it.waits);
        let is_found =
            waits.is_some_and(|w| !(w.for_other_end || w.for_completion || w.for_receive));
        if is_found && let Some(on_its_way) = self.on_their_way.try_remove(key) {
            self.conclude(on_its_way.message);
        }
    }

    /// Gives out a message, and tells what is odd about it.
    fn conclude(&mut self, message: Message) {
        let canonical = |id: Option<u64>| id.map(|id| self.communicators.canonical(id));
        let agree = canonical(message.send_communicator) == canonical(message.receive_communicator);
        match (message.send, message.receive) {
            (Some(_), Some(receive)) => {
                if let Some(latency @ ..0) = message.latency() {
                    self.report(
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
                        Severity::Note,
                        "messages.other_communicator",
                        receive.at(),
                        || {
                            "a message is sent in another communicator than it is received in"
                                .to_owned()
                        },
                    );
                }
            }
            (Some(send), None) => {
                self.report(Severity::Note, "messages.unmatched_send", send.at(), || {
                    "a send has no receive".to_owned()
                });
            }
            (None, Some(receive)) => {
                self.report(
                    Severity::Note,
                    "messages.unmatched_receive",
                    receive.at(),
                    || "a receive has no send".to_owned(),
                );
            }
            // A probe found a message that is neither sent nor received.
            (None, None) => return,
        }
        self.found.push(message);
    }

    /// Tells of a case; the message is made only if it is kept.
    fn report(
        &mut self,
        severity: Severity,
        key: &'static str,
        (location, moment): (LocationId, Moment),
        message: impl FnOnce() -> String,
    ) {
        self.diagnostics.report_with(severity, key, || {
            let place = Place::default().event(location, moment.position);
            Diagnostic::new(severity, key, message()).at(place)
        });
    }

    fn rank(&self, location: LocationId) -> Option<u64> {
        self.names.rank(location).map(|(rank, _)| rank)
    }
}

impl Matching for Messages<'_> {
    type Found = Message;

    fn take(&mut self, location: LocationId, event: &EventRef, symbols: &SymbolTable) {
        let kind = symbols.kind(event.symbol);
        match kind {
            EventKind::MpiSend | EventKind::MpiIsend => {
                self.send(location, event, &symbols.symbol(event.symbol));
            }
            EventKind::MpiRecv | EventKind::MpiIrecv => {
                self.receive(location, event, &symbols.symbol(event.symbol));
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
                Some(Requested::Receive(_)) | None => {}
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

    fn found(&mut self) -> std::vec::Drain<'_, Self::Found> {
        self.found.drain(..)
    }

    fn finish(mut self) -> (Vec<Self::Found>, Diagnostics) {
        let mut open: Vec<_> = self.requests.drain().collect();
        open.sort_by_key(|((location, request), _)| (*location, *request));
        for ((location, _), requested) in open {
            self.never_completed(location, Some(requested));
        }
        for on_its_way in std::mem::take(&mut self.on_their_way) {
            self.conclude(on_its_way.1.message);
        }
        (self.found, self.diagnostics)
    }
}

impl OnItsWay {
    fn new(route: Route) -> Self {
        Self {
            message: Message {
                sender: route.sender,
                receiver: route.receiver,
                tag: route.tag,
                ..Message::default()
            },
            waits: Waits::default(),
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

//! Channels: the order in which messages match. The n-th send of a channel belongs to its n-th receive.
//!
//! A channel is a sender, a receiver, a tag and a communicator. If sends and receives are recorded in different
//! communicators, so that one of these has only sends and another only receives, the unmatched ends meet in a channel
//! without a communicator.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_trace::{
    EventKind, LocationId, Names, Operand, Symbol, SymbolId, SymbolTable, UNDEFINED,
};

use super::{Census, Communicators};

/// An end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The send.
    Send,
    /// The receive, or the probe that takes the message.
    Receive,
}

/// The ranks of sender and receiver in the program, and the tag. There may be a route for each message, so values that
/// the trace does not record are [`UNDEFINED`] instead of `None`, which would take twice the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Route {
    sender: u64,
    receiver: u64,
    tag: u64,
}

impl Route {
    pub(super) fn new(sender: Option<u64>, receiver: Option<u64>, tag: Option<u64>) -> Self {
        let [sender, receiver, tag] =
            [sender, receiver, tag].map(|value| value.unwrap_or(UNDEFINED));
        Self {
            sender,
            receiver,
            tag,
        }
    }

    /// Returns the rank of the sender.
    pub(super) fn sender(self) -> Option<u64> {
        recorded(self.sender)
    }

    /// Returns the rank of the receiver.
    pub(super) fn receiver(self) -> Option<u64> {
        recorded(self.receiver)
    }

    /// Returns the tag.
    pub(super) fn tag(self) -> Option<u64> {
        recorded(self.tag)
    }
}

fn recorded(value: u64) -> Option<u64> {
    (value != UNDEFINED).then_some(value)
}

/// The result of the arrival of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The other end has arrived; the message has this key.
    Meets(u32),
    /// The other end may still arrive.
    Waits,
    /// There is no other end.
    Alone,
}

/// A queue of messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel {
    pub(super) route: Route,
    /// The communicator of the first send, or of the first receive if there is no send; [`UNDEFINED`] if it is not
    /// recorded.
    communicator: u64,
    /// The maximum number of ends of each side in the trace.
    all: [u64; 2],
    /// The number of ends of each side that have arrived.
    arrived: [u64; 2],
    /// The keys of the first and of the last message whose other end has not arrived; all wait for the same side.
    /// Each message has the key of the next one.
    waiting: Option<(u32, u32)>,
}

impl Channel {
    /// Returns the communicator of the channel's messages.
    pub(super) fn communicator(&self) -> Option<u64> {
        recorded(self.communicator)
    }

    /// Returns the number of ends of one side.
    pub(super) fn ends(&self, end: End) -> u64 {
        self.all[end as usize]
    }

    /// Processes the arrival of an end. If it meets a message, [`Channel::leave`] must be called next; if it waits,
    /// [`Channel::wait`].
    pub(super) fn arrive(&mut self, end: End) -> Arrival {
        let (mine, other) = (end as usize, 1 - end as usize);
        let number = self.arrived[mine];
        self.arrived[mine] += 1;
        if number >= self.all[other] {
            return Arrival::Alone;
        }
        if number >= self.arrived[other] {
            return Arrival::Waits;
        }
        self.waiting
            .map_or(Arrival::Alone, |(first, _)| Arrival::Meets(first))
    }

    /// Queues the message of the end that arrived last, under `key`. Returns the key of the message before it.
    pub(super) fn wait(&mut self, key: u32) -> Option<u32> {
        let (first, last) = self.waiting.unzip();
        self.waiting = Some((first.unwrap_or(key), key));
        last
    }

    /// Removes the first waiting message; `next` is the key of the one after it.
    pub(super) fn leave(&mut self, next: Option<u32>) {
        self.waiting = next.zip(self.waiting).map(|(next, (_, last))| (next, last));
    }
}

/// The ends of messages that a location records with one symbol.
#[derive(Clone, Copy, Debug)]
struct Ends {
    route: Route,
    /// [`UNDEFINED`] if it is not recorded.
    communicator: u64,
    location: LocationId,
    symbol: SymbolId,
    /// The index of these ends in the census; once they are in a channel, that of its first ends.
    index: u32,
    count: u64,
    end: End,
    /// Whether their communicator lacks the opposite end on their route.
    is_alone: bool,
}

/// All channels of a trace, in the order in which the census lists their first ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Channels {
    channels: Vec<Channel>,
    of_symbol: HashMap<(LocationId, SymbolId), u32, FixedState>,
}

impl Channels {
    /// Creates the channels of the communication that `census` has counted.
    pub(super) fn new(
        names: &Names,
        communicators: &Communicators,
        census: &Census,
        symbols: &SymbolTable,
    ) -> Self {
        let mut ends = all_ends(names, communicators, census, symbols);
        ends.sort_unstable_by_key(|it| (it.route, it.communicator));
        let mut channels: Vec<(u32, Channel)> = Vec::new();
        for on_route in ends.chunk_by_mut(|one, other| one.route == other.route) {
            let in_same = |one: &Ends, other: &Ends| one.communicator == other.communicator;
            for within in on_route.chunk_by_mut(in_same) {
                let has = |end| within.iter().any(|it| it.end == end);
                let is_alone = !(has(End::Send) && has(End::Receive));
                within.iter_mut().for_each(|it| it.is_alone = is_alone);
                channels.extend(gathered(within, |it| !it.is_alone));
            }
            channels.extend(gathered(on_route, |it| it.is_alone));
        }
        channels.sort_unstable_by_key(|&(first, _)| first);
        let of_symbol = ends.iter().map(|it| {
            let number = channels.partition_point(|&(first, _)| first < it.index);
            ((it.location, it.symbol), number as u32)
        });
        Self {
            of_symbol: of_symbol.collect(),
            channels: channels.into_iter().map(|(_, channel)| channel).collect(),
        }
    }

    /// Returns the channel of the events of a location with a symbol.
    pub(super) fn get_mut(
        &mut self,
        location: LocationId,
        symbol: SymbolId,
    ) -> Option<&mut Channel> {
        let number = self.number(location, symbol)?;
        self.channels.get_mut(number)
    }

    /// Returns the number of the channel of the events of a location with a symbol.
    pub(super) fn number(&self, location: LocationId, symbol: SymbolId) -> Option<usize> {
        let number = self.of_symbol.get(&(location, symbol))?;
        Some(*number as usize)
    }

    /// Returns the number of the channel, and the end that events of a location with a symbol are.
    pub(super) fn end(
        &self,
        location: LocationId,
        symbol: SymbolId,
        kind: EventKind,
    ) -> Option<(usize, End)> {
        Some((self.number(location, symbol)?, end_of(kind)?))
    }

    /// Returns all channels, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Channel> {
        self.channels.iter()
    }

    /// Returns the routes of all channels, by number.
    pub(super) fn routes(&self) -> impl Iterator<Item = Route> {
        self.channels.iter().map(|channel| channel.route)
    }

    /// Returns the number of channels.
    pub(super) fn len(&self) -> usize {
        self.channels.len()
    }
}

/// Returns all ends of messages, in the order of the census.
fn all_ends(
    names: &Names,
    communicators: &Communicators,
    census: &Census,
    symbols: &SymbolTable,
) -> Vec<Ends> {
    let mut ends = Vec::new();
    for (location, counts) in census.locations() {
        let own = names.rank(location).map(|(rank, _)| rank);
        for &(id, count) in counts {
            let symbol = symbols.symbol(id);
            let Some(end) = end_of(symbol.kind) else {
                continue;
            };
            let communicator = symbol.get(Operand::Communicator);
            let communicator = communicator.map(|id| communicators.canonical(id));
            ends.push(Ends {
                route: route(&symbol, end, own, communicators),
                communicator: communicator.unwrap_or(UNDEFINED),
                location,
                symbol: id,
                index: ends.len() as u32,
                count,
                end,
                is_alone: false,
            });
        }
    }
    ends
}

/// Returns a channel of those of `ends` that belong to it, with the index of the first of them; `None` if there are none.
/// Changes their index to that of the first.
fn gathered(ends: &mut [Ends], belongs: impl Fn(&Ends) -> bool) -> Option<(u32, Channel)> {
    let members = || ends.iter().filter(|it| belongs(it));
    let first = members().map(|it| it.index).min()?;
    let named = members().min_by_key(|it| (it.end as usize, it.index))?;
    let mut channel = Channel {
        route: named.route,
        communicator: named.communicator,
        all: [0; 2],
        arrived: [0; 2],
        waiting: None,
    };
    for it in members() {
        let all = &mut channel.all[it.end as usize];
        *all = all.saturating_add(it.count);
    }
    let members = ends.iter_mut().filter(|it| belongs(it));
    members.for_each(|it| it.index = first);
    Some((first, channel))
}

/// Returns the end of a message that an event of this kind is, if any.
fn end_of(kind: EventKind) -> Option<End> {
    if kind.is_send() {
        Some(End::Send)
    } else if kind.is_receive() || kind == EventKind::MpiProbe {
        Some(End::Receive)
    } else {
        None
    }
}

/// Returns the ranks in the program of the sender and the receiver of messages that process `own` sends; `None` if the
/// symbol is not a send. A rank is `None` if the trace does not record it.
#[must_use]
pub fn ends_of_sends(
    symbol: &Symbol,
    own: Option<u64>,
    communicators: &Communicators,
) -> Option<(Option<u64>, Option<u64>)> {
    let route = (symbol.kind.is_send()).then(|| route(symbol, End::Send, own, communicators))?;
    Some((route.sender(), route.receiver()))
}

fn route(symbol: &Symbol, end: End, own: Option<u64>, communicators: &Communicators) -> Route {
    let communicator = symbol.get(Operand::Communicator);
    let peer = symbol
        .get(Operand::Peer)
        .map(|peer| communicators.ranks().rank(communicator, peer, own));
    let (sender, receiver) = match end {
        End::Send => (own, peer),
        End::Receive => (peer, own),
    };
    Route::new(sender, receiver, symbol.get(Operand::Tag))
}

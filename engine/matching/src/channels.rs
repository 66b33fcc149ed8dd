//! Channels: the order in which messages match. The n-th send of a channel belongs to its n-th receive.
//!
//! A channel is a sender, a receiver, a tag and a communicator. If sends and receives are recorded in different
//! communicators, so that one of these has only sends and another only receives, the unmatched ends meet in a channel
//! without a communicator.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;
use foldtrace_trace::{EventKind, LocationId, Names, Operand, Symbol, SymbolId, SymbolTable};
use indexmap::IndexMap;

use super::{Census, Communicators};

/// An end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The send.
    Send,
    /// The receive, or the probe that takes the message.
    Receive,
}

/// The ranks of sender and receiver in the program, and the tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Route {
    pub(super) sender: Option<u64>,
    pub(super) receiver: Option<u64>,
    pub(super) tag: Option<u64>,
}

/// The sends and receives of a route that are matched with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Within {
    /// The ends in this communicator.
    Communicator(Option<u64>),
    /// The ends in communicators that lack the opposite end on the route.
    Any,
}

/// The result of the arrival of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The other end has arrived; the message has this key.
    Meets(usize),
    /// The other end may still arrive.
    Waits,
    /// There is no other end.
    Alone,
}

/// A queue of messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel {
    pub(super) route: Route,
    /// The communicator of the first send, or of the first receive if there is no send.
    communicator: Option<u64>,
    /// The maximum number of ends of each side in the trace.
    all: [u64; 2],
    /// The number of ends of each side that have arrived.
    arrived: [u64; 2],
    /// The keys of messages whose other end has not arrived; all wait for the same side.
    waiting: VecDeque<usize>,
}

impl Channel {
    /// Returns the communicator of the channel's messages.
    pub(super) fn communicator(&self) -> Option<u64> {
        self.communicator
    }

    /// Returns the number of ends of one side.
    pub(super) fn ends(&self, end: End) -> u64 {
        self.all[end as usize]
    }

    /// Processes the arrival of an end. If it waits, [`Channel::wait`] must be called next.
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
            .pop_front()
            .map_or(Arrival::Alone, Arrival::Meets)
    }

    /// Queues the message of the end that arrived last, under `key`.
    pub(super) fn wait(&mut self, key: usize) {
        self.waiting.push_back(key);
    }
}

/// All channels of a trace.
#[derive(Clone, Debug, Default)]
pub(super) struct Channels {
    channels: Vec<Channel>,
    of_symbol: HashMap<(LocationId, SymbolId), usize, FixedState>,
}

impl Channels {
    /// Creates the channels of the communication that `census` has counted.
    pub(super) fn new(
        names: &Names,
        communicators: &Communicators,
        census: &Census,
        symbols: &SymbolTable,
    ) -> Self {
        let mut ends = Vec::new();
        let mut of_communicator: HashMap<(Route, Within), [u64; 2]> = HashMap::new();
        for (location, counts) in census.locations() {
            let own = names.rank(location).map(|(rank, _)| rank);
            for &(id, count) in counts {
                let symbol = symbols.symbol(id);
                let Some(end) = end_of(symbol.kind) else {
                    continue;
                };
                let recorded = symbol.get(Operand::Communicator);
                let route = route(&symbol, end, own, communicators);
                let communicator = recorded.map(|id| communicators.canonical(id));
                let within = Within::Communicator(communicator);
                of_communicator.entry((route, within)).or_default()[end as usize] += count;
                ends.push(((location, id), end, route, communicator, count));
            }
        }
        let mut channels: IndexMap<(Route, Within), Channel> = IndexMap::new();
        let mut of_symbol = HashMap::default();
        for (key, end, route, communicator, count) in ends {
            let within = Within::Communicator(communicator);
            let has_both_ends = of_communicator
                .get(&(route, within))
                .is_some_and(|all| all.iter().all(|&count| count > 0));
            let within = if has_both_ends { within } else { Within::Any };
            let entry = channels.entry((route, within));
            of_symbol.insert(key, entry.index());
            let channel = entry.or_default();
            channel.route = route;
            if channel.all[End::Send as usize] == 0 && channel.all[end as usize] == 0 {
                channel.communicator = communicator;
            }
            channel.all[end as usize] += count;
        }
        Self {
            channels: channels.into_values().collect(),
            of_symbol,
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
        self.of_symbol.get(&(location, symbol)).copied()
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
    Some((route.sender, route.receiver))
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
    Route {
        sender,
        receiver,
        tag: symbol.get(Operand::Tag),
    }
}

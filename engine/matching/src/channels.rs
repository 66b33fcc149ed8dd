//! Channels: in which order messages match. The n-th send of a channel belongs to its n-th receive.
//!
//! A channel is a sender, a receiver, a tag and a communicator. Where sends and receives are recorded in
//! communicators that do not agree, so that one of them has only sends and another only receives, what
//! is alone meets in a channel without a communicator.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;
use foldtrace_trace::{EventKind, LocationId, Names, Operand, Symbol, SymbolId, SymbolTable};
use indexmap::IndexMap;

use super::{Census, Communicators};

/// One of both ends of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Where it was sent.
    Send,
    /// Where it was received, or taken by a probe.
    Receive,
}

/// From whom to whom, as ranks of the program, and under which tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Route {
    pub(super) sender: Option<u64>,
    pub(super) receiver: Option<u64>,
    pub(super) tag: Option<u64>,
}

/// Which sends and receives of a route belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Within {
    /// Those that name this communicator.
    Communicator(Option<u64>),
    /// Those whose communicator has no other end on the route.
    Any,
}

/// What an end finds when it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The other end is here, under this key.
    Meets(usize),
    /// The other end may come.
    Waits,
    /// There is no other end.
    Alone,
}

/// A queue of messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel {
    pub(super) route: Route,
    /// That of the first send; of the first receive, where there is no send.
    communicator: Option<u64>,
    /// How many ends of each side there are in the trace, at most.
    all: [u64; 2],
    /// How many have arrived.
    arrived: [u64; 2],
    /// Keys of those whose other end has not arrived; all of one side.
    waiting: VecDeque<usize>,
}

impl Channel {
    /// The communicator of its messages.
    pub(super) fn communicator(&self) -> Option<u64> {
        self.communicator
    }

    /// How many ends of one side there are.
    pub(super) fn ends(&self, end: End) -> u64 {
        self.all[end as usize]
    }

    /// An end arrives; if it waits, `wait` is to follow.
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

    /// The end that has arrived last waits under `key`.
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
    /// The channels of what was counted.
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

    /// The channel of events of a location with a symbol.
    pub(super) fn of(&mut self, location: LocationId, symbol: SymbolId) -> Option<&mut Channel> {
        let number = self.number(location, symbol)?;
        self.channels.get_mut(number)
    }

    /// The number of that channel.
    pub(super) fn number(&self, location: LocationId, symbol: SymbolId) -> Option<usize> {
        self.of_symbol.get(&(location, symbol)).copied()
    }

    /// The number of the channel, and which end of it events with a symbol are.
    pub(super) fn end(
        &self,
        location: LocationId,
        symbol: SymbolId,
        kind: EventKind,
    ) -> Option<(usize, End)> {
        Some((self.number(location, symbol)?, end_of(kind)?))
    }

    /// All channels, by their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Channel> {
        self.channels.iter()
    }

    /// The routes of all channels, by their numbers.
    pub(super) fn routes(&self) -> impl Iterator<Item = Route> {
        self.channels.iter().map(|channel| channel.route)
    }

    /// How many channels there are.
    pub(super) fn len(&self) -> usize {
        self.channels.len()
    }
}

/// Which end of a message an event of this kind is, if any.
fn end_of(kind: EventKind) -> Option<End> {
    if kind.is_send() {
        Some(End::Send)
    } else if kind.is_receive() || kind == EventKind::MpiProbe {
        Some(End::Receive)
    } else {
        None
    }
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

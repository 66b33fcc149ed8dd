//! Channels: the order in which messages match. The n-th send of a channel belongs to its n-th receive.
//!
//! A channel is a sender, a receiver, a tag and a communicator. If the symbols of a sender and a receiver share rows,
//! because the trace has very many tags, they have a common channel for all tags in a communicator; then order counts
//! within each tag. Memory is thus not proportional to the number of tags. If sends and receives are recorded in different
//! communicators, so that one of these has only sends and another only receives, the unmatched ends meet in a channel
//! without a communicator.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use foldtrace_trace::{
    EventKind, LocationId, Names, Operand, Symbol, SymbolId, SymbolTable, UNDEFINED,
};

use super::{Census, Communicators};

/// An end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum End {
    /// The send.
    Send,
    /// The receive, or the probe that takes the message.
    Receive,
}

impl End {
    /// Returns the opposite end.
    const fn other(self) -> Self {
        match self {
            Self::Send => Self::Receive,
            Self::Receive => Self::Send,
        }
    }
}

/// The ranks of sender and receiver in the program, and the tag. Values that the trace does not record are
/// [`UNDEFINED`], as is the tag of a channel for all tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Route {
    sender: u64,
    receiver: u64,
    tag: u64,
}

/// The ranks of a sender and a receiver in the program.
pub(super) type Pair = (u64, u64);

/// Pairs of a sender and a receiver.
pub(super) type Pairs = HashSet<Pair, FixedState>;

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

    fn with_tag(self, tag: Option<u64>) -> Self {
        let tag = tag.unwrap_or(UNDEFINED);
        Self { tag, ..self }
    }

    /// Returns the ranks of both processes.
    const fn pair(self) -> Pair {
        (self.sender, self.receiver)
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

/// Messages on a route, in one communicator.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    route: Route,
    /// The communicator of the first send, or of the first receive if there is no send; [`UNDEFINED`] if it is not
    /// recorded.
    communicator: u64,
    /// The maximum number of ends of each side in the trace.
    all: [u64; 2],
    /// The number of ends of each side that have arrived.
    arrived: [u64; 2],
    waiting: Waiting,
}

/// The messages of a channel whose other end has not arrived.
#[derive(Clone, Debug)]
enum Waiting {
    /// All messages have the same tag.
    OneTag(Option<Queue>),
    /// The queue of each tag.
    AllTags(HashMap<u64, Queue, FixedState>),
}

/// Messages that wait for ends of the same side, in order. Each message has the key of the next one.
#[derive(Clone, Copy, Debug)]
struct Queue {
    awaited: End,
    first: u32,
    last: u32,
}

impl Channel {
    /// Returns the route of the channel's messages; `tag` is used if the channel is for all tags.
    pub(super) fn route(&self, tag: Option<u64>) -> Route {
        match self.waiting {
            Waiting::OneTag(_) => self.route,
            Waiting::AllTags(_) => self.route.with_tag(tag),
        }
    }

    /// Returns the sender and the receiver; `None` if the trace does not record both.
    pub(super) fn pair(&self) -> Option<Pair> {
        Some((self.route.sender()?, self.route.receiver()?))
    }

    /// Returns whether the channel is for all tags.
    pub(super) const fn has_all_tags(&self) -> bool {
        matches!(self.waiting, Waiting::AllTags(_))
    }

    /// Returns the communicator of the channel's messages.
    pub(super) fn communicator(&self) -> Option<u64> {
        recorded(self.communicator)
    }

    /// Returns the number of ends of one side.
    pub(super) fn ends(&self, end: End) -> u64 {
        self.all[end as usize]
    }

    /// Processes the arrival of an end with a tag. If it meets a message, [`Channel::leave`] must be called next; if it
    /// waits, [`Channel::wait`].
    pub(super) fn arrive(&mut self, end: End, tag: Option<u64>) -> Arrival {
        let (mine, other) = (end as usize, end.other() as usize);
        let number = self.arrived[mine];
        self.arrived[mine] += 1;
        let (queue, is_alone) = match &self.waiting {
            Waiting::OneTag(queue) => (queue.as_ref(), number >= self.all[other]),
            // Of the ends that are still to come, the tags are not known.
            Waiting::AllTags(queues) => {
                let is_alone = self.arrived[other] >= self.all[other];
                (queues.get(&tag.unwrap_or(UNDEFINED)), is_alone)
            }
        };
        match queue {
            Some(queue) if queue.awaited == end => Arrival::Meets(queue.first),
            _ if is_alone => Arrival::Alone,
            _ => Arrival::Waits,
        }
    }

    /// Queues the message of the end that arrived last, under `key`. Returns the key of the message before it.
    pub(super) fn wait(&mut self, end: End, tag: Option<u64>, key: u32) -> Option<u32> {
        let new = Queue {
            awaited: end.other(),
            first: key,
            last: key,
        };
        let queue = match &mut self.waiting {
            Waiting::OneTag(queue) => queue.get_or_insert(new),
            Waiting::AllTags(queues) => queues.entry(tag.unwrap_or(UNDEFINED)).or_insert(new),
        };
        let before = std::mem::replace(&mut queue.last, key);
        (before != key).then_some(before)
    }

    /// Removes the first message that waits in the queue of a tag; `next` is the key of the one after it.
    pub(super) fn leave(&mut self, tag: Option<u64>, next: Option<u32>) {
        let tag = tag.unwrap_or(UNDEFINED);
        let queue = match &mut self.waiting {
            Waiting::OneTag(queue) => queue.as_mut(),
            Waiting::AllTags(queues) => queues.get_mut(&tag),
        };
        match (queue, next) {
            (Some(queue), Some(next)) => queue.first = next,
            (_, _) => match &mut self.waiting {
                Waiting::OneTag(queue) => *queue = None,
                Waiting::AllTags(queues) => drop(queues.remove(&tag)),
            },
        }
    }

    /// Removes the queues that wait for the side of the end that arrived last, if it was the last one. Returns the keys
    /// of their first messages.
    pub(super) fn left_alone(&mut self, end: End) -> Vec<u32> {
        match &mut self.waiting {
            Waiting::AllTags(queues) if self.arrived[end as usize] == self.all[end as usize] => {
                let alone = queues.extract_if(|_, queue| queue.awaited == end);
                let mut firsts: Vec<u32> = alone.map(|(_, queue)| queue.first).collect();
                firsts.sort_unstable();
                firsts
            }
            _ => Vec::new(),
        }
    }
}

/// The ends of messages that a location records with the symbols of one row.
#[derive(Clone, Copy, Debug)]
struct Ends {
    route: Route,
    /// [`UNDEFINED`] if it is not recorded.
    communicator: u64,
    location: LocationId,
    row: u32,
    /// The index of these ends in the census; once they are in a channel, that of its first ends.
    index: u32,
    count: u64,
    end: End,
    has_all_tags: bool,
    /// Whether their communicator lacks the opposite end on their route.
    is_alone: bool,
}

/// All channels of a trace, in the order in which the census lists their first ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Channels {
    channels: Vec<Channel>,
    /// The number of the channel for each location and row of the table of symbols.
    numbers: HashMap<(LocationId, u32), u32, FixedState>,
}

impl Channels {
    /// Creates the channels of the communication that `census` has counted.
    pub(super) fn new(
        names: &Names,
        communicators: &Communicators,
        census: &Census,
        symbols: &SymbolTable,
    ) -> Self {
        Self::with_all_tags(names, communicators, census, symbols, Pairs::default())
    }

    /// Creates the channels of the communication that `census` has counted. The channels of `pairs` are for all tags.
    pub(super) fn with_all_tags(
        names: &Names,
        communicators: &Communicators,
        census: &Census,
        symbols: &SymbolTable,
        pairs: Pairs,
    ) -> Self {
        let mut ends = all_ends(names, communicators, census, symbols);
        unite_tags(&mut ends, pairs);
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
        let numbers = ends.iter().map(|it| {
            let number = channels.partition_point(|&(first, _)| first < it.index);
            ((it.location, it.row), number as u32)
        });
        Self {
            numbers: numbers.collect(),
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

    /// Returns the receiver of the messages of a location with a symbol, if the trace records it.
    pub(super) fn receiver(&self, location: LocationId, symbol: SymbolId) -> Option<u64> {
        let number = self.number(location, symbol)?;
        self.channels.get(number)?.route.receiver()
    }

    /// Returns the locations with ends of messages, and the receiver of each of these if the trace records it.
    pub(super) fn receivers(&self) -> impl Iterator<Item = (LocationId, Option<u64>)> {
        self.numbers.iter().map(|(&(location, _), &number)| {
            let channel = self.channels.get(number as usize);
            (
                location,
                channel.and_then(|channel| channel.route.receiver()),
            )
        })
    }

    /// Returns the number of the channel of the events of a location with a symbol.
    pub(super) fn number(&self, location: LocationId, symbol: SymbolId) -> Option<usize> {
        let number = self.numbers.get(&(location, symbol.row_number()))?;
        Some(*number as usize)
    }

    /// Returns the sender and the receiver of the messages of a location with a symbol; `None` if the trace does not
    /// record both.
    pub(super) fn pair(&self, location: LocationId, symbol: SymbolId) -> Option<Pair> {
        self.channels.get(self.number(location, symbol)?)?.pair()
    }

    /// Returns the number of the channel of the events of a location with a symbol, and their tag if the channel is for
    /// all tags. The n-th send and the n-th receive in a queue belong together.
    pub(super) fn queue(
        &self,
        location: LocationId,
        symbol: SymbolId,
        symbols: &SymbolTable,
    ) -> Option<(usize, Option<u64>)> {
        let number = self.number(location, symbol)?;
        let channel = self.channels.get(number)?;
        let tag = || symbols.symbol(symbol).get(Operand::Tag);
        let tag = channel.has_all_tags().then(tag).flatten();
        Some((number, tag))
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

    /// Returns the maximum number of messages of a channel that have both ends.
    pub(super) fn pairs_of_ends(&self, number: usize) -> u64 {
        let [sends, receives] = self.channels.get(number).map_or([0; 2], |one| one.all);
        sends.min(receives)
    }

    /// Returns whether a channel is for all tags.
    pub(super) fn has_all_tags(&self, number: usize) -> bool {
        self.channels.get(number).is_some_and(Channel::has_all_tags)
    }

    /// Returns all channels, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Channel> {
        self.channels.iter()
    }

    /// Returns the routes of all channels, by number.
    pub(super) fn routes(&self) -> impl Iterator<Item = Route> {
        self.channels.iter().map(|channel| channel.route(None))
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
                row: id.row_number(),
                index: ends.len() as u32,
                count,
                end,
                has_all_tags: symbols.is_tagged(id),
                is_alone: false,
            });
        }
    }
    ends
}

/// Removes the tags from the routes of `pairs`, and of processes whose symbols share rows.
fn unite_tags(ends: &mut [Ends], mut pairs: Pairs) {
    let shared = ends.iter().filter(|it| it.has_all_tags);
    pairs.extend(shared.map(|it| it.route.pair()));
    for it in ends {
        if pairs.contains(&it.route.pair()) {
            it.route = it.route.with_tag(None);
            it.has_all_tags = true;
        }
    }
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
        waiting: if named.has_all_tags {
            Waiting::AllTags(HashMap::default())
        } else {
            Waiting::OneTag(None)
        },
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

//! Converts the actions of a rank to events.
//!
//! Each action becomes a call: its region is entered, its effect happens, and the region is left. Data missing in the
//! action remains undefined, except for requests, which are numbered, and times, which are computed from amounts.

use foldtrace_input::Fault;
use foldtrace_trace::{
    Carried, Demultiplexer, EventKind, Quantity, Symbol, SymbolTable, UNDEFINED, ValueType,
};

use crate::action::{Effect, Operation, Shape, datatype_size};
use crate::clock::Clock;
use crate::definitions::WORLD;
use crate::lexer::{Lexer, Word};
use crate::requests::{Key, OpenRequest, Requests};

/// Size of an element in bytes if a line names no datatype and `init` has no argument.
const BYTE: u64 = 1;
/// Size of an element in bytes if a line names no datatype and `init` has an argument.
const DOUBLE: u64 = 8;

/// Collects the events of all ranks.
#[derive(Default)]
pub(crate) struct Events {
    pub demultiplexer: Demultiplexer,
    pub symbols: SymbolTable,
    carried: Carried,
}

/// The state of a rank between actions.
pub(crate) struct Rank {
    number: u64,
    slot: u32,
    clock: Clock,
    requests: Requests,
    default_size: u64,
    /// The number of ranks, if known.
    ranks: Option<u64>,
}

/// The attribute of an action that allows writing the action again.
pub(crate) struct Attribute {
    pub id: u64,
    pub value_type: ValueType,
    pub value: u64,
}

/// The bytes of a collective operation, as far as its line specifies them.
#[derive(Default)]
struct Volume {
    sent: Option<u64>,
    received: Option<u64>,
    root: Option<u64>,
    flops: f64,
}

impl Rank {
    pub(crate) fn new(number: u64, slot: u32, ranks: Option<u64>) -> Self {
        Self {
            number,
            slot,
            clock: Clock::default(),
            requests: Requests::default(),
            default_size: BYTE,
            ranks,
        }
    }

    fn push(
        &self,
        events: &mut Events,
        kind: EventKind,
        operands: &[u64],
        quantities: &[(Quantity, u64)],
    ) {
        let symbol = events.symbols.intern(Symbol::new(kind, operands));
        for &(quantity, value) in quantities {
            events.carried.quantities[quantity as usize] = value;
        }
        let time = Some(self.clock.ticks());
        events
            .demultiplexer
            .push(self.slot, symbol, kind, time, &events.carried);
        events.carried.clear();
    }

    /// Executes an action, which is a call of `region`. `words` are the words after its name. If they are invalid,
    /// nothing happens.
    pub(crate) fn execute(
        &mut self,
        effect: Effect,
        words: Lexer<'_>,
        region: u64,
        attribute: &Attribute,
        events: &mut Events,
    ) -> Result<(), Fault> {
        let action = self.parse(effect, words)?;
        let Attribute {
            id,
            value_type,
            value,
        } = *attribute;
        events.carried.attributes.push((id, value_type, value));
        self.push(events, EventKind::Enter, &[region], &[]);
        self.perform(action, events);
        self.push(events, EventKind::Leave, &[region], &[]);
        Ok(())
    }

    fn parse(&self, effect: Effect, mut words: Lexer<'_>) -> Result<ParsedAction, Fault> {
        Ok(match effect {
            Effect::Compute => ParsedAction::Compute(words.next().amount("an amount of flops")?),
            Effect::Sleep => ParsedAction::Sleep(words.next().amount("a number of seconds")?),
            Effect::Init if words.next().is_empty() => ParsedAction::Init(BYTE),
            Effect::Init => ParsedAction::Init(DOUBLE),
            Effect::Size => ParsedAction::Size(words.next().count()?),
            Effect::Send => ParsedAction::Send(self.message(words)?),
            Effect::Isend => ParsedAction::Isend(self.message(words)?),
            Effect::Recv => ParsedAction::Recv(self.message(words)?),
            Effect::Irecv => ParsedAction::Irecv(self.message(words)?),
            Effect::SendRecv => self.exchange(words)?,
            Effect::Wait => ParsedAction::Wait(key(words)?),
            Effect::Test => ParsedAction::Test(key(words)?),
            Effect::WaitSome => ParsedAction::WaitSome,
            Effect::WaitAll | Effect::Finalize => ParsedAction::WaitAll,
            Effect::Collective(operation, shape) => {
                ParsedAction::Collective(operation, self.volume(shape, words)?)
            }
            Effect::Call => ParsedAction::Nothing,
        })
    }

    /// Returns the size of an element in bytes.
    fn size(&self, datatype: Word<'_>) -> Option<u64> {
        if datatype.is_empty() {
            Some(self.default_size)
        } else {
            datatype_size(datatype.bytes)
        }
    }

    /// Parses `peer [tag] size [type]`. Older traces have no tag, and receives in the oldest traces have no size.
    fn message(&self, mut words: Lexer<'_>) -> Result<Message, Fault> {
        let peer = words.next().peer_or_tag("a rank")?;
        let tag = match words.remaining() {
            0 | 1 => Some(0),
            _ => words.next().peer_or_tag("a tag")?,
        };
        let count = words.next();
        let count = if count.is_empty() {
            None
        } else {
            count.count()?
        };
        let bytes = product(count, self.size(words.next()));
        Ok(Message { peer, tag, bytes })
    }

    /// Parses `sent destination received source [type [type]]`. A replay gives both messages the tag 0.
    fn exchange(&self, mut words: Lexer<'_>) -> Result<ParsedAction, Fault> {
        let sent = words.next().count()?;
        let destination = words.next().peer_or_tag("a rank")?;
        let received = words.next().count()?;
        let source = words.next().peer_or_tag("a rank")?;
        let (sent_type, received_type) = (words.next(), words.next());
        let message = |peer, count, datatype| Message {
            peer,
            tag: Some(0),
            bytes: product(count, self.size(datatype)),
        };
        let sent = message(destination, sent, sent_type);
        Ok(ParsedAction::Exchange(
            sent,
            message(source, received, received_type),
        ))
    }

    /// Parses the bytes of a collective operation. Lists have one number per rank, so they are ignored if the number
    /// of ranks is unknown.
    fn volume(&self, shape: Shape, mut words: Lexer<'_>) -> Result<Volume, Fault> {
        let mut volume = Volume::default();
        let mut received = None;
        let sent;
        let ranks = match shape {
            Shape::Gatherv { .. } | Shape::Scatterv | Shape::ReduceScatter | Shape::Alltoallv => {
                let lists = if shape == Shape::Alltoallv { 2 } else { 1 };
                match self.ranks {
                    // SimGrid records some blocks of scatter operations without the list.
                    Some(ranks) if words.remaining() as u64 / lists > ranks => ranks,
                    _ => return Ok(volume),
                }
            }
            _ => 0,
        };
        match shape {
            Shape::Nothing => return Ok(volume),
            Shape::Bcast => sent = words.next().count()?,
            Shape::Reduce | Shape::Allreduce => {
                sent = words.next().count()?;
                volume.flops = words.next().amount("an amount of flops")?;
            }
            Shape::Pair | Shape::RootedPair => {
                sent = words.next().count()?;
                received = words.next().count()?;
            }
            Shape::Gatherv { .. } => {
                sent = words.next().count()?;
                received = sum(&mut words, ranks)?;
            }
            Shape::Scatterv => {
                sent = sum(&mut words, ranks)?;
                received = words.next().count()?;
            }
            Shape::ReduceScatter => {
                sent = sum(&mut words, ranks)?;
                volume.flops = words.next().amount("an amount of flops")?;
            }
            Shape::Alltoallv => {
                words.next().count()?;
                sent = sum(&mut words, ranks)?;
                words.next().count()?;
                received = sum(&mut words, ranks)?;
            }
        }
        let is_rooted = match shape {
            Shape::Bcast | Shape::Reduce | Shape::RootedPair | Shape::Scatterv => true,
            Shape::Gatherv { rooted } => rooted,
            _ => false,
        };
        if is_rooted {
            let root = words.next();
            volume.root = if root.is_empty() {
                Some(0)
            } else {
                root.peer_or_tag("a rank")?
            };
        }
        volume.sent = product(sent, self.size(words.next()));
        volume.received = match shape {
            Shape::Bcast | Shape::Reduce | Shape::Allreduce => volume.sent,
            Shape::ReduceScatter => None,
            _ => product(received, self.size(words.next())),
        };
        Ok(volume)
    }

    fn perform(&mut self, action: ParsedAction, events: &mut Events) {
        match action {
            ParsedAction::Nothing => {}
            ParsedAction::Compute(flops) => self.clock.compute(flops),
            ParsedAction::Sleep(seconds) => self.clock.sleep(seconds),
            ParsedAction::Init(size) => self.default_size = size,
            ParsedAction::Size(ranks) => self.ranks = ranks.or(self.ranks),
            ParsedAction::Send(sent) => self.message_event(EventKind::MpiSend, sent, &[], events),
            ParsedAction::Recv(received) => {
                self.message_event(EventKind::MpiRecv, received, &[], events)
            }
            ParsedAction::Exchange(sent, received) => {
                self.message_event(EventKind::MpiSend, sent, &[], events);
                self.message_event(EventKind::MpiRecv, received, &[], events);
            }
            ParsedAction::Isend(sent) => {
                let request = self.begin(sent, true, events);
                self.message_event(EventKind::MpiIsend, sent, &request, events);
            }
            ParsedAction::Irecv(received) => {
                let request = self.begin(received, false, events);
                self.push(events, EventKind::MpiIrecvRequest, &[], &request);
            }
            ParsedAction::Wait(key) => {
                let ended = self.requests.end(key);
                self.complete(ended, events);
            }
            ParsedAction::WaitAll => {
                while let Some(open) = self.requests.end_oldest() {
                    self.complete(Some(open), events);
                }
            }
            ParsedAction::WaitSome => self.requests.mark_all_as_possibly_ended(),
            ParsedAction::Test(key) => {
                if let Some(request) = self.requests.test(key) {
                    let request = [(Quantity::Request, request)];
                    self.push(events, EventKind::MpiRequestTest, &[], &request);
                }
            }
            ParsedAction::Collective(operation, volume) => {
                self.push(events, EventKind::MpiCollectiveBegin, &[], &[]);
                self.clock.compute(volume.flops);
                self.push(
                    events,
                    EventKind::MpiCollectiveEnd,
                    &[operation, WORLD, or_undefined(volume.root)],
                    &[
                        (Quantity::Bytes, or_undefined(volume.sent)),
                        (Quantity::BytesReceived, or_undefined(volume.received)),
                    ],
                );
            }
        }
    }

    fn message_event(
        &self,
        kind: EventKind,
        message: Message,
        request: &[(Quantity, u64)],
        events: &mut Events,
    ) {
        let operands = [or_undefined(message.peer), WORLD, or_undefined(message.tag)];
        events.carried.quantities[Quantity::Bytes as usize] = or_undefined(message.bytes);
        self.push(events, kind, &operands, request);
    }

    /// Begins a request. If an older request must have ended by now, it is completed first.
    fn begin(
        &mut self,
        message: Message,
        is_send: bool,
        events: &mut Events,
    ) -> [(Quantity, u64); 1] {
        let own = Some(self.number);
        let (source, destination) = if is_send {
            (own, message.peer)
        } else {
            (message.peer, own)
        };
        let key = Key {
            source,
            destination,
            tag: message.tag,
        };
        let bytes = or_undefined(message.bytes);
        let (request, ended) = self.requests.begin(key, bytes, is_send);
        self.complete(ended, events);
        [(Quantity::Request, request)]
    }

    fn complete(&self, ended: Option<OpenRequest>, events: &mut Events) {
        let Some(open) = ended else {
            return;
        };
        let request = [(Quantity::Request, open.number)];
        if open.is_send {
            self.push(events, EventKind::MpiIsendComplete, &[], &request);
        } else {
            let message = Message {
                peer: open.key.source,
                tag: open.key.tag,
                bytes: (open.bytes != UNDEFINED).then_some(open.bytes),
            };
            self.message_event(EventKind::MpiIrecv, message, &request, events);
        }
    }

    /// Ends the trace, and completes all requests that are still open.
    pub(crate) fn finish(&mut self, events: &mut Events) {
        self.perform(ParsedAction::WaitAll, events);
    }
}

/// A parsed action.
enum ParsedAction {
    Nothing,
    Compute(f64),
    Sleep(f64),
    Init(u64),
    Size(Option<u64>),
    Send(Message),
    Recv(Message),
    Exchange(Message, Message),
    Isend(Message),
    Irecv(Message),
    Wait(Option<Key>),
    WaitAll,
    WaitSome,
    Test(Option<Key>),
    Collective(Operation, Volume),
}

/// A message as seen from one of its ends.
#[derive(Clone, Copy)]
struct Message {
    peer: Option<u64>,
    tag: Option<u64>,
    bytes: Option<u64>,
}

/// Parses `source destination tag`. Older traces have none of them, and refer to the latest request.
fn key(mut words: Lexer<'_>) -> Result<Option<Key>, Fault> {
    if words.remaining() == 0 {
        return Ok(None);
    }
    Ok(Some(Key {
        source: words.next().peer_or_tag("a rank")?,
        destination: words.next().peer_or_tag("a rank")?,
        tag: words.next().peer_or_tag("a tag")?,
    }))
}

/// Returns the sum of a list with one number per rank.
fn sum(words: &mut Lexer<'_>, ranks: u64) -> Result<Option<u64>, Fault> {
    let mut sum = Some(0u64);
    for _ in 0..ranks {
        let count = words.next().count()?;
        sum = sum
            .zip(count)
            .and_then(|(sum, count)| sum.checked_add(count));
    }
    Ok(sum)
}

/// Returns the number, or [`UNDEFINED`] if it is unknown.
fn or_undefined(number: Option<u64>) -> u64 {
    number.unwrap_or(UNDEFINED)
}

/// Returns the size of elements in bytes; `None` if unknown or not a valid number of bytes.
fn product(count: Option<u64>, size: Option<u64>) -> Option<u64> {
    let bytes = count?.checked_mul(size?)?;
    (bytes != UNDEFINED).then_some(bytes)
}

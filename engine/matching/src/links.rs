//! Links: merges messages between the same two calls of a DAG, with the positions of all of them.
//!
//! Follows Alawneh and Hamou-Lhadj, MTF, section III.B. The n-th send of a channel belongs to its n-th receive, for
//! which the order of events in each location is sufficient, without times. If several locations of one process send
//! in the same channel, the sends of the location with the smaller id come first. Messages that a probe has taken are
//! not linked.

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;

use foldhash::fast::FixedState;
use foldtrace_fold::dag::{Dag, NodeId, OccurrenceRun, Occurrences};
use foldtrace_store::{LocationStream, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    LocationId, Names, Operand, Position, SymbolId, SymbolTable, TraceError, UNDEFINED,
};
use indexmap::IndexMap;
use serde::Serialize;

use super::channels::Channels;
use super::tag_sequences::channels_in_order;
use super::{Census, Communicators};

/// A sender or receiver in a DAG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Caller {
    /// The location of the call.
    pub location: LocationId,
    /// The node of the call; the root if there is none.
    pub call: NodeId,
    /// The node of the send or receive itself.
    pub operation: NodeId,
}

/// Messages whose events are equidistant on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Run {
    /// The position of the first send.
    pub send: u64,
    /// The number of events from one send to the next.
    pub send_step: u64,
    /// The position of the first receive.
    pub receive: u64,
    /// The number of events from one receive to the next.
    pub receive_step: u64,
    /// The number of messages.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub messages: u64,
}

/// All messages between the same two calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The sending call.
    pub sender: Caller,
    /// The receiving call.
    pub receiver: Caller,
    /// The number of messages.
    pub messages: u64,
    /// The positions of the messages, in the order in which they are sent.
    pub runs: Vec<Run>,
}

/// The messages of a program.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// One link per pair of calls, in the order in which they are first found: by channel, then by order of events.
    pub links: Vec<Link>,
    /// The number of messages with both ends.
    pub messages: u64,
    /// The number of sends and receives without a counterpart.
    pub alone: u64,
}

/// Equidistant sends or receives of a channel.
#[derive(Clone, Copy, Debug)]
struct Ends {
    caller: Caller,
    position: u64,
    step: u64,
    times: u64,
}

impl Ends {
    /// Removes and returns the first `times` of them.
    fn split(&mut self, times: u64) -> Self {
        let taken = Self { times, ..*self };
        self.position += times * self.step;
        self.times -= times;
        taken
    }
}

/// A send or receive of a channel whose messages are matched by their tags.
#[derive(Clone, Copy, Debug)]
struct TaggedEnd {
    tag: u64,
    caller: Caller,
    position: u64,
}

impl From<TaggedEnd> for Ends {
    fn from(end: TaggedEnd) -> Self {
        Self {
            caller: end.caller,
            position: end.position,
            step: 0,
            times: 1,
        }
    }
}

/// The number of a channel; and the tag, if the symbols contain it.
type QueueKey = (usize, Option<u64>);

/// The sends and receives of each queue, by location and position.
#[derive(Debug, Default)]
struct Queues {
    /// Queues whose messages are received in the order in which they are sent.
    in_order: BTreeMap<QueueKey, [Vec<Ends>; 2]>,
    /// Channels in which only messages with the same tag are in order.
    tagged: BTreeMap<usize, [Vec<TaggedEnd>; 2]>,
}

impl Queues {
    fn push(&mut self, key: QueueKey, is_receive: bool, location: LocationId, run: OccurrenceRun) {
        let side = &mut self.in_order.entry(key).or_default()[usize::from(is_receive)];
        let ends = Ends {
            caller: Caller::of(location, run),
            position: run.position,
            step: run.step,
            times: run.times,
        };
        push(side, ends);
    }

    fn into_links(mut self) -> Links {
        let mut result = Links::default();
        let mut links: IndexMap<(Caller, Caller), Link, FixedState> = IndexMap::default();
        // Queues are ordered by channel, and a channel is either in order or tagged.
        for ((channel, _), [sends, receives]) in self.in_order {
            let later = self.tagged.split_off(&channel);
            result.join_all_tagged(self.tagged, &mut links);
            self.tagged = later;
            result.join(sends.into_iter(), receives.into_iter(), &mut links);
        }
        result.join_all_tagged(self.tagged, &mut links);
        result.links = links.into_values().collect();
        result
    }
}

impl Caller {
    fn of(location: LocationId, run: OccurrenceRun) -> Self {
        Self {
            location,
            call: run.parent,
            operation: run.node,
        }
    }
}

/// Calls `take` with the sends and receives of each location of a DAG, by position, each with its own symbol.
fn each_run<E>(
    dag: &Dag,
    symbols: &SymbolTable,
    mut take: impl FnMut(LocationId, SymbolId, OccurrenceRun) -> Result<(), E>,
) -> Result<(), E> {
    let kind = |node| dag.symbol(node).map(|symbol| symbols.kind(symbol));
    let ends_message = |node| kind(node).is_some_and(|kind| kind.is_send() || kind.is_receive());
    let graph = &dag.graph;
    let all = Occurrences::new(graph, |node| {
        graph.kind(node).is_leaf() && ends_message(node)
    });
    for root in &dag.roots {
        for run in all.runs(root.node) {
            let label = dag.label(run.node);
            let own = label.and_then(|label| dag.labels.symbol(root.location, label));
            if let Some(own) = own {
                take(root.location, own, run)?;
            }
        }
    }
    Ok(())
}

/// The tags of the events of one location, read from the store in the order of positions.
struct Tags<'a> {
    store: &'a StoreReader,
    progress: &'a Progress,
    location: LocationId,
    events: LocationStream<'a>,
    batch: Vec<SymbolId>,
    /// The position of the first event of the batch.
    first: u64,
}

impl<'a> Tags<'a> {
    fn new(store: &'a StoreReader, location: LocationId, progress: &'a Progress) -> Self {
        Self {
            store,
            progress,
            location,
            events: store.events(location, Position(0)),
            batch: Vec::new(),
            first: 0,
        }
    }

    /// Returns the tag of the event at `position`, which must not be before that of the last call.
    fn at(&mut self, position: u64) -> Result<Option<u64>, TraceError> {
        loop {
            let index = position.saturating_sub(self.first);
            if let Some(&id) = self.batch.get(index as usize) {
                return Ok(self.store.symbols().symbol(id).get(Operand::Tag));
            }
            self.progress.check()?;
            self.first += self.batch.len() as u64;
            self.events.next_symbols(&mut self.batch)?;
            if self.batch.is_empty() {
                return Ok(None);
            }
        }
    }
}

impl Links {
    /// Creates the links of `dag`, whose labels use `symbols`, with their tags.
    #[must_use]
    pub fn new(
        dag: &Dag,
        names: &Names,
        communicators: &Communicators,
        census: &Census,
        symbols: &SymbolTable,
    ) -> Self {
        let channels = Channels::new(names, communicators, census, symbols);
        let mut queues = Queues::default();
        let Ok(()) = each_run(dag, symbols, |location, symbol, run| {
            if let Some(key) = channels.queue(location, symbol, symbols) {
                let is_receive = symbols.kind(symbol).is_receive();
                queues.push(key, is_receive, location, run);
            }
            Ok::<_, Infallible>(())
        });
        queues.into_links()
    }

    /// Creates the links of `dag`, whose labels refer to rows of the symbols of `store`. Tags in a column of their own
    /// are read if messages of different tags are received in another order than they are sent; each of these messages
    /// then needs memory.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn from_store(
        dag: &Dag,
        communicators: &Communicators,
        census: &Census,
        store: &StoreReader,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let symbols = store.symbols();
        let channels = Channels::new(store.names(), communicators, census, symbols);
        let locations: Vec<LocationId> = dag.roots.iter().map(|root| root.location).collect();
        let in_order = if symbols.has_tagged_rows() {
            channels_in_order(store, &locations, &channels, progress)?
        } else {
            HashSet::default()
        };
        let mut queues = Queues::default();
        let mut tags: Option<Tags<'_>> = None;
        each_run(dag, symbols, |location, symbol, run| {
            let Some(number) = channels.number(location, symbol) else {
                return Ok(());
            };
            let is_receive = symbols.kind(symbol).is_receive();
            if !channels.has_all_tags(number) || in_order.contains(&number) {
                queues.push((number, None), is_receive, location, run);
                return Ok(());
            }
            let tags = match &mut tags {
                Some(tags) if tags.location == location => tags,
                tags => tags.insert(Tags::new(store, location, progress)),
            };
            let side = &mut queues.tagged.entry(number).or_default()[usize::from(is_receive)];
            for time in 0..run.times {
                let position = run.position + time * run.step;
                side.push(TaggedEnd {
                    tag: tags.at(position)?.unwrap_or(UNDEFINED),
                    caller: Caller::of(location, run),
                    position,
                });
            }
            Ok(())
        })?;
        Ok(queues.into_links())
    }

    /// Matches the two sides of channels, for each tag separately.
    fn join_all_tagged(
        &mut self,
        channels: BTreeMap<usize, [Vec<TaggedEnd>; 2]>,
        links: &mut IndexMap<(Caller, Caller), Link, FixedState>,
    ) {
        for mut sides in channels.into_values() {
            for side in &mut sides {
                side.sort_unstable_by_key(|end| (end.tag, end.caller.location, end.position));
            }
            let [mut sends, mut receives] = sides.each_ref().map(|side| &side[..]);
            while let Some(tag) = [sends, receives]
                .iter()
                .filter_map(|s| s.first())
                .map(|e| e.tag)
                .min()
            {
                let [sent, received] = [&mut sends, &mut receives].map(|side| {
                    let same = side.iter().take_while(|end| end.tag == tag).count();
                    let (same, rest) = side.split_at(same);
                    *side = rest;
                    same.iter().map(|&end| Ends::from(end))
                });
                self.join(sent, received, links);
            }
        }
    }

    /// Matches the two sides of a queue.
    fn join(
        &mut self,
        mut sends: impl Iterator<Item = Ends>,
        mut receives: impl Iterator<Item = Ends>,
        links: &mut IndexMap<(Caller, Caller), Link, FixedState>,
    ) {
        let (mut send, mut receive) = (sends.next(), receives.next());
        while let (Some(from), Some(to)) = (&mut send, &mut receive) {
            let times = from.times.min(to.times);
            let (sent, received) = (from.split(times), to.split(times));
            let (left, waiting) = (from.times, to.times);
            let link = links
                .entry((sent.caller, received.caller))
                .or_insert_with(|| Link {
                    sender: sent.caller,
                    receiver: received.caller,
                    messages: 0,
                    runs: Vec::new(),
                });
            link.messages += times;
            link.append(Run {
                send: sent.position,
                send_step: sent.step,
                receive: received.position,
                receive_step: received.step,
                messages: times,
            });
            self.messages += times;
            if left == 0 {
                send = sends.next();
            }
            if waiting == 0 {
                receive = receives.next();
            }
        }
        let left = send.into_iter().chain(sends);
        let waiting = receive.into_iter().chain(receives);
        self.alone += left.chain(waiting).map(|ends| ends.times).sum::<u64>();
    }
}

/// Appends ends to one side of a channel, merging them with the last ones if the distances agree.
fn push(ends: &mut Vec<Ends>, next: Ends) {
    if let Some(last) = ends.last_mut()
        && last.caller == next.caller
        && let Some(step) = continued(
            (last.position, last.step, last.times),
            (next.position, next.step, next.times),
        )
    {
        last.step = step;
        last.times += next.times;
        return;
    }
    ends.push(next);
}

/// Returns the distance if `next` continues `last`; each is (first, step, times).
fn continued(last: (u64, u64, u64), next: (u64, u64, u64)) -> Option<u64> {
    let step = if last.2 > 1 {
        last.1
    } else {
        next.0.checked_sub(last.0)?
    };
    let follows = last.0.checked_add(step.checked_mul(last.2)?)? == next.0;
    (follows && (next.2 == 1 || next.1 == step)).then_some(step)
}

impl Link {
    /// Appends messages, merging them with the last ones if the distances agree on both sides.
    fn append(&mut self, next: Run) {
        if let Some(last) = self.runs.last_mut()
            && let Some(send_step) = continued(
                (last.send, last.send_step, last.messages),
                (next.send, next.send_step, next.messages),
            )
            && let Some(receive_step) = continued(
                (last.receive, last.receive_step, last.messages),
                (next.receive, next.receive_step, next.messages),
            )
        {
            (last.send_step, last.receive_step) = (send_step, receive_step);
            last.messages += next.messages;
            return;
        }
        self.runs.push(next);
    }

    /// Returns the positions of the send and the receive of each message.
    pub fn positions(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.runs.iter().flat_map(|run| {
            (0..run.messages).map(|n| {
                (
                    run.send + n * run.send_step,
                    run.receive + n * run.receive_step,
                )
            })
        })
    }
}

//! Links: merges messages between the same two calls of a DAG, with the positions of all of them.
//!
//! Follows Alawneh and Hamou-Lhadj, MTF, section III.B. The n-th send of a channel belongs to its n-th receive, for
//! which the order of events in each location is sufficient, without times. If several locations of one process send
//! in the same channel, the sends of the location with the smaller id come first. Messages that a probe has taken are
//! not linked.

use std::collections::BTreeMap;

use foldhash::fast::FixedState;
use foldtrace_fold::dag::{Dag, NodeId, Occurrences};
use foldtrace_trace::{LocationId, Names, SymbolTable};
use indexmap::IndexMap;
use serde::Serialize;

use super::channels::Channels;
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

impl Links {
    /// Creates the links of `dag`, whose labels use `symbols`.
    #[must_use]
    pub fn new(
        dag: &Dag,
        names: &Names,
        communicators: &Communicators,
        census: &Census,
        symbols: &SymbolTable,
    ) -> Self {
        let channels = Channels::new(names, communicators, census, symbols);
        let mut ends: BTreeMap<(usize, Option<u64>), [Vec<Ends>; 2]> = BTreeMap::new();
        let kind = |node| dag.symbol(node).map(|symbol| symbols.kind(symbol));
        let ends_message =
            |node| kind(node).is_some_and(|kind| kind.is_send() || kind.is_receive());
        let graph = &dag.graph;
        let all = Occurrences::new(graph, |node| {
            graph.kind(node).is_leaf() && ends_message(node)
        });
        for root in &dag.roots {
            for run in all.runs(root.node) {
                let label = dag.label(run.node);
                let own = label.and_then(|label| dag.labels.symbol(root.location, label));
                let Some((queue, own)) =
                    own.and_then(|own| Some((channels.queue(root.location, own, symbols)?, own)))
                else {
                    continue;
                };
                let side = usize::from(symbols.kind(own).is_receive());
                push(
                    &mut ends.entry(queue).or_default()[side],
                    Ends {
                        caller: Caller {
                            location: root.location,
                            call: run.parent,
                            operation: run.node,
                        },
                        position: run.position,
                        step: run.step,
                        times: run.times,
                    },
                );
            }
        }
        let mut result = Self::default();
        let mut links: IndexMap<(Caller, Caller), Link, FixedState> = IndexMap::default();
        for [sends, receives] in ends.into_values() {
            result.join(sends, receives, &mut links);
        }
        result.links = links.into_values().collect();
        result
    }

    /// Matches the two sides of a channel.
    fn join(
        &mut self,
        sends: Vec<Ends>,
        receives: Vec<Ends>,
        links: &mut IndexMap<(Caller, Caller), Link, FixedState>,
    ) {
        let (mut sends, mut receives) = (sends.into_iter(), receives.into_iter());
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

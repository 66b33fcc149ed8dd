//! Wires: the communication channels between processes, for merging their models.
//!
//! Messages use the channels of [`Channels`]. If the tags of messages grow with the iterations of a loop, and the
//! messages are received in the order in which they are sent, their tags have a common channel. For collective operations, the participants of a communicator are
//! ordered by rank, and any two adjacent participants share a channel, so that the n-th operations of all
//! participants become one.

use std::collections::BTreeMap;

use foldtrace_fold::Model;
use foldtrace_fold::merge::{Channel, Member, Process, Role, Wiring};
use foldtrace_trace::{
    COLLECTIVES, EventKind, LocationId, Names, Operand, Symbol, SymbolId, SymbolTable,
};

use super::channels::{Channels, End, Pairs, Route};
use super::collectives::{Party, party};
use super::tag_sequences::Models;
use super::{Census, Communicators};

/// The communication on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Messages on a route.
    Messages {
        /// The rank of the sender.
        sender: Option<u64>,
        /// The rank of the receiver.
        receiver: Option<u64>,
        /// The tag; also `None` if all tags of the pair of processes share a channel.
        tag: Option<u64>,
    },
    /// Collective operations of two adjacent participants in a communicator.
    Collectives {
        /// The communicator, or the communicator of the window.
        communicator: Option<u64>,
    },
}

/// All channels of a program.
#[derive(Clone, Debug, Default)]
pub struct Wires {
    /// The events at the ends of each channel.
    pub wiring: Wiring,
    wires: Vec<Wire>,
}

/// The key of collective operations that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Sequence {
    kind: EventKind,
    communicator: Option<u64>,
    window: Option<u64>,
}

impl Wires {
    /// Creates the channels between `locations`, which are the processes to merge, in this order; `models` are their
    /// models.
    #[must_use]
    pub fn new(
        locations: &[LocationId],
        models: &[Model],
        names: &Names,
        communicators: &Communicators,
        census: &Census,
        symbols: &SymbolTable,
    ) -> Self {
        let with_all_tags =
            |pairs| Channels::with_all_tags(names, communicators, census, symbols, pairs);
        let mut channels = with_all_tags(Pairs::default());
        let models = Models {
            locations,
            models,
            symbols,
        };
        let growing = models.pairs_with_growing_tags(&channels);
        if !growing.is_empty() {
            let united = with_all_tags(growing.clone());
            channels = with_all_tags(models.pairs_in_order(growing, &united));
        }
        let mut wires: Vec<Wire> = channels.routes().map(Wire::from).collect();
        let mut wiring = Wiring::new(wires.len() as u32);
        let numbers: BTreeMap<LocationId, Process> = (0..)
            .zip(locations)
            .map(|(n, &l)| (l, Process(n)))
            .collect();
        let mut sequences: BTreeMap<Sequence, BTreeMap<Party, Vec<(Process, SymbolId)>>> =
            BTreeMap::new();
        for (location, counts) in census.locations() {
            let Some(&process) = numbers.get(&location) else {
                continue;
            };
            for &(id, _) in counts {
                let symbol = symbols.symbol(id);
                if let Some((channel, end)) = channels.end(location, id, symbol.kind) {
                    let has_all_tags = channels.has_all_tags(channel);
                    let channel = Channel(channel as u32);
                    let end = match end {
                        End::Send => channel.source(),
                        End::Receive => channel.sink(),
                    };
                    let ends = vec![end];
                    wiring.set(
                        process,
                        id,
                        Role {
                            ends,
                            has_all_tags,
                            ..Role::default()
                        },
                    );
                } else if symbol.kind.is_collective() {
                    let sequence = sequence(&symbol, communicators);
                    let parties = sequences.entry(sequence).or_default();
                    let party = parties.entry(party(names, location)).or_default();
                    party.push((process, id));
                }
            }
        }
        for (sequence, parties) in sequences {
            let communicator = sequence.communicator;
            let is_alone = communicator.is_some_and(|c| communicators.ranks().is_of_each_alone(c));
            let mut before = None;
            let mut parties = parties.into_values().peekable();
            while let Some(events) = parties.next() {
                let after = (!is_alone && parties.peek().is_some()).then(|| {
                    wires.push(Wire::Collectives { communicator });
                    wiring.add_collective()
                });
                let ends = before.map(Channel::sink).into_iter();
                let ends: Vec<_> = ends.chain(after.map(Channel::source)).collect();
                for (process, id) in events {
                    let role = Role {
                        ends: ends.clone(),
                        is_collective: true,
                        synchronises: synchronises(&symbols.symbol(id)),
                        has_all_tags: false,
                    };
                    wiring.set(process, id, role);
                }
                before = after;
            }
        }
        Self { wiring, wires }
    }

    /// Returns all channels, by number.
    pub fn iter(&self) -> impl Iterator<Item = (Channel, &Wire)> {
        (0..).map(Channel).zip(&self.wires)
    }

    /// Returns the sender and the receiver of the message that an event sends, if it sends one.
    #[must_use]
    pub fn sends(&self, member: Member) -> Option<(Option<u64>, Option<u64>)> {
        let role = self.wiring.role(member.process, member.symbol)?;
        let end = role.ends.iter().find(|end| end.is_source())?;
        match self.wire(end.channel())? {
            &Wire::Messages {
                sender, receiver, ..
            } => Some((sender, receiver)),
            Wire::Collectives { .. } => None,
        }
    }

    /// Returns the communication on a channel.
    #[must_use]
    pub fn wire(&self, channel: Channel) -> Option<&Wire> {
        self.wires.get(channel.0 as usize)
    }
}

impl From<Route> for Wire {
    fn from(route: Route) -> Self {
        Self::Messages {
            sender: route.sender(),
            receiver: route.receiver(),
            tag: route.tag(),
        }
    }
}

fn sequence(symbol: &Symbol, communicators: &Communicators) -> Sequence {
    let window = symbol.get(Operand::Window);
    let of_window = || communicators.ranks().of_window(window?);
    let communicator = symbol.get(Operand::Communicator).or_else(of_window);
    Sequence {
        kind: symbol.kind,
        communicator: communicator.map(|id| communicators.canonical(id)),
        window,
    }
}

/// Returns whether every process waits for all others in an operation (MPI 4.1, chapter 6).
fn synchronises(symbol: &Symbol) -> bool {
    const BEGINNINGS: [&str; 3] = ["MPI_Barrier", "MPI_All", "MPI_Reduce_scatter"];
    let operation = symbol.get(Operand::Operation);
    let name = operation.and_then(|operation| COLLECTIVES.name(operation));
    name.is_some_and(|name| {
        BEGINNINGS
            .iter()
            .any(|beginning| name.starts_with(beginning))
    })
}

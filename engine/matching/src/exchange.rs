//! What processes send to each other, by sender, receiver, tag and communicator.
//!
//! Counts of symbols say it: no event is looked at, and nothing is matched but channels. Where a channel has
//! receives and no sends, its receives tell.

use std::collections::{BTreeMap, HashMap};

use foldtrace_trace::{LocationId, Names, SymbolId, SymbolTable};

use super::channels::{Channels, End};
use super::{Census, Communicators, Traffic};

/// What messages have in common that are counted together. Ranks are those of the program; `None` where the
/// trace does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane {
    /// Rank of the sender.
    pub sender: Option<u64>,
    /// Rank of the receiver.
    pub receiver: Option<u64>,
    /// Tag.
    pub tag: Option<u64>,
    /// The communicator; of several ids that mean the same one, the first.
    pub communicator: Option<u64>,
}

/// How many bytes the events of a location with a symbol have in all, for those of which the trace says it.
pub type Volumes = HashMap<(LocationId, SymbolId), u64>;

/// What is sent in a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// How much on each lane.
    pub lanes: BTreeMap<Lane, Traffic>,
}

impl Exchange {
    /// What was counted, with bytes as far as `volumes` has them.
    #[must_use]
    pub fn new(
        names: &Names,
        communicators: &Communicators,
        census: &Census,
        symbols: &SymbolTable,
        volumes: &Volumes,
    ) -> Self {
        let channels = Channels::new(names, communicators, census, symbols);
        let bytes = bytes(&channels, census, symbols, volumes);
        let mut lanes: BTreeMap<Lane, Traffic> = BTreeMap::new();
        for (channel, bytes) in channels.iter().zip(bytes) {
            let end = match channel.ends(End::Send) {
                0 => End::Receive,
                _ => End::Send,
            };
            let lane = Lane {
                sender: channel.route.sender,
                receiver: channel.route.receiver,
                tag: channel.route.tag,
                communicator: channel.communicator(),
            };
            *lanes.entry(lane).or_default() += Traffic {
                messages: channel.ends(end),
                bytes: bytes[end as usize],
            };
        }
        Self { lanes }
    }

    /// The part of it on some lanes.
    #[must_use]
    pub fn on(&self, is_wanted: impl Fn(&Lane) -> bool) -> Self {
        let lanes = self.lanes.iter().filter(|(lane, _)| is_wanted(lane));
        Self {
            lanes: lanes.map(|(&lane, &traffic)| (lane, traffic)).collect(),
        }
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> Traffic {
        self.lanes.values().copied().sum()
    }
}

/// The bytes at both ends of each channel.
fn bytes(
    channels: &Channels,
    census: &Census,
    symbols: &SymbolTable,
    volumes: &Volumes,
) -> Vec<[Option<u64>; 2]> {
    let mut bytes = vec![[None; 2]; channels.len()];
    for (location, counts) in census.locations() {
        for &(id, _) in counts {
            let end = channels.end(location, id, symbols.kind(id));
            let volume = volumes.get(&(location, id));
            if let (Some((channel, end)), Some(volume)) = (end, volume)
                && let Some(channel) = bytes.get_mut(channel)
            {
                let sum = channel[end as usize].unwrap_or(0_u64);
                channel[end as usize] = Some(sum.saturating_add(*volume));
            }
        }
    }
    bytes
}

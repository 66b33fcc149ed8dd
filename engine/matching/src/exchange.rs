//! Sums the messages that processes exchange, by sender, receiver, tag and communicator.
//!
//! The sums follow from the counts of symbols: no event is read, and only channels are matched. For a channel with
//! receives but no sends, the receives are counted.

use std::collections::BTreeMap;

use foldtrace_trace::{LocationId, Names, SymbolId, SymbolTable};

use super::channels::{Channels, End};
use super::{Census, Communicators, Traffic};

/// The key by which messages are counted together. Ranks are those of the program; `None` means that the trace does
/// not record the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane {
    /// The rank of the sender.
    pub sender: Option<u64>,
    /// The rank of the receiver.
    pub receiver: Option<u64>,
    /// The tag; also `None` if the pair of processes has so many tags that they are counted together.
    pub tag: Option<u64>,
    /// The communicator; the first of several ids of the same communicator.
    pub communicator: Option<u64>,
}

/// The rows of the table of symbols for which a location records numbers of bytes, sorted, with the sum of these numbers.
/// Each row is given by the id of its symbol, without a tag.
pub type Volumes = BTreeMap<LocationId, Vec<(SymbolId, u64)>>;

/// The messages sent in a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The traffic on each lane.
    pub lanes: BTreeMap<Lane, Traffic>,
}

impl Exchange {
    /// Creates the exchange from the counts of `census`, with bytes for the events that `volumes` contains.
    #[must_use]
    pub fn new(
        names: &Names,
        communicators: &Communicators,
        census: &Census,
        symbols: &SymbolTable,
        volumes: &Volumes,
    ) -> Self {
        let channels = Channels::new(names, communicators, census, symbols);
        let bytes = bytes(&channels, symbols, volumes);
        let mut lanes: BTreeMap<Lane, Traffic> = BTreeMap::new();
        for (channel, bytes) in channels.iter().zip(bytes) {
            let end = match channel.ends(End::Send) {
                0 => End::Receive,
                _ => End::Send,
            };
            let route = channel.route(None);
            let lane = Lane {
                sender: route.sender(),
                receiver: route.receiver(),
                tag: route.tag(),
                communicator: channel.communicator(),
            };
            *lanes.entry(lane).or_default() += Traffic {
                messages: channel.ends(end),
                bytes: bytes[end as usize],
            };
        }
        Self { lanes }
    }

    /// Returns the exchange on the lanes that satisfy `is_selected`.
    #[must_use]
    pub fn on(&self, is_selected: impl Fn(&Lane) -> bool) -> Self {
        let lanes = self.lanes.iter().filter(|(lane, _)| is_selected(lane));
        Self {
            lanes: lanes.map(|(&lane, &traffic)| (lane, traffic)).collect(),
        }
    }

    /// Returns the traffic on all lanes.
    #[must_use]
    pub fn total(&self) -> Traffic {
        self.lanes.values().copied().sum()
    }
}

/// Returns the bytes at both ends of each channel.
fn bytes(channels: &Channels, symbols: &SymbolTable, volumes: &Volumes) -> Vec<[Option<u64>; 2]> {
    let mut bytes = vec![[None; 2]; channels.len()];
    for (&location, volumes) in volumes {
        for &(id, volume) in volumes {
            if let Some((channel, end)) = channels.end(location, id, symbols.kind(id))
                && let Some(channel) = bytes.get_mut(channel)
            {
                let sum = channel[end as usize].unwrap_or(0_u64);
                channel[end as usize] = Some(sum.saturating_add(volume));
            }
        }
    }
    bytes
}

//! Matches the ends of messages between two ranks, and assigns tags.
//!
//! A replay has no communicators, and would wait forever for a missing end. Messages of several communicators between
//! the same ranks with the same tag therefore receive different tags, and ends without another end are left out.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldtrace_trace::Ranks;

use super::record::Message;

/// The largest tag that a replay can read.
const MAX_TAG: u64 = i32::MAX as u64;

/// The source, the destination and the tag of messages, and their communicator in the source trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Channel {
    pub source: u64,
    pub destination: u64,
    pub tag: u64,
    pub communicator: u64,
}

impl Channel {
    /// Returns the channel of a message that `source` sends.
    pub(crate) fn from(source: u64, message: &Message) -> Self {
        Self {
            source,
            destination: message.peer,
            tag: message.tag,
            communicator: message.communicator,
        }
    }

    /// Returns the channel of a message that `destination` receives.
    pub(crate) fn to(destination: u64, message: &Message) -> Self {
        Self {
            source: message.peer,
            destination,
            tag: message.tag,
            communicator: message.communicator,
        }
    }
}

/// The number and the size of the messages of a channel.
#[derive(Clone, Copy, Debug, Default)]
struct Traffic {
    sends: u64,
    receives: u64,
    largest: u64,
}

/// The messages of channels that a replay cannot distinguish.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lane {
    /// The tag in the replay.
    pub tag: u64,
    /// Number of sent messages.
    pub sends: u64,
    /// Number of received messages, according to the trace.
    pub receives: u64,
    /// Number of messages for receives whose messages the trace does not specify.
    pub rebuilt: u64,
    /// Size of the largest message, in bytes.
    pub largest: u64,
    /// Whether ends may be matched in the replay that were not matched in the program.
    is_mixed: bool,
}

impl Lane {
    /// Returns the number of messages with both ends. The first messages are kept.
    pub(crate) fn kept(&self) -> u64 {
        self.sends.min(self.receives) + self.rebuilt
    }

    /// Returns the size of the buffer for a receive of `bytes`. A replay stops if a message is larger than the
    /// buffer.
    pub(crate) fn room(&self, bytes: u64) -> u64 {
        if self.is_mixed || self.sends != self.receives {
            bytes.max(self.largest)
        } else {
            bytes
        }
    }
}

/// Counts the ends of all messages.
#[derive(Debug, Default)]
pub(crate) struct Channels {
    traffic: HashMap<Channel, Traffic>,
    users: HashMap<u64, BTreeSet<u64>>,
}

impl Channels {
    pub(crate) fn send(&mut self, channel: Channel, bytes: u64) {
        self.add_user(channel.communicator, channel.source);
        let traffic = self.traffic.entry(channel).or_default();
        traffic.sends += 1;
        traffic.largest = traffic.largest.max(bytes);
    }

    pub(crate) fn receive(&mut self, channel: Channel, bytes: u64) {
        self.add_user(channel.communicator, channel.destination);
        let traffic = self.traffic.entry(channel).or_default();
        traffic.receives += 1;
        traffic.largest = traffic.largest.max(bytes);
    }

    fn add_user(&mut self, communicator: u64, rank: u64) {
        self.users.entry(communicator).or_default().insert(rank);
    }

    /// Combines the channels into lanes.
    pub(crate) fn lanes(self, ranks: &Ranks) -> Lanes {
        let canonical = ranks.united(&self.users);
        let canonical = |id: u64| canonical.get(&id).copied().unwrap_or(id);
        // Channels that differ only in the communicator, in an order that does not depend on hashing.
        let mut alike: BTreeMap<(u64, u64, u64), BTreeMap<u64, Traffic>> = BTreeMap::new();
        for (channel, traffic) in &self.traffic {
            let ends = (channel.source, channel.destination, channel.tag);
            let by_communicator = alike.entry(ends).or_default();
            let sum = by_communicator
                .entry(canonical(channel.communicator))
                .or_default();
            sum.sends += traffic.sends;
            sum.receives += traffic.receives;
            sum.largest = sum.largest.max(traffic.largest);
        }
        let plain_tags = alike.keys().map(|&(_, _, tag)| tag);
        let largest = plain_tags.filter(|&tag| tag <= MAX_TAG / 2).max();
        let mut tags = Tags {
            next: largest.map_or(0, |tag| tag + 1),
            assigned: HashMap::new(),
        };
        let mut lanes = Lanes::default();
        for ((source, destination, tag), by_communicator) in alike {
            let is_even = by_communicator.values().all(|t| t.sends == t.receives);
            let is_merged = by_communicator.len() > 1 && !is_even;
            let mut index = lanes.all.len();
            for (position, (communicator, traffic)) in by_communicator.into_iter().enumerate() {
                let channel = Channel {
                    source,
                    destination,
                    tag,
                    communicator,
                };
                if position == 0 || !is_merged {
                    index = lanes.all.len();
                    let is_plain = position == 0 && tag <= MAX_TAG / 2;
                    let number = if is_plain {
                        tag
                    } else {
                        tags.assign(tag, communicator)
                    };
                    lanes.renamed += u64::from(!is_plain);
                    lanes.all.push(Lane {
                        tag: number,
                        is_mixed: is_merged,
                        ..Lane::default()
                    });
                }
                lanes.by_channel.insert(channel, index);
                let lane = &mut lanes.all[index];
                lane.sends += traffic.sends;
                lane.receives += traffic.receives;
                lane.largest = lane.largest.max(traffic.largest);
            }
        }
        for channel in self.traffic.keys() {
            let united = Channel {
                communicator: canonical(channel.communicator),
                ..*channel
            };
            if let Some(&lane) = lanes.by_channel.get(&united) {
                lanes.by_channel.insert(*channel, lane);
            }
        }
        lanes
    }
}

/// Assigns tags that the trace does not use.
struct Tags {
    next: u64,
    /// The new tags, by tag and communicator.
    assigned: HashMap<(u64, u64), u64>,
}

impl Tags {
    fn assign(&mut self, tag: u64, communicator: u64) -> u64 {
        *self.assigned.entry((tag, communicator)).or_insert_with(|| {
            self.next += 1;
            self.next - 1
        })
    }
}

/// All lanes, and the lane of each channel.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    pub all: Vec<Lane>,
    by_channel: HashMap<Channel, usize>,
    /// Number of lanes whose tag differs from the tag in the trace.
    pub renamed: u64,
}

impl Lanes {
    /// Returns the index of the lane of a channel that was counted.
    pub(crate) fn find(&self, channel: Channel) -> Option<usize> {
        self.by_channel.get(&channel).copied()
    }

    /// Returns the number of ends that are left out: sends and receives.
    pub(crate) fn unmatched(&self) -> (u64, u64) {
        self.all.iter().fold((0, 0), |(sends, receives), lane| {
            let kept = lane.kept();
            let received = lane.receives.min(lane.sends);
            (
                sends + lane.sends - kept,
                receives + lane.receives - received,
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(tag: u64, communicator: u64) -> Channel {
        Channel {
            source: 0,
            destination: 1,
            tag,
            communicator,
        }
    }

    #[test]
    fn communicators_with_the_same_tag_get_tags_of_their_own() {
        let mut channels = Channels::default();
        for (tag, communicator) in [(7, 1), (7, 2), (9, 1)] {
            channels.send(channel(tag, communicator), 10);
            channels.receive(channel(tag, communicator), 10);
        }
        let lanes = channels.lanes(&Ranks::default());
        let tags: Vec<_> = lanes.all.iter().map(|lane| lane.tag).collect();
        assert_eq!((tags, lanes.renamed), (vec![7, 10, 9], 1));
        assert_eq!(lanes.find(channel(7, 2)), Some(1));
        assert_eq!(lanes.unmatched(), (0, 0));
    }

    #[test]
    fn ends_in_different_communicators_meet_with_room_for_the_largest() {
        let mut channels = Channels::default();
        channels.send(channel(7, 1), 10);
        channels.send(channel(7, 1), 30);
        channels.send(channel(8, 1), 30);
        channels.receive(channel(7, 0), 10);
        let lanes = channels.lanes(&Ranks::default());
        let lane = lanes.all[lanes.find(channel(7, 0)).unwrap()];
        assert_eq!((lane.sends, lane.receives, lane.kept()), (2, 1, 1));
        assert_eq!(lane.room(10), 30);
        assert_eq!(lanes.unmatched(), (2, 0));
    }

    #[test]
    fn tags_that_a_replay_cannot_read_are_replaced() {
        let mut channels = Channels::default();
        channels.send(channel(u64::MAX, 1), 10);
        channels.receive(channel(u64::MAX, 1), 10);
        channels.send(channel(3, 1), 10);
        let lanes = channels.lanes(&Ranks::default());
        let lane = lanes.all[lanes.find(channel(u64::MAX, 1)).unwrap()];
        assert_eq!((lane.tag, lanes.renamed), (4, 1));
    }
}

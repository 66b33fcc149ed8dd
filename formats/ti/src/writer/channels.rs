//! Messages between two ranks: whether each has both of its ends, and which tag it gets.
//!
//! A replay knows no communicators, and would wait for ever for an end that is not there. So messages of
//! several communicators between the same ranks with the same tag get different tags, and what has no
//! other end is left out.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldtrace_trace::Ranks;

/// The greatest tag that a replay reads.
const GREATEST_TAG: u64 = i32::MAX as u64;

/// From whom to whom, and in which communicator of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Channel {
    pub source: u64,
    pub destination: u64,
    pub tag: u64,
    pub communicator: u64,
}

/// How much goes through a channel.
#[derive(Clone, Copy, Debug, Default)]
struct Traffic {
    sends: u64,
    receives: u64,
    largest: u64,
}

/// What goes through channels that are one to a replay.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lane {
    pub destination: u64,
    /// The tag in the replay.
    pub tag: u64,
    /// Messages that are sent.
    pub sends: u64,
    /// Messages that are received, as the trace says.
    pub receives: u64,
    /// Messages that are sent to receives of which the trace does not say what they received.
    pub rebuilt: u64,
    /// The largest message.
    pub largest: u64,
    /// Whether ends may meet that did not meet in the program.
    is_mixed: bool,
}

impl Lane {
    /// How many messages have both ends; the first ones are kept.
    pub(crate) fn kept(&self) -> u64 {
        self.sends.min(self.receives) + self.rebuilt
    }

    /// Room that a receive has for `bytes`: a replay stops where a message is larger.
    pub(crate) fn room(&self, bytes: u64) -> u64 {
        match self.is_mixed || self.sends != self.receives {
            true => bytes.max(self.largest),
            false => bytes,
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
        self.use_by(channel.communicator, channel.source);
        let traffic = self.traffic.entry(channel).or_default();
        traffic.sends += 1;
        traffic.largest = traffic.largest.max(bytes);
    }

    pub(crate) fn receive(&mut self, channel: Channel, bytes: u64) {
        self.use_by(channel.communicator, channel.destination);
        let traffic = self.traffic.entry(channel).or_default();
        traffic.receives += 1;
        traffic.largest = traffic.largest.max(bytes);
    }

    fn use_by(&mut self, communicator: u64, rank: u64) {
        self.users.entry(communicator).or_default().insert(rank);
    }

    /// Makes lanes of the channels.
    pub(crate) fn lanes(self, ranks: &Ranks) -> Lanes {
        let canonical = ranks.united(&self.users);
        let canonical = |id: u64| canonical.get(&id).copied().unwrap_or(id);
        // Channels that differ in the communicator alone, in an order that does not depend on hashing.
        let mut alike: BTreeMap<(u64, u64, u64), BTreeMap<u64, Traffic>> = BTreeMap::new();
        for (channel, traffic) in &self.traffic {
            let ends = (channel.source, channel.destination, channel.tag);
            let of_communicator = alike.entry(ends).or_default();
            let sum = of_communicator
                .entry(canonical(channel.communicator))
                .or_default();
            sum.sends += traffic.sends;
            sum.receives += traffic.receives;
            sum.largest = sum.largest.max(traffic.largest);
        }
        let plain_tags = alike.keys().map(|&(_, _, tag)| tag);
        let greatest = plain_tags.filter(|&tag| tag <= GREATEST_TAG / 2).max();
        let mut tags = Tags {
            next: greatest.map_or(0, |tag| tag + 1),
            of: HashMap::new(),
        };
        let mut lanes = Lanes::default();
        for ((source, destination, tag), of_communicator) in alike {
            let is_even = of_communicator.values().all(|t| t.sends == t.receives);
            let is_one = of_communicator.len() > 1 && !is_even;
            let mut index = lanes.all.len();
            for (place, (communicator, traffic)) in of_communicator.into_iter().enumerate() {
                let channel = Channel {
                    source,
                    destination,
                    tag,
                    communicator,
                };
                if place == 0 || !is_one {
                    index = lanes.all.len();
                    let is_plain = place == 0 && tag <= GREATEST_TAG / 2;
                    let number = if is_plain {
                        tag
                    } else {
                        tags.of(tag, communicator)
                    };
                    lanes.renamed += u64::from(!is_plain);
                    lanes.all.push(Lane {
                        destination,
                        tag: number,
                        is_mixed: is_one,
                        ..Lane::default()
                    });
                }
                lanes.of.insert(channel, index);
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
            if let Some(&lane) = lanes.of.get(&united) {
                lanes.of.insert(*channel, lane);
            }
        }
        lanes
    }
}

/// Gives tags that the trace does not use.
struct Tags {
    next: u64,
    of: HashMap<(u64, u64), u64>,
}

impl Tags {
    fn of(&mut self, tag: u64, communicator: u64) -> u64 {
        *self.of.entry((tag, communicator)).or_insert_with(|| {
            self.next += 1;
            self.next - 1
        })
    }
}

/// All lanes, and which one a channel is.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    pub all: Vec<Lane>,
    of: HashMap<Channel, usize>,
    /// Lanes whose tag is not that of the trace.
    pub renamed: u64,
}

impl Lanes {
    /// The number of the lane of a channel that was counted.
    pub(crate) fn find(&self, channel: Channel) -> Option<usize> {
        self.of.get(&channel).copied()
    }

    /// Ends that are left out: sends, and receives.
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

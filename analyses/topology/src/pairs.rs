//! The traffic between pairs of processes in both directions, and the threshold below which a pair is not an edge (Xu
//! et al., section 4.1).

use std::collections::{BTreeMap, HashMap};

use foldtrace_matching::{Exchange, Measure, Traffic};

use crate::recognition::Graph;

/// The traffic between two processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// The traffic from the smaller node to the larger one.
    pub there: Traffic,
    /// The traffic from the larger node to the smaller one.
    pub back: Traffic,
}

impl Pair {
    /// Returns the traffic in both directions.
    #[must_use]
    pub fn total(&self) -> Traffic {
        [self.there, self.back].into_iter().sum()
    }
}

/// Traffic between processes, which are nodes of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// The number of processes.
    pub nodes: usize,
    /// The pairs of processes with traffic between them, the smaller node first.
    pub pairs: BTreeMap<(u32, u32), Pair>,
    /// The traffic of processes with themselves, which does not form edges.
    pub to_self: Traffic,
    /// The traffic whose sender or receiver is not among the nodes.
    pub elsewhere: Traffic,
}

impl Pairs {
    /// Creates the pairs of an exchange between the given ranks; the n-th rank is node n.
    #[must_use]
    pub fn from_exchange(exchange: &Exchange, ranks: &[u64]) -> Self {
        let sends = exchange.lanes.iter();
        let sends = sends.map(|(lane, &traffic)| (lane.sender, lane.receiver, traffic));
        Self::new(ranks, sends)
    }

    /// Creates the pairs from senders, receivers and their traffic, between the given ranks; the n-th rank is node n.
    #[must_use]
    pub fn new(
        ranks: &[u64],
        sends: impl IntoIterator<Item = (Option<u64>, Option<u64>, Traffic)>,
    ) -> Self {
        let nodes: HashMap<u64, u32> = ranks.iter().copied().zip(0..).collect();
        let node = |rank: Option<u64>| nodes.get(&rank?).copied();
        let mut pairs = Self {
            nodes: ranks.len(),
            ..Self::default()
        };
        for (sender, receiver, traffic) in sends {
            match (node(sender), node(receiver)) {
                (Some(from), Some(to)) if from == to => pairs.to_self += traffic,
                (Some(from), Some(to)) => {
                    let pair = pairs.pairs.entry((from.min(to), from.max(to)));
                    let pair = pair.or_default();
                    let way = if from < to {
                        &mut pair.there
                    } else {
                        &mut pair.back
                    };
                    *way += traffic;
                }
                _ => pairs.elsewhere += traffic,
            }
        }
        pairs
    }

    /// Returns the total traffic between different processes.
    #[must_use]
    pub fn total(&self) -> Traffic {
        self.pairs.values().map(Pair::total).sum()
    }

    /// Returns the measure of the traffic: bytes if there are any, and messages otherwise.
    #[must_use]
    pub fn measure(&self) -> Measure {
        match self.total().bytes {
            Some(1..) => Measure::Bytes,
            _ => Measure::Messages,
        }
    }

    /// Splits the pairs into pairs with at least this share of the traffic of the busiest pair, and all others.
    #[must_use]
    pub fn split(&self, share: f64) -> [Self; 2] {
        let measure = self.measure();
        let amounts = self.pairs.values().map(|pair| measure.of(pair.total()));
        let least = share * amounts.max().unwrap_or(0) as f64;
        let is_kept = |pair: &Pair| measure.of(pair.total()) as f64 >= least;
        [true, false].map(|kept| {
            let pairs = self.pairs.iter().filter(|(_, pair)| is_kept(pair) == kept);
            Self {
                nodes: self.nodes,
                pairs: pairs.map(|(&ends, &pair)| (ends, pair)).collect(),
                ..Self::default()
            }
        })
    }

    /// Returns the graph whose edges are the pairs.
    #[must_use]
    pub fn graph(&self) -> Graph {
        let sends = self.pairs.iter().flat_map(|(&(one, other), pair)| {
            let there = (pair.there.messages > 0).then_some((one, other));
            let back = (pair.back.messages > 0).then_some((other, one));
            there.into_iter().chain(back)
        });
        Graph::new(self.nodes, sends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traffic(messages: u64, bytes: u64) -> Traffic {
        Traffic {
            messages,
            bytes: Some(bytes),
        }
    }

    /// Ranks 4, 7 and 9: 4 and 7 exchange much, 9 receives little, and 7 sends to itself.
    fn pairs() -> Pairs {
        let sends = [
            (Some(4), Some(7), traffic(2, 60)),
            (Some(7), Some(4), traffic(1, 40)),
            (Some(7), Some(9), traffic(5, 4)),
            (Some(7), Some(7), traffic(3, 9)),
            (Some(7), None, traffic(1, 1)),
            (Some(7), Some(8), traffic(1, 2)),
        ];
        Pairs::new(&[4, 7, 9], sends)
    }

    #[test]
    fn both_ways_of_a_pair_are_counted_and_self_messages_are_separate() {
        let pairs = pairs();
        assert_eq!(pairs.pairs[&(0, 1)].total(), traffic(3, 100));
        assert_eq!(pairs.pairs[&(1, 2)].there, traffic(5, 4));
        assert_eq!(pairs.total(), traffic(8, 104));
        assert_eq!(pairs.to_self, traffic(3, 9));
        assert_eq!(pairs.elsewhere, traffic(2, 3));
    }

    #[test]
    fn little_traffic_is_no_edge() {
        let [kept, weak] = pairs().split(0.05);
        assert_eq!(kept.graph(), Graph::new(3, [(0, 1), (1, 0)]));
        assert_eq!(weak.total(), traffic(5, 4));
        let [kept, weak] = pairs().split(0.04);
        assert_eq!((kept.pairs.len(), weak.pairs.len()), (2, 0));
    }

    #[test]
    fn messages_count_where_nobody_knows_bytes() {
        let mut pairs = pairs();
        for pair in pairs.pairs.values_mut() {
            (pair.there.bytes, pair.back.bytes) = (None, None);
        }
        assert_eq!(pairs.measure(), Measure::Messages);
        assert_eq!(pairs.split(0.7)[1].total().messages, 3);
    }
}

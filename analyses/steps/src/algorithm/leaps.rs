//! Merges partitions into leaps: partitions that belong together although no constraint relates them.
//!
//! In a bulk-synchronous program, each process is expected to be active at every distance in the graph of partitions.
//! A **leap** consists of the partitions at the same distance from the beginning, which become one partition. If a
//! leap lacks processes, each of its partitions that is much nearer in time to its predecessors than to its
//! successors moves to the leap before. The other partitions absorb their direct successors that add processes,
//! unless these are much farther away in time than the predecessors are. If no successor adds processes, the leap
//! stays incomplete.

//!
//! A leap is final once the next one is known, because partitions may move back to it. It leaves the window when the
//! next operations of all its locations are in leaps as well.

use super::graph::Graph;
use super::lists::Lists;
use super::outlook::Outlook;
use super::partitions::Partitions;

/// A partition is near its predecessors if its successors are more than this many times farther away in time.
const NEARER: u64 = 10;

/// The leap of partitions that were in a leap when the window was last examined.
const EARLIER: usize = 1;

/// The partitions of the next leap, unless some of them move to the leap before.
#[derive(Clone, Debug)]
pub(super) struct AtHand<T> {
    /// An operation of each partition.
    pub partitions: Vec<T>,
    /// The number of locations that have operations.
    pub locations: usize,
}

impl<T> AtHand<T> {
    /// Returns the same partitions, with their operations converted.
    pub fn map<U>(self, convert: impl Fn(T) -> U) -> AtHand<U> {
        AtHand {
            partitions: self.partitions.into_iter().map(convert).collect(),
            locations: self.locations,
        }
    }
}

/// The leaps of the operations in a window.
#[derive(Debug)]
pub(super) struct Found {
    /// The partitions of the next leap, each as its first operation; `None` if there is no leap yet.
    pub at_hand: Option<AtHand<usize>>,
    /// The operations that have joined leaps.
    pub placed: Vec<usize>,
    /// Pairs of operations whose partitions have been merged.
    pub merged: Vec<(usize, usize)>,
}

/// Merges partitions into leaps, as far as the operations in the window determine them. `at_hand` is what the previous
/// examination of the window found.
pub(super) fn merge(
    graph: &Graph,
    partitions: &Partitions,
    at_hand: Option<AtHand<usize>>,
    outlook: &Outlook,
) -> Found {
    let mut leaps = Leaps::new(graph, partitions, outlook);
    let mut found = Found {
        at_hand: None,
        placed: Vec::new(),
        merged: Vec::new(),
    };
    let mut at_hand = match at_hand {
        Some(AtHand {
            partitions: firsts,
            locations,
        }) => {
            leaps.locations = locations;
            firsts.iter().map(|&own| partitions.of(own)).collect()
        }
        None => match leaps.first() {
            Some(at_hand) => at_hand,
            None => return found,
        },
    };
    while !at_hand.is_empty()
        && let Some(next) = leaps.next(at_hand.clone())
    {
        let placed = leaps.placed.drain(..);
        let placed = placed.flat_map(|partition| partitions.members.of(partition));
        found.placed.extend(placed);
        found.merged.append(&mut leaps.merged);
        at_hand = next;
    }
    found.at_hand = Some(AtHand {
        partitions: at_hand.into_iter().map(|it| partitions.first(it)).collect(),
        locations: leaps.locations,
    });
    found
}

struct Leaps<'a> {
    graph: &'a Graph,
    partitions: &'a Partitions,
    outlook: &'a Outlook,
    parents: Lists,
    children: Lists,
    /// By partition: the number of its predecessors that are in no leap yet.
    waits: Vec<usize>,
    /// By partition: the number of its leap, from [`EARLIER`]; 0 if it has none.
    leaps: Vec<usize>,
    /// The number of the current leap.
    number: usize,
    /// The partitions that have been assigned to leaps since the current leap began.
    placed: Vec<usize>,
    /// Operations of the partitions that have been merged since then.
    merged: Vec<(usize, usize)>,
    /// By location: the latest leap in which it is active.
    active: Vec<usize>,
    /// The number of locations that are not active in the current leap.
    lacking: usize,
    /// The number of locations that are ever active.
    locations: usize,
}

impl<'a> Leaps<'a> {
    fn new(graph: &'a Graph, partitions: &'a Partitions, outlook: &'a Outlook) -> Self {
        let of = |own| partitions.of(own);
        let edges = (0..graph.len()).filter_map(|own| Some((of(own), of(graph.next(own)?))));
        let edges: Vec<(usize, usize)> = edges.filter(|(from, to)| from != to).collect();
        let len = partitions.members.len();
        let backwards = edges.iter().map(|&(from, to)| (to, from));
        let parents = Lists::new(len, backwards);
        let members = partitions.members.iter();
        let leaps = members.map(|mut members| {
            let is_placed = members.any(|own| graph.operations[own].is_in_leap);
            if is_placed { EARLIER } else { 0 }
        });
        let leaps: Vec<usize> = leaps.collect();
        let waits = (0..len).map(|it| {
            let parents = parents.of(it);
            parents.filter(|&parent| leaps[parent] == 0).count()
        });
        let lanes = graph.operations.iter().map(|it| it.lane() + 1).max();
        Self {
            graph,
            partitions,
            outlook,
            waits: waits.collect(),
            children: Lists::new(len, edges.iter().copied()),
            parents,
            leaps,
            number: EARLIER,
            placed: Vec::new(),
            merged: Vec::new(),
            active: vec![0; lanes.unwrap_or_default()],
            lacking: 0,
            locations: 0,
        }
    }

    /// Returns the partitions of the first leap, in the order of their first operations; `None` if they are not known
    /// yet.
    fn first(&mut self) -> Option<Vec<usize>> {
        let all = 0..self.graph.len();
        let firsts = all.filter(|&own| self.graph.previous(own).is_none());
        self.locations = firsts.count();
        if !self.outlook.has_all(self.locations) {
            return None;
        }
        let all = 0..self.waits.len();
        let mut first: Vec<usize> = all.filter(|&it| self.waits[it] == 0).collect();
        first.sort_unstable_by_key(|&it| self.partitions.first(it));
        first.iter().all(|&it| self.is_known(it)).then_some(first)
    }

    /// Returns whether the operations of a partition, and the operations after them, are known. All its predecessors
    /// must be in leaps.
    fn is_known(&self, partition: usize) -> bool {
        let graph = self.graph;
        let mut members = self.partitions.members.of(partition);
        members.all(|member| {
            let operation = &graph.operations[member];
            let has_next = graph.next(member).is_some() || self.outlook.has_ended(operation.lane());
            operation.is_complete() && has_next
        })
    }

    /// Makes a leap of the current partitions. Returns the partitions that follow it, or `None` if the leap depends on
    /// operations that are not known yet.
    fn next(&mut self, mut at_hand: Vec<usize>) -> Option<Vec<usize>> {
        self.number += 1;
        self.lacking = self.locations;
        at_hand.iter().for_each(|&it| self.cover(it));
        let mut successors = Vec::new();
        if self.lacking > 0 {
            at_hand = self.send_back(at_hand)?;
        }
        for &partition in &at_hand {
            self.place(partition, self.number, &mut successors)?;
        }
        let mut rest = Vec::new();
        let mut looked_at = 0;
        while let Some(&partition) = successors.get(looked_at) {
            looked_at += 1;
            if self.lacking == 0 || !self.adds(partition) || self.is_far(partition) {
                rest.push(partition);
                continue;
            }
            at_hand.push(partition);
            self.cover(partition);
            self.place(partition, self.number, &mut successors)?;
        }
        let partitions = self.partitions;
        let pairs = at_hand.windows(2).map(|it| partitions.pair(it[0], it[1]));
        self.merged.extend(pairs);
        Some(rest)
    }

    /// Moves partitions that are near their predecessors to the leap before; their successors take their place.
    /// Returns `None` if these are not known yet.
    fn send_back(&mut self, at_hand: Vec<usize>) -> Option<Vec<usize>> {
        let (mut stay, mut looked_at) = (Vec::new(), 0);
        let mut queue = at_hand;
        while let Some(&partition) = queue.get(looked_at) {
            looked_at += 1;
            let (before, after) = self.gaps(partition);
            let is_near = before.is_some_and(|gap| after > gap.saturating_mul(NEARER));
            if !is_near {
                stay.push(partition);
                continue;
            }
            let partitions = self.partitions;
            let parents = self.parents.of(partition);
            let pairs = parents.map(|parent| partitions.pair(partition, parent));
            self.merged.extend(pairs);
            self.place(partition, self.number - 1, &mut queue)?;
        }
        self.lacking = self.locations;
        self.active
            .iter_mut()
            .for_each(|leap| *leap = (*leap).min(self.number - 1));
        stay.iter().for_each(|&it| self.cover(it));
        Some(stay)
    }

    /// Assigns a partition to a leap, and appends the successors that wait for no other partition to `ready`. Returns
    /// `None` if one of these is not known yet.
    fn place(&mut self, partition: usize, leap: usize, ready: &mut Vec<usize>) -> Option<()> {
        self.leaps[partition] = leap;
        self.placed.push(partition);
        let first = ready.len();
        for child in self.children.of(partition) {
            self.waits[child] -= 1;
            if self.waits[child] == 0 {
                ready.push(child);
            }
        }
        let mut new = ready[first..].iter();
        new.all(|&child| self.is_known(child)).then_some(())
    }

    fn lanes(&self, partition: usize) -> impl Iterator<Item = usize> + use<'a> {
        let graph = self.graph;
        let members = self.partitions.members.of(partition);
        members.map(|member| graph.operations[member].lane())
    }

    /// Marks the locations of a partition as active in the current leap.
    fn cover(&mut self, partition: usize) {
        for lane in self.lanes(partition) {
            if self.active[lane] != self.number {
                self.active[lane] = self.number;
                self.lacking = self.lacking.saturating_sub(1);
            }
        }
    }

    /// Returns whether a partition has a location that is not active in the current leap.
    fn adds(&self, partition: usize) -> bool {
        self.lanes(partition)
            .any(|lane| self.active[lane] != self.number)
    }

    /// Returns whether a partition is much farther from its predecessors than those in the current leap are from
    /// theirs.
    fn is_far(&self, partition: usize) -> bool {
        let parents = self.parents.of(partition);
        let parents = parents.filter(|&parent| self.leaps[parent] == self.number);
        let nearest = parents.filter_map(|parent| self.gaps(parent).0).min();
        let (own, _) = self.gaps(partition);
        nearest.is_some_and(|gap| own.is_some_and(|own| own > gap.saturating_mul(NEARER)))
    }

    /// Returns the shortest time in any location between a partition and its predecessors, and between it and its
    /// successors.
    fn gaps(&self, partition: usize) -> (Option<u64>, u64) {
        let (graph, partitions) = (self.graph, self.partitions);
        let operations = &graph.operations;
        let gap = |before: usize, after: usize| {
            operations[after]
                .start
                .0
                .saturating_sub(operations[before].end.0)
        };
        let is_outside = |&own: &usize| partitions.of(own) != partition;
        let members = partitions.members.of(partition);
        let before = members.clone().filter_map(|member| {
            let previous = graph.previous(member).filter(is_outside)?;
            Some(gap(previous, member))
        });
        let after = members.filter_map(|member| {
            let next = graph.next(member).filter(is_outside)?;
            Some(gap(member, next))
        });
        (before.min(), after.min().unwrap_or(u64::MAX))
    }
}

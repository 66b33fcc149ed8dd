//! Merges partitions into leaps: partitions that belong together although no constraint relates them.
//!
//! In a bulk-synchronous program, each process is expected to be active at every distance in the graph of partitions.
//! A **leap** consists of the partitions at the same distance from the beginning, which become one partition. If a
//! leap lacks processes, each of its partitions that is much nearer in time to its predecessors than to its
//! successors moves to the leap before. The other partitions absorb their direct successors that add processes,
//! unless these are much farther away in time than the predecessors are. If no successor adds processes, the leap
//! stays incomplete.

use petgraph::unionfind::UnionFind;

use super::graph::Graph;
use super::lists::Lists;
use super::partitions::Partitions;

/// A partition is near its predecessors if its successors are more than this many times farther away in time.
const NEARER: u64 = 10;

/// Merges partitions into leaps, in one pass over all of them.
pub(super) fn merge(graph: &Graph, partitions: &Partitions, sets: &mut UnionFind<usize>) {
    let mut leaps = Leaps::new(graph, partitions, sets);
    let waits = &leaps.waits;
    let mut at_hand: Vec<usize> = (0..waits.len()).filter(|&it| waits[it] == 0).collect();
    while !at_hand.is_empty() {
        at_hand = leaps.next(at_hand);
    }
}

struct Leaps<'a> {
    graph: &'a Graph,
    partitions: &'a Partitions,
    sets: &'a mut UnionFind<usize>,
    parents: Lists,
    children: Lists,
    /// By partition: the number of its predecessors that are in no leap yet.
    waits: Vec<usize>,
    /// By partition: the number of its leap, from 1; 0 if it has none.
    leaps: Vec<usize>,
    /// The number of the current leap.
    number: usize,
    /// By location: the latest leap in which it is active.
    active: Vec<usize>,
    /// The number of locations that are not active in the current leap.
    lacking: usize,
    /// The number of locations that are ever active.
    locations: usize,
}

impl<'a> Leaps<'a> {
    fn new(graph: &'a Graph, partitions: &'a Partitions, sets: &'a mut UnionFind<usize>) -> Self {
        let of = &partitions.of;
        let edges = graph.next.iter().enumerate();
        let edges = edges.filter_map(|(own, next)| Some((of[own], of[(*next)?])));
        let edges: Vec<(usize, usize)> = edges.filter(|(from, to)| from != to).collect();
        let len = partitions.members.iter().count();
        // Partitions that were merged because they precede each other stay merged.
        for members in partitions.members.iter() {
            members.windows(2).for_each(|pair| {
                sets.union(pair[0], pair[1]);
            });
        }
        let backwards = edges.iter().map(|&(from, to)| (to, from));
        let parents = Lists::new(len, backwards);
        let firsts = graph.previous.iter().filter(|before| before.is_none());
        let lanes = graph.operations.iter().map(|it| it.lane + 1).max();
        Self {
            graph,
            partitions,
            sets,
            waits: (0..len).map(|it| parents.of(it).len()).collect(),
            children: Lists::new(len, edges.iter().copied()),
            parents,
            leaps: vec![0; len],
            number: 0,
            active: vec![0; lanes.unwrap_or_default()],
            lacking: 0,
            locations: firsts.count(),
        }
    }

    /// Makes a leap of the current partitions, and returns the partitions that follow it.
    fn next(&mut self, mut at_hand: Vec<usize>) -> Vec<usize> {
        self.number += 1;
        self.lacking = self.locations;
        at_hand.iter().for_each(|&it| self.cover(it));
        let mut successors = Vec::new();
        if self.lacking > 0 {
            at_hand = self.send_back(at_hand);
        }
        for &partition in &at_hand {
            self.place(partition, self.number, &mut successors);
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
            self.place(partition, self.number, &mut successors);
        }
        for pair in at_hand.windows(2) {
            union(self.sets, self.partitions, pair[0], pair[1]);
        }
        rest
    }

    /// Moves partitions that are near their predecessors to the leap before; their successors take their place.
    fn send_back(&mut self, at_hand: Vec<usize>) -> Vec<usize> {
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
            for &parent in self.parents.of(partition) {
                union(self.sets, self.partitions, partition, parent);
            }
            self.place(partition, self.number - 1, &mut queue);
        }
        self.lacking = self.locations;
        self.active
            .iter_mut()
            .for_each(|leap| *leap = (*leap).min(self.number - 1));
        stay.iter().for_each(|&it| self.cover(it));
        stay
    }

    /// Assigns a partition to a leap, and appends the successors that wait for no other partition to `ready`.
    fn place(&mut self, partition: usize, leap: usize, ready: &mut Vec<usize>) {
        self.leaps[partition] = leap;
        for &child in self.children.of(partition) {
            self.waits[child] -= 1;
            if self.waits[child] == 0 {
                ready.push(child);
            }
        }
    }

    fn lanes(&self, partition: usize) -> impl Iterator<Item = usize> + use<'a> {
        let graph = self.graph;
        let members = self.partitions.members.of(partition).iter();
        members.map(|&member| graph.operations[member].lane)
    }

    /// Marks the locations of a partition as active in the current leap.
    fn cover(&mut self, partition: usize) {
        for lane in self.lanes(partition) {
            if self.active[lane] != self.number {
                self.active[lane] = self.number;
                self.lacking -= 1;
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
        let parents = self.parents.of(partition).iter();
        let parents = parents.filter(|&&parent| self.leaps[parent] == self.number);
        let nearest = parents.filter_map(|&parent| self.gaps(parent).0).min();
        let (own, _) = self.gaps(partition);
        nearest.is_some_and(|gap| own.is_some_and(|own| own > gap.saturating_mul(NEARER)))
    }

    /// Returns the shortest time in any location between a partition and its predecessors, and between it and its
    /// successors.
    fn gaps(&self, partition: usize) -> (Option<u64>, u64) {
        let (graph, of) = (self.graph, &self.partitions.of);
        let operations = &graph.operations;
        let gap = |before: usize, after: usize| {
            operations[after]
                .start
                .0
                .saturating_sub(operations[before].end.0)
        };
        let members = self.partitions.members.of(partition);
        let before = members.iter().filter_map(|&member| {
            let previous = graph.previous[member].filter(|&it| of[it] != partition)?;
            Some(gap(previous, member))
        });
        let after = members.iter().filter_map(|&member| {
            let next = graph.next[member].filter(|&it| of[it] != partition)?;
            Some(gap(member, next))
        });
        (before.min(), after.min().unwrap_or(u64::MAX))
    }
}

/// Merges two partitions.
fn union(sets: &mut UnionFind<usize>, partitions: &Partitions, a: usize, b: usize) {
    let first = |partition| partitions.members.of(partition).first();
    if let (Some(&a), Some(&b)) = (first(a), first(b)) {
        sets.union(a, b);
    }
}

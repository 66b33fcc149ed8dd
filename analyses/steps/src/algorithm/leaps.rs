//! Leaps: partitions that belong together although nothing forces them to.
//!
//! In a bulk-synchronous program, each process is expected to be active at any distance in the graph of
//! partitions. A **leap** is what is at the same distance from the beginning, and becomes one partition. In one
//! that lacks processes, a partition that is much nearer in time to what is before it than to what is behind it
//! goes to the leap before. The others take in partitions directly behind them that add processes, unless these
//! are much farther away in time than what is before. If none does, the leap lacks them.

use petgraph::unionfind::UnionFind;

use super::partitions::Partitions;
use super::window::{Graph, Lists};

/// So many times nearer to what is before than to what is behind.
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
    /// By partition: how many before it are in no leap yet.
    waits: Vec<usize>,
    /// By partition: the number of its leap, from 1.
    leaps: Vec<usize>,
    /// The number of the leap at hand.
    number: usize,
    /// By location: the latest leap in which it is active.
    active: Vec<usize>,
    /// Locations that are not active in the leap at hand.
    lacking: usize,
    /// Locations that are ever active.
    locations: usize,
}

impl<'a> Leaps<'a> {
    fn new(graph: &'a Graph, partitions: &'a Partitions, sets: &'a mut UnionFind<usize>) -> Self {
        let of = &partitions.of;
        let edges = graph.next.iter().enumerate();
        let edges = edges.filter_map(|(own, next)| Some((of[own], of[(*next)?])));
        let edges: Vec<(usize, usize)> = edges.filter(|(from, to)| from != to).collect();
        let len = partitions.members.iter().count();
        // What was merged because it is in front of each other stays so.
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

    /// Makes a leap of what is at hand, and gives what is behind it.
    fn next(&mut self, mut at_hand: Vec<usize>) -> Vec<usize> {
        self.number += 1;
        self.lacking = self.locations;
        at_hand.iter().for_each(|&it| self.cover(it));
        let mut behind = Vec::new();
        if self.lacking > 0 {
            at_hand = self.send_back(at_hand);
        }
        for &partition in &at_hand {
            self.place(partition, self.number, &mut behind);
        }
        let mut rest = Vec::new();
        let mut looked_at = 0;
        while let Some(&partition) = behind.get(looked_at) {
            looked_at += 1;
            if self.lacking == 0 || !self.adds(partition) || self.is_far(partition) {
                rest.push(partition);
                continue;
            }
            at_hand.push(partition);
            self.cover(partition);
            self.place(partition, self.number, &mut behind);
        }
        for pair in at_hand.windows(2) {
            union(self.sets, self.partitions, pair[0], pair[1]);
        }
        rest
    }

    /// Partitions that are near to what is before them go there; what is behind them takes their place.
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

    /// A partition has its leap; what waits for nothing more is `ready`.
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

    /// The locations of a partition are active in the leap at hand.
    fn cover(&mut self, partition: usize) {
        for lane in self.lanes(partition) {
            if self.active[lane] != self.number {
                self.active[lane] = self.number;
                self.lacking -= 1;
            }
        }
    }

    /// Whether a partition has a location that is not active in the leap at hand.
    fn adds(&self, partition: usize) -> bool {
        self.lanes(partition)
            .any(|lane| self.active[lane] != self.number)
    }

    /// Whether a partition is much farther from those of the leap at hand than these from what is before them.
    fn is_far(&self, partition: usize) -> bool {
        let parents = self.parents.of(partition).iter();
        let parents = parents.filter(|&&parent| self.leaps[parent] == self.number);
        let nearest = parents.filter_map(|&parent| self.gaps(parent).0).min();
        let (own, _) = self.gaps(partition);
        nearest.is_some_and(|gap| own.is_some_and(|own| own > gap.saturating_mul(NEARER)))
    }

    /// The least time between a partition and what is before it, and what is behind it, in any location.
    fn gaps(&self, partition: usize) -> (Option<u64>, u64) {
        let (graph, of) = (self.graph, &self.partitions.of);
        let operations = &graph.operations;
        let gap = |before: usize, behind: usize| {
            operations[behind]
                .start
                .0
                .saturating_sub(operations[before].end.0)
        };
        let members = self.partitions.members.of(partition);
        let before = members.iter().filter_map(|&member| {
            let previous = graph.previous[member].filter(|&it| of[it] != partition)?;
            Some(gap(previous, member))
        });
        let behind = members.iter().filter_map(|&member| {
            let next = graph.next[member].filter(|&it| of[it] != partition)?;
            Some(gap(member, next))
        });
        (before.min(), behind.min().unwrap_or(u64::MAX))
    }
}

/// Two partitions are one.
fn union(sets: &mut UnionFind<usize>, partitions: &Partitions, a: usize, b: usize) {
    let first = |partition| partitions.members.of(partition).first();
    if let (Some(&a), Some(&b)) = (first(a), first(b)) {
        sets.union(a, b);
    }
}

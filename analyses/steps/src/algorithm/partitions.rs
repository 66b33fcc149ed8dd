//! Divides operations into partitions: sets of related operations that have steps of their own.
//!
//! The two ends of a message are in one partition, and so are the members of a collective operation, and sends
//! together with the receives that are completed in the same wait. Partitions that precede each other have no order
//! and are merged: they are the strongly connected components of the graph whose edges lead from each operation to
//! the next one of its location.

use petgraph::unionfind::UnionFind;

use super::components::Components;
use super::graph::Graph;
use super::lists::{Items, Lists};

/// The partitions of a window, in topological order: each comes before its successors.
#[derive(Debug)]
pub(super) struct Partitions {
    /// The partition of each operation.
    of: Vec<u32>,
    /// The operations of each partition.
    pub members: Lists,
}

impl Partitions {
    /// Merges sets that precede each other, and puts the partitions in order.
    pub fn ordered(graph: &Graph, sets: &UnionFind<u32>) -> Self {
        let mut of = sets.clone().into_labeling();
        let sets = number(&mut of);
        let owned = of.iter().enumerate().map(|(own, &set)| (set as usize, own));
        let members_of_sets = Lists::new(sets, owned);
        let components = Components::new(sets, |set| {
            let next = members_of_sets.of(set).filter_map(|own| graph.next(own));
            next.map(|own| of[own] as usize)
        });
        for set in &mut of {
            *set = components.of[*set as usize];
        }
        let owned = of.iter().enumerate().map(|(own, &it)| (it as usize, own));
        Self {
            members: Lists::new(components.count, owned),
            of,
        }
    }

    /// Returns the partition of an operation.
    pub fn of(&self, operation: usize) -> usize {
        self.of[operation] as usize
    }

    /// Returns the first operation of a partition.
    pub fn first(&self, partition: usize) -> usize {
        self.members.of(partition).next().unwrap_or_default()
    }

    /// Returns the first operations of two partitions.
    pub fn pair(&self, a: usize, b: usize) -> (usize, usize) {
        (self.first(a), self.first(b))
    }

    /// Returns the partitions whose operations, and all operations before them, are complete, as `is_complete` says. No
    /// later operation can be merged with these partitions: it would have to precede them as well.
    pub fn complete<'a>(
        &'a self,
        graph: &Graph,
        is_complete: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = Items<'a>> {
        let members = self.members.iter();
        let complete = members.map(|mut members| members.all(&is_complete));
        let mut is_complete: Vec<bool> = complete.collect();
        for (number, members) in self.members.iter().enumerate() {
            if is_complete[number] {
                continue;
            }
            for next in members.filter_map(|member| graph.next(member)) {
                is_complete[self.of(next)] = false;
            }
        }
        let all = self.members.iter().zip(is_complete);
        all.filter_map(|(members, is_complete)| is_complete.then_some(members))
    }
}

/// Replaces labels of sets with numbers, in the order of the first operations of the sets. Returns the number of sets.
fn number(labels: &mut [u32]) -> usize {
    let mut numbers = vec![u32::MAX; labels.len()];
    let mut next = 0;
    for label in labels {
        let number = &mut numbers[*label as usize];
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
        *label = *number;
    }
    next as usize
}

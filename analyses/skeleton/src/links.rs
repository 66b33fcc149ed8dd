//! Determines which directions are the two ends of a message.

use std::collections::{BTreeMap, BTreeSet};

use foldtrace_logical::model::Guard;
use foldtrace_topology::recognition::Topology;

use super::count::{Counts, Key, Profile};
use super::program::Construct;

/// A class of links of a topology that cannot be distinguished: the first node has the second one in the directions
/// `there`, and the second node has the first one in the directions `back`. Only small meshes have several directions
/// in one link.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    pub there: Vec<i64>,
    pub back: Vec<i64>,
    /// The guards that hold for the first node; `None` represents calls without a guard.
    of_one: Vec<Option<Guard>>,
    /// The same for the second node.
    of_other: Vec<Option<Guard>>,
}

/// The keys of the calls that are possible on a link with one tag and one communicator.
pub(super) struct Ends {
    pub sends: Vec<Key>,
    pub receives: Vec<Key>,
    pub takes: Vec<Key>,
}

impl Link {
    /// Returns the keys of all calls on this link.
    pub fn ends(&self, (tag, within): (i64, u32)) -> Ends {
        let keys = |directions: &[i64], guards: &[Option<Guard>]| -> Vec<Key> {
            let directions = directions.iter();
            let keys = directions.flat_map(|&direction| {
                guards.iter().map(move |&guard| Key {
                    direction,
                    tag,
                    within,
                    guard,
                })
            });
            keys.collect()
        };
        Ends {
            sends: keys(&self.there, &self.of_one),
            receives: keys(&self.back, &self.of_other),
            takes: keys(&self.there, &self.of_one),
        }
    }
}

impl Ends {
    /// Returns the number of messages that are sent and the number of messages that are received.
    pub fn counts(&self, profile: &Profile) -> (u64, u64) {
        let sum = |counts: &Counts, keys: &[Key]| -> u64 {
            keys.iter().filter_map(|key| counts.get(key)).sum()
        };
        let received = sum(&profile.receives, &self.receives) + sum(&profile.takes, &self.takes);
        (sum(&profile.sends, &self.sends), received)
    }
}

/// Returns all classes of links of a topology that a program distinguishes.
pub(super) fn links(topology: &Topology, program: &[Construct]) -> BTreeSet<Link> {
    let mut guards = BTreeSet::from([None]);
    add_guards(program, &mut guards);
    let nodes = 0..topology.nodes() as u32;
    let fulfils =
        |node, guard: Option<Guard>| guard.is_none_or(|guard| guard.holds(node, topology));
    let fulfilled = nodes.clone().map(|node| {
        let guards = guards.iter().copied();
        guards.filter(|&guard| fulfils(node, guard)).collect()
    });
    let fulfilled: Vec<Vec<Option<Guard>>> = fulfilled.collect();
    let mut directions: BTreeMap<(u32, u32), Vec<i64>> = BTreeMap::new();
    for node in nodes {
        for &(direction, to) in topology.neighbours(node) {
            let ends = directions.entry((node, to)).or_default();
            ends.push(i64::from(direction.0));
        }
    }
    let back = |from, to| directions.get(&(to, from)).cloned().unwrap_or_default();
    let links = directions.iter().map(|(&(from, to), there)| Link {
        there: there.clone(),
        back: back(from, to),
        of_one: fulfilled[from as usize].clone(),
        of_other: fulfilled[to as usize].clone(),
    });
    links.collect()
}

fn add_guards(body: &[Construct], guards: &mut BTreeSet<Option<Guard>>) {
    for construct in body {
        match construct {
            Construct::Call(call) => {
                guards.insert(call.guard);
            }
            Construct::Loop(inner) => add_guards(&inner.body, guards),
        }
    }
}

//! Which directions are the two ends of a message.

use std::collections::{BTreeMap, BTreeSet};

use foldtrace_logical::model::Guard;
use foldtrace_topology::recognition::Topology;

use super::count::{Counts, Key, Profile};
use super::program::Construct;

/// Links of a topology that cannot be told from each other: where one node has the other in the directions
/// `there`, and the other one has the first in the directions `back`. Several are one in small meshes only.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    pub there: Vec<i64>,
    pub back: Vec<i64>,
    /// Conditions that the one node fulfils, and the other; `None` is that of calls without any.
    of_one: Vec<Option<Guard>>,
    of_other: Vec<Option<Guard>>,
}

/// What may be done on a link with a tag in a communicator.
pub(super) struct Ends {
    pub sends: Vec<Key>,
    pub receives: Vec<Key>,
    pub takes: Vec<Key>,
}

impl Link {
    /// All keys of messages of this link.
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
    /// How often messages are sent, and received.
    pub fn counts(&self, profile: &Profile) -> (u64, u64) {
        let sum = |counts: &Counts, keys: &[Key]| -> u64 {
            keys.iter().filter_map(|key| counts.get(key)).sum()
        };
        let received = sum(&profile.receives, &self.receives) + sum(&profile.takes, &self.takes);
        (sum(&profile.sends, &self.sends), received)
    }
}

/// All sorts of links of a topology, by what a program tells apart.
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

//! Which directions are the two ends of a message.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::topology::Topology;

/// Links of a topology that cannot be told from each other: where one node has the other in the directions
/// `there`, and the other one has the first in the directions `back`. Several are one in small meshes only.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    pub there: Vec<i64>,
    pub back: Vec<i64>,
}

/// All sorts of links of a topology.
pub(super) fn links(topology: &Topology) -> BTreeSet<Link> {
    let mut directions: BTreeMap<(u32, u32), Vec<i64>> = BTreeMap::new();
    for node in 0..topology.nodes() as u32 {
        for &(direction, to) in topology.neighbours(node) {
            let ends = directions.entry((node, to)).or_default();
            ends.push(i64::from(direction.0));
        }
    }
    let back = |from, to| directions.get(&(to, from)).cloned().unwrap_or_default();
    let links = directions.iter().map(|(&(from, to), there)| Link {
        there: there.clone(),
        back: back(from, to),
    });
    links.collect()
}

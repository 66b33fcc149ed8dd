//! Call paths: the regions from the outermost open call to the innermost, with their sums.
//!
//! A region that calls itself directly has one node for all levels, so that recursion does not lengthen paths.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_matching::RegionIndex;
use foldtrace_trace::Timestamp;

use crate::ticks::ticks;

/// The maximum number of nodes. Calls on further paths are part of their caller.
const MOST_NODES: usize = 1 << 18;

/// The index of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIndex(pub u32);

/// A call path, with the sums of all its calls. Times are in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The path without its innermost region; `None` for an outermost call.
    pub parent: Option<NodeIndex>,
    /// The innermost region.
    pub region: RegionIndex,
    /// The number of calls.
    pub calls: u64,
    /// The time during which a call was open.
    pub inclusive: i64,
    /// The time during which a call was the innermost open call.
    pub exclusive: i64,
    /// The maximum number of calls that were open at the same time: more than 1 if the region calls itself.
    pub levels: u32,
    open: u32,
    since: Timestamp,
}

/// The call paths of some locations. The parent of a node comes before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    nodes: Vec<Node>,
    children: HashMap<(Option<NodeIndex>, RegionIndex), NodeIndex, FixedState>,
    /// The number of calls that are part of their caller, because there were too many paths.
    pub left_out: u64,
}

impl Tree {
    /// Returns the nodes, by index.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the children of each node, and the outermost calls, in the order in which they were first called.
    #[must_use]
    pub fn children(&self) -> (Vec<NodeIndex>, Vec<Vec<NodeIndex>>) {
        let mut outermost = Vec::new();
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (index, node) in (0..).map(NodeIndex).zip(&self.nodes) {
            match node.parent {
                Some(NodeIndex(parent)) => children[parent as usize].push(index),
                None => outermost.push(index),
            }
        }
        (outermost, children)
    }

    /// Returns the node of a call of `region` within `around`.
    fn child(&mut self, around: Option<NodeIndex>, region: RegionIndex) -> NodeIndex {
        let caller = around.and_then(|around| Some((around, self.nodes.get(around.0 as usize)?)));
        if let Some((around, _)) = caller.filter(|(_, caller)| caller.region == region) {
            return around;
        }
        let next = NodeIndex(self.nodes.len() as u32);
        if let Some(&child) = self.children.get(&(around, region)) {
            return child;
        }
        if let Some(around) = around.filter(|_| self.nodes.len() >= MOST_NODES) {
            self.left_out += 1;
            return around;
        }
        self.children.insert((around, region), next);
        self.nodes.push(Node {
            parent: around,
            region,
            calls: 0,
            inclusive: 0,
            exclusive: 0,
            levels: 0,
            open: 0,
            since: Timestamp::default(),
        });
        next
    }

    /// Enters a call of `region` within a call of `around`, and returns its node.
    pub(crate) fn enter(
        &mut self,
        around: Option<NodeIndex>,
        region: RegionIndex,
        now: Timestamp,
    ) -> NodeIndex {
        let index = self.child(around, region);
        if let Some(node) = self.nodes.get_mut(index.0 as usize) {
            if node.open == 0 {
                node.since = now;
            }
            node.open += 1;
            // Otherwise, the call is part of its caller.
            if node.region == region {
                node.calls += 1;
                node.levels = node.levels.max(node.open);
            }
        }
        index
    }

    /// Leaves a call.
    pub(crate) fn leave(&mut self, index: NodeIndex, now: Timestamp) {
        if let Some(node) = self.nodes.get_mut(index.0 as usize) {
            node.open -= 1;
            if node.open == 0 {
                node.inclusive = node.inclusive.wrapping_add(ticks(node.since, now));
            }
        }
    }

    /// Adds time during which a call was the innermost one.
    pub(crate) fn pass(&mut self, index: NodeIndex, ticks: i64) {
        if let Some(node) = self.nodes.get_mut(index.0 as usize) {
            node.exclusive = node.exclusive.wrapping_add(ticks);
        }
    }

    /// Adds the call paths of other locations.
    #[must_use]
    pub(crate) fn with(mut self, other: &Self) -> Self {
        let mut same: Vec<NodeIndex> = Vec::with_capacity(other.nodes.len());
        for node in &other.nodes {
            let parent = node.parent.and_then(|parent| same.get(parent.0 as usize));
            let index = self.child(parent.copied(), node.region);
            same.push(index);
            let Some(sum) = self.nodes.get_mut(index.0 as usize) else {
                continue;
            };
            sum.exclusive = sum.exclusive.wrapping_add(node.exclusive);
            if sum.region == node.region {
                sum.calls += node.calls;
                sum.inclusive = sum.inclusive.wrapping_add(node.inclusive);
                sum.levels = sum.levels.max(node.levels);
            }
        }
        self.left_out += other.left_out;
        self
    }
}

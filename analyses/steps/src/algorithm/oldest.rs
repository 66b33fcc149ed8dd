//! Chooses the oldest operations of a window that can leave it before their partitions are complete.

use super::graph::Graph;
use super::lists::Lists;
use super::partitions::Partitions;

/// Returns the operations that can leave, divided into partitions in topological order. The newest `stay` operations stay,
/// and so do incomplete ones, and all operations after one that stays.
pub(super) fn leaving(
    graph: &Graph,
    partitions: &Partitions,
    has_left: &[bool],
    stay: usize,
) -> Lists {
    let mut in_window = (0..graph.len()).rev().filter(|&own| !has_left[own]);
    let end = in_window.nth(stay.saturating_sub(1)).unwrap_or_default();
    let mut stays = vec![false; graph.len()];
    let mut reached: Vec<usize> = Vec::new();
    for own in 0..graph.len() {
        if !has_left[own] && (own >= end || !graph.operations[own].is_complete()) {
            stays[own] = true;
            reached.push(own);
        }
    }
    while let Some(own) = reached.pop() {
        let after = graph.receivers.of(own).chain(graph.next(own));
        for other in after.chain(graph.members(graph.node(own))) {
            if !std::mem::replace(&mut stays[other], true) {
                reached.push(other);
            }
        }
    }
    let leave = (0..graph.len()).filter(|&own| !has_left[own] && !stays[own]);
    let owned = leave.map(|own| (partitions.of(own), own));
    Lists::new(partitions.members.len(), owned)
}

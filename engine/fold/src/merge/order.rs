//! The order constraints on constructs: the order of each process (T), and messages from sender to receiver.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use super::lanes::Meeting;
use super::system::Construct;

/// Returns the pairs of constructs that follow each other in a process.
pub(super) fn predecessors(constructs: &[Construct]) -> Vec<(u32, u32)> {
    let bounds = constructs
        .iter()
        .flat_map(|c| c.processes.first().zip(c.processes.last()));
    let bounds = bounds.map(|(first, last)| first.index()..last.index() + 1);
    let Some(all) = bounds.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)) else {
        return Vec::new();
    };
    // The systems that are merged have consecutive processes, so most of these are in a construct.
    let mut last: Vec<Option<u32>> = vec![None; all.len()];
    let mut pairs = Vec::new();
    for (index, construct) in (0..).zip(constructs) {
        for process in construct.processes.iter() {
            let last = &mut last[process.index() - all.start];
            pairs.extend(last.replace(index).map(|before| (before, index)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Returns the Lamport clock of each construct. Messages on a cycle are ignored.
pub(super) fn clocks(constructs: &[Construct], meetings: &[Meeting]) -> Vec<u32> {
    let order = predecessors(constructs);
    let mut messages: Vec<(u32, u32)> = meetings
        .iter()
        .filter(|meeting| meeting.from != meeting.to)
        .filter(|meeting| !constructs[meeting.from as usize].is_collective())
        .map(|meeting| (meeting.from, meeting.to))
        .collect();
    let all = || order.iter().chain(&messages).copied();
    if let Some(clocks) = longest_paths(constructs.len(), all()) {
        return clocks;
    }
    let mut component = vec![0; constructs.len()];
    let graph = DiGraph::<(), ()>::from_edges(all());
    for (number, nodes) in kosaraju_scc(&graph).into_iter().enumerate() {
        for node in nodes {
            component[node.index()] = number;
        }
    }
    messages.retain(|&(from, to)| component[from as usize] != component[to as usize]);
    let all = order.iter().chain(&messages).copied();
    longest_paths(constructs.len(), all).unwrap_or_else(|| (0..constructs.len() as u32).collect())
}

/// Returns the length of the longest path to each node, or `None` if there is a cycle.
pub(super) fn longest_paths(
    nodes: usize,
    edges: impl Iterator<Item = (u32, u32)> + Clone,
) -> Option<Vec<u32>> {
    let mut firsts = vec![0_u32; nodes + 1];
    let mut waiting = vec![0_u32; nodes];
    for (from, to) in edges.clone() {
        firsts[from as usize + 1] += 1;
        waiting[to as usize] += 1;
    }
    for node in 0..nodes {
        firsts[node + 1] += firsts[node];
    }
    let mut next = firsts.clone();
    let mut targets = vec![0_u32; firsts[nodes] as usize];
    for (from, to) in edges {
        targets[next[from as usize] as usize] = to;
        next[from as usize] += 1;
    }
    let mut clocks = vec![0_u32; nodes];
    let ready = (0..nodes as u32).filter(|&node| waiting[node as usize] == 0);
    let mut ready: Vec<u32> = ready.collect();
    let mut done = 0;
    while let Some(node) = ready.pop() {
        done += 1;
        let [first, last] = [0, 1].map(|i| firsts[node as usize + i] as usize);
        let clock = clocks[node as usize] + 1;
        for &target in &targets[first..last] {
            let later = &mut clocks[target as usize];
            *later = clock.max(*later);
            waiting[target as usize] -= 1;
            if waiting[target as usize] == 0 {
                ready.push(target);
            }
        }
    }
    (done == nodes).then_some(clocks)
}

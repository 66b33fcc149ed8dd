//! Builds trees, which have one edge fewer than nodes.

use super::super::{Direction, DirectionId, Rule, Topology};
use super::{named, numbered};

const UP: DirectionId = DirectionId(0);

/// Builds a tree in which node n has the children `arity * n + 1` to `arity * n + arity`.
pub(super) fn tree(names: (String, String), nodes: u32, arity: u32) -> Topology {
    let edges = (1..nodes).map(|node| ((node - 1) / arity, (node - 1) % arity, node));
    let directions = family("parent", "child", arity.min(nodes.saturating_sub(1)));
    build(names, nodes, Rule::Tree { arity }, directions, edges)
}

/// Builds a tree in which groups of `arity` nodes are merged into one, level by level.
pub(super) fn merge_tree(names: (String, String), nodes: u32, arity: u32) -> Topology {
    let mut edges = Vec::new();
    let (mut step, mut level) = (1, 0);
    while step < u64::from(nodes) {
        let parents = (0..u64::from(nodes)).step_by((step * u64::from(arity)) as usize);
        edges.extend(parents.flat_map(|parent| {
            let children = (1..arity).map(move |k| (k, parent + u64::from(k) * step));
            let children = children.filter(|&(_, child)| child < u64::from(nodes));
            children
                .map(move |(k, child)| (parent as u32, level * (arity - 1) + k - 1, child as u32))
        }));
        step *= u64::from(arity);
        level += 1;
    }
    let most = edges.iter().map(|&(_, child, _)| child + 1).max();
    let directions = family("parent", "child", most.unwrap_or(0));
    build(names, nodes, Rule::MergeTree { arity }, directions, edges)
}

/// Builds a star, in which node 0 has edges to all others.
pub(super) fn star(names: (String, String), nodes: u32) -> Topology {
    let edges = (1..nodes).map(|node| (0, node - 1, node));
    let directions = family("centre", "worker", nodes.saturating_sub(1));
    build(names, nodes, Rule::Star, directions, edges)
}

/// Returns one direction up and the directions down.
fn family(up: &str, down: &str, most: u32) -> Vec<Direction> {
    let up = named(up, (1..=most).map(DirectionId).collect());
    let down = (0..most).map(|index| numbered(down, index, vec![UP]));
    std::iter::once(up).chain(down).collect()
}

/// Builds a topology from edges, each a parent, the index of the child, and the child.
fn build(
    names: (String, String),
    nodes: u32,
    rule: Rule,
    directions: Vec<Direction>,
    edges: impl IntoIterator<Item = (u32, u32, u32)>,
) -> Topology {
    let neighbours = edges.into_iter().flat_map(|(parent, index, child)| {
        let down = DirectionId(index + 1);
        [(parent, down, child), (child, UP, parent)]
    });
    let neighbours = neighbours.collect();
    Topology::new(names, vec![nodes], rule, directions, neighbours)
}

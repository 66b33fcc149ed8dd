//! Builds topologies with cliques along each dimension: all-to-all, and butterflies of any radix.

use super::super::{Direction, DirectionId, Rule, Topology};
use super::mesh::axis_name;
use super::named;

/// Returns the number of edges.
pub(super) fn edges(sizes: &[u32]) -> u64 {
    let nodes: u64 = sizes.iter().map(|&size| u64::from(size)).product();
    let neighbours: u64 = sizes.iter().map(|&size| u64::from(size) - 1).sum();
    nodes * neighbours / 2
}

pub(super) fn build(name: String, family: String, sizes: &[u32]) -> Topology {
    let nodes: u32 = sizes.iter().product();
    let mut neighbours = Vec::new();
    let mut directions = Vec::new();
    let mut stride = 1;
    for (axis, &size) in sizes.iter().rev().enumerate() {
        let first = directions.len() as u32;
        for node in 0..nodes {
            let at = node / stride % size;
            for distance in 1..size {
                let to = node - at * stride + (at + distance) % size * stride;
                neighbours.push((node, DirectionId(first + distance - 1), to));
            }
        }
        directions.extend((1..size).map(|distance| direction(axis, size, distance, first)));
        stride *= size;
    }
    let dims = sizes.to_vec();
    Topology::new((name, family), dims, Rule::Cliques, directions, neighbours)
}

/// Returns the direction to the node `distance` steps further along an axis, cyclically. `first` is the first
/// direction of the axis.
fn direction(axis: usize, size: u32, distance: u32, first: u32) -> Direction {
    let axis = axis_name(axis);
    let reverse = vec![DirectionId(first + size - distance - 1)];
    if size == 2 {
        return named(&axis, reverse);
    }
    Direction {
        sort: format!("+{axis}"),
        index: distance - 1,
        is_numbered: true,
        reverse,
    }
}

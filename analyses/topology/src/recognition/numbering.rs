//! Generates the usual numberings of processes: the topology's own, and others with its dimensions in another order.

use super::{Rule, Topology};

/// Maximum number of orders of dimensions to try.
const MOST: usize = 120;

/// Returns the usual numberings of the nodes of a topology, its own first. Each contains the node of each process.
pub(super) fn usual(topology: &Topology) -> impl Iterator<Item = Vec<u32>> {
    let orders = match topology.rule {
        Rule::Mesh { .. } | Rule::Cliques => orders(&topology.dims),
        _ => vec![(0..topology.dims.len()).collect()],
    };
    orders
        .into_iter()
        .map(|order| numbering(&topology.dims, &order))
}

/// Returns the orders of dimensions that number nodes differently, the usual one first.
fn orders(sizes: &[u32]) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for _ in 0..sizes.len() {
        let longer = found.iter().flat_map(|order: &Vec<usize>| {
            let next = (0..sizes.len()).filter(|axis| !order.contains(axis));
            // Dimensions of the same size keep their order.
            let is_first = |axis: &usize| {
                (0..*axis).all(|before| sizes[before] != sizes[*axis] || order.contains(&before))
            };
            next.filter(is_first)
                .map(|axis| [order.as_slice(), &[axis]].concat())
        });
        found = longer.take(MOST).collect();
    }
    found
}

/// Returns the node of each process if processes are numbered by dimensions in `order`, the last one fastest.
fn numbering(sizes: &[u32], order: &[usize]) -> Vec<u32> {
    let mut strides = vec![1; sizes.len()];
    for axis in (1..sizes.len()).rev() {
        strides[axis - 1] = strides[axis] * sizes[axis];
    }
    let mut nodes = vec![0];
    for &axis in order {
        let further = nodes.iter().flat_map(|&node| {
            let stride = strides[axis];
            (0..sizes[axis]).map(move |at| node + at * stride)
        });
        nodes = further.collect();
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_come_in_any_order() {
        assert_eq!(orders(&[4, 2, 2]), [[0, 1, 2], [1, 0, 2], [1, 2, 0]]);
        assert_eq!(numbering(&[3, 2], &[0, 1]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(numbering(&[3, 2], &[1, 0]), [0, 2, 4, 1, 3, 5]);
    }
}

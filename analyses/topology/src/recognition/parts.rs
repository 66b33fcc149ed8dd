//! Splits a graph into its connected components.

use super::{Flow, Graph};

/// Returns the connected components of a graph: the nodes of each, in order, and its graph, whose nodes are numbered
/// from 0 in this order. The component of the smallest node comes first.
#[must_use]
pub fn components(graph: &Graph) -> Vec<(Vec<u32>, Graph)> {
    let mut numbers = vec![u32::MAX; graph.nodes()];
    let mut components = Vec::new();
    for node in 0..graph.nodes() as u32 {
        if numbers[node as usize] == u32::MAX {
            let nodes = reached(graph, node, &mut numbers);
            let part = part(graph, &nodes, &numbers);
            components.push((nodes, part));
        }
    }
    components
}

/// Returns the nodes that are connected with a node, in order, and numbers them.
fn reached(graph: &Graph, start: u32, numbers: &mut [u32]) -> Vec<u32> {
    let mut nodes = vec![start];
    numbers[start as usize] = 0;
    let mut next = 0;
    while let Some(&node) = nodes.get(next) {
        next += 1;
        for &other in graph.neighbours(node) {
            if numbers[other as usize] == u32::MAX {
                numbers[other as usize] = 0;
                nodes.push(other);
            }
        }
    }
    nodes.sort_unstable();
    for (number, &node) in (0..).zip(&nodes) {
        numbers[node as usize] = number;
    }
    nodes
}

fn part(graph: &Graph, nodes: &[u32], numbers: &[u32]) -> Graph {
    let sends = nodes.iter().flat_map(|&node| {
        let edges = graph.edges_of(node).filter(|&(_, flow)| flow != Flow::In);
        edges.map(move |(other, _)| (numbers[node as usize], numbers[other as usize]))
    });
    Graph::new(nodes.len(), sends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_from_0_each() {
        let parts = components(&Graph::new(6, [(5, 1), (1, 3), (0, 4)]));
        let nodes: Vec<_> = parts.iter().map(|(nodes, _)| nodes.clone()).collect();
        assert_eq!(nodes, [vec![0, 4], vec![1, 3, 5], vec![2]]);
        assert_eq!(parts[1].1, Graph::new(3, [(2, 0), (0, 1)]));
        assert_eq!(parts[2].1, Graph::new(1, []));
    }
}

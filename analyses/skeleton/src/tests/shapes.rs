//! Compares the neighbours by rules with the topologies of the library.

use foldtrace_topology::recognition::Rule;

use super::super::groups::Group;
use super::super::links::links;
use super::super::shape::{Shape, is_by_rule, resized};
use super::*;

#[test]
fn rules_find_the_neighbours_of_the_library() {
    for nodes in [2, 3, 4, 6, 8, 9, 12, 16, 18, 27, 32] {
        for candidate in Library::default().candidates(nodes) {
            let topology = candidate.build();
            let is_list = topology.rule == Rule::Edges;
            assert!(is_list || is_by_rule(&topology), "{}", topology.name);
        }
    }
}

#[test]
fn both_ends_of_messages_are_directions_at_any_number_of_nodes() {
    for candidate in Library::default().candidates(16) {
        let topology = candidate.build();
        for nodes in 1..40 {
            let Ok(other) = resized(&topology, nodes) else {
                continue;
            };
            assert_eq!(other.nodes(), nodes as usize, "{}", topology.name);
            for link in links(&other, &[]) {
                assert!(
                    !link.back.is_empty(),
                    "{} of {nodes}: {link:?}",
                    topology.name
                );
            }
        }
    }
}

#[test]
fn nodes_are_distributed_over_dimensions() {
    let of = |name: &str, nodes| {
        Shape::new(&topology(16, name), nodes).map(|shape| (shape.dims, shape.copies))
    };
    assert_eq!(of("4x4 grid", 12), Ok((vec![4, 3], 1)));
    assert_eq!(of("4x4 grid", 7), Ok((vec![7, 1], 1)));
    assert_eq!(of("4x4 grid", 16), Ok((vec![4, 4], 1)));
    assert_eq!(of("16 ring", 5), Ok((vec![5], 1)));
}

#[test]
fn groups_are_rows_if_possible() {
    let grid = topology(6, "3x2 grid");
    let group = |colors: [u32; 6]| Group::from_colors(&colors.map(Some), &grid);
    assert_eq!(group([3; 6]), Group::World);
    assert_eq!(group([0, 0, 1, 1, 2, 2]), Group::Coordinates(vec![0]));
    assert_eq!(group([7, 5, 7, 5, 7, 5]), Group::Coordinates(vec![1]));
    assert_eq!(group([0, 1, 2, 3, 4, 5]), Group::Coordinates(vec![0, 1]));
    assert!(matches!(group([0, 0, 1, 1, 1, 1]), Group::Colors(_)));
    let ring = topology(5, "5 ring");
    assert!(matches!(ring.rule, Rule::Mesh { .. }));
}

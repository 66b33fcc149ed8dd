//! Tests of the ends of messages: missing ones are added, ends without a counterpart are dropped.

use super::super::balance::balanced;
use super::super::complete::complete;
use super::super::links::links;
use super::super::program::Construct;
use super::*;

fn completed(topology: &Topology, program: Vec<Construct>) -> String {
    text(&complete(program, &links(topology, &[])))
}

#[test]
fn receives_are_added_after_the_sends_of_a_body() {
    let grid = topology(9, "3x3 grid");
    let names: Vec<String> = grid.directions.iter().map(|it| it.name()).collect();
    assert_eq!(names, ["+x", "-x", "+y", "-y"]);
    let body = vec![send(0, 1), send(1, 2), barrier(), send(2, 3)];
    let program = vec![repeat(9, body), send(3, 4)];
    let expected = "9*(s0:1 s1:2 r1:1 r0:2 b s2:3 r3:3) s3:4 r2:4";
    assert_eq!(completed(&grid, program), expected);
}

#[test]
fn received_messages_keep_their_receives() {
    let grid = topology(9, "3x3 grid");
    // Messages with the other tag are not received.
    let program = vec![receive(1, 5), send(0, 5), send(0, 6)];
    assert_eq!(completed(&grid, program), "r1:5 s0:5 s0:6 r1:6");
}

#[test]
fn messages_of_several_senders_are_taken_from_all() {
    let tree = topology(16, "16 4-ary merge tree");
    assert_eq!(completed(&tree, vec![send(0, 8)]), "s0:8 T0:8");
    assert_eq!(completed(&tree, vec![send(2, 8)]), "s2:8 T2:8");
}

#[test]
fn calls_without_a_partner_are_dropped() {
    let ring = topology(5, "5 ring");
    let of = |program| {
        let (program, limits) = balanced(program, &links(&ring, &[]));
        (text(&program), limits)
    };
    let lonely = vec![
        send(0, 1),
        receive(1, 2),
        repeat(4, vec![send(1, 3)]),
        barrier(),
    ];
    assert_eq!(of(lonely), ("b".to_owned(), vec![0, 0, 0]));
    let rare = vec![repeat(4, vec![send(0, 1)]), repeat(3, vec![receive(1, 1)])];
    assert_eq!(of(rare), ("4*(s0:1?0) 3*(r1:1)".to_owned(), vec![3]));
    let fitting = vec![
        send(0, 1),
        repeat(3, vec![receive(1, 1), send(0, 1)]),
        receive(1, 1),
    ];
    assert_eq!(of(fitting), ("s0:1 3*(r1:1 s0:1) r1:1".to_owned(), vec![]));
}

//! Compares the rehearsal with another method that executes all iterations.

use std::collections::HashMap;

use foldtrace_topology::recognition::DirectionId;
use proptest::prelude::*;

use super::super::balance::balanced;
use super::super::links::links;
use super::super::program::Sending;
use super::super::rehearse::{Stage, Wait, sends};
use super::super::shorten::shortened;
use super::*;

fn ends(topology: &Topology, program: &[Construct], limits: &[u64], sending: Sending) -> bool {
    let world = Some(vec![Some(0); topology.nodes()]);
    let stage = Stage {
        topology,
        colors: &[world],
        limits,
    };
    stage.rehearse(program, sending).is_ok()
}

/// An operation of a node.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Send(u32, i64),
    Receive(u32, i64),
    Barrier,
    /// Waits until all messages of the node have been received.
    Complete,
}

fn deeds(
    topology: &Topology,
    node: u32,
    body: &[Construct],
    limits: &[u64],
    done: &mut [u64],
    deeds_of: &mut Vec<Deed>,
) {
    for construct in body {
        match construct {
            Construct::Loop(inner) => {
                for _ in 0..inner.count.base {
                    deeds(topology, node, &inner.body, limits, done, deeds_of);
                }
            }
            Construct::Call(call) => {
                let Some(message) = call.action.message() else {
                    deeds_of.push(Deed::Barrier);
                    continue;
                };
                let direction = DirectionId(message.direction.base as u32);
                let Some(other) = topology.neighbour(node, direction) else {
                    continue;
                };
                if let Some(limit) = call.limit {
                    done[limit] += 1;
                    if done[limit] > limits[limit] {
                        continue;
                    }
                }
                deeds_of.push(match call.action {
                    Action::Send(_) => Deed::Send(other, message.tag.base),
                    _ => Deed::Receive(other, message.tag.base),
                });
            }
        }
    }
    if sends(body) {
        deeds_of.push(Deed::Complete);
    }
}

/// Sweeps over all nodes until none of them continues. Returns whether all nodes reach their end.
fn sweeps_end(
    topology: &Topology,
    program: &[Construct],
    limits: &[u64],
    sending: Sending,
) -> bool {
    let nodes = topology.nodes();
    let all: Vec<Vec<Deed>> = (0..nodes as u32)
        .map(|node| {
            let mut own = Vec::new();
            deeds(
                topology,
                node,
                program,
                limits,
                &mut vec![0; limits.len()],
                &mut own,
            );
            own
        })
        .collect();
    let mut at = vec![0; nodes];
    let mut is_posted = vec![false; nodes];
    let mut barriers = vec![0_usize; nodes];
    let (mut sent, mut received): (HashMap<_, u64>, HashMap<_, u64>) = Default::default();
    loop {
        let mut any = false;
        for node in 0..nodes {
            let me = node as u32;
            let Some(&deed) = all[node].get(at[node]) else {
                continue;
            };
            let goes_on = match deed {
                Deed::Send(to, tag) => {
                    let key = (me, to, tag);
                    if !is_posted[node] {
                        *sent.entry(key).or_default() += 1;
                        is_posted[node] = true;
                        any = true;
                    }
                    sending != Sending::Blocking || received.get(&key) == sent.get(&key)
                }
                Deed::Receive(from, tag) => {
                    let key = (from, me, tag);
                    let is_there = sent.get(&key).unwrap_or(&0) > received.get(&key).unwrap_or(&0);
                    *received.entry(key).or_default() += u64::from(is_there);
                    is_there
                }
                Deed::Barrier => {
                    if !is_posted[node] {
                        barriers[node] += 1;
                        is_posted[node] = true;
                        any = true;
                    }
                    barriers.iter().all(|&others| others >= barriers[node])
                }
                Deed::Complete => {
                    let mut own = sent.iter().filter(|((from, ..), _)| *from == me);
                    sending != Sending::Waiting
                        || own.all(|(key, count)| received.get(key) == Some(count))
                }
            };
            if goes_on {
                at[node] += 1;
                is_posted[node] = false;
                any = true;
            }
        }
        if !any {
            return (0..nodes).all(|node| at[node] == all[node].len());
        }
    }
}

const TOPOLOGIES: [(usize, &str); 7] = [
    (3, "3 ring"),
    (4, "2x2 grid"),
    (6, "3x2 grid"),
    (9, "3x3 torus"),
    (7, "7 binary tree"),
    (4, "4 star"),
    (8, "2x2x2 grid"),
];

fn bodies(directions: i64) -> impl Strategy<Value = Vec<Construct>> {
    let leaf = prop_oneof![
        4 => (0..directions, 0..2_i64).prop_map(|(direction, tag)| send(direction, tag)),
        4 => (0..directions, 0..2_i64).prop_map(|(direction, tag)| receive(direction, tag)),
        1 => Just(barrier()),
    ];
    let construct = leaf.prop_recursive(3, 24, 6, |inner| {
        (0..8_i64, prop::collection::vec(inner, 1..6)).prop_map(|(count, body)| repeat(count, body))
    });
    prop::collection::vec(construct, 1..8)
}

/// Adds the other end of each message next to the first one, before or after it: most such programs terminate.
fn paired(topology: &Topology, body: Vec<Construct>, order: u64) -> Vec<Construct> {
    let mut paired = Vec::new();
    for (index, construct) in body.into_iter().enumerate() {
        let other = match &construct {
            Construct::Call(call) => call.action.message().map(|message| {
                let direction = &topology.directions[message.direction.base as usize];
                let back = i64::from(direction.reverse[0].0);
                match call.action {
                    Action::Send(_) => receive(back, message.tag.base),
                    _ => send(back, message.tag.base),
                }
            }),
            Construct::Loop(_) => None,
        };
        let construct = match construct {
            Construct::Loop(inner) => Construct::Loop(Loop {
                count: inner.count,
                body: self::paired(topology, inner.body, order.rotate_right(7)),
            }),
            call => call,
        };
        match order >> (index % 64) & 1 {
            0 => paired.extend([Some(construct), other].into_iter().flatten()),
            _ => paired.extend([other, Some(construct)].into_iter().flatten()),
        }
    }
    paired
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn rehearsals_agree_with_full_simulations(
        (which, body) in (0..TOPOLOGIES.len()).prop_flat_map(|which| (Just(which), bodies(4))),
        order in any::<u64>(),
        is_paired in any::<bool>(),
    ) {
        let (nodes, name) = TOPOLOGIES[which];
        let topology = topology(nodes, name);
        let directions = topology.directions.len() as i64;
        let body = super::super::balance::rebuilt(&body, &mut |call| {
            let mut call = call.clone();
            if let Action::Send(message) | Action::Receive(message) = &mut call.action {
                message.direction.base %= directions;
            }
            Some(call)
        });
        let body = if is_paired { paired(&topology, body, order) } else { body };
        let links = links(&topology, &[]);
        let (program, limits) = balanced(body, &links);
        let short = if limits.is_empty() { shortened(&program, &links) } else { program.clone() };
        for sending in [Sending::Blocking, Sending::Waiting, Sending::Free] {
            let is = ends(&topology, &short, &limits, sending);
            let expected = sweeps_end(&topology, &program, &limits, sending);
            prop_assert_eq!(is, expected, "{:?} {}: {} as {}", sending, name, text(&program), text(&short));
        }
    }
}

#[test]
fn long_loops_are_short_in_a_rehearsal() {
    let ring = topology(5, "5 ring");
    let links = links(&ring, &[]);
    let body = vec![send(0, 0), receive(1, 0)];
    let program = vec![repeat(1_000_000, vec![repeat(1000, body), barrier()])];
    let short = shortened(&program, &links);
    assert_eq!(text(&short), "3*(3*(s0 r1) b)");
    // A message is in flight while the loop runs.
    let ahead = vec![
        send(0, 0),
        repeat(1000, vec![send(0, 0), receive(1, 0)]),
        receive(1, 0),
    ];
    assert_eq!(text(&shortened(&ahead, &links)), "s0 5*(s0 r1) r1");
    assert!(!ends(&ring, &ahead, &[], Sending::Blocking));
    assert!(ends(&ring, &ahead, &[], Sending::Free));
}

#[test]
fn waiting_processes_are_reported() {
    let ring = topology(3, "3 ring");
    let world = Some(vec![Some(0); 3]);
    let stage = Stage {
        topology: &ring,
        colors: &[world],
        limits: &[],
    };
    let stuck = stage.rehearse(&[receive(1, 0), send(0, 0)], Sending::Free);
    let expected = vec![
        (0, Wait::Sender(2)),
        (1, Wait::Sender(0)),
        (2, Wait::Sender(1)),
    ];
    assert_eq!(stuck, Err(expected));
}

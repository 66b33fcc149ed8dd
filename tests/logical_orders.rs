//! Random programs on every topology of the library, whose processes come to their neighbours in orders of their own:
//! the logical program says all that each of them does.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

use fastrand::Rng;
use foldtrace::topology::recognition::{DirectionId, Library, Topology};
use serde_json::Value;

use crate::common::Folder;
use crate::common::followed::{Call, Followed, Message};

/// Numbers of processes: odd and even, squares, powers of two.
const SIZES: [usize; 3] = [6, 8, 9];

/// What a process does next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Message {
        message: Message,
        tag: u64,
        is_posted: bool,
    },
    Barrier,
}

impl Step {
    /// Whether the order of this call and the next one has no meaning: both are non-blocking sends, or receives, which
    /// count as completed by one call where a trace has no calls.
    fn is_beside(&self, next: &Self) -> bool {
        let kind = |step: &Self| match step {
            Self::Message {
                message: Message::Receive { .. },
                ..
            } => Some(0),
            Self::Message {
                is_posted: true, ..
            } => Some(1),
            _ => None,
        };
        kind(self).is_some() && kind(self) == kind(next)
    }

    fn write(&self, trace: &mut String, rank: usize, ranks: usize) {
        let written = match self {
            Self::Barrier => writeln!(trace, "{rank} sync MPI_Barrier 0-{}", ranks - 1),
            Self::Message {
                message,
                tag,
                is_posted,
            } => {
                let prefix = if *is_posted { "i" } else { "" };
                match message {
                    Message::Send { to } => writeln!(trace, "{rank} {prefix}send {to} {tag}"),
                    Message::Receive { from } => {
                        writeln!(trace, "{from} {prefix}recv {rank} {tag}")
                    }
                }
            }
        };
        written.unwrap();
    }
}

/// How the processes exchange messages in a phase.
#[derive(Clone, Copy, Debug)]
enum Style {
    /// Non-blocking sends to all neighbours, then as many receives are completed.
    Posted,
    /// Blocking sends and receives in any order.
    Blocking,
    /// A barrier between all processes.
    Barrier,
}

struct Phase {
    style: Style,
    directions: HashSet<u32>,
    /// Whether tags depend on both ends of a message.
    has_own_tags: bool,
    times: usize,
}

impl Phase {
    fn random(topology: &Topology, is_first: bool, random: &mut Rng) -> Self {
        let directions = 0..topology.directions.len() as u32;
        let style = match random.u32(..7) {
            0 if !is_first => Style::Barrier,
            0..4 => Style::Posted,
            _ => Style::Blocking,
        };
        Self {
            style,
            directions: directions.filter(|_| is_first || random.bool()).collect(),
            has_own_tags: random.bool(),
            times: random.usize(1..4),
        }
    }

    /// What a node does in one iteration. Nodes differ in the order, iterations do not.
    fn of(
        &self,
        number: u64,
        (topology, rank): (&Topology, &[u32]),
        node: u32,
        random: &mut Rng,
    ) -> Vec<Step> {
        let is_posted = match self.style {
            Style::Barrier => return vec![Step::Barrier],
            style => matches!(style, Style::Posted),
        };
        let uses = |from, to| {
            let DirectionId(direction) = topology.direction(from, to).unwrap();
            self.directions.contains(&direction) && (from < to || !topology.is_one_way())
        };
        let step = |message, from: u32, to: u32| Step::Message {
            message,
            tag: match self.has_own_tags {
                true => 1000 * number + u64::from(7 * from + to),
                false => number,
            },
            is_posted,
        };
        let neighbours = topology.neighbours(node).iter().map(|it| it.1);
        let others: BTreeSet<u32> = neighbours.filter(|&other| other != node).collect();
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for other in others {
            let peer = rank[other as usize];
            if uses(node, other) {
                sends.push(step(Message::Send { to: peer }, node, other));
            }
            if uses(other, node) {
                receives.push(step(Message::Receive { from: peer }, other, node));
            }
        }
        random.shuffle(&mut sends);
        random.shuffle(&mut receives);
        let mut all = [sends, receives].concat();
        if !is_posted {
            random.shuffle(&mut all);
        }
        all
    }
}

/// A random program on a topology: what each rank does.
fn program(topology: &Topology, random: &mut Rng) -> Vec<Vec<Step>> {
    let nodes = topology.nodes();
    let mut rank: Vec<u32> = (0..nodes as u32).collect();
    random.shuffle(&mut rank);
    let phases: Vec<Phase> = (0..random.usize(1..4))
        .map(|number| Phase::random(topology, number == 0, random))
        .collect();
    let iterations = random.usize(1..5);
    let mut ranks = vec![Vec::new(); nodes];
    for node in 0..nodes as u32 {
        let once = (1..).zip(&phases).flat_map(|(number, phase)| {
            let body = phase.of(number, (topology, &rank), node, random);
            body.repeat(phase.times)
        });
        let once: Vec<Step> = once.collect();
        ranks[rank[node as usize] as usize] = once.repeat(iterations);
    }
    ranks
}

/// Whether the program says what a process does. What is beside each other may come in any order.
fn check(said: &[Call], done: &[Step], about: &str) {
    assert_eq!(said.len(), done.len(), "{about}");
    let mut said = said.iter();
    for group in done.chunk_by(Step::is_beside) {
        let mut expected = group.to_vec();
        let mut calls: Vec<&Call> = said.by_ref().take(group.len()).collect();
        // Of calls whose tags overlap, the one with the least choice takes its pick first.
        calls.sort_by_key(|call| match call {
            Call::Message(_, tags) => *tags.end(),
            Call::Collective(_) => 0,
        });
        expected.sort_by_key(|step| match step {
            Step::Message { tag, .. } => *tag,
            Step::Barrier => 0,
        });
        for call in calls {
            let is_it = |step: &Step| match (call, step) {
                (Call::Collective(name), Step::Barrier) => name == "MPI_Barrier",
                (Call::Message(said, tags), Step::Message { message, tag, .. }) => {
                    said == message && tags.contains(tag)
                }
                _ => false,
            };
            let found = expected.iter().position(is_it);
            let found = found.unwrap_or_else(|| panic!("{call:?} is not in {expected:?}: {about}"));
            expected.remove(found);
        }
    }
}

fn is_covered(topology: &Topology, seed: u64) {
    let about = format!("{}, seed {seed}", topology.name);
    let ranks = program(topology, &mut Rng::with_seed(seed));
    let mut trace = String::new();
    for (rank, steps) in ranks.iter().enumerate() {
        for step in steps {
            step.write(&mut trace, rank, ranks.len());
        }
    }
    let folder = Folder::new();
    folder.write("any.trace", trace);
    folder.say("convert -q any.trace any.fold").exits(0);
    let ran = folder
        .say("logical -q --json --threshold 0% any.fold")
        .exits(0);
    let found: Value = ran.json();
    let calls: usize = ranks.iter().map(Vec::len).sum();
    assert_eq!(found["calls"], calls, "{about}");
    assert_eq!(found["reproduced"], calls, "{about}: {found:#}");
    assert_eq!(found["added"], 0, "{about}");
    let followed = Followed::new(&found);
    for (rank, steps) in (0..).zip(&ranks) {
        check(
            &followed.calls(rank),
            steps,
            &format!("rank {rank}, {about}"),
        );
    }
}

/// One topology of each family and number of processes, with a program for each.
#[test]
fn programs_of_any_order_are_covered_on_every_topology() {
    let mut random = Rng::with_seed(20);
    let mut topologies = Vec::new();
    for size in SIZES {
        let mut candidates = Library::default().candidates(size);
        random.shuffle(&mut candidates);
        candidates.sort_by(|one, other| one.family.cmp(&other.family));
        candidates.dedup_by(|one, other| one.family == other.family);
        topologies.extend(candidates.iter().map(|it| it.build()));
    }
    let families: BTreeSet<&str> = topologies.iter().map(|it| &*it.family).collect();
    assert!(families.len() > 15, "{families:?}");
    let (even, odd): (Vec<_>, Vec<_>) = (0..).zip(&topologies).partition(|(seed, _)| seed % 2 == 0);
    std::thread::scope(|scope| {
        for some in [even, odd] {
            scope.spawn(move || some.into_iter().for_each(|(seed, it)| is_covered(it, seed)));
        }
    });
}

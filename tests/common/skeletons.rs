//! Logical programs made by hand, one for each way in which neighbours are found.

#![allow(dead_code)]

use foldtrace::analysis::logical::{
    Action, Call, Communicator, CommunicatorId, Construct, Distribution, Logical, Loop, Measured,
    Number,
};
use foldtrace::analysis::skeleton::Shape;
use foldtrace::analysis::topology::{Direction, DirectionId, Rule, Topology};

/// A topology by its rule; directions are given as name, index and reverse.
pub fn topology(family: &str, dims: &[u32], rule: Rule, names: &[(&str, u32, &[u32])]) -> Topology {
    let directions = names.iter().map(|&(sort, index, reverse)| Direction {
        sort: sort.to_owned(),
        index,
        is_numbered: names.iter().filter(|other| other.0 == sort).count() > 1,
        reverse: reverse.iter().copied().map(DirectionId).collect(),
    });
    let directions: Vec<Direction> = directions.collect();
    let names = (family.to_owned(), family.to_owned());
    let empty = |neighbours| {
        let (dims, rule) = (dims.to_vec(), rule.clone());
        Topology::new(names.clone(), dims, rule, directions.clone(), neighbours)
    };
    let bare = empty(Vec::new());
    let shape = Shape {
        dims: dims.to_vec(),
        copies: 1,
    };
    let nodes = 0..shape.nodes();
    let neighbours = nodes.flat_map(|node| {
        let (bare, shape) = (&bare, &shape);
        (0..directions.len() as u32).filter_map(move |direction| {
            let to = shape.neighbour(bare, node, direction)?;
            Some((node, DirectionId(direction), to))
        })
    });
    empty(neighbours.collect())
}

pub fn ring(nodes: u32) -> Topology {
    let rule = Rule::Mesh {
        is_periodic: true,
        offsets: vec![vec![1], vec![-1]],
    };
    topology("ring", &[nodes], rule, &[("+x", 0, &[1]), ("-x", 0, &[0])])
}

pub fn grid(rows: u32, columns: u32, is_periodic: bool) -> Topology {
    let rule = Rule::Mesh {
        is_periodic,
        offsets: vec![vec![0, 1], vec![0, -1], vec![1, 0], vec![-1, 0]],
    };
    let names: [(&str, u32, &[u32]); 4] = [
        ("+x", 0, &[1]),
        ("-x", 0, &[0]),
        ("+y", 0, &[3]),
        ("-y", 0, &[2]),
    ];
    topology("grid", &[rows, columns], rule, &names)
}

pub fn hypercube(dimensions: usize) -> Topology {
    let unit = |axis| (0..dimensions).map(|it| i32::from(it == axis)).collect();
    let rule = Rule::Mesh {
        is_periodic: true,
        offsets: (0..dimensions).map(unit).collect(),
    };
    let reverse: Vec<[u32; 1]> = (0..dimensions as u32).map(|it| [it]).collect();
    let names: Vec<(&str, u32, &[u32])> = (0..)
        .zip(&reverse)
        .map(|(index, reverse)| ("axis", index, &reverse[..]))
        .collect();
    topology("hypercube", &vec![2; dimensions], rule, &names)
}

pub fn all_to_all(nodes: u32) -> Topology {
    let reverse: Vec<[u32; 1]> = (0..nodes - 1).map(|it| [nodes - 2 - it]).collect();
    let names: Vec<(&str, u32, &[u32])> = (0..)
        .zip(&reverse)
        .map(|(index, reverse)| ("+x", index, &reverse[..]))
        .collect();
    topology("all-to-all", &[nodes], Rule::Cliques, &names)
}

/// A parent, and so many children.
fn with_parent(family: &str, nodes: u32, rule: Rule, children: u32) -> Topology {
    let all: Vec<u32> = (1..=children).collect();
    let mut names: Vec<(&str, u32, &[u32])> = vec![("parent", 0, &all)];
    names.extend((0..children).map(|index| ("child", index, &[0][..])));
    topology(family, &[nodes], rule, &names)
}

pub fn tree(nodes: u32, arity: u32) -> Topology {
    with_parent("tree", nodes, Rule::Tree { arity }, arity)
}

pub fn merge_tree(nodes: u32, arity: u32, levels: u32) -> Topology {
    with_parent(
        "merge tree",
        nodes,
        Rule::MergeTree { arity },
        levels * (arity - 1),
    )
}

pub fn star(nodes: u32) -> Topology {
    let all: Vec<u32> = (1..nodes).collect();
    let mut names: Vec<(&str, u32, &[u32])> = vec![("centre", 0, &all)];
    names.extend((0..nodes - 1).map(|index| ("node", index, &[0][..])));
    topology("star", &[nodes], Rule::Star, &names)
}

pub fn cg(nodes: u32) -> Topology {
    let partners = (nodes >> (nodes.ilog2() / 2)).ilog2();
    let reverse: Vec<[u32; 1]> = (0..=partners).map(|it| [it]).collect();
    let mut names: Vec<(&str, u32, &[u32])> = (0..partners)
        .zip(&reverse)
        .map(|(index, reverse)| ("partner", index, &reverse[..]))
        .collect();
    names.push(("transposed", 0, &reverse[partners as usize]));
    topology("CG", &[nodes], Rule::Cg, &names)
}

/// A path with a fork, as a list.
pub fn edges() -> Topology {
    let pairs = [(0, 1), (1, 2), (2, 3), (2, 4)];
    let both = pairs
        .iter()
        .flat_map(|&(one, other)| [(one, other), (other, one)]);
    let mut both: Vec<(u32, u32)> = both.collect();
    both.sort_unstable();
    let direction = |index: usize| {
        let (from, _) = both[index];
        let before = both[..index].iter().filter(|pair| pair.0 == from);
        DirectionId(before.count() as u32)
    };
    let neighbours = (0..both.len()).map(|index| (both[index].0, direction(index), both[index].1));
    let neighbours = neighbours.collect();
    let direction = |index| Direction {
        sort: "neighbour".to_owned(),
        index,
        is_numbered: true,
        reverse: (0..3).map(DirectionId).collect(),
    };
    let names = ("fork".to_owned(), "fork".to_owned());
    let directions = (0..3).map(direction).collect();
    Topology::new(names, vec![5], Rule::Edges, directions, neighbours)
}

/// What a text of calls is made of; calls get their numbers when all are there.
#[derive(Clone)]
pub enum Item {
    Send(u32, i64),
    Receive(u32, i64),
    Collective(u64, u32),
    Repeat(i64, Vec<Item>),
}

pub use Item::{Collective, Receive, Repeat, Send};

fn constructs(items: &[Item], number: &mut u32) -> Vec<Construct> {
    let mut made = Vec::new();
    for item in items {
        let direction = |direction: u32| Number::constant(i64::from(direction));
        let communicator = CommunicatorId(0);
        let action = match item {
            Repeat(count, body) => {
                made.push(Construct::Loop(Loop {
                    count: Number::constant(*count),
                    body: constructs(body, number),
                }));
                continue;
            }
            Send(to, tag) => Action::Send {
                direction: direction(*to),
                tag: Some(Number::constant(*tag)),
                communicator,
            },
            Receive(from, tag) => Action::Receive {
                direction: direction(*from),
                tag: Some(Number::constant(*tag)),
                communicator,
            },
            Collective(operation, communicator) => Action::Collective {
                operation: Some(*operation),
                root: Some(Number::constant(1)),
                communicator: CommunicatorId(*communicator),
            },
        };
        made.push(Construct::Call(Call {
            number: *number,
            action,
        }));
        *number += 1;
    }
    made
}

fn distribution(values: &[u64]) -> Distribution {
    Distribution {
        count: values.len() as u64 * 1000,
        sum: values.iter().sum::<u64>() * 1000,
        quantiles: values.to_vec(),
    }
}

/// A logical program; every third call has bytes that vary. Each call is preceded by some computing.
pub fn logical(topology: Topology, items: &[Item]) -> Logical {
    let nodes = topology.nodes() as u32;
    let mut calls = 0;
    let program = constructs(items, &mut calls);
    let measured = (0..calls).map(|number| Measured {
        bytes: match number % 3 {
            2 => distribution(&[8, 100, 120, 2000]),
            _ => distribution(&[480, 480]),
        },
        computing: distribution(&[10_000, 20_000, 30_000, 90_000]),
        communicating: distribution(&[1000, 2000]),
    });
    let world = Communicator {
        name: None,
        colors: vec![Some(0); nodes as usize],
    };
    Logical {
        ranks: (0..u64::from(nodes)).collect(),
        nodes: (0..nodes).collect(),
        communicators: vec![world],
        program,
        measured: measured.collect(),
        ticks_per_second: 1_000_000_000,
        ticks: 200_000_000,
        topology,
    }
}

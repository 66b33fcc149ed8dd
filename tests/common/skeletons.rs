//! Logical programs made by hand, one for each way in which neighbours are found.

use foldtrace::logical::model::{
    Action, Call, Communicator, CommunicatorId, Construct, Distribution, Logical, Loop, Measured,
    Number,
};
use foldtrace::topology::recognition::{Direction, DirectionId, Library, Rule, Topology};

/// A topology of the library by its name.
pub fn topology(nodes: usize, name: &str) -> Topology {
    let candidates = Library::default().candidates(nodes);
    let mut named = candidates.iter().filter(|candidate| candidate.name == name);
    named.next().unwrap_or_else(|| panic!("no {name}")).build()
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
            tags: None,
            action,
            guard: None,
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

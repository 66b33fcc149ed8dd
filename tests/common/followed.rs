//! What a logical program says that each process does, read from its JSON alone: an oracle that shares no code with
//! what makes and measures these programs.

use std::collections::HashMap;

use foldtrace::topology::recognition::{DirectionId, Library, Topology};
use serde_json::Value;

/// A message as its process sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Message {
    Send { to: u32 },
    Receive { from: u32 },
}

/// A call of a process: a message with the tags that it may have, or the name of a collective operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    Message(Message, std::ops::RangeInclusive<u64>),
    Collective(String),
}

/// A logical program, and where its processes are.
pub struct Followed<'a> {
    json: &'a Value,
    topology: Topology,
    directions: HashMap<String, u32>,
    rank_of: Vec<u32>,
    node_of: Vec<u32>,
}

impl<'a> Followed<'a> {
    pub fn new(json: &'a Value) -> Self {
        let processes = json["nodes"].as_array().unwrap();
        let mut rank_of = vec![0; processes.len()];
        let mut node_of = vec![0; processes.len()];
        for process in processes {
            let [rank, node] = ["rank", "node"].map(|key| process[key].as_u64().unwrap());
            rank_of[node as usize] = rank as u32;
            node_of[rank as usize] = node as u32;
        }
        let name = json["topology"].as_str().unwrap();
        let candidates = Library::default().candidates(processes.len());
        let candidate = candidates.iter().find(|it| it.name == name).unwrap();
        let directions = json["directions"].as_array().unwrap();
        let names = directions
            .iter()
            .map(|it| it["name"].as_str().unwrap().to_owned());
        Self {
            json,
            topology: candidate.build(),
            directions: names.zip(0..).collect(),
            rank_of,
            node_of,
        }
    }

    /// The calls of a process, in order.
    pub fn calls(&self, rank: u32) -> Vec<Call> {
        let mut calls = Vec::new();
        let program = self.json["program"].as_array().unwrap();
        self.run(program, rank, &mut Vec::new(), &mut calls);
        calls
    }

    fn run(&self, body: &[Value], rank: u32, indices: &mut Vec<i64>, calls: &mut Vec<Call>) {
        for construct in body {
            let inner = &construct["loop"];
            if inner.is_null() {
                calls.extend(self.call(construct, rank, indices));
                continue;
            }
            for index in 0..number(&inner["count"], indices) {
                indices.push(index);
                self.run(inner["body"].as_array().unwrap(), rank, indices, calls);
                indices.pop();
            }
        }
    }

    fn call(&self, call: &Value, rank: u32, indices: &[i64]) -> Option<Call> {
        if !self.is_let(call, rank) {
            return None;
        }
        if let Value::String(operation) = &call["collective"] {
            return Some(Call::Collective(operation.clone()));
        }
        let send = call["send"].as_str();
        let direction = send.or(call["receive"].as_str()).unwrap();
        let peer = self.neighbour(rank, self.direction(direction, indices))?;
        let message = match send {
            Some(_) => Message::Send { to: peer },
            None => Message::Receive { from: peer },
        };
        let tags = match &call["tags"] {
            Value::Null => {
                let tag = number(&call["tag"], indices) as u64;
                tag..=tag
            }
            tags => tags["least"].as_u64().unwrap()..=tags["greatest"].as_u64().unwrap(),
        };
        Some(Call::Message(message, tags))
    }

    fn neighbour(&self, rank: u32, direction: u32) -> Option<u32> {
        let node = self.node_of[rank as usize];
        let to = self.topology.neighbour(node, DirectionId(direction))?;
        Some(self.rank_of[to as usize])
    }

    /// The number of a direction: `+x`, `child 2`, `child 1+i0`.
    fn direction(&self, text: &str, indices: &[i64]) -> u32 {
        if let Some(&number) = self.directions.get(text) {
            return number;
        }
        let (sort, index) = text.rsplit_once(' ').unwrap();
        self.directions[&format!("{sort} {}", function(index, indices))]
    }

    fn is_let(&self, call: &Value, rank: u32) -> bool {
        let Some(only) = call["only"].as_str() else {
            return true;
        };
        if let Value::Array(ranks) = &call["ranks"] {
            return ranks.contains(&Value::from(rank));
        }
        let has = |name: &str| self.neighbour(rank, self.directions[name]).is_some();
        if let Some(names) = only.strip_prefix("where there is no ") {
            return names.split(" or no ").any(|name| !has(name));
        }
        let names = only.strip_prefix("where there is ");
        let names = names.or(only.strip_prefix("where there are ")).unwrap();
        names.split(" and ").all(has)
    }
}

/// A number, or the value of a function of the indices.
fn number(value: &Value, indices: &[i64]) -> i64 {
    match value {
        Value::String(text) => function(text, indices),
        value => value.as_i64().unwrap(),
    }
}

/// The value of `3-2*i0+i1`.
fn function(text: &str, indices: &[i64]) -> i64 {
    let text = text.replace('-', "+-");
    let terms = text.split('+').filter(|term| !term.is_empty());
    let values = terms.map(|term| {
        let (sign, term) = match term.strip_prefix('-') {
            Some(term) => (-1, term),
            None => (1, term),
        };
        let factors = term
            .split('*')
            .map(|factor| match factor.strip_prefix('i') {
                Some(depth) => indices[depth.parse::<usize>().unwrap()],
                None => factor.parse().unwrap(),
            });
        sign * factors.product::<i64>()
    });
    values.sum()
}

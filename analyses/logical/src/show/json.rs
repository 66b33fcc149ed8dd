//! A logical program as JSON; `schemas/logical.schema.json` describes it.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{direction, function, of_action, only, operation, ranks_of};
use crate::find::{Account, Made};
use crate::model::{Action, Call, Construct, Distribution, Guard, Logical, Number};

/// A logical program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogicalJson {
    /// How many processes there are.
    pub processes: usize,
    /// The name of the topology that they are put on.
    pub topology: String,
    /// Sizes of its dimensions.
    pub dims: Vec<u32>,
    /// All topologies that the program has.
    pub isomorphic: Vec<String>,
    /// The directions, by their numbers.
    pub directions: Vec<DirectionJson>,
    /// Calls of the program, if nobody passes over any.
    pub records: u64,
    /// Calls and loops as written.
    pub terms: u64,
    /// Loops as written.
    pub loops: u64,
    /// Records a term.
    pub ratio: f64,
    /// How many different programs the processes have.
    pub parts: usize,
    /// What is reproduced, of all calls that processes make or the program says; from 0 to 1.
    pub accuracy: f64,
    /// Calls of all processes.
    pub calls: u64,
    /// Those of them that the program says, in the same order.
    pub reproduced: u64,
    /// Those of them that it does not say.
    pub missing: u64,
    /// Calls that it says and nobody makes.
    pub added: u64,
    /// What concerns somebody who is no neighbour.
    pub outside: OutsideJson,
    /// Where the processes are, and how well the program stands for them.
    pub nodes: Vec<NodeJson>,
    /// Ticks a second of all times.
    pub ticks_per_second: u64,
    /// Ticks that the trace takes in the process that begins last; none if times were not measured.
    pub ticks: Option<u64>,
    /// What the program does.
    pub program: Vec<Value>,
}

/// A direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DirectionJson {
    /// Its name.
    pub name: String,
    /// The names of those that lead back.
    pub reverse: Vec<String>,
}

/// What concerns somebody who is no neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OutsideJson {
    /// Calls.
    pub calls: u64,
    /// Their share of all calls, from 0 to 1.
    pub share: f64,
    /// Bytes of messages; none if the trace knows no bytes.
    pub bytes: Option<u64>,
    /// Their share of all bytes.
    pub share_of_bytes: Option<f64>,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeJson {
    /// Its rank.
    pub rank: u64,
    /// Its node.
    pub node: u32,
    /// Coordinates of the node.
    pub coordinates: Vec<u32>,
    /// What is reproduced, of all calls that it makes or the program says; from 0 to 1.
    pub accuracy: f64,
}

fn share(part: u64, all: u64) -> f64 {
    if all == 0 {
        0.0
    } else {
        part as f64 / all as f64
    }
}

/// A logical program as JSON.
#[must_use]
pub fn logical_json(made: &Made) -> LogicalJson {
    let (logical, account) = (&made.logical, &made.account);
    let topology = &logical.topology;
    let directions = topology.directions.iter().map(|direction| DirectionJson {
        name: direction.name(),
        reverse: direction
            .reverse
            .iter()
            .filter_map(|id| topology.directions.get(id.0 as usize))
            .map(|direction| direction.name())
            .collect(),
    });
    let nodes = account.processes.iter().map(|process| NodeJson {
        rank: process.rank,
        node: process.node,
        coordinates: topology.coordinates(process.node),
        accuracy: process.accuracy(),
    });
    LogicalJson {
        processes: logical.ranks.len(),
        topology: topology.name.clone(),
        dims: topology.dims.clone(),
        isomorphic: account.isomorphic.clone(),
        directions: directions.collect(),
        records: account.records,
        terms: account.terms,
        loops: account.loops,
        ratio: account.records as f64 / account.terms.max(1) as f64,
        parts: account.parts,
        accuracy: account.accuracy(),
        calls: account.calls,
        reproduced: account.agreement.reproduced,
        missing: account.agreement.missing,
        added: account.agreement.added,
        outside: outside(account),
        nodes: nodes.collect(),
        ticks_per_second: logical.ticks_per_second,
        ticks: (!logical.measured.is_empty()).then_some(logical.ticks),
        program: constructs(logical, &logical.program),
    }
}

fn outside(account: &Account) -> OutsideJson {
    OutsideJson {
        calls: account.outside,
        share: share(account.outside, account.calls),
        bytes: account.bytes_outside.map(|(bytes, _)| bytes),
        share_of_bytes: account.bytes_outside.map(|(bytes, all)| share(bytes, all)),
    }
}

fn constructs(logical: &Logical, program: &[Construct]) -> Vec<Value> {
    let constructs = program.iter().map(|construct| match construct {
        Construct::Call(call) => self::call(logical, call),
        Construct::Loop(inner) => json!({ "loop": {
            "count": number(&inner.count),
            "body": constructs(logical, &inner.body),
        }}),
    });
    constructs.collect()
}

/// A number, or the text of a function of the indices.
fn number(number: &Number) -> Value {
    if number.growth.is_empty() {
        json!(number.base)
    } else {
        json!(function(number).to_string())
    }
}

fn call(logical: &Logical, call: &Call) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            fields.insert(name.to_owned(), value);
        }
    };
    match &call.action {
        Action::Send {
            direction: to, tag, ..
        } => {
            put("send", Some(json!(direction(logical, to))));
            put("tag", tag.as_ref().map(number));
        }
        Action::Receive {
            direction: from,
            tag,
            ..
        } => {
            put("receive", Some(json!(direction(logical, from))));
            put("tag", tag.as_ref().map(number));
        }
        Action::Collective {
            operation: code,
            root,
            ..
        } => {
            put("collective", Some(json!(operation(*code))));
            put("root", root.as_ref().map(number));
        }
    }
    let communicator = of_action(logical, &call.action);
    put("communicator", communicator.map(Value::from));
    let tags = |(least, greatest)| json!({ "least": least, "greatest": greatest });
    put("tags", call.tags.map(tags));
    put("only", call.guard.map(|guard| json!(only(logical, guard))));
    if let Some(Guard::Role(role)) = call.guard {
        put("ranks", Some(json!(ranks_of(logical, role))));
    }
    if let Some(measured) = logical.measured.get(call.number as usize) {
        put("bytes", distribution(&measured.bytes));
        put("computing", distribution(&measured.computing));
        put("communicating", distribution(&measured.communicating));
    }
    Value::Object(fields)
}

fn distribution(values: &Distribution) -> Option<Value> {
    let Distribution {
        count,
        sum,
        quantiles,
    } = values;
    (*count > 0).then(|| json!({ "count": count, "sum": sum, "quantiles": quantiles }))
}

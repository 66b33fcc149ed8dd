//! Converts logical programs to JSON, as described by `schemas/logical.schema.json`.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{direction, function, of_action, only, operation, ranks_of};
use crate::find::{Account, Made};
use crate::model::{Action, Call, Construct, Distribution, Guard, Logical, Number};

/// A logical program in the form of its JSON document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogicalJson {
    /// The number of processes.
    pub processes: usize,
    /// The name of the topology that the processes are mapped to.
    pub topology: String,
    /// The sizes of the dimensions of the topology.
    pub dims: Vec<u32>,
    /// The names of all topologies that match the program.
    pub isomorphic: Vec<String>,
    /// The directions of the topology, by their numbers.
    pub directions: Vec<DirectionJson>,
    /// The number of calls of the program, for a process that skips none.
    pub records: u64,
    /// The number of calls and loops as written.
    pub terms: u64,
    /// The number of loops as written.
    pub loops: u64,
    /// The number of records per term.
    pub ratio: f64,
    /// The number of different programs that the processes have.
    pub parts: usize,
    /// The share of reproduced calls among all calls that processes make or the program contains, from 0 to 1.
    pub accuracy: f64,
    /// The number of calls of all processes.
    pub calls: u64,
    /// The number of these calls that the program contains, in the same order.
    pub reproduced: u64,
    /// The number of these calls that the program does not contain.
    pub missing: u64,
    /// The number of calls that the program prescribes and the processes do not make.
    pub added: u64,
    /// Calls whose peer is not a neighbour in the topology.
    pub outside: OutsideJson,
    /// The node of each process, and the accuracy of the program for the process.
    pub nodes: Vec<NodeJson>,
    /// The resolution of all times, in ticks per second.
    pub ticks_per_second: u64,
    /// The duration of the trace in the process that begins last, in ticks; `None` if times were not measured.
    pub ticks: Option<u64>,
    /// The calls and loops of the program.
    pub program: Vec<Value>,
}

/// A direction of the topology.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DirectionJson {
    /// The name of the direction.
    pub name: String,
    /// The names of the directions that lead back.
    pub reverse: Vec<String>,
}

/// Calls whose peer is not a neighbour in the topology.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OutsideJson {
    /// The number of calls.
    pub calls: u64,
    /// The share of all calls, from 0 to 1.
    pub share: f64,
    /// The number of bytes of the messages; `None` if the trace does not contain message sizes.
    pub bytes: Option<u64>,
    /// The share of all bytes, from 0 to 1.
    pub share_of_bytes: Option<f64>,
}

/// A process and its node in the topology.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeJson {
    /// The rank of the process.
    pub rank: u64,
    /// The node of the process.
    pub node: u32,
    /// The coordinates of the node.
    pub coordinates: Vec<u32>,
    /// The share of reproduced calls among all calls that the process makes or the program contains, from 0 to 1.
    pub accuracy: f64,
}

fn share(part: u64, all: u64) -> f64 {
    if all == 0 {
        0.0
    } else {
        part as f64 / all as f64
    }
}

/// Returns a logical program in the form of its JSON document.
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

/// Returns a constant as a number, and other numbers as the text of a function of the indices.
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

//! Converts logical programs to JSON, as described by `schemas/logical.schema.json`.

use serde::Serialize;

use super::{direction, function, of_action, only, operation, ranks_of};
use crate::find::{Account, LogicalReport};
use crate::model::{Action, Call, Construct, Distribution, Guard, Logical, Number};

/// A logical program in the form of its JSON document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LogicalJson {
    /// The number of processes.
    pub processes: usize,
    /// The name of the topology that the processes are mapped to.
    pub topology: String,
    /// The sizes of the dimensions of the topology.
    #[cfg_attr(feature = "schema", schemars(inner(range(min = 1))))]
    pub dims: Vec<u32>,
    /// The names of all topologies that match the program, the simplest one first.
    pub isomorphic: Vec<String>,
    /// The directions of the topology. In a trace of the program, peers are indices into this list.
    pub directions: Vec<DirectionJson>,
    /// The number of calls of the program, for a process that skips none.
    pub records: u64,
    /// The number of calls and loops as written.
    pub terms: u64,
    /// The number of loops as written.
    pub loops: u64,
    /// The number of records per term.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub ratio: f64,
    /// The number of different programs that the processes have, with directions as peers.
    pub parts: usize,
    /// The share of reproduced calls among all calls that processes make or the program contains, from 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub accuracy: f64,
    /// The number of calls of all processes: messages sent and received, and collective operations.
    pub calls: u64,
    /// The number of these calls that the program contains, in the same order.
    pub reproduced: u64,
    /// The number of these calls that the program does not contain.
    pub missing: u64,
    /// The number of calls that the program prescribes and the processes do not make.
    pub added: u64,
    /// Calls whose peer is not a neighbour in the topology.
    pub outside: OutsideJson,
    /// The node of each process, and the accuracy of the program for the process, in the order of ranks.
    pub nodes: Vec<NodeJson>,
    /// The resolution of all times, in ticks per second.
    pub ticks_per_second: u64,
    /// The duration of the trace in the process that begins last, in ticks; null if times were not measured.
    pub ticks: Option<u64>,
    /// The calls and loops of the program.
    pub program: Vec<ConstructJson>,
}

/// A direction of the topology.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct DirectionJson {
    /// The name of the direction.
    pub name: String,
    /// The names of the directions that lead back.
    pub reverse: Vec<String>,
}

/// Calls whose peer is not a neighbour in the topology.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct OutsideJson {
    /// The number of calls.
    pub calls: u64,
    /// The share of all calls, from 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub share: f64,
    /// The number of bytes of the messages; null if the trace does not contain message sizes.
    pub bytes: Option<u64>,
    /// The share of all bytes, from 0 to 1; null if the trace does not contain message sizes.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub share_of_bytes: Option<f64>,
}

/// A process and its node in the topology.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct NodeJson {
    /// The rank of the process.
    pub rank: u64,
    /// The node of the process.
    pub node: u32,
    /// The coordinates of the node; the last one grows fastest.
    pub coordinates: Vec<u32>,
    /// The share of reproduced calls among all calls that the process makes or the program contains, from 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub accuracy: f64,
}

/// A call or a loop of the program.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
#[serde(untagged)]
pub enum ConstructJson {
    /// A loop.
    Loop {
        /// The loop.
        r#loop: LoopJson,
    },
    /// A call.
    Call(Box<CallJson>),
}

/// A loop of the program.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LoopJson {
    /// The body of the loop.
    pub body: Vec<ConstructJson>,
    /// The number of iterations.
    pub count: NumberJson,
}

/// A number, or a function of the indices of the enclosing loops; i0 is the index of the outermost loop.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum NumberJson {
    /// A number that is the same in every iteration.
    Constant(i64),
    /// A function of the indices.
    Function(String),
}

/// A call: a send, a receive or a collective operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        deny_unknown_fields,
        extend("oneOf" = [
            { "required": ["send"] },
            { "required": ["receive"] },
            { "required": ["collective"] },
        ])
    )
)]
pub struct CallJson {
    /// The bytes of its messages, if they were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "DistributionJson"))]
    pub bytes: Option<DistributionJson>,
    /// The collective operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub collective: Option<String>,
    /// The ticks in the call, if they were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "DistributionJson"))]
    pub communicating: Option<DistributionJson>,
    /// The communicator, unless it is that of all processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub communicator: Option<String>,
    /// The ticks outside of MPI before the call, if they were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "DistributionJson"))]
    pub computing: Option<DistributionJson>,
    /// The condition for executing the call, unless all processes with a neighbour in the direction execute it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub only: Option<String>,
    /// The ranks that execute the call, if no condition on neighbours distinguishes them from the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<u64>"))]
    pub ranks: Option<Vec<u64>>,
    /// The direction that a message comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub receive: Option<String>,
    /// The root of the collective operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "NumberJson"))]
    pub root: Option<NumberJson>,
    /// The direction that a message is sent to; processes without a neighbour there skip the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub send: Option<String>,
    /// The tag of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "NumberJson"))]
    pub tag: Option<NumberJson>,
    /// The range of the tags, if tags depend on the process or the iteration; then the tag is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "TagsJson"))]
    pub tags: Option<TagsJson>,
}

/// The range of the tags of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct TagsJson {
    /// The greatest tag.
    pub greatest: u64,
    /// The least tag.
    pub least: u64,
}

/// The distribution of a quantity over all processes and iterations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct DistributionJson {
    /// The number of values.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub count: u64,
    /// 33 evenly spaced quantiles; the first is the least value, the last is the greatest value.
    pub quantiles: Vec<u64>,
    /// The sum of the values.
    pub sum: u64,
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
pub fn logical_json(made: &LogicalReport) -> LogicalJson {
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

fn constructs(logical: &Logical, program: &[Construct]) -> Vec<ConstructJson> {
    let constructs = program.iter().map(|construct| match construct {
        Construct::Call(call) => ConstructJson::Call(Box::new(self::call(logical, call))),
        Construct::Loop(inner) => ConstructJson::Loop {
            r#loop: LoopJson {
                body: constructs(logical, &inner.body),
                count: number(&inner.count),
            },
        },
    });
    constructs.collect()
}

/// Returns a constant as a number, and other numbers as the text of a function of the indices.
fn number(number: &Number) -> NumberJson {
    if number.growth.is_empty() {
        NumberJson::Constant(number.base)
    } else {
        NumberJson::Function(function(number).to_string())
    }
}

fn call(logical: &Logical, call: &Call) -> CallJson {
    let mut json = CallJson {
        communicator: of_action(logical, &call.action),
        only: call.guard.map(|guard| only(logical, guard)),
        tags: call
            .tags
            .map(|(least, greatest)| TagsJson { greatest, least }),
        ..CallJson::default()
    };
    match &call.action {
        Action::Send {
            direction: to, tag, ..
        } => {
            json.send = Some(direction(logical, to));
            json.tag = tag.as_ref().map(number);
        }
        Action::Receive {
            direction: from,
            tag,
            ..
        } => {
            json.receive = Some(direction(logical, from));
            json.tag = tag.as_ref().map(number);
        }
        Action::Collective {
            operation: code,
            root,
            ..
        } => {
            json.collective = Some(operation(*code));
            json.root = root.as_ref().map(number);
        }
    }
    if let Some(Guard::Role(role)) = call.guard {
        json.ranks = Some(ranks_of(logical, role));
    }
    if let Some(measured) = logical.measured.get(call.number as usize) {
        json.bytes = distribution(&measured.bytes);
        json.computing = distribution(&measured.computing);
        json.communicating = distribution(&measured.communicating);
    }
    json
}

fn distribution(values: &Distribution) -> Option<DistributionJson> {
    (values.count > 0).then(|| DistributionJson {
        count: values.count,
        quantiles: values.quantiles.clone(),
        sum: values.sum,
    })
}

//! Exports the model of a program as JSON, as described in `schemas/program.schema.json`.

use std::collections::BTreeMap;

use foldtrace_fold::merge::{Construct, End, Kind, Link, Member, Placed, Process, System};
use foldtrace_fold::{EventConstruct, Polynomial};
use foldtrace_matching::Wire;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{ProgramLabels, number};
use crate::local::event;

/// The model of a program, as it is written to JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramLoops {
    /// Always `None`, because the model covers all processes.
    pub location: Option<u64>,
    /// The processes.
    pub processes: Vec<ProcessEntry>,
    /// The selection of events that were folded: `all` or `comm`.
    pub selection: String,
    /// The number of events.
    pub events: u64,
    /// The number of events, collective operations and loops as written.
    pub terms: u64,
    /// The number of loops as written.
    pub loops: u64,
    /// The nesting depth of the loops.
    pub depth: u64,
    /// The number of events in loops.
    pub events_in_loops: u64,
    /// The number of ends of messages and collective operations whose other end is not in the trace.
    pub dangling: u64,
    /// The channels between processes.
    pub channels: Vec<Value>,
    /// Messages between constructs.
    pub links: Vec<Value>,
    /// The constructs.
    pub model: Vec<Value>,
}

/// A process of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessEntry {
    /// The id of its location.
    pub location: u64,
    /// The name of the process as users know it.
    pub label: String,
    /// The number of its events.
    pub events: u64,
}

/// Converts the model of a program to JSON.
#[must_use]
pub fn program_json(words: &ProgramLabels<'_>) -> ProgramLoops {
    let (program, model) = (words.program, &words.program.model);
    let processes = model.processes().map(|process| ProcessEntry {
        location: program.location(process).0,
        label: words.process(process),
        events: model.events[process.index()],
    });
    // At most one end of a channel can be left over.
    let dangling: BTreeMap<_, _> = model
        .system
        .open()
        .map(|(end, n)| (end.channel(), (end, n)))
        .collect();
    let channels = program.wires.iter().map(|(channel, wire)| {
        let mut value = match wire {
            Wire::Messages {
                sender,
                receiver,
                tag,
            } => json!({ "sender": sender, "receiver": receiver, "tag": tag }),
            Wire::Collectives { communicator } => json!({ "communicator": communicator }),
        };
        if let (Some((end, messages)), Value::Object(object)) = (dangling.get(&channel), &mut value)
        {
            let side = side(*end);
            object.insert(
                "dangling".to_owned(),
                json!({ "end": side, "messages": messages }),
            );
        }
        value
    });
    let placed = model.system.places();
    ProgramLoops {
        location: None,
        processes: processes.collect(),
        selection: program.selection.name().to_owned(),
        events: model.events.iter().sum(),
        terms: model.system.terms(),
        loops: model.system.loops(),
        depth: model.system.depth(),
        events_in_loops: model.events_in_loops(),
        dangling: model.dangling(),
        channels: channels.collect(),
        links: links(&model.system, &[]),
        model: system(
            words,
            &model.system,
            &placed,
            &mut Vec::new(),
            &mut Vec::new(),
        ),
    }
}

fn side(end: End) -> &'static str {
    if end.is_source() { "source" } else { "sink" }
}

/// The position of a construct in each process: its start, and the increment per index of each enclosing loop.
type Origin = Vec<(Process, Polynomial)>;

fn system(
    words: &ProgramLabels<'_>,
    system: &System,
    placed: &[Placed],
    path: &mut Vec<usize>,
    origins: &mut Vec<Origin>,
) -> Vec<Value> {
    let mut nodes = Vec::with_capacity(system.constructs.len());
    for (index, (construct, placed)) in system.constructs.iter().zip(placed).enumerate() {
        path.push(index + 1);
        let positions = positions(construct, placed, origins.last());
        let mut node = Map::new();
        let mut set = |key: &str, value: Value| node.insert(key.to_owned(), value);
        set("construct", Value::from(number(path)));
        set(
            "processes",
            construct.processes.iter().map(|p| p.0).collect(),
        );
        set("clock", Value::from(construct.clock));
        set(
            "position",
            positions.iter().map(|(_, at)| value(at)).collect(),
        );
        set(
            "length",
            placed.places.iter().map(|place| place.length).collect(),
        );
        match &construct.kind {
            Kind::Event(member) => set("event", member_json(words, *member)),
            Kind::Collective { members, .. } => {
                let members = members.iter().map(|&member| member_json(words, member));
                set("collective", members.collect())
            }
            Kind::Loop { count, body } => {
                let depth = origins.len();
                let iterations = placed.places.iter().map(|place| place.iteration);
                let iterations: Vec<u64> = iterations.collect();
                let begins = positions.into_iter().zip(&iterations);
                let begins = begins.map(|((process, at), &iteration)| {
                    let step = Polynomial::affine(0, [(depth, iteration as i64)]);
                    (process, at.add(&step))
                });
                origins.push(begins.collect());
                let inner = self::system(words, body, &placed.body, path, origins);
                origins.pop();
                let links = links(body, path);
                let value = json!({
                    "count": count, "iteration": iterations, "links": links, "body": inner,
                });
                set("loop", value)
            }
        };
        nodes.push(Value::Object(node));
        path.pop();
    }
    nodes
}

/// Returns the position of an instance of a construct in each of its processes.
fn positions(construct: &Construct, placed: &Placed, origin: Option<&Origin>) -> Origin {
    let places = construct.processes.iter().zip(&placed.places);
    let places = places.map(|(&process, place)| {
        let own = Polynomial::constant(place.position as i64);
        let base = origin.and_then(|origin| {
            let index = origin.binary_search_by_key(&process, |(process, _)| *process);
            Some(&origin.get(index.ok()?)?.1)
        });
        (process, base.map_or(own.clone(), |base| base.add(&own)))
    });
    places.collect()
}

fn value(position: &Polynomial) -> Value {
    let constant = position.as_constant();
    constant.map_or_else(|| Value::from(position.to_string()), Value::from)
}

/// Converts the messages between constructs of a system to JSON; `path` is the path to the system.
fn links(system: &System, path: &[usize]) -> Vec<Value> {
    let number = |index: u32| number(&[path, &[index as usize + 1]].concat());
    let links = system.links.iter().map(|link| {
        let Link {
            from,
            to,
            channel,
            messages,
        } = *link;
        json!({
            "from": number(from), "to": number(to), "channel": channel.0, "messages": messages,
        })
    });
    links.collect()
}

/// Converts an event to JSON, together with its ends of channels.
fn member_json(words: &ProgramLabels<'_>, member: Member) -> Value {
    let context = words.context(member.process);
    let mut value = event(
        &context,
        &EventConstruct {
            symbol: member.symbol,
            steps: Vec::new(),
        },
    );
    let role = words
        .program
        .wires
        .wiring
        .role(member.process, member.symbol);
    if let (Some(role), Value::Object(object)) = (role, &mut value) {
        let ends = role.ends.iter();
        let ends = ends.map(|end| json!({ "channel": end.channel().0, "end": side(*end) }));
        object.insert("ends".to_owned(), ends.collect());
        if role.synchronises {
            object.insert("synchronises".to_owned(), Value::from(true));
        }
    }
    value
}

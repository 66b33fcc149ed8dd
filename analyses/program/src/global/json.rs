//! Exports the model of a program as JSON, as described in `schemas/program.schema.json`.
//!
//! Fields of constructs are in alphabetical order, as they are written.

use std::collections::BTreeMap;

use foldtrace_fold::merge::{
    Channel, Construct, End, Kind, Link, LoopStep, Member, Placed, Process, System,
};
use foldtrace_fold::{EventConstruct, Polynomial, Step};
use foldtrace_matching::Wire;
use serde::{Deserialize, Serialize, Serializer};

use super::{ProgramLabels, number};
use crate::json::{EventJson, Field, NumberJson};

/// The pattern of the number of a construct: the numbers of the enclosing loops and its own, from 1.
#[cfg(feature = "schema")]
const CONSTRUCT: &str = r"^[1-9][0-9]*(\.[1-9][0-9]*)*$";

/// The model of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ProgramJson {
    /// Null: the model covers all processes.
    #[cfg_attr(feature = "schema", schemars(with = "()"))]
    pub location: Option<u64>,
    /// The processes; other fields refer to them by their index in this list.
    pub processes: Vec<ProcessJson>,
    /// The selection of events that were folded: all, or communication only.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = crate::json::schema::SELECTIONS)))]
    pub selection: String,
    /// The number of folded events of all processes.
    pub events: u64,
    /// The number of events, collective operations and loops in the text form.
    pub terms: u64,
    /// The number of loops in the text form.
    pub loops: u64,
    /// The nesting depth of the loops.
    pub depth: u64,
    /// The number of events in loops.
    pub events_in_loops: u64,
    /// The number of ends of messages and collective operations whose other end is not in the trace.
    pub dangling: u64,
    /// The channels between processes, in the order of their numbers; channels of messages first.
    pub channels: Vec<ChannelJson>,
    /// Messages between constructs, and collective operations that could not be joined.
    pub links: Vec<LinkJson>,
    /// The constructs, in an order that preserves the order of each process.
    pub model: Vec<ConstructJson>,
}

/// A process of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ProcessJson {
    /// The id of its location.
    pub location: u64,
    /// The name of the location on the command line: RANK for the first location of a process, RANK.THREAD for the
    /// others, @ID without a process.
    pub label: String,
    /// The number of its folded events.
    pub events: u64,
}

/// An ordered queue between two processes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
#[serde(
    untagged,
    expecting = "expected a channel: a sender, a receiver and a tag, or a communicator"
)]
pub enum ChannelJson {
    /// The messages from a sender to a receiver with one tag.
    Messages {
        /// The messages that are sent, but not received, or the other way round.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "DanglingJson"))]
        dangling: Option<DanglingJson>,
        /// The rank of the receiver in the program; null if unknown.
        #[serde(deserialize_with = "Option::deserialize")]
        receiver: Option<u64>,
        /// The rank of the sender in the program; null if unknown.
        #[serde(deserialize_with = "Option::deserialize")]
        sender: Option<u64>,
        /// The tag; null if unknown, or if the channel is for all tags.
        #[serde(deserialize_with = "Option::deserialize")]
        tag: Option<u64>,
    },
    /// The collective operations of two neighbours in a communicator.
    Collectives {
        /// The communicator, or that of the window.
        #[serde(deserialize_with = "Option::deserialize")]
        communicator: Option<u64>,
        /// The operations in which only one of the neighbours takes part.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "DanglingJson"))]
        dangling: Option<DanglingJson>,
    },
}

/// The end of a channel: where messages are sent or received; the first or the second of two neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Where messages are sent, or the first neighbour.
    Source,
    /// Where messages are received, or the second neighbour.
    Sink,
}

impl From<End> for Side {
    fn from(end: End) -> Self {
        if end.is_source() {
            Self::Source
        } else {
            Self::Sink
        }
    }
}

/// Messages or collective operations without their other end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct DanglingJson {
    /// The end that they have.
    pub end: Side,
    /// Their number.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub messages: u64,
}

/// Messages between two constructs of one system, in one iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LinkJson {
    /// The number of the channel.
    pub channel: u32,
    /// The number of the sending construct: the numbers of the enclosing loops and its own, from 1.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = CONSTRUCT)))]
    pub from: String,
    /// The number of messages.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub messages: u64,
    /// The number of the receiving construct.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = CONSTRUCT)))]
    pub to: String,
}

/// An event, a collective operation or a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(
        deny_unknown_fields,
        extend("oneOf" = [{ "required": ["event"] }, { "required": ["collective"] }, { "required": ["loop"] }]),
    )
)]
pub struct ConstructJson {
    /// Lamport's clock from the start of the system: greater than that of all constructs that must come before.
    pub clock: u32,
    /// A collective operation: the event of each of its processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Vec<MemberJson>", length(min = 1))
    )]
    pub collective: Option<Vec<MemberJson>>,
    /// The number of the construct: the numbers of the enclosing loops and its own, from 1.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = CONSTRUCT)))]
    pub construct: String,
    /// The event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "MemberJson"))]
    pub event: Option<MemberJson>,
    /// The number of events of one instance, by process.
    pub length: Vec<u64>,
    /// The loop.
    #[serde(rename = "loop", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "LoopJson"))]
    pub repeated: Option<LoopJson>,
    /// The 0-based position of an instance among the folded events of each of its processes.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Vec<crate::json::schema::Polynomial>")
    )]
    pub position: Vec<NumberJson>,
    /// The processes whose events it contains, in order.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub processes: Vec<u32>,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LoopJson {
    /// The body, in an order that preserves the order of each process.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub body: Vec<ConstructJson>,
    /// The number of iterations.
    #[cfg_attr(feature = "schema", schemars(range(min = 2)))]
    pub count: u64,
    /// The number of events of one iteration, by process.
    pub iteration: Vec<u64>,
    /// Messages between constructs of the body, and collective operations that could not be joined.
    pub links: Vec<LinkJson>,
}

/// An event of one process, with its ends of channels.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct MemberJson {
    /// The ends of channels at this event: one for a message, one for each neighbour of a collective operation. An event
    /// without any has no such field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<EndJson>", length(max = 2)))]
    pub ends: Option<Vec<EndJson>>,
    /// The event.
    #[serde(flatten)]
    pub event: EventJson,
    /// Whether the collective operation synchronises: no process leaves it before all have entered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub synchronises: bool,
}

/// An end of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct EndJson {
    /// The number of the channel.
    pub channel: u32,
    /// Which end it is.
    pub end: Side,
}

impl EndJson {
    /// Returns the end of the channel.
    pub(crate) const fn end(&self) -> End {
        let channel = Channel(self.channel);
        match self.end {
            Side::Source => channel.source(),
            Side::Sink => channel.sink(),
        }
    }
}

/// A field of an event.
#[derive(Serialize)]
#[serde(untagged)]
enum MemberField<'a> {
    Event(Field<'a>),
    Ends(&'a [EndJson]),
    Synchronises(bool),
}

impl Serialize for MemberJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.event.fields().into_iter();
        let mut fields: BTreeMap<_, _> = fields
            .map(|(name, field)| (name, MemberField::Event(field)))
            .collect();
        if let Some(ends) = &self.ends {
            fields.insert("ends", MemberField::Ends(ends));
        }
        if self.synchronises {
            fields.insert("synchronises", MemberField::Synchronises(true));
        }
        serializer.collect_map(fields)
    }
}

/// Converts the model of a program to JSON.
#[must_use]
pub fn program_json(words: &ProgramLabels<'_>) -> ProgramJson {
    let (program, model) = (words.program, &words.program.model);
    let processes = model.processes().map(|process| ProcessJson {
        location: program.location(process).0,
        label: words.process(process),
        events: model.events[process.index()],
    });
    // At most one end of a channel can be left over.
    let dangling = model.system.open().map(|(end, messages)| {
        let json = DanglingJson {
            end: end.into(),
            messages,
        };
        (end.channel(), json)
    });
    let mut dangling: BTreeMap<_, _> = dangling.collect();
    let channels = program.wires.iter().map(|(channel, wire)| {
        let dangling = dangling.remove(&channel);
        match *wire {
            Wire::Messages {
                sender,
                receiver,
                tag,
            } => ChannelJson::Messages {
                dangling,
                receiver,
                sender,
                tag,
            },
            Wire::Collectives { communicator } => ChannelJson::Collectives {
                communicator,
                dangling,
            },
        }
    });
    let placed = model.system.places();
    ProgramJson {
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

/// The position of a construct in each process: its start, and the increment per index of each enclosing loop.
type Origin = Vec<(Process, Polynomial)>;

fn system(
    words: &ProgramLabels<'_>,
    system: &System,
    placed: &[Placed],
    path: &mut Vec<usize>,
    origins: &mut Vec<Origin>,
) -> Vec<ConstructJson> {
    let mut constructs = Vec::with_capacity(system.constructs.len());
    for (index, (construct, placed)) in system.constructs.iter().zip(placed).enumerate() {
        path.push(index + 1);
        let positions = positions(construct, placed, origins.last());
        let mut json = ConstructJson {
            clock: construct.clock,
            collective: None,
            construct: number(path),
            event: None,
            length: placed.places.iter().map(|place| place.length).collect(),
            repeated: None,
            position: positions.iter().map(|(_, at)| at.into()).collect(),
            processes: construct.processes.iter().map(|p| p.0).collect(),
        };
        match &construct.kind {
            Kind::Event { member, steps } => {
                let steps = LoopStep::steps(steps, origins.len() as u16);
                json.event = Some(member_json(words, *member, steps));
            }
            Kind::Collective { members, .. } => {
                let members = members.iter();
                let members = members.map(|&member| member_json(words, member, Vec::new()));
                json.collective = Some(members.collect());
            }
            Kind::Loop { count, body } => {
                let depth = origins.len();
                let iterations = placed.places.iter().map(|place| place.iteration);
                let iteration: Vec<u64> = iterations.collect();
                let begins = positions.into_iter().zip(&iteration);
                let begins = begins.map(|((process, at), &iteration)| {
                    let step = Polynomial::affine(0, [(depth, iteration as i64)]);
                    (process, at.add(&step))
                });
                origins.push(begins.collect());
                let inner = self::system(words, body, &placed.body, path, origins);
                origins.pop();
                json.repeated = Some(LoopJson {
                    body: inner,
                    count: *count,
                    iteration,
                    links: links(body, path),
                });
            }
        }
        constructs.push(json);
        path.pop();
    }
    constructs
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

/// Converts the messages between constructs of a system to JSON; `path` is the path to the system.
fn links(system: &System, path: &[usize]) -> Vec<LinkJson> {
    let number = |index: u32| number(&[path, &[index as usize + 1]].concat());
    let links = system.links.iter().map(|link| {
        let Link {
            from,
            to,
            channel,
            messages,
        } = *link;
        LinkJson {
            channel: channel.0,
            from: number(from),
            messages,
            to: number(to),
        }
    });
    links.collect()
}

/// Converts an event to JSON, together with its ends of channels.
fn member_json(words: &ProgramLabels<'_>, member: Member, steps: Vec<Step>) -> MemberJson {
    let symbol = member.symbol;
    let construct = EventConstruct { symbol, steps };
    let wiring = &words.program.wires.wiring;
    let role = wiring.role(member.process, member.symbol);
    let ends = role.map(|role| {
        let ends = role.ends.iter().map(|&end| EndJson {
            channel: end.channel().0,
            end: end.into(),
        });
        ends.collect()
    });
    MemberJson {
        ends,
        event: EventJson::new(&words.context(member.process), &construct),
        synchronises: role.is_some_and(|role| role.synchronises),
    }
}

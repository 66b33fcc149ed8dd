//! Exports loop models as JSON, as described in `schemas/loops.schema.json`.

use foldtrace_fold::{Construct, Layout, Model, Placed};
use foldtrace_trace::{LocationId, Names, SymbolTable};
use serde::{Deserialize, Serialize};

use super::Context;
use crate::json::{EventJson, NumberJson};

/// The model of a location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LoopsJson {
    /// The id of the location.
    pub location: u64,
    /// The name of the location on the command line: RANK for the first location of a process, RANK.THREAD for the
    /// others, @ID without a process.
    #[cfg_attr(
        feature = "schema",
        schemars(regex(pattern = r"^([0-9]+(\.[0-9]+)?|@[0-9]+)$"))
    )]
    pub label: String,
    /// The selection of events that were folded: all, or communication only.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = crate::json::schema::SELECTIONS)))]
    pub selection: String,
    /// The number of folded events.
    pub events: u64,
    /// The number of events and loops in the text form.
    pub terms: u64,
    /// The number of loops in the text form.
    pub loops: u64,
    /// The constructs, in order.
    pub model: Vec<ConstructJson>,
}

/// An event or a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(deny_unknown_fields, extend("oneOf" = [{ "required": ["event"] }, { "required": ["loop"] }]))
)]
pub struct ConstructJson {
    /// The event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "EventJson"))]
    pub event: Option<EventJson>,
    /// The number of events of one instance; 1 for an event.
    #[cfg_attr(feature = "schema", schemars(with = "crate::json::schema::Polynomial"))]
    pub length: NumberJson,
    /// The loop.
    #[serde(rename = "loop", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "LoopJson"))]
    pub repeated: Option<LoopJson>,
    /// The 0-based position of an instance among the folded events of the location.
    #[cfg_attr(feature = "schema", schemars(with = "crate::json::schema::Polynomial"))]
    pub position: NumberJson,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct LoopJson {
    /// The body, in order.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub body: Vec<ConstructJson>,
    /// The number of iterations.
    #[cfg_attr(feature = "schema", schemars(with = "crate::json::schema::Affine"))]
    pub count: NumberJson,
    /// The number of events of one iteration; the index of the loop itself may be among its variables.
    #[cfg_attr(feature = "schema", schemars(with = "crate::json::schema::Polynomial"))]
    pub iteration: NumberJson,
}

/// Converts the model of a location to JSON. `symbols` is the table that the model's symbols refer to.
#[must_use]
pub fn loops_json(
    names: &Names,
    symbols: &SymbolTable,
    location: LocationId,
    selection: &str,
    model: &Model,
) -> LoopsJson {
    let context = Context {
        names,
        symbols,
        location,
    };
    let layout = Layout::new(model);
    LoopsJson {
        location: location.0,
        label: names.label(location),
        selection: selection.to_owned(),
        events: model.events,
        terms: model.terms(),
        loops: model.loops(),
        model: sequence(&context, &model.constructs, &layout.constructs),
    }
}

fn sequence(
    context: &Context<'_>,
    constructs: &[Construct],
    placed: &[Placed],
) -> Vec<ConstructJson> {
    let placed = constructs.iter().zip(placed);
    let constructs = placed.map(|(construct, place)| {
        let (event, repeated) = match construct {
            Construct::Event(event) => (Some(EventJson::new(context, event)), None),
            Construct::Loop(l) => {
                let repeated = LoopJson {
                    body: sequence(context, &l.body, &place.body),
                    count: (&l.count.polynomial()).into(),
                    iteration: (&place.iteration).into(),
                };
                (None, Some(repeated))
            }
        };
        ConstructJson {
            event,
            length: (&place.length).into(),
            repeated,
            position: (&place.position).into(),
        }
    });
    constructs.collect()
}

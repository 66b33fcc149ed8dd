//! Exports loop models as JSON, as described in `schemas/loops.schema.json`.

use foldtrace_fold::{Construct, EventConstruct, Layout, Model, Placed, Polynomial};
use foldtrace_trace::{
    COLLECTIVES, DefinitionKind, LocationId, Names, Operand, SymbolTable, SymbolText,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Context;

/// The loops of one location.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocationLoops {
    /// The id of the location.
    pub location: u64,
    /// The name of the location as users know it.
    pub label: String,
    /// The selection of events that were folded: `all` or `comm`.
    pub selection: String,
    /// The number of events.
    pub events: u64,
    /// The number of events and loops as written.
    pub terms: u64,
    /// The number of loops as written.
    pub loops: u64,
    /// The constructs.
    pub model: Vec<Value>,
}

/// Converts the model of a location to JSON. `symbols` is the table that the model's symbols refer to.
#[must_use]
pub fn loops_json(
    names: &Names,
    symbols: &SymbolTable,
    location: LocationId,
    selection: &str,
    model: &Model,
) -> LocationLoops {
    let context = Context {
        names,
        symbols,
        location,
    };
    let layout = Layout::new(model);
    LocationLoops {
        location: location.0,
        label: names.label(location),
        selection: selection.to_owned(),
        events: model.events,
        terms: model.terms(),
        loops: model.loops(),
        model: sequence(&context, &model.constructs, &layout.constructs),
    }
}

fn sequence(context: &Context<'_>, constructs: &[Construct], placed: &[Placed]) -> Vec<Value> {
    constructs
        .iter()
        .zip(placed)
        .map(|(construct, place)| {
            let mut node = Map::new();
            match construct {
                Construct::Event(construct) => {
                    node.insert("event".to_owned(), event(context, construct));
                }
                Construct::Loop(l) => {
                    let body = sequence(context, &l.body, &place.body);
                    let count = number(&l.count.polynomial());
                    let iteration = number(&place.iteration);
                    let value = json!({ "count": count, "iteration": iteration, "body": body });
                    node.insert("loop".to_owned(), value);
                }
            }
            node.insert("position".to_owned(), number(&place.position));
            node.insert("length".to_owned(), number(&place.length));
            Value::Object(node)
        })
        .collect()
}

/// Returns a constant as a number, and any other function of the loop indices as text.
fn number(polynomial: &Polynomial) -> Value {
    polynomial
        .as_constant()
        .map_or_else(|| Value::from(polynomial.to_string()), Value::from)
}

/// Converts a symbol with its operands to JSON. Its text is the line of the text format, with `{operand}` for
/// operands that are functions of the loop indices.
pub(crate) fn event(context: &Context<'_>, construct: &EventConstruct) -> Value {
    let id = construct.symbol;
    let symbol = context.symbols.symbol(id);
    let functions = construct.functions(&symbol);
    let mut object = Map::new();
    object.insert("symbol".to_owned(), Value::from(id.0));
    object.insert("kind".to_owned(), Value::from(symbol.kind.name()));
    for &operand in symbol.kind.operands() {
        let function = functions
            .iter()
            .find(|(_, o, _)| *o == operand)
            .map(|(_, _, f)| number(f));
        if let Some(value) = function.or_else(|| symbol.get(operand).map(Value::from)) {
            object.insert(operand.name().to_owned(), value);
        }
    }
    let region = symbol.get(Operand::Region);
    let name = region
        .and_then(|id| context.names.name(DefinitionKind::Region, id))
        .or_else(|| {
            symbol
                .get(Operand::Operation)
                .and_then(|code| COLLECTIVES.name(code))
        });
    if let Some(name) = name {
        object.insert("name".to_owned(), Value::from(name));
    }
    let holes: Vec<_> = functions
        .iter()
        .map(|(slot, o, _)| (*slot, format!("{{{o}}}")))
        .collect();
    let text = SymbolText::new(context.names, context.location, symbol);
    let text = SymbolText {
        functions: &holes,
        exact: true,
        ..text
    }
    .to_string();
    object.insert("text".to_owned(), Value::from(text));
    Value::Object(object)
}

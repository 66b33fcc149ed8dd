//! Numbers and events as JSON, in the models of locations and of programs.
//!
//! Fields are in alphabetical order, as they are written.

use std::collections::BTreeMap;

use foldtrace_fold::{EventConstruct, Polynomial};
use foldtrace_trace::{COLLECTIVES, DefinitionKind, Operand, SymbolText};
use serde::{Deserialize, Serialize, Serializer};

use crate::local::Context;

/// A number that is the same in every iteration, or else a function of the indices of the enclosing loops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number or a function of the loop indices"
)]
pub enum NumberJson {
    /// A constant.
    Constant(serde_json::Number),
    /// The text of a function, such as `3-i2+644*i0`; `i0` is the index of the outermost loop.
    Function(String),
}

impl From<u64> for NumberJson {
    fn from(number: u64) -> Self {
        Self::Constant(number.into())
    }
}

impl From<&Polynomial> for NumberJson {
    fn from(polynomial: &Polynomial) -> Self {
        polynomial.as_constant().map_or_else(
            || Self::Function(polynomial.to_string()),
            |constant| Self::Constant(constant.into()),
        )
    }
}

/// A symbol with the operands of its kind; undefined operands are left out.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct EventJson {
    /// The name of the kind of event.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "foldtrace_store::json_schema::KindName")
    )]
    pub kind: String,
    /// The name of the region or the collective operation, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub name: Option<String>,
    /// The symbol where the indices of all enclosing loops are 0: a row of symbols.parquet.
    pub symbol: u32,
    /// The event in the text format, with {operand} for each operand that is a function of the loop indices.
    pub text: String,
    /// The operands by name.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::operands"))]
    pub operands: BTreeMap<String, NumberJson>,
}

/// A field of an event.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Field<'a> {
    Number(&'a NumberJson),
    Symbol(u32),
    Text(&'a str),
}

impl EventJson {
    /// Converts an event of a model.
    pub(crate) fn new(context: &Context<'_>, construct: &EventConstruct) -> Self {
        let id = construct.symbol;
        let symbol = context.symbols.symbol(id);
        let functions = construct.functions(&symbol);
        let operands = symbol.kind.operands().iter().filter_map(|&operand| {
            let function = functions.iter().find(|(_, o, _)| *o == operand);
            let number = match function {
                Some((_, _, function)) => NumberJson::from(function),
                None => NumberJson::from(symbol.get(operand)?),
            };
            Some((operand.name().to_owned(), number))
        });
        let region = symbol.get(Operand::Region);
        let name = region
            .and_then(|id| context.names.name(DefinitionKind::Region, id))
            .or_else(|| COLLECTIVES.name(symbol.get(Operand::Operation)?));
        let holes: Vec<_> = functions
            .iter()
            .map(|(slot, operand, _)| (*slot, format!("{{{operand}}}")))
            .collect();
        let text = SymbolText {
            functions: &holes,
            exact: true,
            ..SymbolText::new(context.names, context.location, symbol)
        };
        Self {
            kind: symbol.kind.name().to_owned(),
            name: name.map(str::to_owned),
            symbol: id.row_number(),
            text: text.to_string(),
            operands: operands.collect(),
        }
    }

    /// Returns the fields that the event has, by name.
    pub(crate) fn fields(&self) -> BTreeMap<&str, Field<'_>> {
        let operands = self.operands.iter();
        let mut fields: BTreeMap<&str, Field<'_>> = operands
            .map(|(name, number)| (&**name, Field::Number(number)))
            .collect();
        fields.insert("kind", Field::Text(&self.kind));
        if let Some(name) = &self.name {
            fields.insert("name", Field::Text(name));
        }
        fields.insert("symbol", Field::Symbol(self.symbol));
        fields.insert("text", Field::Text(&self.text));
        fields
    }
}

impl Serialize for EventJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.fields())
    }
}

/// Schemas of numbers and operands.
#[cfg(feature = "schema")]
pub(crate) mod schema {
    use std::borrow::Cow;

    use foldtrace_fold::Selection;
    use foldtrace_trace::Operand;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    /// The names of the selections of events.
    pub(crate) const SELECTIONS: [&str; 2] =
        [Selection::All.name(), Selection::Communication.name()];

    /// A term of a sum: a coefficient with at most one index.
    const AFFINE: &str = r"(([0-9]+\*)?i[0-9]+|[0-9]+)";
    /// A term of a sum: a coefficient with any number of indices.
    const POLYNOMIAL: &str = r"(([0-9]+\*)?i[0-9]+(\*i[0-9]+)*|[0-9]+)";

    /// Returns the regular expression of a sum of terms.
    fn sum(term: &str) -> String {
        format!("-?{term}([+-]{term})*")
    }

    /// A number, or an affine function of the loop indices.
    pub(crate) struct Affine;

    impl JsonSchema for Affine {
        fn schema_name() -> Cow<'static, str> {
            "Affine".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "description": "A number if it is the same in every iteration, otherwise a function of the indices of \
                                the enclosing loops, such as 3-i2+644*i0; i0 is the index of the outermost loop.",
                "oneOf": [
                    { "type": "integer" },
                    { "type": "string", "pattern": format!("^{}$", sum(AFFINE)) },
                ],
            })
        }
    }

    /// A number, or a polynomial in the loop indices.
    pub(crate) struct Polynomial;

    impl JsonSchema for Polynomial {
        fn schema_name() -> Cow<'static, str> {
            "Polynomial".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            let sum = sum(POLYNOMIAL);
            json_schema!({
                "description": "A number if it is the same in every iteration, otherwise a polynomial in the indices \
                                of the enclosing loops, such as 3+644*i0 or (4+7*i0+i0*i0)/2; i0 is the index of the \
                                outermost loop.",
                "oneOf": [
                    { "type": "integer", "minimum": 0 },
                    { "type": "string", "pattern": format!(r"^({sum}|\({sum}\)/[0-9]+)$") },
                ],
            })
        }
    }

    /// Returns the schema of the operands of an event.
    pub(super) fn operands(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = serde_json::Map::new();
        for &operand in Operand::ALL {
            let mut schema = if operand.is_number() {
                generator.subschema_for::<Affine>()
            } else {
                json_schema!({ "type": "integer", "minimum": 0 })
            };
            schema.insert("description".to_owned(), operand.description().into());
            properties.insert(operand.name().to_owned(), schema.to_value());
        }
        json_schema!({ "type": "object", "properties": properties })
    }
}

//! Parts of the JSON Schema of the manifest that documents of other crates share.

use std::borrow::Cow;

use foldtrace_trace::EventKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// The name of a kind of event.
#[derive(Clone, Copy, Debug)]
pub struct KindName;

impl JsonSchema for KindName {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("kind")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        json_schema!({
            "description": "A kind of event, see events.md.",
            "type": "string",
            "enum": names,
        })
    }
}

/// Returns the schema of numbers of events by kind.
pub fn counts_by_kind(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "propertyNames": generator.subschema_for::<KindName>(),
        "additionalProperties": { "type": "integer", "minimum": 1 },
    })
}

/// Returns the schema of numbers of problems by key.
pub fn counts_by_key(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "propertyNames": { "pattern": "^[a-z0-9]+\\.[a-z_]+$" },
        "additionalProperties": { "type": "integer", "minimum": 1 },
    })
}

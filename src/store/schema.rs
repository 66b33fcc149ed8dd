//! The schemas of all tables, as Arrow types; `schemas/store.md` publishes them.

use arrow::datatypes::{DataType, Field, Schema};
use foldtrace_trace::{DefinitionKind, FieldType, Operand, Quantity};

fn required(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, false)
}

fn optional(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, true)
}

fn list(name: &str, item: DataType) -> Field {
    Field::new_list(name, Field::new_list_field(item, false), false)
}

/// A column of few distinct texts.
pub(super) fn word() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

fn location_and_position() -> [Field; 2] {
    [
        required("location", DataType::UInt64),
        required("position", DataType::UInt64),
    ]
}

fn schema(fields: impl IntoIterator<Item = Field>) -> Schema {
    Schema::new(fields.into_iter().collect::<Vec<_>>())
}

/// `topology/part-*.parquet`.
pub(super) fn topology() -> Schema {
    schema(
        location_and_position()
            .into_iter()
            .chain([required("symbol", DataType::UInt32)]),
    )
}

/// The type of a quantity's column.
fn quantity_type(quantity: Quantity) -> DataType {
    if quantity == Quantity::Value {
        DataType::Int64
    } else {
        DataType::UInt64
    }
}

/// `quantity/part-*.parquet`.
pub(super) fn quantity() -> Schema {
    let quantities = Quantity::ALL
        .iter()
        .map(|&q| optional(q.name(), quantity_type(q)));
    let time = [required("time", DataType::UInt64)];
    schema(
        location_and_position()
            .into_iter()
            .chain(time)
            .chain(quantities),
    )
}

/// `metrics/part-*.parquet`: exactly one of the last three columns is set.
pub(super) fn metrics() -> Schema {
    schema(location_and_position().into_iter().chain([
        required("member", DataType::UInt32),
        required("type", word()),
        optional("uint64", DataType::UInt64),
        optional("int64", DataType::Int64),
        optional("double", DataType::Float64),
    ]))
}

/// `attributes/part-*.parquet`.
pub(super) fn attributes() -> Schema {
    schema(location_and_position().into_iter().chain([
        required("attribute", DataType::UInt64),
        required("type", word()),
        required("bits", DataType::UInt64),
    ]))
}

/// `symbols.parquet`.
pub(super) fn symbols() -> Schema {
    let head = [
        required("symbol", DataType::UInt32),
        required("canonical", DataType::UInt32),
        required("kind", word()),
        optional("name", DataType::Utf8),
    ];
    let operands = Operand::ALL
        .iter()
        .map(|o| optional(o.name(), DataType::UInt64));
    schema(head.into_iter().chain(operands))
}

/// `index.parquet`.
pub(super) fn index() -> Schema {
    let wide = ["location", "first_position", "events"];
    let narrow = ["part", "row_group", "row"];
    let beside = [
        "metrics_row",
        "metrics_rows",
        "attributes_row",
        "attributes_rows",
        "block_offset",
        "block_bytes",
    ];
    schema(
        (wide.iter().map(|n| required(n, DataType::UInt64)))
            .chain(narrow.iter().map(|n| required(n, DataType::UInt32)))
            .chain(beside.iter().map(|n| required(n, DataType::UInt64))),
    )
}

/// `definitions/KINDs.parquet`.
pub(super) fn definitions(kind: DefinitionKind) -> Schema {
    let fields = kind.fields().iter().map(|field| {
        let data_type = match field.field_type {
            FieldType::Signed => DataType::Int64,
            FieldType::Double => DataType::Float64,
            _ => DataType::UInt64,
        };
        optional(field.name, data_type)
    });
    let list = kind.list().map(|name| list(name, DataType::UInt64));
    let text = kind.has_text().then(|| required("text", DataType::Utf8));
    schema(
        [required("order", DataType::UInt64)]
            .into_iter()
            .chain(fields)
            .chain(list)
            .chain(text),
    )
}

/// `definitions/ranks.parquet`: the locations as users name them.
pub(super) fn ranks() -> Schema {
    schema([
        required("location", DataType::UInt64),
        optional("rank", DataType::UInt64),
        optional("thread", DataType::UInt64),
        required("label", DataType::Utf8),
        optional("name", DataType::Utf8),
        required("events", DataType::UInt64),
    ])
}

/// `models/loops.parquet`: the constructs of each location's model, outer before inner.
pub(super) fn loops() -> Schema {
    schema([
        required("location", DataType::UInt64),
        required("depth", DataType::UInt16),
        optional("symbol", DataType::UInt32),
        optional("count", DataType::Int64),
        list("step_slot", DataType::UInt8),
        list("step_depth", DataType::UInt16),
        list("step_coefficient", DataType::Int64),
    ])
}

/// `models/dag_nodes.parquet`: nodes of the ordered DAG, children before parents.
pub(super) fn dag_nodes() -> Schema {
    schema([
        required("node", DataType::UInt32),
        required("kind", word()),
        optional("symbol", DataType::UInt32),
        optional("variant", DataType::UInt32),
        required("name", DataType::Utf8),
        required("events", DataType::UInt64),
        required("occurrences", DataType::UInt64),
        required("key", DataType::FixedSizeBinary(32)),
    ])
}

/// `models/dag_edges.parquet`: from parents to children, in order.
pub(super) fn dag_edges() -> Schema {
    schema([
        required("parent", DataType::UInt32),
        required("order", DataType::UInt32),
        required("child", DataType::UInt32),
        required("type", word()),
        required("repetitions", DataType::UInt32),
        required("offset", DataType::UInt64),
    ])
}

/// `models/dag_roots.parquet`: the node of all of each location.
pub(super) fn dag_roots() -> Schema {
    schema([
        required("location", DataType::UInt64),
        required("node", DataType::UInt32),
    ])
}

/// `models/dag_symbols.parquet`: symbols of locations that are not those of their nodes.
pub(super) fn dag_symbols() -> Schema {
    schema([
        required("location", DataType::UInt64),
        required("symbol", DataType::UInt32),
        required("variant", DataType::UInt32),
        required("own_symbol", DataType::UInt32),
    ])
}

/// `models/dag_messages.parquet`: messages between the same two calls.
pub(super) fn dag_messages() -> Schema {
    schema([
        required("message", DataType::UInt32),
        required("send_location", DataType::UInt64),
        required("send_call", DataType::UInt32),
        required("send_node", DataType::UInt32),
        required("receive_location", DataType::UInt64),
        required("receive_call", DataType::UInt32),
        required("receive_node", DataType::UInt32),
        required("messages", DataType::UInt64),
    ])
}

/// `models/dag_message_positions.parquet`: where they are, those at equal distances together.
pub(super) fn dag_message_positions() -> Schema {
    let wide = |name| required(name, DataType::UInt64);
    schema([
        required("message", DataType::UInt32),
        wide("send_position"),
        wide("send_step"),
        wide("receive_position"),
        wide("receive_step"),
        wide("messages"),
    ])
}

/// `models/dag_patterns.parquet`: patterns that users have defined.
pub(super) fn dag_patterns() -> Schema {
    schema([
        required("pattern", DataType::UInt32),
        required("name", DataType::Utf8),
        required("count", DataType::UInt64),
    ])
}

/// `models/dag_pattern_occurrences.parquet`: where they are in child lists.
pub(super) fn dag_pattern_occurrences() -> Schema {
    let wide = |name| required(name, DataType::UInt64);
    schema([
        required("pattern", DataType::UInt32),
        required("node", DataType::UInt32),
        required("order", DataType::UInt32),
        wide("skip"),
        wide("children"),
        wide("offset"),
        wide("events"),
        wide("count"),
    ])
}

/// `diagnostics.parquet`.
pub(super) fn diagnostics() -> Schema {
    schema([
        required("severity", word()),
        required("key", word()),
        required("message", DataType::Utf8),
        optional("hint", DataType::Utf8),
        optional("file", DataType::Utf8),
        optional("byte", DataType::UInt64),
        optional("line", DataType::UInt64),
        optional("location", DataType::UInt64),
        optional("position", DataType::UInt64),
    ])
}

/// `derived/calls/part-*.parquet`.
pub(super) fn calls() -> Schema {
    schema([
        required("location", DataType::UInt64),
        optional("rank", DataType::UInt64),
        optional("thread", DataType::UInt64),
        optional("name", word()),
        optional("region", DataType::UInt64),
        optional("calling_context", DataType::UInt64),
        optional("begin_position", DataType::UInt64),
        optional("end_position", DataType::UInt64),
        optional("start", DataType::UInt64),
        optional("duration", DataType::Int64),
        optional("exclusive", DataType::Int64),
        required("depth", DataType::UInt32),
        optional("parent", DataType::UInt64),
        required("misnested", DataType::Boolean),
    ])
}

/// What `foldtrace steps --table` writes.
pub(super) fn steps() -> Schema {
    let wide = |name| required(name, DataType::UInt64);
    schema([
        wide("location"),
        wide("position"),
        wide("events"),
        required("kind", word()),
        wide("partition"),
        wide("step"),
        wide("start"),
        wide("end"),
        wide("lateness"),
        wide("differential_lateness"),
        optional("class", word()),
    ])
}

/// `derived/messages.parquet`.
pub(super) fn messages() -> Schema {
    let wide = |name| optional(name, DataType::UInt64);
    schema([
        wide("sender"),
        wide("receiver"),
        wide("communicator"),
        wide("receive_communicator"),
        wide("tag"),
        wide("bytes"),
        wide("bytes_received"),
        wide("sent"),
        wide("received"),
        optional("latency", DataType::Int64),
        wide("send_location"),
        wide("send_position"),
        wide("receive_location"),
        wide("receive_position"),
        wide("posted"),
        wide("posted_position"),
        wide("completed"),
        wide("completed_position"),
    ])
}

/// `derived/collectives.parquet`.
pub(super) fn collectives() -> Schema {
    let wide = |name| optional(name, DataType::UInt64);
    schema([
        required("instance", DataType::UInt64),
        required("kind", word()),
        optional("operation", word()),
        wide("communicator"),
        wide("window"),
        required("number", DataType::UInt64),
        wide("root"),
        required("members", DataType::UInt64),
        wide("size"),
        wide("first_begin"),
        wide("last_begin"),
        required("first_end", DataType::UInt64),
        required("last_end", DataType::UInt64),
        wide("bytes"),
        wide("bytes_received"),
    ])
}

/// `derived/collective_members.parquet`.
pub(super) fn collective_members() -> Schema {
    let wide = |name| optional(name, DataType::UInt64);
    schema([
        required("instance", DataType::UInt64),
        required("location", DataType::UInt64),
        wide("rank"),
        optional("operation", word()),
        wide("begin_position"),
        required("end_position", DataType::UInt64),
        wide("begun"),
        required("ended", DataType::UInt64),
        wide("bytes"),
        wide("bytes_received"),
    ])
}

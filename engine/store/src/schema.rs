//! The schemas of all tables, as Arrow types; `schemas/store.md` publishes them.
//!
//! Numbers that users subtract are signed. A column is unsigned instead if one of its numbers needs the
//! 64th bit, see [`Unsigned`](super::Unsigned).

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use foldtrace_columns::without_sign;
use foldtrace_trace::{DefinitionKind, FieldType, Operand, Quantity};

/// The type of ids and codes, as they are in the source, and of raw bits.
const ID: DataType = DataType::UInt64;

/// The type of columns of numbers, unless one of them needs the 64th bit.
const NUMBER: DataType = DataType::Int64;

/// Returns the columns of a table that is added to a store of `version`. In version 1, only differences
/// of times are signed.
pub(crate) fn in_version(version: u32, schema: &Schema) -> Schema {
    const SIGNED: [&str; 3] = ["duration", "exclusive", "latency"];
    without_sign(schema, |column| version == 1 && !SIGNED.contains(&column))
}

fn required(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, false)
}

fn optional(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, true)
}

fn list(name: &str, item: DataType) -> Field {
    Field::new_list(name, Field::new_list_field(item, false), false)
}

/// Returns the type of a column with few distinct texts.
pub(crate) fn word() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

fn location_and_position() -> [Field; 2] {
    [required("location", ID), required("position", NUMBER)]
}

fn schema(fields: impl IntoIterator<Item = Field>) -> Schema {
    Schema::new(fields.into_iter().collect::<Vec<_>>())
}

/// Returns the schema of `topology/part-*.parquet`.
pub(crate) fn topology() -> Schema {
    schema(
        location_and_position()
            .into_iter()
            .chain([required("symbol", DataType::UInt32)]),
    )
}

/// The type of a quantity's column.
fn quantity_type(quantity: Quantity) -> DataType {
    if quantity == Quantity::Request {
        ID
    } else {
        NUMBER
    }
}

/// Returns the type of an operand's column.
fn operand_type(operand: Operand) -> DataType {
    match operand {
        Operand::Peer | Operand::Tag | Operand::Root | Operand::CreatingThread => NUMBER,
        _ => ID,
    }
}

/// Returns the schema of `quantity/part-*.parquet`.
pub(crate) fn quantity() -> Schema {
    let quantities = Quantity::ALL
        .iter()
        .map(|&q| optional(q.name(), quantity_type(q)));
    let time = [required("time", NUMBER)];
    schema(
        location_and_position()
            .into_iter()
            .chain(time)
            .chain(quantities),
    )
}

/// Returns the schema of `metrics/part-*.parquet`: exactly one of the last three columns is set.
pub(crate) fn metrics() -> Schema {
    schema(location_and_position().into_iter().chain([
        required("member", DataType::UInt32),
        required("type", word()),
        optional("uint64", ID),
        optional("int64", DataType::Int64),
        optional("double", DataType::Float64),
    ]))
}

/// Returns the schema of `attributes/part-*.parquet`.
pub(crate) fn attributes() -> Schema {
    schema(location_and_position().into_iter().chain([
        required("attribute", ID),
        required("type", word()),
        required("bits", ID),
    ]))
}

/// Returns the schema of `symbols.parquet`.
pub(crate) fn symbols() -> Schema {
    let columns = symbol_operands().fields().to_vec();
    let mpi_name = Arc::new(optional("mpi_name", DataType::Utf8));
    Schema::new([columns, vec![mpi_name]].concat())
}

/// Returns the columns of `symbols.parquet` that every version has.
pub(crate) fn symbol_operands() -> Schema {
    let head = [
        required("symbol", DataType::UInt32),
        required("canonical", DataType::UInt32),
        required("kind", word()),
        optional("name", DataType::Utf8),
    ];
    let operands = Operand::ALL
        .iter()
        .map(|&operand| optional(operand.name(), operand_type(operand)));
    schema(head.into_iter().chain(operands))
}

/// Returns the schema of `index.parquet`.
pub(crate) fn index() -> Schema {
    let wide = ["first_position", "events"];
    let narrow = ["part", "row_group", "row"];
    let side_rows = [
        "metrics_row",
        "metrics_rows",
        "attributes_row",
        "attributes_rows",
        "block_offset",
        "block_bytes",
    ];
    schema(
        [required("location", ID)]
            .into_iter()
            .chain(wide.iter().map(|n| required(n, NUMBER)))
            .chain(narrow.iter().map(|n| required(n, DataType::UInt32)))
            .chain(side_rows.iter().map(|n| required(n, NUMBER))),
    )
}

/// Returns the schema of `definitions/KINDs.parquet`.
pub(crate) fn definitions(kind: DefinitionKind) -> Schema {
    let fields = kind.fields().iter().map(|field| {
        let data_type = match field.field_type {
            FieldType::Signed | FieldType::Number => NUMBER,
            FieldType::Double => DataType::Float64,
            _ => ID,
        };
        optional(field.name, data_type)
    });
    let list = kind.list().map(|name| list(name, ID));
    let text = kind.has_text().then(|| required("text", DataType::Utf8));
    schema(
        [required("order", NUMBER)]
            .into_iter()
            .chain(fields)
            .chain(list)
            .chain(text),
    )
}

/// Returns the schema of `definitions/ranks.parquet`: the locations as users know them.
pub(crate) fn ranks() -> Schema {
    schema([
        required("location", ID),
        optional("rank", NUMBER),
        optional("thread", NUMBER),
        required("label", DataType::Utf8),
        optional("name", DataType::Utf8),
        required("events", NUMBER),
    ])
}

/// Returns the schema of `definitions/metric_names.parquet`: members of metrics as users know them.
pub(crate) fn metric_names() -> Schema {
    schema([
        required("metric", ID),
        required("member", DataType::UInt32),
        required("metric_member", ID),
        optional("name", DataType::Utf8),
        optional("unit", DataType::Utf8),
        optional("base", NUMBER),
        optional("exponent", NUMBER),
    ])
}

/// Returns the schema of `models/loops.parquet`: the constructs of each location's model, outer before inner.
pub(crate) fn loops() -> Schema {
    schema([
        required("location", ID),
        required("depth", DataType::UInt16),
        optional("symbol", DataType::UInt32),
        optional("count", DataType::Int64),
        list("step_slot", DataType::UInt8),
        list("step_depth", DataType::UInt16),
        list("step_coefficient", DataType::Int64),
    ])
}

/// Returns the schema of `models/dag_nodes.parquet`: nodes of the ordered DAG, children before parents.
pub(crate) fn dag_nodes() -> Schema {
    schema([
        required("node", DataType::UInt32),
        required("kind", word()),
        optional("symbol", DataType::UInt32),
        optional("variant", DataType::UInt32),
        required("name", DataType::Utf8),
        required("events", NUMBER),
        required("occurrences", NUMBER),
        required("key", DataType::FixedSizeBinary(32)),
    ])
}

/// Returns the schema of `models/dag_edges.parquet`: edges from parents to children, in order.
pub(crate) fn dag_edges() -> Schema {
    schema([
        required("parent", DataType::UInt32),
        required("order", DataType::UInt32),
        required("child", DataType::UInt32),
        required("type", word()),
        required("repetitions", DataType::UInt32),
        required("offset", NUMBER),
    ])
}

/// Returns the schema of `models/dag_roots.parquet`: the root node of each location.
pub(crate) fn dag_roots() -> Schema {
    schema([required("location", ID), required("node", DataType::UInt32)])
}

/// Returns the schema of `models/dag_symbols.parquet`: symbols of locations that differ from those of their nodes.
pub(crate) fn dag_symbols() -> Schema {
    schema([
        required("location", ID),
        required("symbol", DataType::UInt32),
        required("variant", DataType::UInt32),
        required("own_symbol", DataType::UInt32),
    ])
}

/// Returns the schema of `models/dag_messages.parquet`: messages between the same two calls.
pub(crate) fn dag_messages() -> Schema {
    schema([
        required("message", DataType::UInt32),
        required("send_location", ID),
        required("send_call", DataType::UInt32),
        required("send_node", DataType::UInt32),
        required("receive_location", ID),
        required("receive_call", DataType::UInt32),
        required("receive_node", DataType::UInt32),
        required("messages", NUMBER),
    ])
}

/// Returns the schema of `models/dag_message_positions.parquet`: their positions, with equidistant messages in one
/// row.
pub(crate) fn dag_message_positions() -> Schema {
    let wide = |name| required(name, NUMBER);
    schema([
        required("message", DataType::UInt32),
        wide("send_position"),
        wide("send_step"),
        wide("receive_position"),
        wide("receive_step"),
        wide("messages"),
    ])
}

/// Returns the schema of `models/dag_patterns.parquet`: patterns that users have defined.
pub(crate) fn dag_patterns() -> Schema {
    schema([
        required("pattern", DataType::UInt32),
        required("name", DataType::Utf8),
        required("count", NUMBER),
    ])
}

/// Returns the schema of `models/dag_pattern_occurrences.parquet`: their occurrences in lists of children.
pub(crate) fn dag_pattern_occurrences() -> Schema {
    let wide = |name| required(name, NUMBER);
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

/// Returns the schema of `diagnostics.parquet`.
pub(crate) fn diagnostics() -> Schema {
    schema([
        required("severity", word()),
        required("key", word()),
        required("message", DataType::Utf8),
        optional("hint", DataType::Utf8),
        optional("file", DataType::Utf8),
        optional("byte", NUMBER),
        optional("line", NUMBER),
        optional("location", ID),
        optional("position", NUMBER),
    ])
}

/// Returns the schema of `derived/calls/part-*.parquet`.
pub(crate) fn calls() -> Schema {
    schema([
        required("location", ID),
        optional("rank", NUMBER),
        optional("thread", NUMBER),
        optional("name", word()),
        optional("region", ID),
        optional("calling_context", ID),
        optional("begin_position", NUMBER),
        optional("end_position", NUMBER),
        optional("start", NUMBER),
        optional("duration", DataType::Int64),
        optional("exclusive", DataType::Int64),
        required("depth", DataType::Int32),
        optional("parent", NUMBER),
        required("misnested", DataType::Boolean),
        optional("mpi_name", word()),
    ])
}

/// Returns the schema of `derived/iterations/part-*.parquet`.
pub(crate) fn iterations() -> Schema {
    let wide = |name| required(name, NUMBER);
    schema([
        required("location", ID),
        optional("rank", NUMBER),
        optional("thread", NUMBER),
        required("loop", word()),
        required("depth", DataType::Int32),
        wide("instance"),
        wide("iteration"),
        wide("first_position"),
        wide("last_position"),
        wide("start"),
        wide("end"),
    ])
}

/// Returns the schema of the table that `foldtrace steps --table` writes.
pub(crate) fn steps() -> Schema {
    let wide = |name| required(name, NUMBER);
    schema([
        required("location", ID),
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

/// Returns the schema of `derived/messages.parquet`.
pub(crate) fn messages() -> Schema {
    let wide = |name| optional(name, NUMBER);
    schema([
        wide("sender"),
        wide("receiver"),
        optional("communicator", ID),
        optional("receive_communicator", ID),
        wide("tag"),
        wide("bytes"),
        wide("bytes_received"),
        wide("sent"),
        wide("received"),
        optional("latency", DataType::Int64),
        optional("send_location", ID),
        wide("send_position"),
        optional("receive_location", ID),
        wide("receive_position"),
        wide("posted"),
        wide("posted_position"),
        wide("completed"),
        wide("completed_position"),
    ])
}

/// Returns the schema of `derived/collectives.parquet`.
pub(crate) fn collectives() -> Schema {
    let wide = |name| optional(name, NUMBER);
    schema([
        required("instance", NUMBER),
        required("kind", word()),
        optional("operation", word()),
        optional("communicator", ID),
        optional("window", ID),
        required("number", NUMBER),
        wide("root"),
        required("members", NUMBER),
        wide("size"),
        wide("first_begin"),
        wide("last_begin"),
        required("first_end", NUMBER),
        required("last_end", NUMBER),
        wide("bytes"),
        wide("bytes_received"),
    ])
}

/// Returns the schema of `derived/collective_members.parquet`.
pub(crate) fn collective_members() -> Schema {
    let wide = |name| optional(name, NUMBER);
    schema([
        required("instance", NUMBER),
        required("location", ID),
        wide("rank"),
        optional("operation", word()),
        wide("begin_position"),
        required("end_position", NUMBER),
        wide("begun"),
        required("ended", NUMBER),
        wide("bytes"),
        wide("bytes_received"),
    ])
}

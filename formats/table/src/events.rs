//! The flat table: one row per event, with the columns of the view `events` of a store.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Int32Builder, Int64Builder, RecordBatch, UInt32Builder, UInt64Builder,
};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use foldtrace_columns::{with_signs, without_sign};
use foldtrace_trace::{
    Clock, DefinitionKind, Definitions, Diagnostic, Diagnostics, EventBatch, EventKind, EventRef,
    Names, Operand, Quantity, Severity, Symbol, SymbolTable, UNDEFINED, ValueType, WideFields,
};

use crate::account::KeptFields;
use crate::dictionary::{Dictionary, dictionary_type};
use crate::shape::Shape;
use crate::symbols::Symbols;
use crate::values::{Value, Values, list_of_values};
use crate::writer::TableRows;

/// The operands that have columns, in the order of their columns.
const OPERANDS: [Operand; 6] = [
    Operand::Region,
    Operand::Peer,
    Operand::Tag,
    Operand::Communicator,
    Operand::Operation,
    Operand::Root,
];

/// The index of the tag in [`OPERANDS`].
const TAG: usize = 2;

/// Unsigned quantities, in the order of their columns. The column `value` comes before the last one.
const QUANTITIES: [Quantity; 4] = [
    Quantity::Bytes,
    Quantity::BytesReceived,
    Quantity::Request,
    Quantity::Offset,
];

/// Returns the columns, in order.
fn schema() -> Schema {
    let required = |name: &str, data_type| Field::new(name, data_type, false);
    let optional = |name: &str, data_type| Field::new(name, data_type, true);
    let number = |name: &str| optional(name, DataType::Int64);
    let mut fields = vec![
        required("location", DataType::UInt64),
        number("rank"),
        number("thread"),
        required("position", DataType::Int64),
        number("time"),
        required("ticks", DataType::Int64),
        required("kind", dictionary_type()),
        optional("name", dictionary_type()),
    ];
    fields.extend(OPERANDS.map(|operand| match operand {
        Operand::Peer | Operand::Tag | Operand::Root => number(operand.name()),
        _ => optional(operand.name(), DataType::UInt64),
    }));
    let [bytes, bytes_received, request, offset] = QUANTITIES.map(Quantity::name);
    fields.extend([
        number(bytes),
        number(bytes_received),
        optional(request, DataType::UInt64),
        number(Quantity::Value.name()),
        number(offset),
        required("symbol", DataType::UInt32),
        required("canonical", DataType::UInt32),
        optional("mpi_name", dictionary_type()),
        list_of_values("metrics", "member", DataType::UInt32),
        list_of_values("attributes", "attribute", DataType::UInt64),
    ]);
    Schema::new(fields)
}

/// Returns the names of the columns that must be unsigned because a value needs all 64 bits.
fn unsigned_columns(wide: WideFields, symbols: &SymbolTable) -> Vec<&'static str> {
    let ticks = wide.time.then_some("ticks");
    let quantities = QUANTITIES.iter().filter(|&&quantity| wide.has(quantity));
    let is_wide = |&&operand: &&Operand| {
        let mut values = symbols.iter().filter_map(|(_, symbol)| symbol.get(operand));
        values.any(|value| i64::try_from(value).is_err())
    };
    let operands = OPERANDS.iter().filter(is_wide);
    ticks
        .into_iter()
        .chain(quantities.map(|quantity| quantity.name()))
        .chain(operands.map(|operand| operand.name()))
        .collect()
}

/// The fields that all rows of a symbol share.
#[derive(Clone, Copy, Debug)]
struct SymbolFields {
    kind: EventKind,
    kind_key: i32,
    name_key: Option<i32>,
    mpi_key: Option<i32>,
    canonical: u32,
    operands: [u64; OPERANDS.len()],
    metric: u64,
}

/// Converts events to rows of the flat table.
#[derive(Debug, Default)]
pub(crate) struct EventRows {
    symbols: Symbols<SymbolFields>,
    /// The first of the rows of symbols that are equal except for repeated definitions, for symbols and for rows whose
    /// symbols differ in their tags.
    first: HashMap<(Symbol, bool), u32>,
    kind_dictionary: Dictionary,
    name_dictionary: Dictionary,
    mpi_dictionary: Dictionary,
    /// The members of metrics, by the id of the metric.
    members: HashMap<u64, Vec<u64>>,
    clock: Clock,
    columns: Columns,
    /// Number of times that do not fit into 64 bits in nanoseconds.
    left_out_times: u64,
}

/// Rows that are not encoded yet.
#[derive(Debug, Default)]
struct Columns {
    rows: usize,
    location: UInt64Builder,
    rank: UInt64Builder,
    thread: UInt64Builder,
    position: UInt64Builder,
    time: Int64Builder,
    ticks: UInt64Builder,
    kind: Int32Builder,
    name: Int32Builder,
    operands: [UInt64Builder; OPERANDS.len()],
    quantities: [UInt64Builder; QUANTITIES.len()],
    value: Int64Builder,
    mpi: Int32Builder,
    symbol: UInt32Builder,
    canonical: UInt32Builder,
    metrics: Values,
    attributes: Values,
}

fn defined(value: u64) -> Option<u64> {
    (value != UNDEFINED).then_some(value)
}

impl Columns {
    /// Appends the fields of an event, except its location, its time in nanoseconds, its metric values and its
    /// attributes.
    fn push(&mut self, event: &EventRef, symbol: &SymbolFields) {
        self.position.append_value(event.position.0);
        self.ticks.append_value(event.time.0);
        self.kind.append_value(symbol.kind_key);
        self.name.append_option(symbol.name_key);
        self.mpi.append_option(symbol.mpi_key);
        let mut operands = symbol.operands;
        if event.symbol.tag() != 0 {
            operands[TAG] = event.symbol.tag().into();
        }
        for (column, operand) in self.operands.iter_mut().zip(operands) {
            column.append_option(defined(operand));
        }
        for (column, quantity) in self.quantities.iter_mut().zip(QUANTITIES) {
            column.append_option(defined(event.quantities[quantity as usize]));
        }
        // If the kind has a value, it is always defined.
        let has_value = symbol.kind.quantities().contains(&Quantity::Value);
        let value = event.quantities[Quantity::Value as usize] as i64;
        self.value.append_option(has_value.then_some(value));
        self.symbol.append_value(event.symbol.row_number());
        self.canonical.append_value(symbol.canonical);
        self.rows += 1;
    }
}

/// Returns the string that a value refers to.
fn referenced_text(value_type: ValueType, bits: u64, names: &Names) -> Option<&str> {
    let is_text = matches!(value_type, ValueType::String | ValueType::Argument);
    is_text.then(|| names.string(bits))
}

impl EventRows {
    fn push_metrics(&mut self, batch: &EventBatch, event: u32, metric: u64) {
        let (metrics, names) = (&batch.metrics, &self.symbols.names);
        let members = self.members.get(&metric);
        for row in metrics.rows(event) {
            let member = metrics.member[row];
            let id = members.and_then(|members| members.get(member as usize));
            let (value_type, bits) = (metrics.value_type[row], metrics.value[row]);
            self.columns.metrics.push(&Value {
                id: u64::from(member),
                name: id.and_then(|&id| names.name(DefinitionKind::MetricMember, id)),
                value_type,
                bits,
                text: referenced_text(value_type, bits, names),
            });
        }
        self.columns.metrics.end_event();
    }

    fn push_attributes(&mut self, batch: &EventBatch, event: u32) {
        let (attributes, names) = (&batch.attributes, &self.symbols.names);
        for row in attributes.rows(event) {
            let id = attributes.attribute[row];
            let (value_type, bits) = (attributes.value_type[row], attributes.value[row]);
            // The id of a program argument is its number.
            let is_argument = value_type == ValueType::Argument;
            let name = names.name(DefinitionKind::Attribute, id);
            self.columns.attributes.push(&Value {
                id,
                name: name.filter(|_| !is_argument),
                value_type,
                bits,
                text: referenced_text(value_type, bits, names),
            });
        }
        self.columns.attributes.end_event();
    }
}

impl TableRows for EventRows {
    const KEPT: KeptFields = KeptFields {
        operand: |_, operand| {
            let by_name = [Operand::String, Operand::Parameter, Operand::Metric];
            OPERANDS.contains(&operand) || by_name.contains(&operand)
        },
        quantity: |_, _| true,
        metrics: true,
        attributes: true,
    };

    fn shape(&self, wide: WideFields, symbols: &SymbolTable) -> Shape {
        let unsigned = unsigned_columns(wide, symbols);
        Shape {
            name: "events",
            schema: Arc::new(without_sign(&schema(), |name| unsigned.contains(&name))),
            sorted_by: &["location", "position"],
            growing: &["location", "position", "time", "ticks"],
        }
    }

    fn define(&mut self, definitions: &Definitions) {
        if definitions.is_empty() {
            return;
        }
        self.symbols.define(definitions);
        self.first.clear();
        self.members = self.symbols.definitions.metric_members();
        self.clock = self.symbols.definitions.clock();
    }

    fn clock(&self) -> Clock {
        self.clock
    }

    fn push(&mut self, batch: &EventBatch, table: &SymbolTable) {
        self.symbols
            .derive(table, |id, symbol, names| SymbolFields {
                kind: symbol.kind,
                kind_key: self.kind_dictionary.key(symbol.kind.name()),
                name_key: names
                    .title(&symbol)
                    .map(|name| self.name_dictionary.key(name)),
                mpi_key: (names.mpi_name(&symbol)).map(|name| self.mpi_dictionary.key(&name)),
                canonical: *(self.first)
                    .entry((names.canonical(symbol), table.is_tagged(id)))
                    .or_insert(id.row_number()),
                operands: OPERANDS.map(|operand| symbol.get(operand).unwrap_or(UNDEFINED)),
                metric: symbol.get(Operand::Metric).unwrap_or(UNDEFINED),
            });
        let label = self.symbols.names.rank(batch.location);
        for event in batch.iter(table) {
            let Some(&symbol) = self.symbols.get(event.symbol) else {
                continue;
            };
            let time = self.clock.nanoseconds(event.time);
            self.left_out_times += u64::from(time.is_none());
            let columns = &mut self.columns;
            columns.location.append_value(batch.location.0);
            columns.rank.append_option(label.map(|(rank, _)| rank));
            columns
                .thread
                .append_option(label.map(|(_, thread)| thread));
            columns.time.append_option(time);
            columns.push(&event, &symbol);
            self.push_metrics(batch, event.index, symbol.metric);
            self.push_attributes(batch, event.index);
        }
    }

    fn len(&self) -> usize {
        self.columns.rows
    }

    fn take(&mut self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let rows = &mut self.columns;
        rows.rows = 0;
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(rows.location.finish()),
            Arc::new(rows.rank.finish()),
            Arc::new(rows.thread.finish()),
            Arc::new(rows.position.finish()),
            Arc::new(rows.time.finish()),
            Arc::new(rows.ticks.finish()),
            self.kind_dictionary.column(&mut rows.kind)?,
            self.name_dictionary.column(&mut rows.name)?,
        ];
        columns.extend(rows.operands.iter_mut().map(|c| Arc::new(c.finish()) as _));
        let [bytes, bytes_received, request, offset] = &mut rows.quantities;
        columns.extend([
            Arc::new(bytes.finish()) as ArrayRef,
            Arc::new(bytes_received.finish()),
            Arc::new(request.finish()),
            Arc::new(rows.value.finish()),
            Arc::new(offset.finish()),
            Arc::new(rows.symbol.finish()),
            Arc::new(rows.canonical.finish()),
            self.mpi_dictionary.column(&mut rows.mpi)?,
            rows.metrics.column(schema.field_with_name("metrics")?)?,
            rows.attributes
                .column(schema.field_with_name("attributes")?)?,
        ]);
        let mut wide = BTreeSet::new();
        let columns = with_signs(schema, columns, &mut wide);
        match wide.first() {
            Some(&column) => Err(ArrowError::ComputeError(format!(
                "a value of the column '{}' does not fit into a signed integer",
                schema.field(column).name()
            ))),
            None => RecordBatch::try_new(Arc::clone(schema), columns),
        }
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        if self.left_out_times > 0 {
            let message = format!(
                "times that do not fit into 64 bits as nanoseconds are null: {}; the column 'ticks' has them",
                self.left_out_times
            );
            diagnostics.report(Diagnostic::new(Severity::Warning, "table.time", message));
        }
        diagnostics
    }
}

//! The cells of a column of the flat table that are not encoded yet, and the conversion of batches of events to them.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array, UInt64Array};
use arrow::datatypes::{DataType, Field, Int32Type, Int64Type, UInt64Type};
use arrow::error::ArrowError;
use foldtrace_trace::{
    Clock, DefinitionKind, EventBatch, EventKind, Names, Quantity, SymbolId, UNDEFINED, ValueType,
};

use crate::content::{Content, OPERANDS};
use crate::dictionary::Dictionary;
use crate::nullable::{Nullable, emptied};
use crate::symbols::Symbols;
use crate::values::{Value, Values};

/// The index of the tag in [`OPERANDS`].
const TAG: usize = 2;

/// The fields that all rows of a symbol share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SymbolFields {
    pub(crate) fields: Fields,
    pub(crate) kind_key: i32,
    pub(crate) name_key: Option<i32>,
    pub(crate) mpi_key: Option<i32>,
    pub(crate) canonical: u32,
    pub(crate) operands: [u64; OPERANDS.len()],
    pub(crate) metric: u64,
}

/// The optional fields that events have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fields {
    /// The quantities, a bit each.
    quantities: u8,
    /// Those of [`OPERANDS`], a bit each.
    operands: u8,
}

impl Fields {
    /// Returns the fields of a symbol whose operands have these values.
    pub(crate) fn new(kind: EventKind, operands: &[u64; OPERANDS.len()]) -> Self {
        let quantities = Self {
            quantities: kind.quantity_bits(),
            operands: 0,
        };
        let operands = operands.iter().enumerate();
        let operands = operands.map(|(index, &value)| Self::of_operand(index, value != UNDEFINED));
        operands.fold(quantities, Self::or)
    }

    /// Returns an operand as the only field, or no field.
    fn of_operand(index: usize, is_defined: bool) -> Self {
        Self {
            quantities: 0,
            operands: u8::from(is_defined) << index,
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            quantities: self.quantities | other.quantities,
            operands: self.operands | other.operands,
        }
    }

    fn has_operand(self, index: usize) -> bool {
        self.operands & 1 << index != 0
    }

    fn has_quantity(self, quantity: Quantity) -> bool {
        self.quantities & quantity.bit() != 0
    }
}

/// A batch of events, and what its columns need to convert it.
pub(crate) struct Shared<'a> {
    pub(crate) batch: &'a EventBatch,
    pub(crate) symbols: &'a Symbols<SymbolFields>,
    /// The members of metrics, by the id of the metric.
    pub(crate) members: &'a HashMap<u64, Vec<u64>>,
    pub(crate) clock: Clock,
    /// The fields that at least one event has.
    pub(crate) fields: OnceCell<Fields>,
}

impl Shared<'_> {
    /// Returns the fields that at least one event has.
    fn fields(&self) -> Fields {
        *self.fields.get_or_init(|| {
            let symbols = self.batch.symbols.iter();
            symbols.fold(Fields::default(), |all, &symbol| {
                let tagged = Fields::of_operand(TAG, symbol.tag() != 0);
                let fields = self
                    .symbols
                    .get(symbol)
                    .map_or(tagged, |of| of.fields.or(tagged));
                all.or(fields)
            })
        })
    }

    /// Returns a field of the symbol of each event.
    fn of_symbols<T>(
        &self,
        field: impl Fn(&SymbolFields, SymbolId) -> Option<T>,
    ) -> impl Iterator<Item = Option<T>> {
        let symbols = self.batch.symbols.iter();
        symbols.map(move |&symbol| field(self.symbols.get(symbol)?, symbol))
    }

    /// Returns the value of a quantity of each event, if its kind has the quantity.
    fn of_quantity(&self, quantity: Quantity) -> impl Iterator<Item = Option<u64>> {
        let mut packed = self.batch.quantities[quantity as usize].iter();
        let has = move |of: &SymbolFields| of.fields.has_quantity(quantity);
        let having = self.of_symbols(move |fields, _| has(fields).then_some(()));
        having.map(move |having| having.and_then(|()| packed.next().copied()))
    }
}

fn defined(value: u64) -> Option<u64> {
    (value != UNDEFINED).then_some(value)
}

/// The cells of a column that are not encoded yet.
#[derive(Debug)]
pub(crate) enum Cells {
    /// A number in each row.
    Numbers(Content, Vec<u64>),
    /// Numbers, or nulls.
    Optional(Content, Nullable<u64>),
    /// Signed numbers, or nulls.
    Signed(Content, Nullable<i64>),
    /// A small number in each row.
    Small(Content, Vec<u32>),
    /// Keys of a dictionary, or nulls.
    Words(Content, Nullable<i32>),
    /// Lists of typed values.
    Lists(Content, Box<Values>),
}

impl Cells {
    /// Creates a column without rows.
    pub(crate) fn new(content: Content) -> Self {
        match content {
            Content::Location | Content::Position | Content::Ticks => {
                Self::Numbers(content, Vec::new())
            }
            Content::Symbol | Content::Canonical => Self::Small(content, Vec::new()),
            Content::Time | Content::Quantity(Quantity::Value) => {
                Self::Signed(content, Nullable::default())
            }
            Content::Rank | Content::Thread | Content::Operand(_) | Content::Quantity(_) => {
                Self::Optional(content, Nullable::default())
            }
            Content::Kind | Content::Name | Content::MpiName => {
                Self::Words(content, Nullable::default())
            }
            Content::Metrics | Content::Attributes => Self::Lists(content, Box::default()),
        }
    }

    /// Returns the content of the column.
    pub(crate) fn content(&self) -> Content {
        match self {
            Self::Numbers(content, _)
            | Self::Optional(content, _)
            | Self::Signed(content, _)
            | Self::Small(content, _)
            | Self::Words(content, _)
            | Self::Lists(content, _) => *content,
        }
    }

    /// Appends the cells of a batch. Returns the number of times that were left out.
    pub(crate) fn push(&mut self, shared: &Shared<'_>) -> u64 {
        match self {
            Self::Numbers(content, cells) => push_numbers(*content, cells, shared),
            Self::Optional(content, cells) => push_optional(*content, cells, shared),
            Self::Small(content, cells) => push_small(*content, cells, shared),
            Self::Words(content, cells) => push_words(*content, cells, shared),
            Self::Lists(content, values) => push_lists(*content, values, shared),
            Self::Signed(Content::Time, cells) => {
                let times = shared.batch.times.iter();
                return cells.extend(times.map(|&time| shared.clock.nanoseconds(time)));
            }
            // If the kind has a value, it is always defined.
            Self::Signed(_, cells) if shared.fields().has_quantity(Quantity::Value) => {
                let values = shared.of_quantity(Quantity::Value);
                cells.extend(values.map(|value| value.map(u64::cast_signed)));
            }
            Self::Signed(_, cells) => cells.append(None, shared.batch.len()),
        }
        0
    }

    /// Removes and returns the cells, as an array of the type of `field` or of the unsigned type of the same width.
    pub(crate) fn take(&mut self, field: &Field) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Self::Numbers(_, cells) => Arc::new(UInt64Array::from(emptied(cells))),
            Self::Optional(_, cells) => Arc::new(cells.take::<UInt64Type>()?),
            Self::Signed(_, cells) => Arc::new(cells.take::<Int64Type>()?),
            Self::Small(_, cells) => Arc::new(UInt32Array::from(emptied(cells))),
            Self::Words(_, cells) => Arc::new(cells.take::<Int32Type>()?),
            Self::Lists(_, values) => values.column(field)?,
        })
    }

    /// Removes and returns the keys as a column of words.
    pub(crate) fn take_words(&mut self, words: &mut Dictionary) -> Result<ArrayRef, ArrowError> {
        match self {
            Self::Words(_, keys) => words.column(keys.take()?),
            other => other.take(&Field::new("", DataType::Int32, true)),
        }
    }
}

fn push_numbers(content: Content, cells: &mut Vec<u64>, shared: &Shared<'_>) {
    let batch = shared.batch;
    let rows = batch.len() as u64;
    match content {
        Content::Location => cells.resize(cells.len() + batch.len(), batch.location.0),
        Content::Position => cells.extend(batch.first.0..batch.first.0 + rows),
        _ => cells.extend(batch.times.iter().map(|time| time.0)),
    }
}

fn push_optional(content: Content, cells: &mut Nullable<u64>, shared: &Shared<'_>) {
    let batch = shared.batch;
    let label = shared.symbols.names.rank(batch.location);
    match content {
        Content::Rank => cells.append(label.map(|(rank, _)| rank), batch.len()),
        Content::Thread => cells.append(label.map(|(_, thread)| thread), batch.len()),
        Content::Operand(index) if !shared.fields().has_operand(index) => {
            cells.append(None, batch.len());
        }
        Content::Operand(TAG) => {
            cells.extend(shared.of_symbols(|fields, symbol| match symbol.tag() {
                0 => defined(fields.operands[TAG]),
                tag => Some(tag.into()),
            }));
        }
        Content::Operand(index) => {
            cells.extend(shared.of_symbols(|fields, _| defined(fields.operands[index])));
        }
        Content::Quantity(quantity) if shared.fields().has_quantity(quantity) => {
            let values = shared.of_quantity(quantity);
            cells.extend(values.map(|value| value.and_then(defined)));
        }
        _ => cells.append(None, batch.len()),
    }
}

fn push_small(content: Content, cells: &mut Vec<u32>, shared: &Shared<'_>) {
    if content == Content::Symbol {
        let symbols = shared.batch.symbols.iter();
        cells.extend(symbols.map(|symbol| symbol.row_number()));
    } else {
        let canonical = shared.of_symbols(|fields, _| Some(fields.canonical));
        cells.extend(canonical.map(Option::unwrap_or_default));
    }
}

fn push_words(content: Content, cells: &mut Nullable<i32>, shared: &Shared<'_>) {
    match content {
        Content::Kind => cells.extend(shared.of_symbols(|fields, _| Some(fields.kind_key))),
        Content::Name => cells.extend(shared.of_symbols(|fields, _| fields.name_key)),
        _ => cells.extend(shared.of_symbols(|fields, _| fields.mpi_key)),
    };
}

fn push_lists(content: Content, values: &mut Values, shared: &Shared<'_>) {
    let batch = shared.batch;
    let is_metrics = content == Content::Metrics;
    let has_none = match is_metrics {
        true => batch.metrics.event.is_empty(),
        false => batch.attributes.event.is_empty(),
    };
    if has_none {
        return values.end_events(batch.len());
    }
    for (event, &symbol) in (0..).zip(&batch.symbols) {
        if is_metrics {
            let fields = shared.symbols.get(symbol);
            let metric = fields.map_or(UNDEFINED, |fields| fields.metric);
            push_metrics(values, shared, event, metric);
        } else {
            push_attributes(values, shared, event);
        }
        values.end_event();
    }
}

/// Returns the string that a value refers to.
fn referenced_text(value_type: ValueType, bits: u64, names: &Names) -> Option<&str> {
    let is_text = matches!(value_type, ValueType::String | ValueType::Argument);
    is_text.then(|| names.string(bits))
}

fn push_metrics(values: &mut Values, shared: &Shared<'_>, event: u32, metric: u64) {
    let (metrics, names) = (&shared.batch.metrics, &shared.symbols.names);
    let members = shared.members.get(&metric);
    for row in metrics.rows(event) {
        let member = metrics.member[row];
        let id = members.and_then(|members| members.get(member as usize));
        let (value_type, bits) = (metrics.value_type[row], metrics.value[row]);
        values.push(&Value {
            id: u64::from(member),
            name: id.and_then(|&id| names.name(DefinitionKind::MetricMember, id)),
            value_type,
            bits,
            text: referenced_text(value_type, bits, names),
        });
    }
}

fn push_attributes(values: &mut Values, shared: &Shared<'_>, event: u32) {
    let (attributes, names) = (&shared.batch.attributes, &shared.symbols.names);
    for row in attributes.rows(event) {
        let id = attributes.attribute[row];
        let (value_type, bits) = (attributes.value_type[row], attributes.value[row]);
        // The id of a program argument is its number.
        let is_argument = value_type == ValueType::Argument;
        let name = names.name(DefinitionKind::Attribute, id);
        values.push(&Value {
            id,
            name: name.filter(|_| !is_argument),
            value_type,
            bits,
            text: referenced_text(value_type, bits, names),
        });
    }
}

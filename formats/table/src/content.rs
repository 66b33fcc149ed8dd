//! The contents of the columns of the flat table.

use arrow::datatypes::{DataType, Field};
use foldtrace_trace::{Operand, Quantity, WideFields};

use crate::dictionary::dictionary_type;
use crate::values::list_of_values;

/// The content of a column of the flat table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Location,
    Rank,
    Thread,
    Position,
    /// The time in nanoseconds.
    Time,
    Ticks,
    Kind,
    Name,
    /// The operand with this index in [`OPERANDS`].
    Operand(usize),
    Quantity(Quantity),
    Symbol,
    Canonical,
    MpiName,
    Metrics,
    Attributes,
}

/// The operands that have columns, in the order of their columns.
pub(crate) const OPERANDS: [Operand; 6] = [
    Operand::Region,
    Operand::Peer,
    Operand::Tag,
    Operand::Communicator,
    Operand::Operation,
    Operand::Root,
];

/// All columns, in order.
pub(crate) const COLUMNS: [Content; 24] = [
    Content::Location,
    Content::Rank,
    Content::Thread,
    Content::Position,
    Content::Time,
    Content::Ticks,
    Content::Kind,
    Content::Name,
    Content::Operand(0),
    Content::Operand(1),
    Content::Operand(2),
    Content::Operand(3),
    Content::Operand(4),
    Content::Operand(5),
    Content::Quantity(Quantity::Bytes),
    Content::Quantity(Quantity::BytesReceived),
    Content::Quantity(Quantity::Request),
    Content::Quantity(Quantity::Value),
    Content::Quantity(Quantity::Offset),
    Content::Symbol,
    Content::Canonical,
    Content::MpiName,
    Content::Metrics,
    Content::Attributes,
];

impl Content {
    /// Returns the name and the type of the column.
    pub(crate) fn field(self) -> Field {
        let required = |name: &str, data_type| Field::new(name, data_type, false);
        let optional = |name: &str, data_type| Field::new(name, data_type, true);
        let number = |name: &str| optional(name, DataType::Int64);
        let id = |name: &str| optional(name, DataType::UInt64);
        match self {
            Self::Location => required("location", DataType::UInt64),
            Self::Rank => number("rank"),
            Self::Thread => number("thread"),
            Self::Position => required("position", DataType::Int64),
            Self::Time => number("time"),
            Self::Ticks => required("ticks", DataType::Int64),
            Self::Kind => required("kind", dictionary_type()),
            Self::Name => optional("name", dictionary_type()),
            Self::Operand(index) => match OPERANDS[index] {
                operand @ (Operand::Peer | Operand::Tag | Operand::Root) => number(operand.name()),
                operand => id(operand.name()),
            },
            Self::Quantity(Quantity::Request) => id(Quantity::Request.name()),
            Self::Quantity(quantity) => number(quantity.name()),
            Self::Symbol => required("symbol", DataType::UInt32),
            Self::Canonical => required("canonical", DataType::UInt32),
            Self::MpiName => optional("mpi_name", dictionary_type()),
            Self::Metrics => list_of_values("metrics", "member", DataType::UInt32),
            Self::Attributes => list_of_values("attributes", "attribute", DataType::UInt64),
        }
    }

    /// Returns whether the column must be unsigned because a value needs all 64 bits.
    pub(crate) fn is_wide(self, wide: WideFields, is_wide: &impl Fn(Operand) -> bool) -> bool {
        match self {
            Self::Ticks => wide.time,
            Self::Quantity(quantity) => wide.has(quantity),
            Self::Operand(index) => is_wide(OPERANDS[index]),
            _ => false,
        }
    }
}

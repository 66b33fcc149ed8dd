//! Columns of tables as attributes of events.

use foldtrace_trace::{Carried, Minter, ValueType};

use crate::{Cell, Row, Strings};

/// A column whose values become an attribute of events.
#[derive(Clone, Debug)]
pub struct AttributeColumn {
    /// The name of the attribute.
    name: String,
    /// The number of the column in the result of the query.
    column: usize,
    /// Whether an integer is the number of a string.
    is_string: bool,
    /// The value that is left out, because it says nothing.
    silent: Option<i64>,
    /// The id of the attribute for integers, real numbers and strings.
    ids: [Option<u64>; 3],
}

impl AttributeColumn {
    /// Creates the attribute `name` of a column whose values are numbers or texts.
    #[must_use]
    pub fn new(name: &str, column: usize) -> Self {
        Self {
            name: name.to_owned(),
            column,
            is_string: false,
            silent: None,
            ids: [None; 3],
        }
    }

    /// Makes integers the numbers of strings.
    #[must_use]
    pub fn of_strings(mut self) -> Self {
        self.is_string = true;
        self
    }

    /// Leaves out an integer that says nothing.
    #[must_use]
    pub fn without(mut self, silent: i64) -> Self {
        self.silent = Some(silent);
        self
    }

    /// Adds the value of a row to the attributes of its event.
    #[inline]
    pub fn add(
        &mut self,
        row: &Row<'_>,
        minter: &mut Minter,
        strings: &mut Strings,
        carried: &mut Carried,
    ) {
        let (value_type, bits) = match row.cell(self.column) {
            Cell::Null => return,
            Cell::Integer(number) if self.silent == Some(number) => return,
            Cell::Integer(number) if self.is_string => {
                match strings.id(number, |text| minter.string(text)) {
                    Some(id) => (ValueType::String, id),
                    // The number is all that is known.
                    None => (ValueType::Int64, number as u64),
                }
            }
            Cell::Integer(number) => (ValueType::Int64, number as u64),
            Cell::Real(number) => (ValueType::Double, number.to_bits()),
            Cell::Text(..) => {
                let text = row.text(self.column).unwrap_or_default();
                (ValueType::String, minter.string(&text))
            }
        };
        let id = match value_type {
            ValueType::Int64 => &mut self.ids[0],
            ValueType::Double => &mut self.ids[1],
            _ => &mut self.ids[2],
        };
        let id = *id.get_or_insert_with(|| minter.attribute(&self.name, value_type));
        carried.attributes.push((id, value_type, bits));
    }
}

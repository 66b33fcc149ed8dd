//! Declares the columns of a table once: their names, types, units, encodings and meanings, and the order of the
//! rows.
//!
//! ```
//! use foldtrace_columns::{Column, ColumnType, TableColumns, Unit};
//!
//! const CALLS: TableColumns = TableColumns {
//!     name: "calls",
//!     columns: &[
//!         Column::required("location", ColumnType::Id, "id of the location").delta(),
//!         Column::optional("start", ColumnType::Number, "time of the enter").unit(Unit::Time),
//!     ],
//!     sorted_by: &["location"],
//! };
//! assert_eq!(CALLS.schema().field(1).name(), "start");
//! assert_eq!(CALLS.sorting().collect::<Vec<_>>(), [0]);
//! assert!(CALLS.has_times());
//! ```

use arrow::datatypes::{DataType, Field, Schema};

/// The columns of a table and the order of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableColumns {
    /// The name of the table in its footer.
    pub name: &'static str,
    /// The columns, in order.
    pub columns: &'static [Column],
    /// The names of the columns by which the rows are sorted; empty if the rows are not sorted.
    pub sorted_by: &'static [&'static str],
}

impl TableColumns {
    /// Returns the Arrow schema of the table.
    #[must_use]
    pub fn schema(&self) -> Schema {
        arrow_schema(self.columns)
    }

    /// Returns the column with a name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns the indices of the columns by which the rows are sorted.
    pub fn sorting(&self) -> impl Iterator<Item = usize> {
        let index = |name: &&str| self.columns.iter().position(|column| column.name == *name);
        self.sorted_by.iter().filter_map(index)
    }

    /// Returns whether the table has times, which need a clock to be interpreted.
    #[must_use]
    pub fn has_times(&self) -> bool {
        self.columns.iter().any(Column::is_time)
    }
}

/// Returns the Arrow schema of a table with these columns.
#[must_use]
pub fn arrow_schema(columns: &[Column]) -> Schema {
    Schema::new(columns.iter().map(Column::field).collect::<Vec<_>>())
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name in files.
    pub name: &'static str,
    /// The type of the values.
    pub column_type: ColumnType,
    /// Whether values may be null.
    pub is_optional: bool,
    /// The unit of the values, if they are times or sizes.
    pub unit: Option<Unit>,
    /// The encoding of the values.
    pub encoding: ColumnEncoding,
    /// The meaning of a value, in Markdown.
    pub doc: &'static str,
}

impl Column {
    /// Returns a column in which each row has a value.
    #[must_use]
    pub const fn required(name: &'static str, column_type: ColumnType, doc: &'static str) -> Self {
        Self {
            name,
            column_type,
            is_optional: false,
            unit: None,
            encoding: ColumnEncoding::Default,
            doc,
        }
    }

    /// Returns a column in which values may be null.
    #[must_use]
    pub const fn optional(name: &'static str, column_type: ColumnType, doc: &'static str) -> Self {
        Self {
            is_optional: true,
            ..Self::required(name, column_type, doc)
        }
    }

    /// Sets the unit of the values.
    #[must_use]
    pub const fn unit(self, unit: Unit) -> Self {
        Self {
            unit: Some(unit),
            ..self
        }
    }

    /// Encodes each value as the difference from the previous one.
    #[must_use]
    pub const fn delta(self) -> Self {
        Self {
            encoding: ColumnEncoding::Delta,
            ..self
        }
    }

    /// Returns whether the values are times, or differences of times.
    #[must_use]
    pub const fn is_time(&self) -> bool {
        matches!(
            self.unit,
            Some(Unit::Time | Unit::Duration | Unit::Since(_))
        )
    }

    /// Returns whether a Markdown page has a row that describes this column: its name first, its meaning last.
    #[must_use]
    pub fn is_described_in(&self, page: &str) -> bool {
        let (begin, end) = (format!("| `{}` |", self.name), format!("| {} |", self.doc));
        let is_row = |line: &str| line.starts_with(&begin) && line.ends_with(&end);
        page.lines().any(is_row)
    }

    fn field(&self) -> Field {
        Field::new(self.name, self.column_type.arrow(), self.is_optional)
    }
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// An id or a code as it is in the source, or raw bits: an unsigned 64-bit integer.
    Id,
    /// A number that users may subtract: a signed 64-bit integer, or an unsigned one if a value needs the 64th bit.
    Number,
    /// A number that may be negative: a signed 64-bit integer in any case.
    Signed,
    /// A small number that users may subtract.
    Int32,
    /// A small unsigned number.
    UInt8,
    /// A small unsigned number.
    UInt16,
    /// A small unsigned number, such as the number of a row.
    UInt32,
    /// A floating-point number.
    Double,
    /// Yes or no.
    Boolean,
    /// A text that is one of a few, stored as a number in a dictionary.
    Word,
    /// Any text.
    Text,
    /// A hash of 32 bytes.
    Hash,
    /// A list of values, none of which is null.
    List(&'static Self),
}

impl ColumnType {
    /// Returns the Arrow type.
    #[must_use]
    pub fn arrow(self) -> DataType {
        match self {
            Self::Id => DataType::UInt64,
            Self::Number | Self::Signed => DataType::Int64,
            Self::Int32 => DataType::Int32,
            Self::UInt8 => DataType::UInt8,
            Self::UInt16 => DataType::UInt16,
            Self::UInt32 => DataType::UInt32,
            Self::Double => DataType::Float64,
            Self::Boolean => DataType::Boolean,
            Self::Word => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            Self::Text => DataType::Utf8,
            Self::Hash => DataType::FixedSizeBinary(32),
            Self::List(item) => DataType::new_list(item.arrow(), false),
        }
    }
}

/// The unit of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A time, in ticks of the source's clock.
    Time,
    /// A duration, in ticks.
    Duration,
    /// A duration in ticks, from the time in the column with this name.
    Since(&'static str),
    /// Bytes.
    Bytes,
}

/// The encoding of a column in Parquet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnEncoding {
    /// The encoding that the Parquet library chooses.
    Default,
    /// Differences of consecutive values, for numbers close to their predecessors.
    Delta,
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: TableColumns = TableColumns {
        name: "places",
        columns: &[
            Column::required("location", ColumnType::Id, "id of the location").delta(),
            Column::required("steps", ColumnType::List(&ColumnType::UInt8), "its steps"),
            Column::optional("bytes", ColumnType::Number, "bytes").unit(Unit::Bytes),
        ],
        sorted_by: &["bytes", "location"],
    };

    #[test]
    fn the_schema_follows_from_the_columns() {
        let item = Field::new_list_field(DataType::UInt8, false);
        let expected = Schema::new(vec![
            Field::new("location", DataType::UInt64, false),
            Field::new_list("steps", item, false),
            Field::new("bytes", DataType::Int64, true),
        ]);
        assert_eq!(TABLE.schema(), expected);
    }

    #[test]
    fn columns_are_found_by_name() {
        assert_eq!(TABLE.column("bytes"), Some(&TABLE.columns[2]));
        assert_eq!(TABLE.column("byte"), None);
        assert_eq!(TABLE.sorting().collect::<Vec<_>>(), [2, 0]);
        assert!(!TABLE.has_times());
    }

    #[test]
    fn a_row_of_a_page_describes_a_column_by_its_first_and_last_cell() {
        let page =
            "| `location` | UInt64 | no | id of the location |\n| `bytes` | Int64 | yes | sizes |";
        let described = TABLE
            .columns
            .iter()
            .map(|column| column.is_described_in(page));
        assert_eq!(described.collect::<Vec<_>>(), [true, false, false]);
    }
}

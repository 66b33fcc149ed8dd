//! The columns of a table.

use arrow::datatypes::SchemaRef;

/// The columns of a table, with hints for their encoding.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The name of the table in the file.
    pub name: &'static str,
    /// The columns of the table.
    pub schema: SchemaRef,
    /// The columns by which the rows are sorted.
    pub sorted_by: &'static [&'static str],
    /// Columns whose values mostly increase in small steps.
    pub growing: &'static [&'static str],
}

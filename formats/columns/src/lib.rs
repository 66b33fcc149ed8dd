//! Declares the columns of stores and tables, and chooses their types: signed or unsigned integers, and the
//! metadata for pandas.
//!
//! Columns that users subtract are signed, because differences of unsigned integers wrap around below 0.
//! Numbers in traces are unsigned 64-bit integers, so a column stays unsigned if one of its numbers does
//! not fit into a signed integer.
//!
//! ```
//! use std::collections::BTreeSet;
//! use std::sync::Arc;
//!
//! use arrow::array::{Array, UInt64Array};
//! use arrow::datatypes::{DataType, Field, Schema};
//!
//! let schema = Schema::new(vec![Field::new("bytes", DataType::Int64, false)]);
//! let mut unsigned = BTreeSet::new();
//! let bytes = Arc::new(UInt64Array::from(vec![7]));
//! let columns = foldtrace_columns::with_signs(&schema, vec![bytes], &mut unsigned);
//! assert_eq!(columns[0].data_type(), &DataType::Int64);
//! assert!(unsigned.is_empty());
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod declaration;
mod pandas;
mod signs;

pub use declaration::{Column, ColumnEncoding, ColumnType, TableColumns, Unit, arrow_schema};
pub use pandas::{PANDAS, pandas, with_pandas};
pub use signs::{numbers, with_signs, without_sign};

//! Types of the columns in stores and tables: signs of numbers, and what pandas has to know.
//!
//! Numbers that users subtract are signed, so that a difference below 0 is a number like any other.
//! Numbers of traces have no sign and 64 bits; a column with a number that needs the last of them keeps
//! all bits and has no sign.
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

mod pandas;
mod signs;

pub use pandas::{PANDAS, pandas, with_pandas};
pub use signs::{numbers, with_signs, without_sign};

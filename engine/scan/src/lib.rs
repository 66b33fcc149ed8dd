//! Reads the events of a store as Arrow record batches, for programs that compute with columns.
//!
//! The rows are those of the flat table, which `schemas/table.md` describes. A [`Scan`] selects some of them, and some of
//! their columns; [`EventScan`] reads them in order of location and position. Only what the columns need is decoded, and
//! memory contains a few batches.
//!
//! ```
//! use std::sync::Arc;
//! use foldtrace_scan::Scan;
//! use foldtrace_store::StoreReader;
//!
//! let store = StoreReader::open("../../tests/data/stores/v2/ring-4.fold".as_ref())?;
//! let scan = Scan {
//!     locations: vec!["0".to_owned()],
//!     columns: Some(vec!["position".to_owned(), "name".to_owned()]),
//!     ..Scan::default()
//! };
//! let mut rows = 0;
//! for batch in scan.open(Arc::new(store))? {
//!     rows += batch?.num_rows();
//! }
//! assert_eq!(rows, 134);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod derived;
mod locations;
mod metrics;
mod nanoseconds;
mod scan;
mod stretches;

pub use derived::DerivedScan;
pub use locations::locations;
pub use metrics::MetricScan;
pub use nanoseconds::Nanoseconds;
pub use scan::{EventScan, Scan};

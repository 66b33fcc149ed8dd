//! The columnar store `NAME.fold/`: the topology and the quantities of a trace, in plain Parquet.
//!
//! ```text
//! manifest.json            version, source, clock, counts, size and checksum of every file
//! index.parquet            the rows of the events of each location
//! symbols.parquet          symbol, kind and its topological operands
//! topology/part-*.parquet  location, position, symbol
//! quantity/part-*.parquet  location, position, time, bytes, …; row by row next to topology
//! metrics/, attributes/    metric values and attributes of events, if there are any
//! definitions/*.parquet    one table per kind of definition
//! models/loops.parquet     the loop model of each location
//! models/dag_*.parquet     the ordered DAG of all call trees, if it was derived
//! derived/                 calls, messages, collective operations, if they were derived
//! diagnostics.parquet      problems found in the source
//! views.sql                views for DuckDB that join these tables
//! ```
//!
//! `schemas/store.md` specifies the store for other programs. A store is written under a temporary name next to its
//! final name and renamed when it is complete, see [`StoreWriter`]. The crate knows no trace format other than the
//! store, which is one itself, see [`StoreReader`].

mod archive;
mod complete;
mod definitions;
mod derived;
mod diagnostics;
mod encode;
mod error;
mod event_table;
mod extras;
mod files;
mod folder;
mod format;
mod gather;
mod guard;
mod hashes;
mod index;
mod ingest;
mod layout;
mod local_models;
mod lookup;
mod manifest;
mod models;
mod origin;
mod parquet_io;
mod part;
mod partial;
mod quantities;
mod quantity_writer;
mod reader;
mod retype;
mod rows;
mod schema;
mod seek;
mod side;
mod span;
mod spill;
mod stream;
mod symbols;
mod table;
mod totals;
mod unsigned;
mod verify;
mod views;
mod writer;

pub use complete::CompleteStore;
pub use derived::Derived;
pub use derived::DerivedTable;
/// The format-independent trace model that readers produce.
pub use foldtrace_trace as trace;
pub use format::FoldFormat;
pub use gather::{Field, Gathered};
pub use index::{Block, Index, Segment};
pub use ingest::Ingest;
pub use layout::Layout;
pub use local_models::{LocationModels, locations_with_only_metrics, models_with};
pub use lookup::{Event, EventLookup};
pub use manifest::{Counts, FileEntry, Form, Manifest, Source, VERSION};
pub use models::DagTable;
pub use models::{Models, PartModels, StoredModel};
pub use origin::Origin;
pub use parquet_io::ROW_GROUP_ROWS;
pub use part::{PartEnd, PartWriter};
pub use reader::StoreReader;
pub use stream::LocationStream;
pub use totals::Totals;
pub use unsigned::Unsigned;
pub use unsigned::Written;
pub use verify::{Finding, Verification, verify};
pub use writer::StoreWriter;

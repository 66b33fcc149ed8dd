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

// A module uses only modules of its own group and of the groups above it.

// Paths, schemas, and how problems are described.
mod error;
mod field;
mod finding;
#[cfg(feature = "schema")]
pub mod json_schema;
mod paths;
mod schema;
mod unsigned;

// The files of a store, verified when they are read.
mod folder;

// Parquet files of any table.
mod encode;
mod tables;

// The tables of a whole store.
mod definitions;
mod derived;
mod diagnostics;
mod index;
mod models;
mod symbols;

// The tables with one row per event, written part by part and read by location.
mod archive;
mod events;
mod part;

// A store as a whole: reading and writing it, and verifying it.
mod complete;
mod derived_rows;
mod derived_table;
mod format;
mod origin;
mod reader;
mod replaced;
mod row_table;
mod shard;
mod target;
#[cfg_attr(not(feature = "objects"), path = "no_upload.rs")]
mod upload;
mod verify;
mod views;
mod writer;
mod zstandard;

pub use complete::CompleteStore;
pub use derived::Derived;
pub use derived_rows::{DerivedRows, derived_rows_in};
pub use derived_table::{DerivedFolder, DerivedTable};
pub use events::{Event, EventLookup, LocationStream};
pub use field::{Field, Gathered};
pub use finding::Finding;
pub use folder::{Counts, FileEntry, Form, Manifest, Source, VERSION};
/// The types with which the columns of tables are declared.
pub use foldtrace_columns as columns;
/// The format-independent trace model that readers produce.
pub use foldtrace_trace as trace;
pub use format::FoldFormat;
pub use index::{Block, Index, Segment};
pub use models::{DagTable, Models, PartModels, StoredModel};
pub use origin::Origin;
pub use part::{Ingest, Layout, PartEnd, PartWriter, ProblemsOfPieces};
pub use reader::{LocationModels, Store, StoreReader, locations_with_only_metrics, models_with};
pub use replaced::Replaced;
pub use row_table::{RowTable, TableRow};
pub use shard::{
    AdoptedPart, PartsOfShard, PartsWriter, Shard, ShardContents, ShardId, ShardWriter, Work,
    are_joined, begin_joining, check_is_local, distribute, has_all_shards, is_joined_by_another,
    note_joined, open_shards, prepare_shards_folder, remove_joined, remove_shards, shards_of,
    work_of_shards,
};
pub use tables::{NamedColumn, Overlap, Portion, ROW_GROUP_ROWS, Written};
pub use target::is_taken;
pub use unsigned::Unsigned;
pub use verify::{Verification, verify};
pub use writer::StoreWriter;

//! foldtrace: converts, stores, folds and explains execution traces of parallel programs.
//!
//! The command `foldtrace` is a thin layer over this library; `ARCHITECTURE.md` shows the rooms. Each room is a crate that
//! can be used alone; this one gives all of them together.
//!
//! - [`formats`]: the formats that can be read and written, and how one is recognised.
//! - [`mod@convert`]: from any format to a store, or to any other format.
//! - [`read`], [`timeline`]: a stream to its end, and all of them in the order of time.
//! - [`cut`], [`repair`]: a trace without what is of no interest, and with its definitions in order.
//! - [`matching`], [`mod@derive`]: calls, messages and collective operations, and their tables in a store.
//! - [`store`]: the columnar Parquet store.
//! - [`fold`], [`calltree`]: loop models of symbol streams, and the ordered DAG of call trees.
//! - [`program`], [`dag`], [`patterns`], [`steps`], [`topology`], [`logical`], [`skeleton`], [`extract`]: the analyses.
//! - [`mtf`]: traces as documents of MTF, with the DAG and its messages.
//! - [`listing`], [`metrics`], [`summary`]: what the command shows of a store or trace.
//! - [`select`]: naming locations and processes.

pub use foldtrace_calltree as calltree;
pub use foldtrace_convert as convert;
pub use foldtrace_dag as dag;
pub use foldtrace_derive as derive;
pub use foldtrace_extract as extract;
pub use foldtrace_fold as fold;
pub use foldtrace_logical as logical;
pub use foldtrace_matching as matching;
pub use foldtrace_mtf as mtf;
pub use foldtrace_patterns as patterns;
pub use foldtrace_program as program;
pub use foldtrace_skeleton as skeleton;
pub use foldtrace_steps as steps;
pub use foldtrace_store as store;
pub use foldtrace_stream::{cut, memory, read, repair, select, timeline};
pub use foldtrace_topology as topology;

pub mod formats;
pub mod listing;
pub mod metrics;
pub mod stdin;
pub mod summary;

//! Converts, stores, folds and explains execution traces of parallel programs.
//!
//! The command `foldtrace` is a thin layer over this library. `ARCHITECTURE.md` describes its parts. Each part is a
//! crate that can be used alone. Features choose the formats that [`formats::open`] reads, and the parts that this crate
//! re-exports under the same names. The default is all of them; `default-features = false, features = ["otf2", "store"]`
//! is OTF2 and the store.
//!
//! - [`formats`]: the formats that can be read and written, and their detection.
//! - [`trace`]: batches of events, readers and writers, which all formats share.
//! - [`mod@convert`]: conversion from any format to a store, or to any other format.
//! - [`read`], [`timeline`]: reading a stream to its end, and reading all streams in order of time.
//! - [`cut`], [`repair`]: keeping only selected parts of a trace, and repairing its definitions.
//! - [`matching`], [`mod@derive`]: calls, messages and collective operations, and their tables in a store.
//! - [`clock`]: corrected times of traces whose processes have clocks of their own.
//! - [`store`]: the columnar Parquet store.
//! - [`scan`]: the events of a store as Arrow record batches.
//! - [`fold`], [`calltree`]: loop models of symbol streams, and the ordered DAG of call trees.
//! - [`profile`], [`waits`], [`critical`], [`efficiency`], [`mod@compare`], [`program`], [`dag`], [`patterns`], [`steps`],
//!   [`topology`], [`logical`], [`skeleton`], [`extract`]: the analyses.
//! - [`viewer`]: a page that shows a store in a browser.
//! - [`mtf`]: traces as MTF documents, with the DAG and its messages.
//! - [`listing`], [`metrics`], [`summary`]: the output of the command for a store or trace.
//! - [`select`]: selection of locations and processes by name.
//! - [`cli`]: the command itself, for programs that contain it.

#[cfg(feature = "calltree")]
pub use foldtrace_calltree as calltree;
#[cfg(feature = "clock")]
pub use foldtrace_clock as clock;
#[cfg(feature = "compare")]
pub use foldtrace_compare as compare;
#[cfg(feature = "convert")]
pub use foldtrace_convert as convert;
#[cfg(feature = "critical")]
pub use foldtrace_critical as critical;
#[cfg(feature = "dag")]
pub use foldtrace_dag as dag;
#[cfg(feature = "derive")]
pub use foldtrace_derive as derive;
#[cfg(feature = "efficiency")]
pub use foldtrace_efficiency as efficiency;
#[cfg(feature = "extract")]
pub use foldtrace_extract as extract;
#[cfg(feature = "fold")]
pub use foldtrace_fold as fold;
#[cfg(feature = "logical")]
pub use foldtrace_logical as logical;
#[cfg(feature = "matching")]
pub use foldtrace_matching as matching;
#[cfg(feature = "mtf")]
pub use foldtrace_mtf as mtf;
#[cfg(feature = "patterns")]
pub use foldtrace_patterns as patterns;
#[cfg(feature = "profile")]
pub use foldtrace_profile as profile;
#[cfg(feature = "program")]
pub use foldtrace_program as program;
#[cfg(feature = "scan")]
pub use foldtrace_scan as scan;
#[cfg(feature = "skeleton")]
pub use foldtrace_skeleton as skeleton;
#[cfg(feature = "steps")]
pub use foldtrace_steps as steps;
#[cfg(feature = "store")]
pub use foldtrace_store as store;
#[cfg(feature = "stream")]
pub use foldtrace_stream::{cut, memory, read, repair, select, timeline};
#[cfg(feature = "topology")]
pub use foldtrace_topology as topology;
pub use foldtrace_trace as trace;
#[cfg(feature = "viewer")]
pub use foldtrace_viewer as viewer;
#[cfg(feature = "waits")]
pub use foldtrace_waits as waits;

#[cfg(feature = "command")]
pub mod cli;
pub mod formats;
#[cfg(feature = "command")]
pub mod listing;
#[cfg(feature = "command")]
pub mod metrics;
#[cfg(feature = "command")]
pub mod summary;

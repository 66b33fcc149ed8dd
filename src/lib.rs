//! foldtrace: converts, stores, folds and explains execution traces of parallel programs.
//!
//! The command `foldtrace` is a thin layer over this library; `ARCHITECTURE.md` shows the rooms.
//!
//! - [`formats`]: the formats that can be read and written, and how one is recognised.
//! - [`convert`]: from any format to a store, or to any other format.
//! - [`read`], [`timeline`]: a stream to its end, and all of them in the order of time.
//! - [`cut`]: a trace without what is of no interest.
//! - [`analysis`], [`mod@derive`]: calls, messages and collective operations, and their tables in a store.
//! - [`store`]: the columnar Parquet store.
//! - [`fold`]: loop models of symbol streams, with exact inverses.
//! - [`dag`]: the ordered DAG of a store's call trees.
//! - [`patterns`]: what occurs several times in a store, how long that takes, and what is out of line.
//! - [`mtf`]: traces as documents of MTF, with the DAG and its messages.
//! - [`models`], [`listing`], [`metrics`], [`summary`]: what the command shows of a store or trace.
//! - [`analysis::skeleton`]: programs that do what a recorded one did in a fraction of its time.
//! - [`steps`]: the logical steps of a store, and their table.
//! - [`topology`]: the communication topology of a store's program.
//! - [`select`]: naming locations and processes.
//! - [`extract`]: quantities of the occurrences of constructs of the global model.
//! - [`export`]: models as text, pictures and JSON.

pub use foldtrace_fold as fold;
pub use foldtrace_steps as steps;
pub use foldtrace_store as store;
pub use foldtrace_stream::{cut, memory, read, repair, select, timeline};

pub mod analysis;
pub mod convert;
pub mod dag;
pub mod derive;
pub mod export;
pub mod extract;
pub mod formats;
pub mod listing;
pub mod logical;
pub mod metrics;
pub mod models;
pub mod mtf;
pub mod patterns;
pub mod prediction;
pub mod program;
pub mod stdin;
pub mod summary;
pub mod topology;

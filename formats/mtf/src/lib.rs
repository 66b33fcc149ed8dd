//! MTF, the MPI trace format of Alawneh and Hamou-Lhadj, as XML: what happened as an ordered DAG with
//! its messages and patterns, and beside it when and how much, so that a trace comes back whole.
//!
//! The metamodel is that of the paper (figure 3): a scenario with a trace, processors with processes,
//! traceable units (routine calls, MPI operations) with edges between them, messages, patterns.
//! `schemas/mtf.md` says what the elements mean, `schemas/mtf.xsd` what is where. The DAG stands before
//! the quantities, so that a document is read once from its beginning to its end, through a pipe as
//! well, and what comes before damage is whole.
//!
//! ```
//! use foldtrace_mtf::Mtf;
//! use foldtrace_trace::{Format, PathKind, Probe};
//! let probe = Probe {
//!     path: "-".as_ref(),
//!     kind: PathKind::Stream,
//!     head: b"<?xml version='1.0'?>\n<Scenario xmlns='urn:foldtrace:mtf:1' version='1.0'>",
//! };
//! assert!(Mtf.sniff(&probe));
//! ```

mod format;
mod operation;
mod read;
mod words;
mod write;

pub use format::Mtf;
pub use operation::{Category, OPERATIONS, OTHER, Phase};
pub use write::MtfWriter;

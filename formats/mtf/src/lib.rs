//! Reads and writes MTF, the MPI trace format of Alawneh and Hamou-Lhadj, as XML: the events as an ordered DAG with
//! its messages and patterns, followed by their times and quantities, so that a trace can be read back unchanged.
//!
//! The metamodel is that of the paper (figure 3): a scenario with a trace, processors with processes, traceable units
//! (routine calls, MPI operations) with edges between them, messages, patterns. `schemas/mtf.md` describes the
//! elements, and `schemas/mtf.xsd` their structure. The DAG comes before the quantities, so a document is read once
//! from its beginning to its end, even through a pipe, and everything before damage is intact.
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
mod schema;
mod write;

pub use format::Mtf;
pub use operation::{Category, OPERATIONS, OTHER, Phase};
pub use write::MtfWriter;

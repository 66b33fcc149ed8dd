//! Reads rocpd databases, as rocprofv3 and other profilers of ROCm write them: calls of threads, kernels, copies, allocations and
//! counters.
//!
//! The tables of a process have a common suffix; a merged database has those of several processes. `schemas/rocpd.md` describes
//! how rows become events.
//!
//! ```
//! use foldtrace_rocpd::Rocpd;
//! use foldtrace_trace::{Format, PathKind, Probe};
//! let probe = Probe {
//!     path: "no such file".as_ref(),
//!     kind: PathKind::File,
//!     head: b"SQLite format 3\0",
//! };
//! assert!(!Rocpd.sniff(&probe), "the tables of a database decide");
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod irregularities;
mod mapper;
mod names;
mod places;
mod plan;
mod recording;
mod source;
mod world;

use foldtrace_database::{Kind, SIGNATURE, has_name, path_of};
use foldtrace_trace::{
    Descriptor, ErrorKind, Format, Input, Output, PathKind, Probe, ReadOptions, Severity,
    TraceError, TraceReader, TraceWriter,
};

static DESCRIPTOR: Descriptor = Descriptor {
    name: "rocpd",
    extensions: &["db"],
    about: "rocpd databases of rocprofv3: calls of threads, kernels, copies, allocations, counters",
    holds: "calls, GPU kernels and copies, metrics, attributes",
    drops: "it is not written",
    reads: true,
    writes: false,
    is_text: false,
};

const KIND: Kind = Kind {
    name: "rocpd database",
    extension: "db",
    is_own_table: |name| name.starts_with(source::STRINGS),
    other_file: (Severity::Warning, "rocpd.other_file"),
};

/// The databases of ROCm's profilers: one, or a folder of several, such as one for each process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rocpd;

impl Format for Rocpd {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        let is_database = probe.head.starts_with(SIGNATURE);
        match probe.kind {
            PathKind::File => is_database && KIND.is_file(probe.path),
            PathKind::Folder => KIND.is_folder(probe.path),
            // A pipe cannot be read, which the error says.
            PathKind::Stream => is_database && has_name(probe.head, b"rocpd_"),
            PathKind::ObjectFolder => false,
        }
    }

    fn is_certain(&self, probe: &Probe<'_>) -> bool {
        matches!(probe.kind, PathKind::File | PathKind::Folder)
    }

    fn advice(&self, probe: &Probe<'_>) -> Option<&'static str> {
        let is_json = has_name(probe.head, b"\"rocprofiler-sdk-tool\"");
        is_json.then_some(
            "rocprofv3's JSON is not read; record or convert to a database: rocprofv3 --output-format rocpd",
        )
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        Ok(Box::new(plan::open(path_of(input)?, KIND, *options)?))
    }

    fn create(&self, _: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        let message = "the format 'rocpd' cannot be written";
        Err(TraceError::new(ErrorKind::Usage, message))
    }
}

//! Reads the SQLite export of Nsight Systems: calls of threads, work of GPUs, messages and counters.
//!
//! What a table means follows mostly from its columns, so that tables of other versions are read as well. `schemas/nsight.md`
//! describes how rows become events.
//!
//! ```
//! use foldtrace_nsight::Nsight;
//! use foldtrace_trace::{Format, PathKind, Probe};
//! let probe = Probe {
//!     path: "no such file".as_ref(),
//!     kind: PathKind::File,
//!     head: b"SQLite format 3\0",
//! };
//! assert!(!Nsight.sniff(&probe), "the tables of a database decide");
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod communicators;
mod export;
mod irregularities;
mod mapper;
mod messages;
mod names;
mod nvtx;
mod places;
mod plan;
mod source;
mod timing;
mod world;

use std::path::Path;

use foldtrace_database::{Kind, SIGNATURE, has_name, path_of};
use foldtrace_input::entries_in;
use foldtrace_trace::{
    Descriptor, ErrorKind, Format, Input, Output, PathKind, Probe, ReadOptions, Severity,
    TraceError, TraceReader, TraceWriter,
};

static DESCRIPTOR: Descriptor = Descriptor {
    name: "nsight",
    extensions: &["sqlite"],
    about: "SQLite exports of Nsight Systems: calls of threads, work of GPUs, messages, counters",
    holds: "calls, messages, collective operations, GPU kernels and copies, metrics, attributes",
    drops: "it is not written",
    reads: true,
    writes: false,
    is_text: false,
};

const KIND: Kind = Kind {
    name: "SQLite export of Nsight Systems",
    extension: "sqlite",
    is_own_table,
    other_file: (Severity::Warning, "nsight.other_file"),
};

/// The SQLite export of Nsight Systems, or a folder of several, such as one for each rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nsight;

/// Returns whether only exports of Nsight Systems have a table of that name.
fn is_own_table(name: &str) -> bool {
    const OWN: [&str; 6] = [
        "StringIds",
        "NVTX_EVENTS",
        "META_DATA_EXPORT",
        "EXPORT_META_DATA",
        "TARGET_INFO_SESSION_START_TIME",
        "ANALYSIS_DETAILS",
    ];
    OWN.contains(&name) || name.starts_with("CUPTI_ACTIVITY_KIND_")
}

/// Returns whether a file is a report of Nsight Systems that has not been exported.
fn is_report(path: &Path) -> bool {
    path.extension()
        .is_some_and(|it| it == "nsys-rep" || it == "qdrep")
}

impl Format for Nsight {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        let is_database = probe.head.starts_with(SIGNATURE);
        match probe.kind {
            PathKind::File => is_database && KIND.is_file(probe.path),
            PathKind::Folder => KIND.is_folder(probe.path),
            // A pipe cannot be read, which the error says.
            PathKind::Stream => is_database && !has_name(probe.head, b"rocpd_"),
            PathKind::ObjectFolder => false,
        }
    }

    fn is_certain(&self, probe: &Probe<'_>) -> bool {
        matches!(probe.kind, PathKind::File | PathKind::Folder)
    }

    fn advice(&self, probe: &Probe<'_>) -> Option<&'static str> {
        let is_report = match probe.kind {
            PathKind::File => is_report(probe.path),
            PathKind::Folder => entries_in(probe.path, |entry| is_report(&entry.path()))
                .is_ok_and(|reports| !reports.is_empty()),
            PathKind::Stream | PathKind::ObjectFolder => false,
        };
        is_report.then_some(
            "a report of Nsight Systems must be exported first: nsys export --type sqlite FILE",
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
        let message = "the format 'nsight' cannot be written";
        Err(TraceError::new(ErrorKind::Usage, message))
    }
}

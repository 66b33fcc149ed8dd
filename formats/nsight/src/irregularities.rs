//! What is irregular in a database, counted while it is read.

use std::path::PathBuf;

use foldtrace_trace::{Diagnostic, Diagnostics, Place, Severity};

/// Counts of irregular rows.
#[derive(Debug, Default)]
pub(crate) struct Irregularities {
    /// The file, for messages.
    pub file: PathBuf,
    pub ends_before_begin: u64,
    pub open_calls: u64,
    pub unknown_names: u64,
    pub other_nvtx: u64,
    pub without_message: u64,
    pub unknown_communicators: u64,
    pub incomplete_requests: u64,
    pub unknown_places: u64,
}

impl Irregularities {
    /// Reports everything that occurred.
    pub(crate) fn report(&self, overlaps: u64, diagnostics: &mut Diagnostics) {
        let mut many = |severity, key, count, message: &str| {
            if count > 0 {
                let message = format!("{count} {message}");
                let case = Diagnostic::new(severity, key, message).at(Place::file(&self.file));
                diagnostics.report_many(case, count);
            }
        };
        let (note, warning, loss) = (Severity::Note, Severity::Warning, Severity::Loss);
        many(
            note,
            "nsight.overlapping_call",
            overlaps,
            "calls end after one that began before them",
        );
        many(
            warning,
            "nsight.ends_before_begin",
            self.ends_before_begin,
            "calls end before they begin; their ends are their beginnings",
        );
        many(
            note,
            "nsight.open_call",
            self.open_calls,
            "calls have no end",
        );
        many(
            warning,
            "nsight.unknown_name",
            self.unknown_names,
            "names are numbers of strings that do not exist",
        );
        many(
            loss,
            "nsight.other_nvtx",
            self.other_nvtx,
            "rows of NVTX are neither ranges nor marks, and are left out",
        );
        many(
            note,
            "nsight.call_without_message",
            self.without_message,
            "calls of MPI may send and receive, but the database does not have their messages",
        );
        many(
            warning,
            "nsight.unknown_communicator",
            self.unknown_communicators,
            "events of MPI have a communicator whose members are unknown",
        );
        many(
            note,
            "nsight.incomplete_request",
            self.incomplete_requests,
            "requests of MPI are not completed by a call whose request is known",
        );
        many(
            loss,
            "nsight.unknown_location",
            self.unknown_places,
            "rows have a location that was not there when the database was opened, and are left out",
        );
    }
}

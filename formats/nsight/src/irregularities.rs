//! What is irregular in a database, counted while it is read.

use std::path::PathBuf;

use foldtrace_database::{Timeline, report_counts};
use foldtrace_trace::{Diagnostics, Severity};

/// Counts of irregular rows.
#[derive(Debug, Default)]
pub(crate) struct Irregularities {
    /// The file, for messages.
    pub file: PathBuf,
    pub unknown_names: u64,
    pub other_nvtx: u64,
    pub without_message: u64,
    pub unknown_communicators: u64,
    pub incomplete_requests: u64,
    pub without_value: u64,
    pub unknown_places: u64,
}

impl Irregularities {
    /// Reports everything that occurred.
    pub(crate) fn report(&self, timeline: &Timeline, diagnostics: &mut Diagnostics) {
        let counts = [
            (
                timeline.overlaps(),
                Severity::Note,
                "nsight.overlapping_call",
                "calls end after one that began before them",
            ),
            (
                timeline.ends_before_begin(),
                Severity::Warning,
                "nsight.ends_before_begin",
                "calls end before they begin; their ends are their beginnings",
            ),
            (
                timeline.open_calls(),
                Severity::Note,
                "nsight.open_call",
                "calls have no end",
            ),
            (
                self.unknown_names,
                Severity::Warning,
                "nsight.unknown_name",
                "names are numbers of strings that do not exist",
            ),
            (
                self.other_nvtx,
                Severity::Loss,
                "nsight.other_nvtx",
                "rows of NVTX are neither ranges nor marks, and are left out",
            ),
            (
                self.without_message,
                Severity::Note,
                "nsight.call_without_message",
                "calls of MPI may send and receive, but the database does not have their messages",
            ),
            (
                self.unknown_communicators,
                Severity::Warning,
                "nsight.unknown_communicator",
                "events of MPI have a communicator whose members are unknown",
            ),
            (
                self.incomplete_requests,
                Severity::Note,
                "nsight.incomplete_request",
                "requests of MPI are not completed by a call whose request is known",
            ),
            (
                self.without_value,
                Severity::Loss,
                "nsight.left_out",
                "samples have no integer as their value, and are left out",
            ),
            (
                self.unknown_places,
                Severity::Loss,
                "nsight.unknown_location",
                "rows have a location that was not there when the database was opened, and are left out",
            ),
        ];
        report_counts(&self.file, counts, diagnostics);
    }
}

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
    pub unknown_places: u64,
}

impl Irregularities {
    /// Reports everything that occurred.
    pub(crate) fn report(&self, overlaps: u64, diagnostics: &mut Diagnostics) {
        for (count, severity, key, message) in [
            (
                overlaps,
                Severity::Note,
                "rocpd.overlapping_call",
                "calls end after one that began before them",
            ),
            (
                self.ends_before_begin,
                Severity::Warning,
                "rocpd.ends_before_begin",
                "calls end before they begin; their ends are their beginnings",
            ),
            (
                self.open_calls,
                Severity::Note,
                "rocpd.open_call",
                "calls have no end",
            ),
            (
                self.unknown_names,
                Severity::Warning,
                "rocpd.unknown_name",
                "names are numbers of rows that do not exist",
            ),
            (
                self.unknown_places,
                Severity::Loss,
                "rocpd.unknown_location",
                "rows have a location that was not there when the database was opened, and are left out",
            ),
        ] {
            if count > 0 {
                let case = Diagnostic::new(severity, key, message).at(Place::file(&self.file));
                diagnostics.report_many(case, count);
            }
        }
    }
}

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
    /// The number of counters that have not been read yet.
    pub unread_counters: u64,
    pub unknown_places: u64,
}

impl Irregularities {
    /// Reports everything that occurred.
    pub(crate) fn report(&self, timeline: &Timeline, diagnostics: &mut Diagnostics) {
        let counts = [
            (
                timeline.overlaps(),
                Severity::Note,
                "rocpd.overlapping_call",
                "calls end after one that began before them",
            ),
            (
                timeline.ends_before_begin(),
                Severity::Warning,
                "rocpd.ends_before_begin",
                "calls end before they begin; their ends are their beginnings",
            ),
            (
                timeline.open_calls(),
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
                self.unread_counters,
                Severity::Loss,
                "rocpd.left_out",
                "counters have no value, or an event of no kernel and no sample, and are left out",
            ),
            (
                self.unknown_places,
                Severity::Loss,
                "rocpd.unknown_location",
                "rows have a location that was not there when the database was opened, and are left out",
            ),
        ];
        report_counts(&self.file, counts, diagnostics);
    }
}

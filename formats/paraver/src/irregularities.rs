//! Counts the irregularities of a trace.

use foldtrace_trace::{Diagnostic, Diagnostics, Severity};

/// Counts of irregularities, reported at the end.
#[derive(Debug, Default)]
pub(crate) struct Irregularities {
    /// Ends of calls that did not begin.
    pub ends_without_begin: u64,
    /// Calls of MPI that end because the next one begins.
    pub replaced_calls: u64,
    /// Calls that are open at the end.
    pub open_calls: u64,
    /// States that begin while another one of the same thread lasts.
    pub overlapping_states: u64,
    /// Records that describe communicators between two groups.
    pub intercommunicators: u64,
    /// Members of communicators that the header does not list.
    pub unknown_members: u64,
    /// Whether labels were found beside the trace.
    pub has_labels: bool,
    /// Whether the trace has a header.
    pub has_header: bool,
}

impl Irregularities {
    /// Reports all irregularities.
    pub(crate) fn report(&self, diagnostics: &mut Diagnostics) {
        for (count, severity, key, message) in [
            (
                u64::from(!self.has_header),
                Severity::Loss,
                "paraver.no_header",
                "there is no header, so the trace is empty",
            ),
            (
                u64::from(!self.has_labels),
                Severity::Note,
                "paraver.no_labels",
                "there is no .pcf file beside the trace; only the numbers of Extrae have names",
            ),
            (
                self.ends_without_begin,
                Severity::Warning,
                "paraver.end_without_begin",
                "calls end that did not begin; their leave events have no region",
            ),
            (
                self.replaced_calls,
                Severity::Note,
                "paraver.replaced_call",
                "calls of MPI begin before the previous one of their thread ends, and end it",
            ),
            (
                self.open_calls,
                Severity::Note,
                "paraver.open_call",
                "calls are still open at the end of the trace",
            ),
            (
                self.overlapping_states,
                Severity::Note,
                "paraver.overlapping_state",
                "states begin before the previous one of their thread ends, and end it",
            ),
            (
                self.intercommunicators,
                Severity::Loss,
                "paraver.intercommunicator",
                "communicators between two groups were left out",
            ),
            (
                self.unknown_members,
                Severity::Warning,
                "paraver.unknown_member",
                "members of communicators that the header does not list were left out",
            ),
        ] {
            if count > 0 {
                diagnostics.report_many(Diagnostic::new(severity, key, message), count);
            }
        }
    }
}

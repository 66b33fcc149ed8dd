//! Counts the irregularities of a trace.

use foldtrace_trace::{Diagnostic, Diagnostics, Severity};

/// Counts of irregularities, reported at the end.
#[derive(Debug, Default)]
pub(crate) struct Irregularities {
    /// Times with more digits than nanoseconds have.
    pub rounded: u64,
    pub pops_without_push: u64,
    /// States that were open when their container was destroyed.
    pub ended_states: u64,
    /// States that are still open at the end.
    pub open_states: u64,
    /// Ends of links without another end.
    pub unmatched_links: u64,
    /// Ends of messages whose peer became known too late.
    pub unknown_peers: u64,
    /// Ends of links between hosts.
    pub host_links: u64,
    /// Lines of events that are not part of the format.
    pub unknown_events: u64,
    invalid_texts: u64,
}

impl Irregularities {
    /// Converts bytes to text, replacing invalid UTF-8.
    pub(crate) fn text(&mut self, bytes: &[u8]) -> String {
        if std::str::from_utf8(bytes).is_err() {
            self.invalid_texts += 1;
        }
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Reports all irregularities.
    pub(crate) fn report(&self, diagnostics: &mut Diagnostics) {
        for (count, severity, key, message) in [
            (
                self.rounded,
                Severity::Loss,
                "paje.rounded_time",
                "times are finer than nanoseconds and were rounded",
            ),
            (
                self.unknown_events,
                Severity::Loss,
                "paje.unknown_event",
                "lines describe events that Pajé does not define and were left out",
            ),
            (
                self.pops_without_push,
                Severity::Warning,
                "paje.pop_without_push",
                "states are popped but were never pushed; their leave events have no region",
            ),
            (
                self.ended_states,
                Severity::Note,
                "paje.ended_state",
                "states ended because their container was destroyed",
            ),
            (
                self.open_states,
                Severity::Note,
                "paje.open_state",
                "states are still open at the end of the trace",
            ),
            (
                self.unmatched_links,
                Severity::Note,
                "paje.unmatched_link",
                "links have only one end",
            ),
            (
                self.host_links,
                Severity::Note,
                "paje.platform_link",
                "ends of links between hosts were left out",
            ),
            (
                self.unknown_peers,
                Severity::Warning,
                "paje.unknown_peer",
                "messages have no peer, because their other end came too late",
            ),
            (
                self.invalid_texts,
                Severity::Warning,
                "paje.invalid_text",
                "texts are not UTF-8; their invalid bytes were replaced by U+FFFD",
            ),
        ] {
            if count > 0 {
                diagnostics.report_many(Diagnostic::new(severity, key, message), count);
            }
        }
    }
}

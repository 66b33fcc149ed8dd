//! Reports how a skeleton deviates from the recorded program.

use foldtrace_trace::{Diagnostic, Diagnostics, Severity};

use super::program::Skeleton;

impl Skeleton {
    /// Returns diagnostics about calls that were left out, calls that were added, and a fixed number of processes.
    #[must_use]
    pub fn diagnostics(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        let mut report = |severity, key, count: u64, message: &str| {
            if count > 0 {
                diagnostics.report_many(Diagnostic::new(severity, key, message), count);
            }
        };
        let left_out = &self.left_out;
        let message = "a receive is missing from the trace, such as one that MPI_Waitall completes; it is added";
        report(Severity::Note, "skeleton.added", left_out.added, message);
        let message = "a collective operation has no counterpart in a skeleton and is left out";
        report(
            Severity::Loss,
            "skeleton.left_out",
            left_out.operations,
            message,
        );
        let size = self.places.len();
        let message = format!("the skeleton runs only with {size} processes");
        report(
            Severity::Note,
            "skeleton.one_size",
            u64::from(self.is_fixed),
            &message,
        );
        let message =
            "an end of a message lost its other end when loops were scaled, and is left out";
        report(
            Severity::Warning,
            "skeleton.parted",
            left_out.scaled,
            message,
        );
        let message = "a message is sent but never received, and is left out";
        report(
            Severity::Loss,
            "skeleton.unmatched",
            left_out.sends,
            message,
        );
        let message = "a receive waits for a message that is never sent, and is left out";
        report(
            Severity::Loss,
            "skeleton.unmatched",
            left_out.receives,
            message,
        );
        diagnostics
    }
}

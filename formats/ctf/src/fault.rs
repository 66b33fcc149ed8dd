//! What may be wrong in a trace, before it is known where, and what is lost by it.

use foldtrace_trace::{Diagnostic, Diagnostics, ErrorKind, Place, Severity, TraceError};

/// A fault of metadata or of a packet.
#[derive(Debug)]
pub(crate) struct Fault {
    pub kind: ErrorKind,
    pub message: String,
    /// The line of the metadata, 1-based.
    pub line: Option<u64>,
    pub hint: Option<&'static str>,
}

impl Fault {
    /// Creates a fault: something violates the rules of the format.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Malformed,
            message: message.into(),
            line: None,
            hint: None,
        }
    }

    /// Creates a fault: the input ends too early.
    pub(crate) fn truncated(message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Truncated,
            hint: Some("the copy may be incomplete, or the program still running"),
            ..Self::new(message)
        }
    }

    /// Sets the line, unless it is known.
    pub(crate) fn at_line(mut self, line: u64) -> Self {
        self.line.get_or_insert(line);
        self
    }

    pub(crate) fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// Returns the error at a place, whose line is that of the fault if it has one.
    pub(crate) fn error(self, mut place: Place) -> TraceError {
        place.line = self.line.or(place.line);
        let mut error = TraceError::new(self.kind, self.message).at(place);
        error.hint = self.hint.map(str::to_owned);
        error
    }
}

/// Reports a failure that loses a part of the trace.
pub(crate) fn report(
    severity: Severity,
    key: &'static str,
    error: &TraceError,
    diagnostics: &mut Diagnostics,
) {
    let cause = error
        .source
        .as_ref()
        .map(|cause| format!(": {cause}"))
        .unwrap_or_default();
    let loss = Diagnostic::new(severity, key, format!("{error}{cause}"));
    diagnostics.report(loss.at((*error.place).clone()));
}

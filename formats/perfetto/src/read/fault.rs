//! Faults of packets.

use foldtrace_trace::ErrorKind;

/// An error in a packet.
#[derive(Debug)]
pub(crate) struct Fault {
    pub kind: ErrorKind,
    pub message: String,
    pub hint: Option<&'static str>,
}

impl Fault {
    #[cold]
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Malformed,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) const fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    pub(crate) fn truncated() -> Self {
        Self {
            kind: ErrorKind::Truncated,
            ..Self::new("expected the rest of a packet, found the end of the file")
        }
        .hint(
            "the program may still have been running, or the disk full, when the file was written",
        )
    }
}

//! Faults of the elements of a file.

use std::str::Utf8Error;

use foldtrace_input::show;
use foldtrace_trace::ErrorKind;

/// An error in an element.
#[derive(Debug)]
pub(crate) struct Fault {
    pub kind: ErrorKind,
    pub message: String,
    pub hint: Option<&'static str>,
    /// Offset in the element.
    pub at: usize,
    /// Whether the element is not valid JSON, so its end may have been misjudged.
    pub is_garbled: bool,
}

impl Fault {
    /// Creates a fault for valid JSON that is not a valid event.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Malformed,
            message: message.into(),
            hint: None,
            at: 0,
            is_garbled: false,
        }
    }

    /// Creates a fault at a place where `found` was read instead of `expected`.
    pub(crate) fn expected(expected: &str, found: &str) -> Self {
        Self::new(format!(
            "expected {expected}, found {}",
            show(found.as_bytes())
        ))
    }

    pub(crate) fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// Creates a fault for invalid JSON.
    pub(crate) fn garbled(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            is_garbled: true,
            ..Self::new(message)
        }
    }

    /// Creates a fault for bytes that are not UTF-8.
    pub(crate) fn not_utf8(error: &Utf8Error, text: &[u8]) -> Self {
        let at = error.valid_up_to();
        let found = show(&text[at..]);
        Self {
            at,
            ..Self::garbled(
                ErrorKind::Malformed,
                format!("expected UTF-8, found {found}"),
            )
        }
    }

    /// Creates a fault from an error of the JSON parser in `text`.
    pub(crate) fn not_json(error: &serde_json::Error, text: &[u8]) -> Self {
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        let before: usize = lines
            .take(error.line().saturating_sub(1))
            .map(<[u8]>::len)
            .sum();
        let at = (before + error.column().saturating_sub(1)).min(text.len());
        let message = error.to_string();
        let reason = message.split(" at line ").next().unwrap_or_default();
        let found = show(&text[at..]);
        Self {
            at,
            ..Self::garbled(
                ErrorKind::Malformed,
                format!("expected an event in JSON, found {found}: {reason}"),
            )
        }
    }
}

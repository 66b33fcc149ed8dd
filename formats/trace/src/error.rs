//! Errors of readers and writers: a kind, a place, a cause and a hint.

use std::io;
use std::path::Path;

use crate::Place;

/// What sort of failure it is; decides the exit code and whether `--salvage` may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The input cannot be opened or read: missing, no permission, a device error.
    Unreadable,
    /// No format knows the input, or another format than the one asked for.
    Foreign,
    /// The input ends within a record.
    Truncated,
    /// The input is not what its format demands.
    Malformed,
    /// The output cannot be written.
    Output,
    /// The request cannot be met: an unsupported direction, an option that does not fit.
    Usage,
    /// Stopped on request.
    Interrupted,
    /// A fault of foldtrace itself.
    Internal,
}

/// An error of a reader or a writer.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct TraceError {
    /// What sort of failure.
    pub kind: ErrorKind,
    /// What was tried or expected, and what was found.
    pub message: String,
    /// Where in the input or output.
    pub place: Box<Place>,
    /// What the user can do.
    pub hint: Option<String>,
    /// What lies beneath.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl TraceError {
    /// An error without a place, a hint or a cause yet.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            place: Box::default(),
            hint: None,
            source: None,
        }
    }

    /// The same with a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        *self.place = place;
        self
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with a cause.
    #[must_use]
    pub fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// A failure to read `path`.
    pub fn unreadable(path: &Path, source: io::Error) -> Self {
        let error = Self::new(
            ErrorKind::Unreadable,
            format!("cannot read {}", path.display()),
        );
        let error = match source.kind() {
            io::ErrorKind::NotFound => error.hint("check the path; nothing exists there"),
            io::ErrorKind::PermissionDenied => error.hint("check the permissions of the file"),
            _ => error,
        };
        error.at(Place::file(path)).caused_by(source)
    }

    /// A failure to write `path`.
    pub fn unwritable(path: &Path, source: io::Error) -> Self {
        let error = Self::new(
            ErrorKind::Output,
            format!("cannot write {}", path.display()),
        );
        let error = match source.kind() {
            io::ErrorKind::NotFound => error.hint("the folder it should go to does not exist"),
            io::ErrorKind::PermissionDenied => error.hint("check the permissions of the folder"),
            io::ErrorKind::StorageFull => error.hint("the disk is full"),
            _ => error,
        };
        error.at(Place::file(path)).caused_by(source)
    }

    /// Whether complete records before and around the failure can be kept (`--salvage`).
    #[must_use]
    pub const fn is_salvageable(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Truncated | ErrorKind::Malformed | ErrorKind::Unreadable
        )
    }
}

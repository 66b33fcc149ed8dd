//! Errors of readers and writers: a kind, a place, a cause and a hint.

use std::io;
use std::path::Path;

use rustix::io::Errno;

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
        let path = named(path, "standard input");
        let error = Self::new(
            ErrorKind::Unreadable,
            format!("cannot read {}", path.display()),
        );
        let error = match source.kind() {
            io::ErrorKind::NotFound => error.hint("check the path; nothing exists there"),
            io::ErrorKind::PermissionDenied => error.hint("check the permissions of the file"),
            _ if is_exhausted(&source) => error.hint(MORE_FILES),
            _ => error,
        };
        error.at(Place::file(path)).caused_by(source)
    }

    /// A failure to write `path`.
    pub fn unwritable(path: &Path, source: io::Error) -> Self {
        let path = named(path, "standard output");
        let error = Self::new(
            ErrorKind::Output,
            format!("cannot write {}", path.display()),
        );
        let error = match source.kind() {
            io::ErrorKind::NotFound => error.hint("the folder it should go to does not exist"),
            io::ErrorKind::PermissionDenied => error.hint("check the permissions of the folder"),
            io::ErrorKind::StorageFull => error.hint("the disk is full"),
            io::ErrorKind::QuotaExceeded => error.hint("your quota of the disk is used up"),
            io::ErrorKind::FileTooLarge => {
                error.hint("files are limited in size, by 'ulimit -f' or by the file system")
            }
            io::ErrorKind::ReadOnlyFilesystem => error.hint("the file system is read-only"),
            _ if is_exhausted(&source) => error.hint(MORE_FILES),
            _ => error,
        };
        error.at(Place::file(path)).caused_by(source)
    }

    /// Whether complete records before and around the failure can be kept (`--salvage`). Where the
    /// machine lacks something, the input is as good as ever, so nothing of it is given up.
    #[must_use]
    pub fn is_salvageable(&self) -> bool {
        let cause = self
            .source
            .as_deref()
            .and_then(|cause| cause.downcast_ref());
        matches!(
            self.kind,
            ErrorKind::Truncated | ErrorKind::Malformed | ErrorKind::Unreadable
        ) && !cause.is_some_and(is_exhausted)
    }
}

/// Returns the path for messages: `stream` instead of `-`.
fn named<'a>(path: &'a Path, stream: &'a str) -> &'a Path {
    if path == Path::new("-") {
        Path::new(stream)
    } else {
        path
    }
}

const MORE_FILES: &str =
    "more files have to be open at a time; 'ulimit -n' tells and sets how many";

/// Whether no more files can be opened, however good they are.
fn is_exhausted(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

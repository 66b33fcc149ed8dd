//! Errors of readers and writers: a kind, a place, a cause and a hint.

use std::io;
use std::path::Path;

use rustix::io::Errno;

use crate::Place;

/// The kind of a failure. It decides the exit code, and whether salvaging may continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The input cannot be opened or read: it is missing, permission is denied, or a device failed.
    Unreadable,
    /// No format recognises the input, or it is of another format than requested.
    Foreign,
    /// The input ends within a record.
    Truncated,
    /// The input violates the rules of its format.
    Malformed,
    /// The output cannot be written.
    Output,
    /// The request cannot be met: an unsupported direction, or an option that does not apply.
    Usage,
    /// The operation was interrupted on request.
    Interrupted,
    /// A bug in foldtrace itself.
    Internal,
}

/// An option with which the failed request may succeed. A command adds the words for its own flag to the hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Remedy {
    /// Keep the intact parts of a damaged input.
    Salvage,
    /// Replace the existing output.
    Replace,
    /// Name the format of the input.
    InputFormat,
    /// Write a store, then repair the definitions of that store.
    StoreThenRepair,
    /// Write a store from a trace.
    WriteStore,
    /// Use another folder for temporary files.
    TemporaryFolder,
    /// Compare all data of a store with its checksums.
    Verify,
    /// Write the models of the locations of a store as JSON.
    WriteModels,
    /// Write the model of the whole program of a store as JSON.
    WriteProgramModel,
    /// Show the model of the whole program, with the numbers of its constructs.
    NumberConstructs,
    /// Allow more terms in merged models.
    MaxTerms,
    /// Annotate the model of the whole program of the same store, made from the same kinds of events.
    AnnotateModel,
    /// Show the groups of processes that exchange messages, and count all messages.
    CountAllMessages,
    /// Show how the topology differs from known ones, and add a topology.
    AddTopology,
    /// Show how well a logical program describes each process, and select another topology for it.
    SelectTopology,
    /// Show the logical program of a store.
    ShowLogicalProgram,
    /// Show sequences of events that occur several times.
    ShowPatterns,
    /// List the events of a store, which name their regions.
    ListEvents,
}

/// An error of a reader or a writer.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct TraceError {
    /// The kind of the failure.
    pub kind: ErrorKind,
    /// What was attempted or expected, and what was found.
    pub message: String,
    /// The place in the input or output.
    pub place: Box<Place>,
    /// A suggestion to the user.
    pub hint: Option<String>,
    /// The option that may help.
    pub remedy: Option<Remedy>,
    /// The underlying cause.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl TraceError {
    /// Creates an error without a place, a hint or a cause.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            place: Box::default(),
            hint: None,
            remedy: None,
            source: None,
        }
    }

    /// Returns the error with a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        *self.place = place;
        self
    }

    /// Returns the error with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the error with an option that may help.
    #[must_use]
    pub const fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedy = Some(remedy);
        self
    }

    /// Returns the error with a cause.
    #[must_use]
    pub fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the error for a failure to read `path`.
    pub fn unreadable(path: &Path, source: io::Error) -> Self {
        let path = displayed(path, "standard input");
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

    /// Returns the error for a failure to write `path`.
    pub fn unwritable(path: &Path, source: io::Error) -> Self {
        let path = displayed(path, "standard output");
        let error = Self::new(
            ErrorKind::Output,
            format!("cannot write {}", path.display()),
        );
        let error = match source.kind() {
            io::ErrorKind::NotFound => error.hint("the parent folder does not exist"),
            io::ErrorKind::PermissionDenied => error.hint("check the permissions of the folder"),
            io::ErrorKind::StorageFull => error.hint("the disk is full"),
            io::ErrorKind::QuotaExceeded => error.hint("your disk quota is used up"),
            io::ErrorKind::FileTooLarge => {
                error.hint("'ulimit -f' or the file system limits the size of files")
            }
            io::ErrorKind::ReadOnlyFilesystem => error.hint("the file system is read-only"),
            _ if is_exhausted(&source) => error.hint(MORE_FILES),
            _ => error,
        };
        error.at(Place::file(path)).caused_by(source)
    }

    /// Returns the error for an output at `path` that is refused for a reason, such as "it is a folder".
    pub fn refused(path: &Path, reason: &str) -> Self {
        let message = format!("cannot write {}: {reason}", path.display());
        Self::new(ErrorKind::Output, message).at(Place::file(path))
    }

    /// Returns the error for an output at `path` that exists and must not be replaced.
    pub fn exists(path: &Path) -> Self {
        Self::refused(path, "it already exists").remedy(Remedy::Replace)
    }

    /// Returns the error for a piece of a stream that does not exist.
    pub fn no_piece(stream: usize, piece: usize) -> Self {
        let message = format!("stream {stream} has no piece {piece}");
        Self::new(ErrorKind::Internal, message)
    }

    /// Returns whether complete records before and after the failure can be salvaged. If the failure is due
    /// to a limit of the machine, the input is intact, so that no part of it may be given up.
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
fn displayed<'a>(path: &'a Path, stream: &'a str) -> &'a Path {
    if path == Path::new("-") {
        Path::new(stream)
    } else {
        path
    }
}

const MORE_FILES: &str =
    "more files must be open at the same time; 'ulimit -n' shows and sets the limit";

/// Returns whether the error means that too many files are open, which does not depend on the file itself.
fn is_exhausted(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

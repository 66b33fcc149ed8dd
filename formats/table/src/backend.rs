//! The interface of the encoders of one file format, and the file to which they write.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use foldtrace_output::OutputFile;
use foldtrace_trace::{ErrorKind, Place, TraceError};

/// Any failure of a backend.
pub(crate) type EncodeError = Box<dyn std::error::Error + Send + Sync>;

/// An encoder of rows in one file format.
pub(crate) trait Backend {
    /// Writes rows.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), EncodeError>;

    /// Writes everything that is pending, and returns the file.
    fn finish(self: Box<Self>) -> Result<WatchedFile, EncodeError>;
}

/// A file that keeps its first error, because backends convert errors of a disk or a pipe into plain text.
pub(crate) struct WatchedFile {
    file: OutputFile,
    failure: Failure,
}

impl WatchedFile {
    /// Watches `file`. The returned failure is that of the file.
    pub(crate) fn new(file: OutputFile) -> (Self, Failure) {
        let failure = Failure::default();
        let watched = Self {
            file,
            failure: failure.clone(),
        };
        (watched, failure)
    }

    /// Gives the file its final name.
    pub(crate) fn complete(self) -> Result<(), TraceError> {
        self.file.complete()
    }
}

impl Write for WatchedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        written.map_err(|error| self.failure.keep(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        flushed.map_err(|error| self.failure.keep(error))
    }
}

/// The first error of a file, if any.
#[derive(Clone, Default)]
pub(crate) struct Failure(Arc<Mutex<Option<io::Error>>>);

impl Failure {
    /// Keeps an error to report later, and returns an error of the same kind for the backend.
    fn keep(&self, error: io::Error) -> io::Error {
        let kind = error.kind();
        if kind != io::ErrorKind::Interrupted {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.get_or_insert(error);
        }
        kind.into()
    }

    /// Returns the cause of an error of the backend that writes `path`: the error of the file if there is one, or else the
    /// failed encoding.
    pub(crate) fn cause_of(&self, error: EncodeError, path: &Path) -> TraceError {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.take() {
            Some(failure) => TraceError::unwritable(path, failure),
            None => {
                let message = format!("cannot encode {}", path.display());
                TraceError::new(ErrorKind::Internal, message)
                    .at(Place::file(path))
                    .caused_by(error)
            }
        }
    }
}

//! Converts failures of the store to the errors that all readers and writers share.

use std::io;
use std::path::Path;

use arrow::error::ArrowError;
use foldtrace_trace::{ErrorKind, Place, Remedy, TraceError};
use parquet::errors::ParquetError;

/// An extension of results that adds the file to a write error.
pub(crate) trait Writing<T> {
    /// Converts the error to one that names `path`.
    fn writing(self, path: &Path) -> Result<T, TraceError>;
}

/// An extension of results that adds the file to a read error.
pub(crate) trait Reading<T> {
    /// Converts the error to one that names `path`.
    fn reading(self, path: &Path) -> Result<T, TraceError>;
}

impl<T> Writing<T> for Result<T, io::Error> {
    fn writing(self, path: &Path) -> Result<T, TraceError> {
        self.map_err(|error| TraceError::unwritable(path, error))
    }
}

impl<T> Reading<T> for Result<T, io::Error> {
    fn reading(self, path: &Path) -> Result<T, TraceError> {
        self.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => damaged(path, "a file of the store is missing", error),
            _ => TraceError::unreadable(path, error),
        })
    }
}

impl<T> Writing<T> for Result<T, ParquetError> {
    fn writing(self, path: &Path) -> Result<T, TraceError> {
        self.map_err(|error| match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(io_error) => TraceError::unwritable(path, *io_error),
                Err(other) => internal(path, other),
            },
            other => unwritten(path, other),
        })
    }
}

impl<T> Reading<T> for Result<T, ParquetError> {
    fn reading(self, path: &Path) -> Result<T, TraceError> {
        self.map_err(|error| match error {
            ParquetError::External(inner) => match unwrapped(inner) {
                Ok(error) => error,
                Err(other) => damaged(path, "a table of the store is damaged", other),
            },
            other => damaged(path, "a table of the store is damaged", other),
        })
    }
}

impl<T> Writing<T> for Result<T, ArrowError> {
    fn writing(self, path: &Path) -> Result<T, TraceError> {
        self.map_err(|error| internal(path, error))
    }
}

impl<T> Reading<T> for Result<T, ArrowError> {
    fn reading(self, path: &Path) -> Result<T, TraceError> {
        self.map_err(|error| damaged(path, "a table of the store is damaged", error))
    }
}

/// Returns the error of a `CheckedFile` that an error of Parquet's reader wraps, or otherwise the error itself.
fn unwrapped(error: Cause) -> Result<TraceError, Cause> {
    let error = match error.downcast::<io::Error>() {
        Ok(io) if io.get_ref().is_some() => io.into_inner().unwrap_or_else(|| "".into()),
        Ok(io) => return Err(io),
        Err(other) => other,
    };
    error.downcast::<TraceError>().map(|error| *error)
}

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Converts a write error of Parquet, which turns some disk failures into plain messages; only the text of the cause
/// identifies a full disk.
fn unwritten(path: &Path, error: ParquetError) -> TraceError {
    TraceError::new(
        ErrorKind::Output,
        format!("cannot write {}", path.display()),
    )
    .at(Place::file(path))
    .caused_by(error)
}

fn internal(path: &Path, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> TraceError {
    TraceError::new(
        ErrorKind::Internal,
        format!("cannot encode {}", path.display()),
    )
    .at(Place::file(path))
    .caused_by(error)
}

/// Returns the error for a store that differs from what was written.
pub(crate) fn damaged(
    path: &Path,
    message: &str,
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> TraceError {
    wrong(path, message).caused_by(error)
}

/// Returns the same error as [`damaged`], without a cause.
pub(crate) fn wrong(path: &Path, message: &str) -> TraceError {
    TraceError::new(ErrorKind::Malformed, message)
        .at(Place::file(path))
        .hint("copy the store again, or convert its source again")
        .remedy(Remedy::Verify)
}

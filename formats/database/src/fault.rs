//! Errors of SQLite as errors of traces: a kind, the file and a hint.

use std::io;
use std::path::Path;

use foldtrace_trace::{ErrorKind, Place, Remedy, TraceError};
use rusqlite::{Error, ErrorCode};

/// Returns the error for a failure of SQLite to read the database at `path`.
pub(crate) fn fault(path: &Path, error: Error) -> TraceError {
    let code = error.sqlite_error_code();
    let trace_error = match code {
        Some(ErrorCode::NotADatabase) => {
            TraceError::new(ErrorKind::Foreign, "this is not a SQLite database")
                .hint("an encrypted database must be decrypted first")
        }
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            let message = format!("cannot read {}", path.display());
            TraceError::new(ErrorKind::Unreadable, message)
                .hint("check the path and the permissions of the file")
        }
        Some(ErrorCode::SystemIoFailure) => {
            let message = format!("cannot read {}", path.display());
            TraceError::new(ErrorKind::Unreadable, message).remedy(Remedy::Salvage)
        }
        Some(ErrorCode::DiskFull) => no_scratch("the folder for temporary files is full"),
        Some(ErrorCode::OutOfMemory) => TraceError::new(
            ErrorKind::Malformed,
            "a row of the database needs too much memory",
        )
        .remedy(Remedy::Salvage),
        Some(ErrorCode::TooBig) => TraceError::new(
            ErrorKind::Malformed,
            "a value in the database is longer than 16 MiB",
        )
        .remedy(Remedy::Salvage),
        Some(ErrorCode::OperationInterrupted) => {
            TraceError::new(ErrorKind::Interrupted, "reading was interrupted")
        }
        _ => TraceError::new(ErrorKind::Malformed, "the database is damaged")
            .hint(
                "export or record it again, or copy what can be read with 'sqlite3 FILE .recover'",
            )
            .remedy(Remedy::Salvage),
    };
    trace_error.at(Place::file(path)).caused_by(error)
}

fn no_scratch(message: &str) -> TraceError {
    TraceError::new(ErrorKind::Unreadable, message).hint(
        "rows are sorted in temporary files; set TMPDIR to a folder with as much space as the database takes",
    )
}

/// Returns the error for rows that cannot be sorted in a temporary file.
pub(crate) fn scratch_fault(path: &Path, error: io::Error) -> TraceError {
    let trace_error = match error.kind() {
        io::ErrorKind::StorageFull => no_scratch("the folder for temporary files is full"),
        _ => no_scratch("cannot use the folder for temporary files"),
    };
    trace_error.at(Place::file(path)).caused_by(error)
}

/// Returns the error for more rows or longer values than a file has room for, as damaged pages can have. `what` has them, such as
/// "the table t".
pub(crate) fn endless(path: &Path, what: &str) -> TraceError {
    let message = format!("{what} has more content than the file has room for");
    TraceError::new(ErrorKind::Malformed, message)
        .hint("the database is damaged: export or record it again")
        .remedy(Remedy::Salvage)
        .at(Place::file(path))
}

/// Returns whether an error is that of [`endless`]. All others of damaged databases have a cause in SQLite.
pub(crate) fn is_endless(error: &TraceError) -> bool {
    error.kind == ErrorKind::Malformed && error.source.is_none()
}

/// Returns whether rows could not be sorted, which is not the fault of the database.
pub(crate) fn is_unsorted(error: &TraceError) -> bool {
    let Some(cause) = error.source.as_deref() else {
        return false;
    };
    let code = cause.downcast_ref().and_then(Error::sqlite_error_code);
    code == Some(ErrorCode::DiskFull) || cause.is::<io::Error>()
}

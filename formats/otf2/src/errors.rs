//! What the library's errors mean to a user.

use std::path::Path;

use foldtrace_trace::{ErrorKind, Place, TraceError};
use otf2_sys::safe::LibraryError;

use crate::layout::{Damage, Fault};

/// Said where a part of the trace may be saved.
pub(crate) const SALVAGE: &str = "the file may be truncated; --salvage keeps the complete records";

/// An error of the library at `place`.
pub(crate) fn library(error: LibraryError, message: impl Into<String>, place: Place) -> TraceError {
    let kind = match error.name.as_str() {
        "FILE_CAN_NOT_OPEN" | "FILE_INTERACTION" | "EACCES" | "ENOENT" | "EMFILE" | "ENFILE"
        | "EIO" => ErrorKind::Unreadable,
        _ => ErrorKind::Malformed,
    };
    TraceError::new(kind, message).at(place).caused_by(error)
}

/// An error for a file whose frame is broken; `place` gets the offset.
pub(crate) fn damaged(damage: Damage, message: String, place: Place) -> TraceError {
    let (kind, message) = match damage.fault {
        Fault::Truncated => (ErrorKind::Truncated, message),
        Fault::Malformed(what) => (ErrorKind::Malformed, format!("{message}: {what}")),
    };
    TraceError::new(kind, message)
        .at(place.byte(damage.byte))
        .hint(SALVAGE)
}

/// Whether `path` can be opened at all; the library's own words on that are poor.
pub(crate) fn readable(path: &Path) -> Result<(), TraceError> {
    // Asked before opening: to open a pipe is to wait for its writer.
    let metadata = path
        .metadata()
        .map_err(|error| TraceError::unreadable(path, error))?;
    if !metadata.is_file() {
        let message = format!("{} is not a file", path.display());
        return Err(TraceError::new(ErrorKind::Unreadable, message).at(Place::file(path)));
    }
    std::fs::File::open(path).map_err(|error| TraceError::unreadable(path, error))?;
    Ok(())
}

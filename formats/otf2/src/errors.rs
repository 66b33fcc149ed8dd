//! Translates faults of files into errors and diagnostics for users.

use std::path::Path;

use foldtrace_trace::{Diagnostic, Diagnostics, ErrorKind, Place, Remedy, Severity, TraceError};

use crate::wire::{ChunkReader, Fault, SinkError, TooWide};

/// The hint for damage from which a part of the trace can be saved.
pub(crate) const TRUNCATED: &str = "the file may be truncated";

/// Damage in a file.
#[derive(Debug)]
pub(crate) struct Damage {
    /// Offset of the first incomplete record.
    pub(crate) byte: u64,
    /// The fault at that offset.
    pub(crate) fault: Fault,
}

/// Formats a number of things, with the noun in the plural unless the number is 1.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Returns the error for a damaged file at `place`, to which the offset is added.
pub(crate) fn damaged(damage: Damage, message: String, place: Place) -> TraceError {
    let place = place.byte(damage.byte);
    match damage.fault {
        Fault::Truncated => TraceError::new(ErrorKind::Truncated, message),
        Fault::Malformed(reason) | Fault::Contained(reason) => {
            TraceError::new(ErrorKind::Malformed, format!("{message}: {reason}"))
        }
        Fault::EarlyEnd => TraceError::new(
            ErrorKind::Malformed,
            format!("{message}: records follow an end-of-file mark"),
        ),
        Fault::Unreadable(error) => {
            return TraceError::new(ErrorKind::Unreadable, message)
                .at(place)
                .caused_by(error);
        }
    }
    .at(place)
    .hint(TRUNCATED)
    .remedy(Remedy::Salvage)
}

/// Reports bytes after the end of `file`, which must have been read completely.
pub(crate) fn trailing(file: &ChunkReader, place: Place, diagnostics: &mut Diagnostics) {
    report_trailing(file.trailing(), file.length(), place, diagnostics);
}

/// Reports that the last `bytes` bytes of a file of `length` bytes are ignored, unless `bytes` is 0.
pub(crate) fn report_trailing(
    bytes: u64,
    length: u64,
    place: Place,
    diagnostics: &mut Diagnostics,
) {
    if bytes == 0 {
        return;
    }
    let ignored = counted(bytes, "byte");
    let message = format!("ignored {ignored} after the end-of-file mark");
    diagnostics.report(
        Diagnostic::new(Severity::Note, "otf2.trailing_bytes", message)
            .at(place.byte(length - bytes)),
    );
}

/// Returns the error for a record with a number that is too large for its field.
pub(crate) fn too_wide(TooWide(number): TooWide, record: &str, place: Place) -> TraceError {
    let message = format!(
        "the record '{record}' has the number {number}, which is too large for its field in OTF2"
    );
    TraceError::new(ErrorKind::Output, message).at(place)
}

/// Returns the error for a record that could not be written to its file.
pub(crate) fn unwritten(error: SinkError, path: &Path, record: &str, place: Place) -> TraceError {
    match error {
        SinkError::Io(error) => TraceError::unwritable(path, error),
        SinkError::TooLong(bytes) => {
            let message = format!(
                "the record '{record}' needs {bytes} bytes, which is more than a chunk of the archive holds"
            );
            TraceError::new(ErrorKind::Output, message).at(place)
        }
    }
}

/// Checks that `path` is a file that can be opened.
pub(crate) fn readable(path: &Path) -> Result<(), TraceError> {
    // Checked before opening, because opening a pipe blocks until its writer opens it.
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

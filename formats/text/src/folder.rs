//! A folder of text traces, with one file per process.

use std::io;
use std::path::{Path, PathBuf};

use foldtrace_input::{Lines, entries_in};
use foldtrace_trace::{ErrorKind, Place, TraceError};

/// Returns the text traces of a folder: its files `*.trace`, sorted with the numbers in their names compared as
/// numbers.
pub(crate) fn trace_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    entries_in(folder, |entry| {
        let path = entry.path();
        path.extension().is_some_and(|it| it == "trace") && !path.is_dir()
    })
}

/// Opens the lines of all text traces of a folder.
pub(crate) fn lines(folder: &Path) -> Result<Lines, TraceError> {
    let files = trace_files(folder).map_err(|error| TraceError::unreadable(folder, error))?;
    if files.is_empty() {
        let message = format!("{} contains no *.trace files", folder.display());
        return Err(TraceError::new(ErrorKind::Foreign, message)
            .at(Place::file(folder))
            .hint("a folder of text traces has one file per process: 0.trace, 1.trace, …"));
    }
    Lines::open_files(files)
}

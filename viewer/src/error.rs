//! Errors of this crate.

use std::path::Path;

use foldtrace_store::Derived;
use foldtrace_trace::{ErrorKind, Place, TraceError};

/// Returns the error for a derived table that was just written, in a folder, and has other columns than it should.
pub(crate) fn other_columns(table: Derived, folder: &Path) -> TraceError {
    let message = format!(
        "the table '{}' has other columns or locations",
        table.name()
    );
    TraceError::new(ErrorKind::Internal, message)
        .at(Place::file(folder.join(table.path())))
        .hint("please report this, with the command and the trace")
}

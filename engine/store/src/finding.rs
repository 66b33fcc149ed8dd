//! Problems of the files of a store.

use std::path::Path;

use foldtrace_trace::TraceError;

/// One problem of a store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The path of the file in the store.
    pub path: String,
    /// The problem with the file.
    pub problem: String,
}

impl Finding {
    /// Converts an error about a file of `store` to a finding.
    pub(crate) fn from_error(error: &TraceError, store: &Path) -> Self {
        let file = error.place.file.as_deref().unwrap_or(store);
        let file = file.strip_prefix(store).unwrap_or(file);
        let cause = error.source.as_ref().map(|cause| format!(": {cause}"));
        Self {
            path: file.to_string_lossy().into_owned(),
            problem: format!("{}{}", error.message, cause.unwrap_or_default()),
        }
    }
}

//! Reports of what is irregular in a database.

use std::path::Path;

use foldtrace_trace::{Diagnostic, Diagnostics, Place, Severity};

/// Reports what occurred in a database at least once: the number of cases, the severity, the key and the message.
pub fn report_counts<M: Into<String>>(
    path: &Path,
    counts: impl IntoIterator<Item = (u64, Severity, &'static str, M)>,
    diagnostics: &mut Diagnostics,
) {
    for (count, severity, key, message) in counts {
        if count > 0 {
            let case = Diagnostic::new(severity, key, message).at(Place::file(path));
            diagnostics.report_many(case, count);
        }
    }
}

//! Converts errors and diagnostics of the library to Python's exceptions and warnings.

use std::error::Error;

use foldtrace::trace::{Diagnostics, ErrorKind, Remedy, Severity, TraceError};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// The module with the classes of exceptions and warnings.
const CLASSES: &str = "foldtrace._errors";

/// Returns the exception for an error.
pub fn exception(py: Python<'_>, error: &TraceError) -> PyErr {
    if error.kind == ErrorKind::Interrupted {
        return PyKeyboardInterrupt::new_err(());
    }
    match create(py, error) {
        Ok(exception) => PyErr::from_value(exception),
        Err(failure) => failure,
    }
}

fn create<'py>(py: Python<'py>, error: &TraceError) -> PyResult<Bound<'py, PyAny>> {
    let mut message = error.message.clone();
    let mut cause = error.source();
    while let Some(inner) = cause {
        message = format!("{message}: {inner}");
        cause = inner.source();
    }
    let place = Some(error.place.to_string()).filter(|place| !place.is_empty());
    let parts = [error.hint.as_deref(), error.remedy.and_then(keyword)];
    let hint: Vec<&str> = parts.into_iter().flatten().collect();
    let hint = Some(hint.join("; ")).filter(|hint| !hint.is_empty());
    let class = py.import(CLASSES)?.getattr("Error")?;
    class.call1((message, kind(error.kind), place, hint))
}

/// Returns the name of a kind of errors.
const fn kind(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Unreadable => "unreadable",
        ErrorKind::Foreign => "foreign",
        ErrorKind::Truncated => "truncated",
        ErrorKind::Malformed => "malformed",
        ErrorKind::Output => "output",
        ErrorKind::Usage => "usage",
        ErrorKind::Interrupted => "interrupted",
        ErrorKind::Internal => "internal",
    }
}

/// Returns the words for the keyword argument that a library suggests.
const fn keyword(remedy: Remedy) -> Option<&'static str> {
    match remedy {
        Remedy::Salvage => Some("salvage=True keeps the intact parts"),
        Remedy::InputFormat => Some("format= names the format"),
        Remedy::TemporaryFolder => Some("TMPDIR names another folder for temporary files"),
        Remedy::Verify => Some("verify() lists all damaged files"),
        _ => None,
    }
}

/// Issues a warning at the line of the user for each group of diagnostics, except for notes, which the store keeps.
///
/// # Errors
/// Returns an exception if the warnings are errors.
pub fn warn(py: Python<'_>, diagnostics: &Diagnostics) -> PyResult<()> {
    let warn = py.import(CLASSES)?.getattr("warn")?;
    let groups = diagnostics.groups();
    for (key, group) in groups.filter(|(_, group)| group.severity != Severity::Note) {
        let first = group.cases.first();
        let message = first.map_or("", |case| &case.message);
        let place = first.map(|case| case.place.to_string());
        let place = place.filter(|place| !place.is_empty());
        warn.call1((message, key, group.severity.name(), group.count, place))?;
    }
    Ok(())
}

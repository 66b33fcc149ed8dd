//! Runs the command `foldtrace` within Python's process, so that the package needs no second program.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with its arguments, the first of which is its name. Returns the exit code.
///
/// The process belongs to the command: a signal ends it.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| foldtrace::cli::run(arguments))
}

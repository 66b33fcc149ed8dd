//! The extension `foldtrace._lib` of the Python package `foldtrace`: a thin layer over the library.
//!
//! Importing it changes nothing in the process: signals, panics and the allocator remain as they are. Only the command,
//! to which its process belongs, sets them up.

mod answer;
mod cache;
mod command;
mod derived;
mod errors;
mod table;
mod trace;
mod work;

use pyo3::prelude::*;

/// The compiled part of the package `foldtrace`.
#[pymodule]
mod _lib {
    #[pymodule_export]
    use crate::answer::{answer, answer_table, run_quietly};
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::trace::Trace;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name is Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

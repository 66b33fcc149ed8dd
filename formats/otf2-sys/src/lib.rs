//! Bindings to libotf2, the Open Trace Format 2 library.
//!
//! foldtrace reads and writes archives without the library; tests and benchmarks compare it with
//! what the library does. All calls across the language border are in this crate; the others deny
//! `unsafe`. It has two layers:
//!
//! - [`bindings`]: every function, type and constant of the library, made by bindgen and
//!   committed, so that a build needs no libclang. `tests/bindings.rs` tells how to make them anew.
//! - [`safe`]: what a reader of traces needs, in safe Rust: an [`Archive`](safe::Archive), its
//!   definitions and its events, errors instead of messages on stderr.
//!
//! With the feature `samples` there are also archives to test with, in `samples`.

pub mod safe;
#[cfg(feature = "samples")]
pub mod samples;

/// The library as it is; made by bindgen.
#[allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    unsafe_op_in_unsafe_fn,
    unused_qualifications
)]
pub mod bindings {
    include!("bindings.rs");
}

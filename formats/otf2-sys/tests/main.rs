//! Tests of the bindings to libotf2, of their safe layer, and of the sample archives.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::undocumented_unsafe_blocks,
    reason = "a test may fail, and calls the library with valid arguments"
)]

mod common;

#[cfg(feature = "regenerate")]
mod bindings;
mod kinds;
mod samples;
mod write_and_read;

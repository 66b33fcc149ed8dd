//! Tests of the reader and the writer of OTF2 archives, compared with libotf2.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test may fail, and print"
)]

mod common;
#[path = "../../../tests/common/mutation.rs"]
mod mutation;

mod archives;
mod chunks;
mod inverse;
mod library;
mod published;
mod salvage;

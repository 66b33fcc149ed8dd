//! Tests of the reader of the output of otf2-print.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail"
)]

#[path = "../../otf2/tests/common/mod.rs"]
mod common;

mod archives;
mod pasted;

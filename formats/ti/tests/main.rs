//! Tests of the public interface: how complete and damaged traces are read, and that traces are rewritten unchanged.

#![allow(missing_docs, clippy::unwrap_used, reason = "tests may panic")]

mod reading;
mod roundtrip;

//! Helpers for the tests of trace formats: generate random traces, write them, and read a trace to its end; in `speed`, for
//! their benchmarks.

#![allow(clippy::unwrap_used, clippy::panic)]

mod damage;
mod folders;
mod random;
mod read;
pub mod speed;
mod write;
mod xml;

pub use damage::check_changed_bytes;
pub use folders::{copy, example, files};
pub use random::{Part, Record, definitions, event, fill, id, part, push, record, text};
pub use read::{Event, Events, Read, collect, read};
pub use write::{Written, check_reads_back, write};
pub use xml::attributes;

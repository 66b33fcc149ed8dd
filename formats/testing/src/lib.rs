//! What tests of formats share: traces of anything at all, writing them, and reading a trace to its end.

#![allow(clippy::unwrap_used, clippy::panic)]

mod random;
mod read;
mod write;
mod xml;

pub use random::{Part, Record, definitions, event, fill, id, part, push, record, text};
pub use read::{Event, Events, Read, collect, read};
pub use write::{Written, check_reads_back, write};
pub use xml::attributes;

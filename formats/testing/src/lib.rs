//! What tests of formats share: traces of anything at all, and reading a trace to its end.

#![allow(clippy::unwrap_used, clippy::panic)]

mod random;
mod read;

pub use random::{Event, Part, Record, definitions, event, fill, id, part, record, text};
pub use read::{Events, Read, Whole, collect, read};

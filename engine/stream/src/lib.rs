//! Streams of trace events in any format: read to the end, merged in the order of time, cut, or repaired.

pub mod cut;
pub mod memory;
pub mod read;
pub mod repair;
pub mod select;
pub mod timeline;

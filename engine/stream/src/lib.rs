//! A trace as a stream, whatever its format: read to its end, in the order of time, cut, or repaired.

pub mod cut;
pub mod memory;
pub mod read;
pub mod repair;
pub mod select;
pub mod timeline;

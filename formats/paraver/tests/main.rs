//! Tests of the public interface: the meaning of records, and of what is irregular.

#![allow(clippy::unwrap_used, clippy::panic)]

mod reading;
mod records;
mod writing;

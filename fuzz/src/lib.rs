//! Code that the fuzz targets share.
//!
//! Each target passes bytes to a reader and checks three things: reading ends, in bounded memory and without a panic;
//! the results fulfil the contract of readers ([`trace::read`]); and the trace, written as text, reads back as the
//! same events.

pub mod pieces;

#[cfg(feature = "targets")]
pub mod cut;
#[cfg(feature = "targets")]
pub mod database;
#[cfg(feature = "targets")]
pub mod files;
#[cfg(feature = "targets")]
#[path = "../../tests/common/seal.rs"]
pub mod seal;
#[cfg(feature = "targets")]
pub mod stores;
#[cfg(feature = "targets")]
#[path = "../../tests/common/tables.rs"]
pub mod tables;
#[cfg(feature = "targets")]
pub mod trace;

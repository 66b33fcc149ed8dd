//! What the targets share. Each of them gives bytes to a reader and asks for three things: that it ends,
//! in bounded memory and without a panic; that what it gives keeps the contract of readers
//! ([`trace::read`]); and that what is written of it as text reads back as the same.

pub mod pieces;

#[cfg(feature = "targets")]
pub mod cut;
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

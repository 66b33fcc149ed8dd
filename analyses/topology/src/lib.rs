//! The communication topology of a program, after Xu et al.: who exchanges messages with whom, and which known topology
//! that is, whatever the ranks are called.
//!
//! [`find`] takes the messages of a store's models and gives the topology of the whole program and, on demand, those of
//! its parts. [`recognition`] knows the topologies and recognises one in a graph; nothing there reads or writes.
//! [`show`] gives the answer as words, tables, JSON and a picture.

#[cfg(feature = "command")]
pub mod command;
mod find;
mod pairs;
pub mod recognition;
pub mod show;

pub use find::*;
pub use pairs::{Pair, Pairs};

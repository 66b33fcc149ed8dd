//! Identifies the communication topology of a program, after Xu et al.: the known topology that matches the messages
//! between processes, independently of the numbering of ranks.
//!
//! [`find`] takes the messages of a store's models and identifies the topology of the whole program and, on demand,
//! of its parts. [`recognition`] defines the known topologies and recognises them in graphs, without any I/O.
//! [`show`] presents the result as text, tables, JSON and a picture.

#[cfg(feature = "command")]
pub mod command;
mod find;
mod pairs;
pub mod recognition;
pub mod show;

pub use find::*;
pub use pairs::{Pair, Pairs};

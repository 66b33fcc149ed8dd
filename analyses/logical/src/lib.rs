//! Builds one logical program that describes all processes of a trace (Xu et al., section 4.3).
//!
//! [`find`](fn@find) maps the processes of a store to the nodes of their topology, expresses the peers of each process as
//! directions, and builds one program for all processes. [`Account`] reports what the program reproduces and what it
//! does not. [`model`] contains the program and the algorithms that build it, [`LogicalTrace`] presents the program
//! as a trace, and [`show`] formats it as text and JSON.

#[cfg(feature = "command")]
pub mod command;
mod find;
pub mod model;
pub mod show;

pub use find::*;

//! One logical program that stands for all processes of a trace (Xu et al., section 4.3).
//!
//! [`of`] puts the processes of a store on their topology, rewrites what each does in directions, and makes one program
//! of them; [`Account`] says what the program reproduces and what it does not. [`model`] is that program and how it is
//! made, [`LogicalTrace`] the program as a trace, and [`show`] gives it as text and JSON.

#[cfg(feature = "command")]
pub mod command;
mod find;
pub mod model;
pub mod show;

pub use find::*;

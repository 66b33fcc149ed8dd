//! The program: the loops of its locations, merged into one model along their communication.
//!
//! [`local`] shows the loops of single locations. [`Program`] is the merged model of all of them (Ketterlin et al.,
//! RR-8562): [`outline`] numbers its constructs, [`costs`](fn@costs) says what they take of time and bytes, and
//! [`global`] shows it as text, JSON and pictures. [`Matrix`] has the messages between processes, and [`prediction`] tells
//! how often open loops announce what comes.

mod bytes;
#[cfg(feature = "command")]
pub mod command;
mod costs;
pub mod global;
pub mod local;
mod main_loops;
pub mod matrix;
pub mod outline;
pub mod prediction;
mod program;

pub use bytes::{add_bytes, add_costs, volumes};
pub use costs::{Cost, costs};
pub use main_loops::{MainLoop, main_loops};
pub use matrix::Matrix;
pub use program::Program;

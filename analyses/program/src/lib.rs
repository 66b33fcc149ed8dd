//! The loops of all locations of a trace, merged into one model of the program along their communication.
//!
//! [`local`] shows the loops of single locations. [`Program`] is the merged model of all locations (Ketterlin et al.,
//! RR-8562): [`outline`] numbers its constructs, [`Phases`] locates the iterations of its outermost loops, and
//! [`PhaseClock`] measures them, [`costs`](fn@costs) computes the time and bytes of constructs, and [`global`] shows the
//! model as text, JSON and pictures. [`Matrix`] has the messages between processes, and [`prediction`] reports how often
//! open loops predict the next events correctly.

mod bytes;
#[cfg(feature = "command")]
pub mod command;
mod costs;
pub mod global;
pub mod json;
pub mod local;
mod main_loops;
pub mod matrix;
pub mod outline;
mod phase_clock;
mod phases;
pub mod prediction;
mod program;

pub use bytes::{add_bytes, add_costs, volumes};
pub use costs::{Cost, costs};
pub use main_loops::{MainLoop, main_loops};
pub use matrix::Matrix;
pub use phase_clock::PhaseClock;
pub use phases::{Iteration, Phase, PhaseCursor, PhaseIndex, PhaseSpan, Phases, ProgramPhases};
pub use program::{Merging, Program};

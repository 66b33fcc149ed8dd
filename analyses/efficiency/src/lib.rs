//! Efficiencies of parallel programs after the POP centre of excellence: how much of the time of all processes is useful,
//! and whether load balance, serialisation or transfer is the reason for the rest.
//!
//! [`find()`] replays the communication of a store on an ideal network, and reports each iteration to a [`Sink`].
//! [`Efficiency`] has the [`Factors`] of the program and of its phases, [`Scaling`] compares runs at several scales;
//! [`efficiency_json`] and [`IterationTable`] write them. The page `analyses/efficiency/README.md` defines each number.

mod clocks;
#[cfg(feature = "command")]
pub mod command;
mod counters;
mod factors;
mod find;
mod ideal;
mod iterations;
mod json;
mod lane;
mod scaling;
mod spread;
mod table;

pub use counters::Counters;
pub use factors::Factors;
pub use find::{Efficiency, PhaseEfficiency, ProcessTime, find};
pub use iterations::{Sink, TimedIteration};
pub use json::{EfficiencyJson, efficiency_json};
pub use scaling::Scaling;
pub use spread::Spread;
pub use table::{ITERATIONS, IterationTable};

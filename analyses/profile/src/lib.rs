//! Profiles of parallel programs: how long each region takes, in which process, and on which call path.
//!
//! [`find()`] reads a store once and sums the calls of each location. [`Profile`] has the sums over all locations;
//! [`profile_json`], [`folded`], [`flames_svg`] and [`write_table`] write it.

#[cfg(feature = "command")]
pub mod command;
mod find;
mod flames;
mod folded;
mod json;
mod measures;
mod profile;
mod table;
mod tally;
mod ticks;
mod tree;

pub use find::{Options, find};
pub use flames::flames_svg;
pub use folded::folded;
pub use json::{ProfileJson, profile_json};
pub use measures::{MetricIndex, MetricSum};
pub use profile::{MetricTotal, Profile, RegionTotal};
pub use table::write_table;
pub use tally::{LocationProfile, RegionTime};
pub use tree::{Node, NodeIndex, Tree};

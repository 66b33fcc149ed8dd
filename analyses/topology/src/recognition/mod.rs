//! Defines communication topologies and recognises them in graphs, independently of the numbering of ranks (Xu et
//! al., section 4.2).
//!
//! A [`Library`] has the known patterns. [`identify`] finds the patterns that match a [`Graph`], by increasingly
//! expensive tests, the last of which is exact. This module does no I/O.

mod candidate;
mod closest;
mod colored;
mod custom;
mod factors;
mod graph;
mod identify;
mod isomorphism;
mod library;
mod numbering;
mod overlay;
mod parts;
mod pattern;
mod refinement;
mod spectrum;
#[cfg(test)]
mod tests;

pub use candidate::Candidate;
pub use closest::Closest;
pub use colored::Colored;
pub use custom::{CustomPattern, PatternError};
pub use graph::{Flow, Graph};
pub use identify::{Identification, Match, identify, recognise};
pub use isomorphism::{Answer, compare, isomorphism, isomorphism_from};
pub use library::Library;
pub use parts::components;
pub use pattern::{Direction, DirectionId, Rule, Topology};

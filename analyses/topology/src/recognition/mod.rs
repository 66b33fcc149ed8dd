//! Communication topologies, and which one a program has, whatever its ranks are called (Xu et al.,
//! section 4.2).
//!
//! A [`Library`] has the patterns that are known; [`identify`] finds those that a [`Graph`] has, in tests that
//! cost more and more, the last of which is exact. Nothing here reads or writes.

mod closest;
mod custom;
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

pub use closest::Closest;
pub use custom::{CustomPattern, PatternError};
pub use graph::{Flow, Graph};
pub use identify::{Identification, Match, identify, recognise};
pub use isomorphism::{Answer, Colored, compare, isomorphism, isomorphism_from};
pub use library::{Candidate, Library};
pub use parts::components;
pub use pattern::{Direction, DirectionId, Rule, Topology};

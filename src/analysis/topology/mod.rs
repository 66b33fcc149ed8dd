//! Communication topologies, and which one a program has, whatever its ranks are called (Xu et al.,
//! section 4.2).

mod graph;
mod pattern;

pub use graph::{Flow, Graph};
pub use pattern::{Direction, DirectionId, Rule, Topology};

//! Builds the ordered DAG of call trees, after Alawneh and Hamou-Lhadj, MTF, section III.B.
//!
//! The call tree of a location has its calls as inner nodes and all other events as leaves. A [`Grower`] builds a
//! [`Graph`] of it as events arrive: consecutive repetitions of a call become one edge, equal subtrees one node, and
//! a call nested in itself a recursive edge. A [`Dag`] is the graph of all locations, in which equal subtrees of
//! different locations are one node as well. [`Visits`] restore the events, [`Occurrences`] locate the occurrences of
//! nodes, and [`Children`] represent child lists as nested loops.

mod build;
mod checked;
mod children;
mod compare;
mod graph;
mod key;
mod labels;
mod merge;
mod occurrences;
mod saved;
#[cfg(test)]
mod tests;
mod visit;

pub use build::{Grower, Oddity, Roles};
pub use checked::BadNode;
pub use children::Children;
pub use compare::{Change, Comparison, compare};
pub use graph::{Edge, EdgeKind, Graph, NodeId, NodeKind, Rules, Stretch};
pub use key::{Key, Keys};
pub use labels::{Label, LabelId, Labels};
pub use merge::{Dag, Root};
pub use occurrences::{OccurrenceRun, Occurrences, Runs};
pub use visit::{Visit, Visits};

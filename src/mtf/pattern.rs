//! Patterns of a trace, as a document has them. They are found elsewhere.

use crate::fold::dag::NodeId;

/// A pattern, with where it occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// What it is called.
    pub name: String,
    /// All of its occurrences.
    pub occurrences: Vec<PatternOccurrence>,
}

/// Occurrences of a pattern one after the other, among the children of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternOccurrence {
    /// The unit, as a node of the DAG of the whole trace, all rules applied.
    pub node: NodeId,
    /// The edge of the unit at which the first one begins.
    pub order: usize,
    /// Events of the unit before the first one.
    pub offset: u64,
    /// Events of each.
    pub events: u64,
    /// How many there are, one after the other.
    pub count: u64,
}

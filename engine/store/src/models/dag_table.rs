//! The tables of the ordered DAG: their names, paths and schemas.

use arrow::datatypes::Schema;

use crate::schema;

/// A table of the DAG.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DagTable {
    /// Nodes, sorted by number.
    Nodes,
    /// Edges, sorted by parent and order.
    Edges,
    /// The root of each location.
    Roots,
    /// Symbols of locations that differ from those of their nodes.
    Symbols,
    /// Groups of messages between the same two calls.
    Messages,
    /// The positions of the messages of these groups.
    MessagePositions,
    /// Patterns that users have defined.
    Patterns,
    /// The occurrences of these patterns.
    PatternOccurrences,
}

impl DagTable {
    /// All tables of the DAG.
    pub const ALL: [Self; 8] = [
        Self::Nodes,
        Self::Edges,
        Self::Roots,
        Self::Symbols,
        Self::Messages,
        Self::MessagePositions,
        Self::Patterns,
        Self::PatternOccurrences,
    ];

    /// Returns the name in footers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "dag_nodes",
            Self::Edges => "dag_edges",
            Self::Roots => "dag_roots",
            Self::Symbols => "dag_symbols",
            Self::Messages => "dag_messages",
            Self::MessagePositions => "dag_message_positions",
            Self::Patterns => "dag_patterns",
            Self::PatternOccurrences => "dag_pattern_occurrences",
        }
    }

    /// Returns the path of the table in the store.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Nodes => "models/dag_nodes.parquet",
            Self::Edges => "models/dag_edges.parquet",
            Self::Roots => "models/dag_roots.parquet",
            Self::Symbols => "models/dag_symbols.parquet",
            Self::Messages => "models/dag_messages.parquet",
            Self::MessagePositions => "models/dag_message_positions.parquet",
            Self::Patterns => "models/dag_patterns.parquet",
            Self::PatternOccurrences => "models/dag_pattern_occurrences.parquet",
        }
    }

    /// Returns the schema of the table.
    pub fn schema(self) -> Schema {
        match self {
            Self::Nodes => schema::dag_nodes(),
            Self::Edges => schema::dag_edges(),
            Self::Roots => schema::dag_roots(),
            Self::Symbols => schema::dag_symbols(),
            Self::Messages => schema::dag_messages(),
            Self::MessagePositions => schema::dag_message_positions(),
            Self::Patterns => schema::dag_patterns(),
            Self::PatternOccurrences => schema::dag_pattern_occurrences(),
        }
    }

    /// Returns the indices of the columns by which the rows are sorted.
    pub const fn sorted(self) -> &'static [i32] {
        match self {
            Self::Edges | Self::Symbols => &[0, 1],
            _ => &[0],
        }
    }
}

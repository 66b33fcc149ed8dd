//! The tables of the ordered DAG: their names, paths and columns.

use foldtrace_columns::ColumnType::{Hash, Id, Number, Text, UInt32, Word};
use foldtrace_columns::{Column, TableColumns};

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

    /// Returns the columns of the table.
    pub const fn columns(self) -> &'static TableColumns {
        match self {
            Self::Nodes => &NODES,
            Self::Edges => &EDGES,
            Self::Roots => &ROOTS,
            Self::Symbols => &SYMBOLS,
            Self::Messages => &MESSAGES,
            Self::MessagePositions => &MESSAGE_POSITIONS,
            Self::Patterns => &PATTERNS,
            Self::PatternOccurrences => &PATTERN_OCCURRENCES,
        }
    }

    /// Returns the name in footers.
    pub const fn name(self) -> &'static str {
        self.columns().name
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
}

const NODES: TableColumns = TableColumns {
    name: "dag_nodes",
    columns: &[
        Column::required("node", UInt32, "number of the node"),
        Column::required("kind", Word, "`root`, `call`, `open_call` or `leaf`"),
        Column::optional(
            "symbol",
            UInt32,
            "the symbol that enters the call, or of the leaf; it represents the symbols of all \
                 locations. Null for a root",
        ),
        Column::optional(
            "variant",
            UInt32,
            "if a location has several symbols that `symbol` represents: which of them, 0 for \
                 the first. Null for a root",
        ),
        Column::required("name", Text, "name of the node"),
        Column::required("events", Number, "number of events of one occurrence"),
        Column::required(
            "occurrences",
            Number,
            "number of occurrences in all locations",
        ),
        Column::required("key", Hash, "hash of its content, the same in all traces"),
    ],
    sorted_by: &["node"],
};

const EDGES: TableColumns = TableColumns {
    name: "dag_edges",
    columns: &[
        Column::required("parent", UInt32, "a node").delta(),
        Column::required(
            "order",
            UInt32,
            "number of the edge among those of the parent, from 0",
        )
        .delta(),
        Column::required("child", UInt32, "the child node"),
        Column::required("type", Word, "`regular`, `sequence` or `recursive`"),
        Column::required(
            "repetitions",
            UInt32,
            "number of repetitions of the child; for a recursive edge, the number of levels \
             that the parent represents",
        ),
        Column::required("offset", Number, "events of the parent before the child").delta(),
    ],
    sorted_by: &["parent", "order"],
};

const ROOTS: TableColumns = TableColumns {
    name: "dag_roots",
    columns: &[
        Column::required("location", Id, "id of a location").delta(),
        Column::required("node", UInt32, "its root"),
    ],
    sorted_by: &["location"],
};

const SYMBOLS: TableColumns = TableColumns {
    name: "dag_symbols",
    columns: &[
        Column::required("location", Id, "id of a location").delta(),
        Column::required("symbol", UInt32, "`symbol` of a node"),
        Column::required("variant", UInt32, "`variant` of that node"),
        Column::required(
            "own_symbol",
            UInt32,
            "the location's own symbol; without a row, it is `symbol` itself",
        ),
    ],
    sorted_by: &["location", "symbol"],
};

const MESSAGES: TableColumns = TableColumns {
    name: "dag_messages",
    columns: &[
        Column::required("message", UInt32, "number of the row, from 0"),
        Column::required("send_location", Id, "location that sends"),
        Column::required(
            "send_call",
            UInt32,
            "the call in which it sends, as a node; the root if there is none",
        ),
        Column::required("send_node", UInt32, "the send, as a node"),
        Column::required("receive_location", Id, "location that receives"),
        Column::required("receive_call", UInt32, "the call in which it receives"),
        Column::required("receive_node", UInt32, "the receive"),
        Column::required("messages", Number, "number of messages"),
    ],
    sorted_by: &["message"],
};

const MESSAGE_POSITIONS: TableColumns = TableColumns {
    name: "dag_message_positions",
    columns: &[
        Column::required("message", UInt32, "row of `dag_messages`"),
        Column::required("send_position", Number, "position of the first send").delta(),
        Column::required("send_step", Number, "events from one send to the next"),
        Column::required("receive_position", Number, "position of the first receive").delta(),
        Column::required(
            "receive_step",
            Number,
            "events from one receive to the next",
        ),
        Column::required("messages", Number, "number of messages"),
    ],
    sorted_by: &["message"],
};

const PATTERNS: TableColumns = TableColumns {
    name: "dag_patterns",
    columns: &[
        Column::required("pattern", UInt32, "number of the row, from 0"),
        Column::required("name", Text, "name of the pattern"),
        Column::required("count", Number, "number of occurrences in all locations"),
    ],
    sorted_by: &["pattern"],
};

const PATTERN_OCCURRENCES: TableColumns = TableColumns {
    name: "dag_pattern_occurrences",
    columns: &[
        Column::required("pattern", UInt32, "row of `dag_patterns`"),
        Column::required("node", UInt32, "the node with these children"),
        Column::required("order", UInt32, "order of the first edge").delta(),
        Column::required(
            "skip",
            Number,
            "repetitions of that edge before the occurrence",
        ),
        Column::required(
            "children",
            Number,
            "number of children, including repetitions",
        ),
        Column::required("offset", Number, "events of the node before the occurrence").delta(),
        Column::required("events", Number, "number of events of the occurrence"),
        Column::required("count", Number, "how often it occurs in all locations"),
    ],
    sorted_by: &["pattern"],
};

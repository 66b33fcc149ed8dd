//! The tables of the ordered DAG, and reading the DAG from them.

use std::path::{Path, PathBuf};

use arrow::array::{Array, RecordBatch, UInt32Array, UInt64Array};
use arrow::datatypes::Schema;
use foldtrace_fold::dag::{Dag, Edge, EdgeKind, Label, LabelId, NodeId, NodeKind, Root};
use foldtrace_trace::{LocationId, SymbolId, SymbolTable, TraceError};
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

use crate::error::{Reading, damaged, wrong};
use crate::folder::StoreFolder;
use crate::guard::GuardedTable;
use crate::index::Index;
use crate::parquet_io::{check_schema, column, read_table, texts};
use crate::schema;

/// The number of edges read at once. If nothing repeats, there are as many edges as events.
const CHUNK: usize = 1 << 13;

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

/// Reads the DAG of a store. Returns `None` if the store has no tables of a DAG.
pub(crate) fn read(
    store: &StoreFolder,
    symbols: &SymbolTable,
    index: &Index,
) -> Result<Option<Dag>, TraceError> {
    if !store.has(DagTable::Nodes.path()) {
        return Ok(None);
    }
    let mut dag = Dag::default();
    read_nodes(store, symbols, index.total(), &mut dag)?;
    let path = store.path_of(DagTable::Roots.path());
    for batch in read_table(store, DagTable::Roots.path(), &schema::dag_roots())? {
        let locations = column::<UInt64Array>(&batch, 0, &path)?;
        let nodes = column::<UInt32Array>(&batch, 1, &path)?;
        for row in 0..batch.num_rows() {
            let node = NodeId(nodes.value(row));
            let is_root = node.index() < dag.graph.len() && dag.graph.kind(node) == NodeKind::Root;
            if !is_root {
                return Err(wrong(&path, &format!("node {} is no root", node.0)));
            }
            let location = LocationId(locations.value(row));
            if dag.graph.length(node) != index.events(location) {
                let message = format!("the root of location {location} has other events");
                return Err(wrong(&path, &message));
            }
            dag.roots.push(Root { location, node });
        }
    }
    let is_ascending = |pair: &[Root]| pair[0].location < pair[1].location;
    if !dag.roots.windows(2).all(is_ascending) {
        return Err(wrong(&path, "its locations are not in order"));
    }
    let path = store.path_of(DagTable::Symbols.path());
    for batch in read_table(store, DagTable::Symbols.path(), &schema::dag_symbols())? {
        let locations = column::<UInt64Array>(&batch, 0, &path)?;
        let [symbol, variant, own] = narrow(&batch, [1, 2, 3], &path)?;
        for row in 0..batch.num_rows() {
            let label = dag.labels.intern(Label {
                symbol: known(symbol.value(row), symbols, &path)?,
                variant: variant.value(row),
            });
            let own = known(own.value(row), symbols, &path)?;
            dag.labels
                .have(LocationId(locations.value(row)), label, own);
        }
    }
    Ok(Some(dag))
}

fn narrow<'a, const N: usize>(
    batch: &'a RecordBatch,
    columns: [usize; N],
    path: &Path,
) -> Result<[&'a UInt32Array; N], TraceError> {
    let first = column::<UInt32Array>(batch, columns[0], path)?;
    let mut found = [first; N];
    for (found, index) in found.iter_mut().zip(columns) {
        *found = column(batch, index, path)?;
    }
    Ok(found)
}

/// Returns the id of a symbol of the store.
fn known(symbol: u32, symbols: &SymbolTable, path: &Path) -> Result<SymbolId, TraceError> {
    let id = SymbolId(symbol);
    match id.index() < symbols.len() {
        true => Ok(id),
        false => Err(wrong(path, &format!("there is no symbol {symbol}"))),
    }
}

/// Reads the nodes and their edges, which are in the same order.
fn read_nodes(
    store: &StoreFolder,
    symbols: &SymbolTable,
    events: u64,
    dag: &mut Dag,
) -> Result<(), TraceError> {
    let mut edges = Edges::open(store)?;
    let path = store.path_of(DagTable::Nodes.path());
    for batch in read_table(store, DagTable::Nodes.path(), &schema::dag_nodes())? {
        let [number, symbol, variant] = narrow(&batch, [0, 2, 3], &path)?;
        let kinds = texts(&batch, 1, &path)?;
        for (row, kind) in kinds.iter().enumerate() {
            let node = number.value(row);
            if node as usize != dag.graph.len() {
                return Err(wrong(&path, "its nodes are not in order"));
            }
            let kind = kind.as_deref().and_then(NodeKind::from_name);
            let kind = kind.ok_or_else(|| wrong(&path, "a node has no kind that is known"))?;
            let label = match kind {
                NodeKind::Root => LabelId(0),
                _ if symbol.is_null(row) || variant.is_null(row) => {
                    return Err(wrong(&path, &format!("node {node} has no symbol")));
                }
                _ => dag.labels.intern(Label {
                    symbol: known(symbol.value(row), symbols, &path)?,
                    variant: variant.value(row),
                }),
            };
            let pushed = dag.graph.push(kind, label.0, edges.of(node)?);
            let pushed = pushed.map_err(|bad| {
                let message = format!("node {node} of the DAG cannot be");
                damaged(&edges.path, &message, Box::new(bad))
            })?;
            if dag.graph.length(pushed) > events {
                let message = format!("node {node} has more events than the store");
                return Err(wrong(&edges.path, &message));
            }
        }
    }
    edges.end()
}

/// A reader of edges, one node after the other.
struct Edges {
    path: PathBuf,
    batches: ParquetRecordBatchReader,
    /// Edges that were read, each with the number of its parent; the first `given` of them have been returned.
    read: Vec<(u32, Edge)>,
    given: usize,
    of_node: Vec<Edge>,
}

impl Edges {
    fn open(store: &StoreFolder) -> Result<Self, TraceError> {
        let file = store.file(DagTable::Edges.path())?;
        let path = file.path().to_owned();
        let table = GuardedTable::open(&path, file)?;
        check_schema(&path, table.schema(), &schema::dag_edges())?;
        let columns = 0..table.schema().fields().len();
        let row_groups = (0..table.footer().num_row_groups()).collect();
        let batches = table.batches(columns, row_groups, CHUNK, None);
        Ok(Self {
            batches: batches.reading(&path)?,
            path,
            read: Vec::new(),
            given: 0,
            of_node: Vec::new(),
        })
    }

    /// Returns the next edge if it belongs to `node`.
    fn next_of(&mut self, node: u32) -> Result<Option<Edge>, TraceError> {
        while self.given == self.read.len() {
            let Some(batch) = self.batches.next() else {
                return Ok(None);
            };
            self.take(&batch.reading(&self.path)?)?;
        }
        let next = self
            .read
            .get(self.given)
            .filter(|(parent, _)| *parent == node);
        self.given += usize::from(next.is_some());
        Ok(next.map(|&(_, edge)| edge))
    }

    fn of(&mut self, node: u32) -> Result<&[Edge], TraceError> {
        self.of_node.clear();
        while let Some(edge) = self.next_of(node)? {
            self.of_node.push(edge);
        }
        Ok(&self.of_node)
    }

    /// Checks that all edges have been returned.
    fn end(mut self) -> Result<(), TraceError> {
        match self.given == self.read.len() && self.batches.next().is_none() {
            true => Ok(()),
            false => Err(wrong(&self.path, "its edges are not in the order of nodes")),
        }
    }

    fn take(&mut self, batch: &RecordBatch) -> Result<(), TraceError> {
        let path = &self.path;
        let [parent, child, repetitions] = narrow(batch, [0, 2, 4], path)?;
        let kinds = texts(batch, 3, path)?;
        self.read.clear();
        self.given = 0;
        for (row, kind) in kinds.iter().enumerate() {
            let kind = kind.as_deref().and_then(EdgeKind::from_name);
            let kind = kind.ok_or_else(|| wrong(path, "an edge has no type that is known"))?;
            let edge = Edge {
                node: NodeId(child.value(row)),
                repetitions: repetitions.value(row),
                kind,
            };
            self.read.push((parent.value(row), edge));
        }
        Ok(())
    }
}

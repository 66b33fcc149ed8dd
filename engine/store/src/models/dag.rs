//! Reads the ordered DAG from its tables.

use std::path::{Path, PathBuf};

use arrow::array::{Array, RecordBatch, UInt32Array, UInt64Array};
use foldtrace_fold::dag::{Dag, Edge, EdgeKind, Label, LabelId, NodeId, NodeKind, Root};
use foldtrace_trace::{LocationId, SymbolId, SymbolTable, TraceError};
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

use super::dag_table::DagTable;
use crate::error::{Reading, damaged, wrong};
use crate::folder::StoreFolder;
use crate::index::Index;
use crate::symbols::row_at;
use crate::tables::{GuardedTable, check_schema, column, read_table, texts};

/// The number of edges read at once. If nothing repeats, there are as many edges as events.
const CHUNK: usize = 1 << 13;

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
    for batch in rows(store, DagTable::Roots)? {
        let batch = batch?;
        let locations = column::<UInt64Array>(&batch, "location", &path)?;
        let nodes = column::<UInt32Array>(&batch, "node", &path)?;
        for row in 0..batch.num_rows() {
            let node = NodeId(nodes.value(row));
            let is_root = node.index() < dag.graph.len() && dag.graph.kind(node) == NodeKind::Root;
            if !is_root {
                return Err(wrong(&path, &format!("node {} is not a root", node.0)));
            }
            let location = LocationId(locations.value(row));
            if dag.graph.length(node) != index.events(location) {
                let message = format!(
                    "the root of location {location} has {} events, but the location has {}",
                    dag.graph.length(node),
                    index.events(location)
                );
                return Err(wrong(&path, &message));
            }
            dag.roots.push(Root { location, node });
        }
    }
    let is_ascending = |pair: &[Root]| pair[0].location < pair[1].location;
    if !dag.roots.windows(2).all(is_ascending) {
        return Err(wrong(&path, "the locations of the table are not in order"));
    }
    let path = store.path_of(DagTable::Symbols.path());
    for batch in rows(store, DagTable::Symbols)? {
        let batch = batch?;
        let locations = column::<UInt64Array>(&batch, "location", &path)?;
        let [symbol, variant, own] = narrow(&batch, ["symbol", "variant", "own_symbol"], &path)?;
        for row in 0..batch.num_rows() {
            let label = dag.labels.intern(Label {
                symbol: row_at(SymbolId::new(symbol.value(row)), symbols, &path)?,
                variant: variant.value(row),
            });
            let own = row_at(SymbolId::new(own.value(row)), symbols, &path)?;
            dag.labels
                .have(LocationId(locations.value(row)), label, own);
        }
    }
    Ok(Some(dag))
}

/// Reads the rows of a table of the DAG.
fn rows(
    store: &StoreFolder,
    table: DagTable,
) -> Result<impl Iterator<Item = Result<RecordBatch, TraceError>>, TraceError> {
    read_table(store, table.path(), table.columns().columns)
}

/// Returns columns of 32-bit numbers of a batch.
fn narrow<'a, const N: usize>(
    batch: &'a RecordBatch,
    names: [&str; N],
    path: &Path,
) -> Result<[&'a UInt32Array; N], TraceError> {
    let first = column::<UInt32Array>(batch, names[0], path)?;
    let mut narrow = [first; N];
    for (column_of_batch, name) in narrow.iter_mut().zip(names) {
        *column_of_batch = column(batch, name, path)?;
    }
    Ok(narrow)
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
    for batch in rows(store, DagTable::Nodes)? {
        let batch = batch?;
        let [number, symbol, variant] = narrow(&batch, ["node", "symbol", "variant"], &path)?;
        let kinds = texts(&batch, "kind", &path)?;
        for (row, kind) in kinds.iter().enumerate() {
            let node = number.value(row);
            if node as usize != dag.graph.len() {
                return Err(wrong(&path, "the nodes of the table are not in order"));
            }
            let kind = kind.as_deref().and_then(NodeKind::from_name);
            let kind =
                kind.ok_or_else(|| wrong(&path, &format!("node {node} has an unknown kind")))?;
            let label = match kind {
                NodeKind::Root => LabelId(0),
                _ if symbol.is_null(row) || variant.is_null(row) => {
                    return Err(wrong(&path, &format!("node {node} has no symbol")));
                }
                _ => dag.labels.intern(Label {
                    symbol: row_at(SymbolId::new(symbol.value(row)), symbols, &path)?,
                    variant: variant.value(row),
                }),
            };
            let pushed = dag.graph.push(kind, label.into(), edges.of_node(node)?);
            let pushed = pushed.map_err(|bad| {
                let message = format!("node {node} of the DAG is invalid");
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
    current: Vec<Edge>,
}

impl Edges {
    fn open(store: &StoreFolder) -> Result<Self, TraceError> {
        let file = store.file(DagTable::Edges.path())?;
        let path = file.path().to_owned();
        let table = GuardedTable::open(&path, file)?;
        check_schema(&path, table.schema(), DagTable::Edges.columns().columns)?;
        let columns = 0..table.schema().fields().len();
        let row_groups = (0..table.footer().num_row_groups()).collect();
        let batches = table.batches(columns, row_groups, CHUNK, None);
        Ok(Self {
            batches: batches.reading(&path)?,
            path,
            read: Vec::new(),
            given: 0,
            current: Vec::new(),
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

    /// Returns the edges of `node`. Nodes must be requested in ascending order.
    fn of_node(&mut self, node: u32) -> Result<&[Edge], TraceError> {
        self.current.clear();
        while let Some(edge) = self.next_of(node)? {
            self.current.push(edge);
        }
        Ok(&self.current)
    }

    /// Checks that all edges have been returned.
    fn end(mut self) -> Result<(), TraceError> {
        if self.given == self.read.len() && self.batches.next().is_none() {
            Ok(())
        } else {
            let message = "the edges of the table are not in the order of their parents";
            Err(wrong(&self.path, message))
        }
    }

    fn take(&mut self, batch: &RecordBatch) -> Result<(), TraceError> {
        let path = &self.path;
        let [parent, child, repetitions] = narrow(batch, ["parent", "child", "repetitions"], path)?;
        let kinds = texts(batch, "type", path)?;
        self.read.clear();
        self.given = 0;
        for (row, kind) in kinds.iter().enumerate() {
            let kind = kind.as_deref().and_then(EdgeKind::from_name);
            let kind = kind.ok_or_else(|| wrong(path, "an edge has an unknown type"))?;
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

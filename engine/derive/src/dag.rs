//! Writes the tables of the ordered DAG.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, FixedSizeBinaryBuilder, StringArray, StringDictionaryBuilder, UInt32Array,
    UInt64Array,
};
use arrow::datatypes::Int32Type;
use foldtrace_calltree::{Grown, NamedNodes, Pattern, Tree, links};
use foldtrace_fold::dag::{Dag, Edge, Keys, NodeId, Rules};
use foldtrace_matching::Links;
use foldtrace_store::{DagTable, DerivedFolder, DerivedTable, Written};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Diagnostics, ErrorKind, LocationId, TraceError};
use rayon::prelude::*;

use super::rows::{Finished, WAITING};

/// Writes the tables of the DAG, and the occurrences of `patterns` if there are any. The number of rows is the number
/// of nodes. `tree` returns the call tree of a location.
///
/// # Errors
/// Returns an error if the store is damaged, the output cannot be written, or the work was stopped.
pub(super) fn write(
    folder: DerivedFolder<'_>,
    patterns: &[Pattern],
    tree: impl Fn(LocationId) -> Result<Tree, TraceError> + Sync + Send,
    progress: &Progress,
    diagnostics: &mut Diagnostics,
) -> Result<Finished, TraceError> {
    let store = folder.store;
    let locations: Vec<LocationId> = store.locations().collect();
    let trees = locations.into_par_iter().map(tree);
    let trees = trees.collect::<Result<Vec<_>, TraceError>>()?;
    let grown = Grown::of(store, trees, Rules::default());
    diagnostics.merge(grown.diagnostics.clone());
    let named = NamedNodes::new(&grown.dag, store.names(), store.symbols());
    let mut files = vec![
        write_nodes(folder, &grown.dag, &named)?,
        write_edges(folder, &grown.dag)?,
    ];
    files.extend(write_roots(folder, &grown.dag)?);
    files.extend(write_messages(folder, &links(store, &grown, progress)?)?);
    if !patterns.is_empty() {
        files.extend(write_patterns(folder, &grown.dag, &named, patterns)?);
    }
    let rows = grown.dag.graph.len() as u64;
    Ok(Finished { rows, files })
}

fn create(folder: DerivedFolder<'_>, table: DagTable) -> Result<DerivedTable, TraceError> {
    folder.create(table.path(), table.columns())
}

fn finish(table: DerivedTable) -> Result<Written, TraceError> {
    Ok(table.finish()?.1)
}

fn narrow<T>(rows: &[T], value: impl Fn(&T) -> u32) -> ArrayRef {
    Arc::new(UInt32Array::from_iter_values(rows.iter().map(value)))
}

fn wide<T>(rows: &[T], value: impl Fn(&T) -> u64) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(rows.iter().map(value)))
}

fn words<T>(rows: &[T], word: impl Fn(&T) -> &'static str) -> ArrayRef {
    let mut column = StringDictionaryBuilder::<Int32Type>::new();
    rows.iter().for_each(|row| column.append_value(word(row)));
    Arc::new(column.finish())
}

fn write_nodes(
    folder: DerivedFolder<'_>,
    dag: &Dag,
    named: &NamedNodes<'_>,
) -> Result<Written, TraceError> {
    let graph = &dag.graph;
    let keys = Keys::new(graph, &named.keys());
    let occurrences = dag.occurrences();
    let mut table = create(folder, DagTable::Nodes)?;
    let nodes: Vec<NodeId> = graph.nodes().collect();
    for nodes in nodes.chunks(WAITING) {
        let label = |node: &NodeId| dag.labels.get(dag.label(*node)?);
        let symbol = nodes
            .iter()
            .map(|node| Some(label(node)?.symbol.row_number()));
        let variant = nodes.iter().map(|node| Some(label(node)?.variant));
        let names = nodes.iter().map(|&node| named.node(node));
        let mut key = FixedSizeBinaryBuilder::new(32);
        for node in nodes {
            key.append_value(keys.content[node.index()])
                .map_err(|error| {
                    let message = "the key of a node does not have 32 bytes";
                    TraceError::new(ErrorKind::Internal, message).caused_by(error)
                })?;
        }
        table.write(vec![
            ("node", narrow(nodes, |node| node.0)),
            ("kind", words(nodes, |&node| graph.kind(node).name())),
            ("symbol", Arc::new(symbol.collect::<UInt32Array>())),
            ("variant", Arc::new(variant.collect::<UInt32Array>())),
            ("name", Arc::new(StringArray::from_iter_values(names))),
            ("events", wide(nodes, |&node| graph.length(node))),
            ("occurrences", wide(nodes, |node| occurrences[node.index()])),
            ("key", Arc::new(key.finish())),
        ])?;
    }
    finish(table)
}

fn write_edges(folder: DerivedFolder<'_>, dag: &Dag) -> Result<Written, TraceError> {
    let graph = &dag.graph;
    let mut table = create(folder, DagTable::Edges)?;
    let mut rows: Vec<(NodeId, u32, Edge, u64)> = Vec::with_capacity(WAITING);
    let mut flush = |rows: &mut Vec<(NodeId, u32, Edge, u64)>| {
        table.write(vec![
            ("parent", narrow(rows, |row| row.0.0)),
            ("order", narrow(rows, |row| row.1)),
            ("child", narrow(rows, |row| row.2.node.0)),
            ("type", words(rows, |row| row.2.kind.name())),
            ("repetitions", narrow(rows, |row| row.2.repetitions)),
            ("offset", wide(rows, |row| row.3)),
        ])?;
        rows.clear();
        Ok::<_, TraceError>(())
    };
    for node in graph.nodes() {
        for (order, (edge, offset)) in (0..).zip(graph.placed_edges(node)) {
            rows.push((node, order, edge, offset));
            if rows.len() == WAITING {
                flush(&mut rows)?;
            }
        }
    }
    flush(&mut rows)?;
    finish(table)
}

/// Writes the root of each location, and the symbols of locations that differ from the symbols of nodes.
fn write_roots(folder: DerivedFolder<'_>, dag: &Dag) -> Result<[Written; 2], TraceError> {
    let mut roots = create(folder, DagTable::Roots)?;
    roots.write(vec![
        ("location", wide(&dag.roots, |root| root.location.0)),
        ("node", narrow(&dag.roots, |root| root.node.0)),
    ])?;
    let own = dag.labels.own().filter_map(|(location, label, own)| {
        let label = dag.labels.get(label)?;
        Some((location, label, own))
    });
    let mut rows: Vec<_> = own.collect();
    rows.sort();
    let mut table = create(folder, DagTable::Symbols)?;
    table.write(vec![
        ("location", wide(&rows, |row| row.0.0)),
        ("symbol", narrow(&rows, |row| row.1.symbol.row_number())),
        ("variant", narrow(&rows, |row| row.1.variant)),
        ("own_symbol", narrow(&rows, |row| row.2.row_number())),
    ])?;
    Ok([finish(roots)?, finish(table)?])
}

fn write_messages(folder: DerivedFolder<'_>, links: &Links) -> Result<[Written; 2], TraceError> {
    let mut table = create(folder, DagTable::Messages)?;
    let mut positions = create(folder, DagTable::MessagePositions)?;
    let numbered: Vec<_> = (0u32..).zip(&links.links).collect();
    for links in numbered.chunks(WAITING) {
        table.write(vec![
            ("message", narrow(links, |row| row.0)),
            (
                "send_location",
                wide(links, |(_, link)| link.sender.location.0),
            ),
            ("send_call", narrow(links, |(_, link)| link.sender.call.0)),
            (
                "send_node",
                narrow(links, |(_, link)| link.sender.operation.0),
            ),
            (
                "receive_location",
                wide(links, |(_, link)| link.receiver.location.0),
            ),
            (
                "receive_call",
                narrow(links, |(_, link)| link.receiver.call.0),
            ),
            (
                "receive_node",
                narrow(links, |(_, link)| link.receiver.operation.0),
            ),
            ("messages", wide(links, |(_, link)| link.messages)),
        ])?;
        for (number, link) in links {
            for runs in link.runs.chunks(WAITING) {
                positions.write(vec![
                    ("message", narrow(runs, |_| *number)),
                    ("send_position", wide(runs, |run| run.send)),
                    ("send_step", wide(runs, |run| run.send_step)),
                    ("receive_position", wide(runs, |run| run.receive)),
                    ("receive_step", wide(runs, |run| run.receive_step)),
                    ("messages", wide(runs, |run| run.messages)),
                ])?;
            }
        }
    }
    Ok([finish(table)?, finish(positions)?])
}

fn write_patterns(
    folder: DerivedFolder<'_>,
    dag: &Dag,
    named: &NamedNodes<'_>,
    patterns: &[Pattern],
) -> Result<[Written; 2], TraceError> {
    let found = patterns.iter().map(|pattern| pattern.find(dag, named));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let numbered: Vec<_> = (0u32..).zip(&found).collect();
    let mut table = create(folder, DagTable::Patterns)?;
    let names = found.iter().map(|pattern| &pattern.name);
    table.write(vec![
        ("pattern", narrow(&numbered, |row| row.0)),
        ("name", Arc::new(StringArray::from_iter_values(names))),
        ("count", wide(&numbered, |(_, pattern)| pattern.count)),
    ])?;
    let mut occurrences = create(folder, DagTable::PatternOccurrences)?;
    for (number, pattern) in numbered {
        for places in pattern.occurrences.chunks(WAITING) {
            occurrences.write(vec![
                ("pattern", narrow(places, |_| number)),
                ("node", narrow(places, |place| place.node)),
                ("order", narrow(places, |place| place.order)),
                ("skip", wide(places, |place| place.skip)),
                ("children", wide(places, |place| place.children)),
                ("offset", wide(places, |place| place.offset)),
                ("events", wide(places, |place| place.events)),
                ("count", wide(places, |place| place.count)),
            ])?;
        }
    }
    Ok([finish(table)?, finish(occurrences)?])
}

//! Answers questions about the DAG: its compaction, the occurrences of nodes and patterns, and the difference between
//! two stores.

use std::io::{self, Write};
use std::path::Path;

use foldtrace_calltree::{self as calltree, Grown, NamedNodes, Pattern, TracePattern};
use foldtrace_command::output::{self, OutputWriter, grouped};
use foldtrace_command::progress::Work;
use foldtrace_command::table::{Columns, Table as Grid};
use foldtrace_fold::DEFAULT_MAX_BODY;
use foldtrace_fold::dag::{Children, Keys, NodeId, Occurrences, compare};
use foldtrace_store::StoreReader;
use foldtrace_trace::{ErrorKind, TraceError};
use serde::Serialize;

use super::{Dag, grow};
use crate::{Difference, Durations, Table, durations, occurred, table};

/// A place at which a node occurs, as a line of JSON.
#[derive(Serialize)]
struct NodeOccurrence {
    location: u64,
    position: u64,
    events: u64,
    time: u64,
    duration: i64,
}

/// A place at which a pattern occurs, as a line of JSON.
#[derive(Serialize)]
struct PatternOccurrence<'a> {
    pattern: &'a str,
    location: u64,
    position: u64,
    events: u64,
}

impl Dag {
    /// Shows the number of nodes, edges and messages before and after compaction.
    pub(super) fn show_compaction(
        &self,
        mut out: OutputWriter,
        store: &StoreReader,
        grown: &Grown,
        work: &Work,
    ) -> anyhow::Result<()> {
        let links = calltree::links(store, grown, &work.progress)?;
        let children = Children::folded(&grown.dag.graph, DEFAULT_MAX_BODY);
        let table = table(&grown.dag, &links, &children, self.rules());
        if self.output.is_json() {
            return out.json(&table);
        }
        write_compaction(&table, &mut out)?;
        Ok(out.finish()?)
    }

    /// Shows the occurrences of a node, or statistics of their durations.
    pub(super) fn show_node(
        &self,
        mut out: OutputWriter,
        store: &StoreReader,
        grown: &Grown,
        node: u32,
        work: &Work,
    ) -> anyhow::Result<()> {
        let dag = &grown.dag;
        let nodes = dag.graph.len();
        if node as usize >= nodes {
            let message = format!("there is no node {node}");
            let hint = match nodes.checked_sub(1) {
                Some(last) => format!(
                    "nodes are numbered from 0 to {last}; those of all locations together differ from those of some (--location)"
                ),
                None => "the DAG is empty".to_owned(),
            };
            return Err(TraceError::new(ErrorKind::Usage, message).hint(hint).into());
        }
        let node = NodeId(node);
        let ticks = store.manifest().clock().ticks_per_second;
        if self.stats {
            let durations = work.watch(store, |progress| durations(store, dag, node, progress))?;
            let stats = durations.in_nanoseconds(ticks);
            if self.output.is_json() {
                return out.json(&stats);
            }
            let named = NamedNodes::new(dag, store.names(), store.symbols());
            writeln!(out, "#{} {}", node.0, named.node(node))?;
            write_stats(&stats, &mut out)?;
            return Ok(out.finish()?);
        }
        let occurrences = Occurrences::new(&dag.graph, |other| other == node);
        if !self.output.is_json() {
            writeln!(out, "location\tposition\tevents\ttime\tduration")?;
        }
        for &root in &dag.roots {
            let label = store.names().label(root.location);
            occurred(store, root, &occurrences, &work.progress, |occurrence| {
                let duration = occurrence.duration();
                let (position, events) = (occurrence.position, occurrence.events);
                let time = occurrence.begin;
                if self.output.is_json() {
                    out.json_line(&NodeOccurrence {
                        location: root.location.0,
                        position: position.0,
                        events,
                        time: time.0,
                        duration,
                    })?;
                } else {
                    writeln!(out, "{label}\t{position}\t{events}\t{time}\t{duration}")?;
                }
                Ok::<_, anyhow::Error>(())
            })?;
        }
        Ok(out.finish()?)
    }

    /// Shows how often and where the patterns in a file occur.
    pub(super) fn show_patterns(
        &self,
        mut out: OutputWriter,
        store: &StoreReader,
        grown: &Grown,
        path: &Path,
    ) -> anyhow::Result<()> {
        let dag = &grown.dag;
        let named = NamedNodes::new(dag, store.names(), store.symbols());
        let found = Pattern::read(path)?
            .iter()
            .map(|pattern| pattern.find(dag, &named))
            .collect::<Result<Vec<TracePattern>, TraceError>>()?;
        if self.occurrences {
            let is_json = self.output.is_json();
            if !is_json {
                writeln!(out, "pattern\tlocation\tposition\tevents")?;
            }
            for pattern in &found {
                pattern.positions(dag, |location, position, events| {
                    if is_json {
                        return out.json_line(&PatternOccurrence {
                            pattern: &pattern.name,
                            location: location.0,
                            position: position.0,
                            events,
                        });
                    }
                    let label = store.names().label(location);
                    writeln!(out, "{}\t{label}\t{position}\t{events}", pattern.name)
                })?;
            }
            return Ok(out.finish()?);
        }
        if self.output.is_json() {
            return out.json(&found);
        }
        for pattern in &found {
            let times = output::counted(pattern.count, "time");
            writeln!(out, "{}: {times}", pattern.name)?;
            for place in &pattern.occurrences {
                let parent = named.node(NodeId(place.node));
                let (node, order, events) = (place.node, place.order, place.events);
                let count = grouped(place.count);
                writeln!(
                    out,
                    "{count:>12} × in #{node} {parent} [{order}]: {events} events"
                )?;
            }
        }
        Ok(out.finish()?)
    }

    /// Shows the differences between the DAG of the store and that of another store.
    pub(super) fn show_difference(
        &self,
        mut out: OutputWriter,
        store: &StoreReader,
        grown: &Grown,
        other: &StoreReader,
        work: &Work,
    ) -> anyhow::Result<()> {
        let after = grow(other, &self.location, self.rules(), work)?;
        let sides = [(store, &grown.dag), (other, &after.dag)];
        let named = sides.map(|(store, dag)| NamedNodes::new(dag, store.names(), store.symbols()));
        let [before, after] = [0, 1].map(|side: usize| {
            let graph = &sides[side].1.graph;
            (graph, Keys::new(graph, &named[side].keys()))
        });
        let found = compare((before.0, &before.1), (after.0, &after.1));
        let occurrences = sides.map(|(_, dag)| dag.occurrences());
        let difference = Difference {
            found: &found,
            named: &named,
            occurrences: &occurrences,
        };
        if self.output.is_json() {
            return out.json(&difference);
        }
        difference.write(&mut out)?;
        Ok(out.finish()?)
    }
}

/// The columns of table 1 of the paper on MTF.
const COMPACTION: Columns = Columns {
    header: &["", "nodes", "edges", "messages", "sum", "compaction"],
    right: &[1, 2, 3, 4, 5],
    narrowing: &[],
};

fn write_compaction(table: &Table, out: &mut OutputWriter) -> io::Result<()> {
    let folded = table.folded;
    let rows = [
        ("call trees", table.before, None),
        ("ordered DAG", table.after, Some(table.compaction)),
        ("children folded", folded.counts, Some(folded.compaction)),
    ];
    let rows = rows.into_iter().map(|(name, counts, compaction)| {
        let numbers = [counts.nodes, counts.edges, counts.messages, counts.sum()];
        let mut row = vec![name.to_owned()];
        row.extend(numbers.map(grouped));
        row.extend(compaction.map(|rate| format!("{rate:.2} %")));
        row
    });
    let table = Grid::new(&COMPACTION, rows.collect(), out.terminal());
    writeln!(out, "{table}")
}

fn write_stats(stats: &Durations, out: &mut impl Write) -> io::Result<()> {
    const WIDTH: u64 = 40;
    writeln!(out, "occurrences  {}", grouped(stats.count))?;
    let figures = [
        ("total", stats.total),
        ("min", stats.min),
        ("median", stats.median),
        ("max", stats.max),
    ];
    for (name, nanoseconds) in figures {
        writeln!(out, "{name:<11}  {} ns", grouped(nanoseconds))?;
    }
    if stats.negative > 0 {
        writeln!(out, "end before they begin  {}", grouped(stats.negative))?;
    }
    let most = stats.histogram.iter().map(|range| range.count).max();
    for range in &stats.histogram {
        let bar = (range.count * WIDTH).div_ceil(most.unwrap_or(1).max(1));
        writeln!(
            out,
            "{:>16} - {:>16} ns {:>12}  {}",
            grouped(range.from),
            grouped(range.to),
            grouped(range.count),
            "█".repeat(bar as usize)
        )?;
    }
    Ok(())
}

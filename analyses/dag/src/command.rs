//! Implements `foldtrace dag`, which shows the ordered DAG of a store's call trees.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueEnum};
use foldtrace_calltree::{self as calltree, Grown, MetricNodes, NamedNodes, Pattern, TracePattern};
use foldtrace_command::Context;
use foldtrace_command::output::{self, grouped};
use foldtrace_command::progress::Work;
use foldtrace_command::report::{self, Outcome};
use foldtrace_command::table::{Columns, Table as Grid};
use foldtrace_convert::{self as convert, ConvertOptions};
use foldtrace_fold::DEFAULT_MAX_BODY;
use foldtrace_fold::dag::{Children, Dag as Graph, Keys, NodeId, Occurrences, Rules, compare};
use foldtrace_mtf::MtfWriter;
use foldtrace_store::StoreReader;
use foldtrace_stream::select;
use foldtrace_trace::{ErrorKind, Output, TraceError};

use crate::{
    DagJson, DagText, Difference, Durations, Extent, Shares, Table, View, Weight, dag_dot, dag_svg,
    durations, occurred, stacks, table, times, write_stacks,
};

/// Show the call trees as an ordered DAG in which equal parts appear once.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what_occurs").args(["node", "pattern"]))]
#[command(after_help = "\
Examples:
  foldtrace dag vcycle.fold                               the tree, with equal parts once
  foldtrace dag vcycle.fold --min-percent 5 --depth 8
  foldtrace dag vcycle.fold --table                       its size and that of the call trees
  foldtrace dag vcycle.fold --node 19 --occurrences       where a node occurs
  foldtrace dag vcycle.fold --node 19 --occurrences --stats --json
  foldtrace dag before.fold after.fold --diff             what changed
  foldtrace dag vcycle.fold --pattern halo.pattern        find sequences of calls
  foldtrace dag vcycle.fold --pattern halo.pattern --format mtf > vcycle.mtf
  foldtrace dag vcycle.fold --format folded | inferno-flamegraph > flames.svg
  foldtrace dag vcycle.fold --format svg > dag.svg")]
pub struct Dag {
    /// Store to read.
    store: PathBuf,
    /// Store to compare STORE with (--diff).
    #[arg(requires = "diff")]
    other: Option<PathBuf>,
    /// Only this location: an id of the source (7 or @7), RANK.THREAD, or a rank; repeatable.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    /// Do not apply this rule of compaction; repeatable.
    #[arg(long, value_enum, value_name = "RULE")]
    without: Vec<Rule>,
    /// Format of the DAG.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Show at most this many levels of nested calls [default: 5; all for folded].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000))]
    depth: Option<u32>,
    /// Show only nodes that take at least P percent of the time.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = min_percent)]
    min_percent: f64,
    /// Show at most this many children of a call.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    children: u32,
    /// Show metric events, and locations that contain nothing else; by default, text and pictures
    /// omit them.
    #[arg(long)]
    metrics: bool,
    /// Weight of the stacks in --format folded: nanoseconds or calls [default: time].
    #[arg(long, value_enum)]
    weight: Option<StackWeight>,
    /// Count nodes, edges and messages before and after compaction, as in table 1 of the MTF paper.
    #[arg(long, conflicts_with_all = ["node", "diff"])]
    table: bool,
    /// Number of the node whose occurrences to list (--occurrences).
    #[arg(
        long,
        value_name = "N",
        requires = "occurrences",
        conflicts_with = "diff"
    )]
    node: Option<u32>,
    /// Show how often and where the patterns in this file occur (schemas/dag.md).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["node", "diff", "table"])]
    pattern: Option<PathBuf>,
    /// List the occurrences of the node or the patterns: location, position and events; for a node
    /// also time and duration.
    #[arg(long, requires = "what_occurs", conflicts_with_all = ["table", "diff"])]
    occurrences: bool,
    /// Show only the number of occurrences and statistics of their durations.
    #[arg(long, requires = "node")]
    stats: bool,
    /// Compare STORE with OTHER: nodes in both, nodes in only one, and nodes whose counts changed.
    #[arg(long, requires = "other")]
    diff: bool,
    /// Print JSON: the table, or the result of --occurrences, --pattern or --diff.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Rule {
    /// Consecutive equal children become one edge.
    Repeats,
    /// Equal subtrees become one node.
    Sharing,
    /// A call nested in itself becomes a recursive edge.
    Recursion,
    /// Messages between the same two calls become one.
    Messages,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Readable tree.
    Text,
    /// All nodes, edges and messages as JSON.
    Json,
    /// Graph for Graphviz.
    Dot,
    /// Picture.
    Svg,
    /// Stacks for flame graphs (inferno, speedscope).
    Folded,
    /// The whole trace as MTF, with the patterns of --pattern.
    Mtf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StackWeight {
    /// Exclusive time of the calls in nanoseconds.
    Time,
    /// Number of calls.
    Calls,
}

/// The default depth of nested calls in a tree or a picture.
const DEPTH: u32 = 5;

impl Dag {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        if self.weight.is_some() && self.format != Format::Folded {
            let error = TraceError::new(ErrorKind::Usage, "only folded stacks have weights");
            return Err(error
                .hint("add '--format folded', or leave out '--weight'")
                .into());
        }
        let work = Work::new(context);
        let store = StoreReader::open(&self.store)?;
        if self.format == Format::Mtf {
            return self.write_mtf(&store, &work, context);
        }
        let done = grow(&store, &self.location, self.rules(), &work).and_then(|grown| {
            self.show(&store, &grown, self.rules(), &work)?;
            Ok(report::diagnostics(
                &grown.diagnostics,
                store.names(),
                context,
            ))
        });
        // If a signal interrupted the work, the signal is the reason for any other failure.
        if done.is_err() {
            work.progress.check()?;
        }
        done
    }

    /// Writes the trace as MTF. A document contains all locations, and the DAG that all rules yield.
    fn write_mtf(&self, store: &StoreReader, work: &Work, context: Context) -> Outcome {
        if !(self.location.is_empty() && self.without.is_empty()) {
            let message = "MTF has all locations, and the DAG by all rules";
            let error = TraceError::new(ErrorKind::Usage, message);
            let hint = "'foldtrace convert --location' cuts a trace";
            return Err(error.hint(hint).into());
        }
        let patterns = match &self.pattern {
            Some(path) => Pattern::read(path)?,
            None => Vec::new(),
        };
        let written = work.watch(store, |progress| {
            let writer = MtfWriter::create(Output::Stdout)?.with_patterns(patterns);
            let options = ConvertOptions::default();
            convert::to_writer(store, Box::new(writer), &options, progress)
        });
        if written.is_err() {
            work.progress.check()?;
        }
        Ok(report::diagnostics(&written?, store.names(), context))
    }

    fn rules(&self) -> Rules {
        let applies = |rule| !self.without.contains(&rule);
        Rules {
            repeats: applies(Rule::Repeats),
            sharing: applies(Rule::Sharing),
            recursion: applies(Rule::Recursion),
            messages: applies(Rule::Messages),
        }
    }

    fn show(
        &self,
        store: &StoreReader,
        grown: &Grown,
        rules: Rules,
        work: &Work,
    ) -> anyhow::Result<()> {
        if let Some(node) = self.node {
            return self.show_node(store, grown, node, work);
        }
        if let Some(path) = &self.pattern {
            return self.show_patterns(store, grown, path);
        }
        if let Some(other) = &self.other {
            return self.show_difference(store, grown, other, rules, work);
        }
        if self.table || (self.json && self.format == Format::Text) {
            let links = calltree::links(store, grown);
            let children = Children::of(&grown.dag.graph, DEFAULT_MAX_BODY);
            let table = table(&grown.dag, &links, &children, rules);
            if self.json {
                return Ok(output::json(&table)?);
            }
            return write_table(&table, &mut output::stdout());
        }
        self.show_dag(store, grown, work)
    }

    fn show_dag(&self, store: &StoreReader, grown: &Grown, work: &Work) -> anyhow::Result<()> {
        let dag = &grown.dag;
        let named = NamedNodes::new(dag, store.names(), store.symbols());
        let extent = Extent {
            depth: self.depth.unwrap_or(DEPTH) as usize,
            min_percent: self.min_percent,
            children: self.children as usize,
        };
        if self.format == Format::Folded {
            let weight = match self.weight {
                None | Some(StackWeight::Time) => Weight::Time,
                Some(StackWeight::Calls) => Weight::Calls,
            };
            let depth = self.depth.map_or(usize::MAX, |depth| depth as usize);
            let stacks = work.watch(store, |progress| {
                stacks(store, dag, weight, depth, progress)
            })?;
            let ticks = store.manifest().clock().ticks_per_second;
            let mut out = output::stdout();
            write_stacks(&mut out, &stacks, weight, ticks, &named)?;
            return Ok(out.flush()?);
        }
        if self.format == Format::Json {
            let shares = Shares::new(dag, None);
            let links = calltree::links(store, grown);
            let (named, shares, links) = (&named, &shares, &links);
            return Ok(output::json(&DagJson {
                dag,
                named,
                shares,
                links,
            })?);
        }
        let times = work.watch(store, |progress| times(store, dag, progress))?;
        let shares = Shares::new(dag, Some(times));
        let metrics = MetricNodes::of(dag, store.symbols());
        let left_out = if self.metrics {
            &MetricNodes::default()
        } else {
            &metrics
        };
        let mut out = output::stdout();
        if self.format == Format::Text {
            let children = Children::of(&dag.graph, DEFAULT_MAX_BODY);
            DagText::new(dag, &named, &shares, &children, extent, left_out).write(&mut out)?;
            for line in self.about_metrics(dag, &metrics) {
                writeln!(out, "{line}")?;
            }
        } else {
            let view = View::new(dag, &shares, extent, left_out);
            match self.format {
                Format::Dot => dag_dot(&mut out, dag, &named, &shares, &view)?,
                _ => dag_svg(&mut out, dag, &named, &shares, &view)?,
            }
        }
        Ok(out.flush()?)
    }

    /// Returns the lines about metric events that are printed below a tree.
    fn about_metrics(&self, dag: &Graph, metrics: &MetricNodes) -> Vec<String> {
        let mut lines = Vec::new();
        let events = dag.occurrences();
        let nodes = dag.graph.nodes();
        let events = nodes
            .filter(|&node| dag.graph.kind(node).is_leaf() && metrics.contains(node))
            .map(|node| events[node.index()])
            .sum();
        if events > 0 && !self.metrics {
            let events = output::counted(events, "metric event");
            lines.push(format!("{events} not shown: --metrics"));
        }
        let locations = metrics.locations(dag) as u64;
        if locations > 0 {
            let locations = output::counted(locations, "location");
            lines.push(format!(
                "{locations} with metric events only: without a share of the time"
            ));
        }
        lines
    }

    fn show_node(
        &self,
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
        let mut out = output::stdout();
        if self.stats {
            let durations = work.watch(store, |progress| durations(store, dag, node, progress))?;
            let stats = durations.in_nanoseconds(ticks);
            if self.json {
                return Ok(output::json(&stats)?);
            }
            let named = NamedNodes::new(dag, store.names(), store.symbols());
            writeln!(out, "#{} {}", node.0, named.node(node))?;
            write_stats(&stats, &mut out)?;
            return Ok(out.flush()?);
        }
        let occurrences = Occurrences::new(&dag.graph, |other| other == node);
        if !self.json {
            writeln!(out, "location\tposition\tevents\ttime\tduration")?;
        }
        for &root in &dag.roots {
            let label = store.names().label(root.location);
            occurred(store, root, &occurrences, &work.progress, |occurrence| {
                let duration = occurrence.duration();
                let (position, events) = (occurrence.position, occurrence.events);
                let time = occurrence.begin;
                if self.json {
                    let id = root.location;
                    writeln!(
                        out,
                        "{{\"location\":{id},\"position\":{position},\"events\":{events},\"time\":{time},\"duration\":{duration}}}"
                    )?;
                } else {
                    writeln!(out, "{label}\t{position}\t{events}\t{time}\t{duration}")?;
                }
                Ok::<_, anyhow::Error>(())
            })?;
        }
        Ok(out.flush()?)
    }

    fn show_patterns(&self, store: &StoreReader, grown: &Grown, path: &Path) -> anyhow::Result<()> {
        let dag = &grown.dag;
        let named = NamedNodes::new(dag, store.names(), store.symbols());
        let found = Pattern::read(path)?
            .iter()
            .map(|pattern| pattern.find(dag, &named))
            .collect::<Result<Vec<TracePattern>, TraceError>>()?;
        let mut out = output::stdout();
        if self.occurrences {
            writeln!(out, "pattern\tlocation\tposition\tevents")?;
            for pattern in &found {
                pattern.positions(dag, |location, position, events| {
                    let label = store.names().label(location);
                    writeln!(out, "{}\t{label}\t{position}\t{events}", pattern.name)
                })?;
            }
            return Ok(out.flush()?);
        }
        if self.json {
            return Ok(output::json(&found)?);
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
        Ok(out.flush()?)
    }

    fn show_difference(
        &self,
        store: &StoreReader,
        grown: &Grown,
        other: &Path,
        rules: Rules,
        work: &Work,
    ) -> anyhow::Result<()> {
        let other = StoreReader::open(other)?;
        let after = grow(&other, &self.location, rules, work)?;
        let sides = [(store, &grown.dag), (&other, &after.dag)];
        let named = sides.map(|(store, dag)| NamedNodes::new(dag, store.names(), store.symbols()));
        let [before, after] = [0, 1].map(|side: usize| {
            let graph = &sides[side].1.graph;
            (graph, Keys::of(graph, &named[side].keys()))
        });
        let found = compare((before.0, &before.1), (after.0, &after.1));
        let occurrences = sides.map(|(_, dag)| dag.occurrences());
        let difference = Difference {
            found: &found,
            named: &named,
            occurrences: &occurrences,
        };
        if self.json {
            return Ok(output::json(&difference)?);
        }
        let mut out = output::stdout();
        difference.write(&mut out)?;
        Ok(out.flush()?)
    }
}

/// Parses a percentage from 0 to 100.
fn min_percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err("must be a number from 0 to 100".to_owned()),
    }
}

/// Returns the DAG of the named locations of a store, or of all if none is named.
fn grow(
    store: &StoreReader,
    locations: &[String],
    rules: Rules,
    work: &Work,
) -> anyhow::Result<Grown> {
    let locations = select::locations(store.names(), locations, store.locations())?;
    let grown = work.watch(store, |progress| {
        calltree::of(store, &locations, rules, progress)
    });
    Ok(grown?)
}

/// The columns of table 1 of the paper on MTF.
const COMPACTION: Columns = Columns {
    header: &["", "nodes", "edges", "messages", "sum", "compaction"],
    right: &[1, 2, 3, 4, 5],
    narrowing: &[],
};

fn write_table(table: &Table, out: &mut impl Write) -> anyhow::Result<()> {
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
    writeln!(out, "{}", Grid::new(&COMPACTION, rows.collect()))?;
    Ok(out.flush()?)
}

fn write_stats(stats: &Durations, out: &mut impl Write) -> std::io::Result<()> {
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

//! The subcommand `foldtrace dag`, which shows the ordered DAG of a store's call trees.

mod queries;

use std::io::Write;
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use foldtrace_calltree::{self as calltree, Grown, MetricNodes, NamedNodes, Pattern};
use foldtrace_command::Context;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{self, OutputOptions, OutputWriter};
use foldtrace_command::percent;
use foldtrace_command::progress::Work;
use foldtrace_command::report::{self, Outcome};
use foldtrace_convert::{self as convert, ConvertOptions};
use foldtrace_fold::DEFAULT_MAX_BODY;
use foldtrace_fold::dag::{Children, Dag as Graph, Rules};
use foldtrace_mtf::MtfWriter;
use foldtrace_store::StoreReader;
use foldtrace_stream::select;
use foldtrace_trace::{ErrorKind, TraceError};
use foldtrace_view::units::in_percent;

use crate::{
    DagJson, DagText, Extent, Shares, View, Weight, dag_dot, dag_svg, stacks, times, write_stacks,
};

/// Show the call trees as an ordered DAG in which equal parts appear once.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what_occurs").args(["node", "pattern"]))]
#[command(after_help = "\
Examples:
  foldtrace dag vcycle.fold                               the tree, with equal parts once
  foldtrace dag vcycle.fold --threshold 5% --depth 8
  foldtrace dag vcycle.fold --compaction                  its size and that of the call trees
  foldtrace dag vcycle.fold --node 19 --occurrences       where a node occurs
  foldtrace dag vcycle.fold --node 19 --occurrences --stats --json
  foldtrace dag before.fold after.fold --diff             what changed
  foldtrace dag vcycle.fold --pattern halo.pattern        find sequences of calls
  foldtrace dag vcycle.fold --pattern halo.pattern -o vcycle.mtf
  foldtrace dag vcycle.fold --format folded | inferno-flamegraph > flames.svg
  foldtrace dag vcycle.fold -o dag.svg")]
pub struct Dag {
    #[command(flatten)]
    input: StoreInput,
    /// Store to compare STORE with (--diff).
    #[arg(requires = "diff")]
    other: Option<PathBuf>,
    /// Only this location: an id of the source (7 or @7), RANK.THREAD, or a rank; repeatable.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    /// Do not apply this rule of compaction; repeatable.
    #[arg(long, value_enum, value_name = "RULE")]
    without: Vec<Rule>,
    /// Show at most this many levels of nested calls [default: 5; all for folded].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000))]
    depth: Option<u32>,
    /// Show only nodes that take at least this share of the time.
    #[arg(long, value_name = "PERCENT", default_value = "0%", value_parser = percent::share)]
    threshold: f64,
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
    compaction: bool,
    /// Number of the node whose occurrences to list (--occurrences).
    #[arg(
        long,
        value_name = "N",
        requires = "occurrences",
        conflicts_with = "diff"
    )]
    node: Option<u32>,
    /// Show how often and where the patterns in this file occur (analyses/dag/README.md).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["node", "diff", "compaction"])]
    pattern: Option<PathBuf>,
    /// List the occurrences of the node or the patterns: location, position and events; for a node
    /// also time and duration.
    #[arg(long, requires = "what_occurs", conflicts_with_all = ["compaction", "diff"])]
    occurrences: bool,
    /// Show only the number of occurrences and statistics of their durations.
    #[arg(long, requires = "node")]
    stats: bool,
    /// Compare STORE with OTHER: nodes in both, nodes in only one, and nodes whose counts changed.
    #[arg(long, requires = "other")]
    diff: bool,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Dag {
    const FORMATS: &'static [Format] = &[
        Format::Text,
        Format::Json,
        Format::Dot,
        Format::Svg,
        Format::Folded,
        Format::Mtf,
    ];
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
enum StackWeight {
    /// Exclusive time of the calls in nanoseconds.
    Time,
    /// Number of calls.
    Calls,
}

/// The number of nodes in a picture above which those that are alike are drawn as one.
const MOST_BOXES: usize = 100;

/// The default depth of nested calls in a tree or a picture.
const DEPTH: u32 = 5;

impl Dag {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        self.check_format()?;
        let input = self.input.open(context)?;
        let Some(path) = &self.other else {
            return input.done(self.analyse(&input, None, context));
        };
        let other = self.input.at(path).open(context)?;
        other.done(input.done(self.analyse(&input, Some(&other), context)))
    }

    /// Analyses the store, or compares it with `other`, and writes what was found.
    fn analyse(
        &self,
        store: &StoreReader,
        other: Option<&StoreReader>,
        context: Context,
    ) -> Outcome {
        let work = Work::new(context);
        if self.output.format() == Format::Mtf {
            return self.write_mtf(store, &work, context);
        }
        let out = self.output.create()?;
        let done = grow(store, &self.location, self.rules(), &work).and_then(|grown| {
            self.show(out, store, &grown, other, &work)?;
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

    /// Rejects a format that the requested result does not have.
    fn check_format(&self) -> Result<(), TraceError> {
        let format = self.output.format();
        if self.weight.is_some() && format != Format::Folded {
            let error = TraceError::new(ErrorKind::Usage, "only folded stacks have weights");
            return Err(error.hint("add '--format folded', or leave out '--weight'"));
        }
        let is_query = self.node.is_some() || self.diff || self.compaction;
        let has_format = match format {
            Format::Text | Format::Json => true,
            Format::Mtf => !is_query,
            _ => !is_query && self.pattern.is_none(),
        };
        if has_format {
            return Ok(());
        }
        let message = format!("only the whole DAG is written as {}", format.name());
        let hint = "results of --node, --pattern, --diff and --compaction are text or json";
        Err(TraceError::new(ErrorKind::Usage, message).hint(hint))
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
            let writer = MtfWriter::create(self.output.destination())?.with_patterns(patterns);
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
        mut out: OutputWriter,
        store: &StoreReader,
        grown: &Grown,
        other: Option<&StoreReader>,
        work: &Work,
    ) -> anyhow::Result<()> {
        if let Some(node) = self.node {
            return self.show_node(out, store, grown, node, work);
        }
        if let Some(path) = &self.pattern {
            return self.show_patterns(out, store, grown, path);
        }
        if let Some(other) = other {
            return self.show_difference(out, store, grown, other, work);
        }
        if self.compaction {
            return self.show_compaction(out, store, grown, work);
        }
        let named = NamedNodes::new(&grown.dag, store.names(), store.symbols());
        match self.output.format() {
            Format::Folded => self.write_stacks(&mut out, store, &grown.dag, &named, work)?,
            Format::Json => {
                return out.json(&DagJson {
                    dag: &grown.dag,
                    named: &named,
                    shares: &Shares::new(&grown.dag, None),
                    links: &calltree::links(store, grown, &work.progress)?,
                });
            }
            _ => self.draw(&mut out, store, &grown.dag, &named, work)?,
        }
        Ok(out.finish()?)
    }

    /// Writes the stacks of calls for flame graphs.
    fn write_stacks(
        &self,
        out: &mut OutputWriter,
        store: &StoreReader,
        dag: &Graph,
        named: &NamedNodes<'_>,
        work: &Work,
    ) -> anyhow::Result<()> {
        let weight = match self.weight {
            None | Some(StackWeight::Time) => Weight::Time,
            Some(StackWeight::Calls) => Weight::Calls,
        };
        let depth = self.depth.map_or(usize::MAX, |depth| depth as usize);
        let stacks = work.watch(store, |progress| {
            stacks(store, dag, weight, depth, progress)
        })?;
        let ticks = store.manifest().clock().ticks_per_second;
        Ok(write_stacks(out, &stacks, weight, ticks, named)?)
    }

    /// Writes the DAG as a tree in text, as a graph, or as a picture.
    fn draw(
        &self,
        out: &mut OutputWriter,
        store: &StoreReader,
        dag: &Graph,
        named: &NamedNodes<'_>,
        work: &Work,
    ) -> anyhow::Result<()> {
        let extent = Extent {
            depth: self.depth.unwrap_or(DEPTH) as usize,
            min_percent: in_percent(self.threshold),
            children: self.children as usize,
        };
        let times = work.watch(store, |progress| times(store, dag, progress))?;
        let shares = Shares::new(dag, Some(times));
        let metrics = MetricNodes::in_dag(dag, store.symbols());
        let left_out = if self.metrics {
            &MetricNodes::default()
        } else {
            &metrics
        };
        let view = || View::new(dag, &shares, extent, left_out);
        match self.output.format() {
            Format::Dot => dag_dot(out, dag, named, &shares, &view())?,
            Format::Svg => {
                let mut view = view();
                if view.nodes.len() > MOST_BOXES {
                    view = view.united(dag, store.symbols(), left_out);
                }
                dag_svg(out, dag, named, &shares, &view)?;
            }
            _ => {
                let children = Children::folded(&dag.graph, DEFAULT_MAX_BODY);
                DagText::new(dag, named, &shares, &children, extent, left_out).write(out)?;
                for line in self.about_metrics(dag, &metrics) {
                    writeln!(out, "{line}")?;
                }
            }
        }
        Ok(())
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
        calltree::read_or_grow(store, &locations, rules, progress)
    });
    Ok(grown?)
}

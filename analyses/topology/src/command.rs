//! The subcommand `foldtrace topology`, which identifies the communication topology of a program.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use foldtrace_command::Context;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{self, OutputOptions, OutputWriter};
use foldtrace_command::percent;
use foldtrace_command::progress::Work;
use foldtrace_command::report::{self, Outcome};
use foldtrace_command::table::{Columns, Narrow, Table};
use foldtrace_fold::Selection;
use foldtrace_program::command::MergeOptions;
use foldtrace_store::StoreReader;
use foldtrace_trace::{ErrorKind, EventKind, Place, TraceError};

use crate::recognition::{CustomPattern, Library, PatternError};
use crate::show::{
    CANDIDATE_COLUMNS, PART_COLUMNS, RANK_COLUMNS, answer, candidate_rows, part_rows, rank_rows,
    remarks, topology_json, topology_svg,
};
use crate::{Options, Pair, TopologyReport, find};

/// Show the communication topology of a program, however its ranks are numbered: a grid, a torus, a
/// stencil, a ring, a tree, …
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace topology lu.fold                     the topology, and the candidates compared
  foldtrace topology lu.fold --ranks             the position of each process in it
  foldtrace topology mg.fold --threshold 0%      include every pair that communicates
  foldtrace topology cg.fold --by tag            also the topology of each tag's messages
  foldtrace topology run.fold --pattern my.toml  also compare with your own topology
  foldtrace topology lu.fold -o lu.svg           a picture

Pairs of processes with less than 5 % of the traffic of the busiest pair are ignored.
If no topology matches, foldtrace tries all pairs, then the messages of each tag,
communicator and loop.")]
pub struct Topology {
    #[command(flatten)]
    input: StoreInput,
    #[command(flatten)]
    recognition: Recognition,
    /// Also identify the topology of each group of messages, by this criterion.
    #[arg(long, value_enum)]
    by: Option<By>,
    /// Show the position of each process in the topology.
    #[arg(long)]
    ranks: bool,
    #[command(flatten)]
    merge: MergeOptions,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Topology {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json, Format::Svg];
}

/// Options for identifying a topology.
#[derive(Debug, Args)]
pub struct Recognition {
    /// Ignore pairs with less than this share of the traffic of the busiest pair.
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = percent::share)]
    threshold: f64,
    /// Also compare with the topology in this file (analyses/topology/README.md); repeatable.
    #[arg(long, value_name = "FILE")]
    pattern: Vec<PathBuf>,
}

impl Recognition {
    /// Returns the options for the library, without a division into parts.
    pub fn options(&self) -> Result<Options, TraceError> {
        Ok(Options {
            threshold: self.threshold,
            library: library(&self.pattern)?,
            ..Options::default()
        })
    }
}

/// A criterion by which messages are divided into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// Messages with the same tag.
    Tag,
    /// Messages in the same communicator.
    Communicator,
    /// Messages sent in the same loop, as shown by loops --global.
    Construct,
}

impl From<By> for crate::By {
    fn from(by: By) -> Self {
        match by {
            By::Tag => Self::Tag,
            By::Communicator => Self::Communicator,
            By::Construct => Self::Construct,
        }
    }
}

/// The columns of the table of topologies that the whole program was compared with.
const CANDIDATES: Columns = Columns {
    header: &CANDIDATE_COLUMNS,
    right: &[],
    narrowing: &[
        Narrow::Shorten(0, 16),
        Narrow::Shorten(1, 16),
        Narrow::Shorten(2, 16),
    ],
};

/// The columns of the table of topologies of tags, communicators or loops.
const PARTS: Columns = Columns {
    header: &PART_COLUMNS,
    right: &[3, 4, 5],
    narrowing: &[
        Narrow::Shorten(2, 12),
        Narrow::Shorten(1, 16),
        Narrow::Shorten(0, 12),
        Narrow::Drop(5),
    ],
};

/// The columns of the table of processes and their places in a topology.
const RANKS: Columns = Columns {
    header: &RANK_COLUMNS,
    right: &[0, 1],
    narrowing: &[],
};

impl Topology {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// If the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let options = Options {
            by: self.by.map(Into::into),
            merging: self.merge.merging(Selection::Communication),
            ..self.recognition.options()?
        };
        let out = self.output.create()?;
        let input = self.input.open(context)?;
        input.done(self.analyse(&options, out, &input, context))
    }

    /// Analyses the store, and writes what was found.
    fn analyse(
        self,
        options: &Options,
        mut out: OutputWriter,
        store: &StoreReader,
        context: Context,
    ) -> Outcome {
        let work = Work::new(context);
        let found = work.watch(store, |progress| find(store, options, progress))?;
        let pairs = found.program.pairs.pairs.values();
        report::saturated(&pairs.map(Pair::total).sum(), context);
        match self.output.format() {
            Format::Json => {
                out.json(&topology_json(&found))?;
                return Ok(report::diagnostics(
                    &found.diagnostics,
                    store.names(),
                    context,
                ));
            }
            Format::Svg => {
                topology_svg(&mut out, &found, &self.input.file_stem())?;
            }
            _ => self.text(&mut out, &found, store)?,
        }
        out.finish()?;
        Ok(report::diagnostics(
            &found.diagnostics,
            store.names(),
            context,
        ))
    }

    fn text(
        &self,
        out: &mut OutputWriter,
        found: &TopologyReport,
        store: &StoreReader,
    ) -> io::Result<()> {
        let program = &found.program;
        let terminal = out.terminal();
        let headline = headline(found, collective_calls(store));
        writeln!(out, "{}: {headline}", self.input.path().display())?;
        let rows = candidate_rows(program);
        if !rows.is_empty() {
            writeln!(out, "\n{}", Table::new(&CANDIDATES, rows, terminal))?;
        }
        let remarks = remarks(program);
        if !remarks.is_empty() {
            writeln!(out)?;
        }
        for remark in remarks {
            writeln!(out, "{remark}")?;
        }
        if !found.parts.is_empty() {
            let rows = part_rows(&found.parts);
            writeln!(out, "\n{}", Table::new(&PARTS, rows, terminal))?;
        }
        if self.ranks {
            let rows = rank_rows(program);
            writeln!(out, "\n{}", Table::new(&RANKS, rows, terminal))?;
        }
        Ok(())
    }
}

/// Returns the number of calls that complete collective operations.
fn collective_calls(store: &StoreReader) -> u64 {
    let kinds = &store.manifest().counts.kinds;
    let collective = EventKind::ALL.iter().filter(|kind| kind.is_collective());
    collective.filter_map(|kind| kinds.get(kind.name())).sum()
}

/// Summarises the result in one line.
fn headline(found: &TopologyReport, collective_calls: u64) -> String {
    let program = &found.program;
    let answers = program.answer();
    let what = if program.pairs.pairs.is_empty() && collective_calls > 0 {
        let calls = output::counted(collective_calls, "call");
        format!("no messages between processes, only {calls} of collective operations")
    } else if program.pairs.pairs.is_empty() {
        "no messages between processes".to_owned()
    } else if answers.is_empty() {
        "no known topology".to_owned()
    } else {
        answer(&answers)
    };
    let processes = output::counted(program.ranks.len() as u64, "process");
    match program.idle().len() {
        idle if idle > 0 && !program.pairs.pairs.is_empty() => {
            format!("{what}; {processes}, {idle} idle")
        }
        _ => format!("{what}; {processes}"),
    }
}

/// Returns all known topologies, including the topologies in the given files.
fn library(files: &[PathBuf]) -> Result<Library, TraceError> {
    let patterns: Result<Vec<_>, TraceError> = files.iter().map(|file| pattern(file)).collect();
    Ok(Library::default().with(patterns?))
}

fn pattern(path: &Path) -> Result<CustomPattern, TraceError> {
    let text = fs::read_to_string(path);
    let text = text.map_err(|error| TraceError::unreadable(path, error))?;
    CustomPattern::parse(&text).map_err(|error| {
        let place = Place::file(path);
        let (place, message) = match error {
            PatternError::Toml { line, message } => (place.line(line as u64), message),
            other => (place, other.to_string()),
        };
        let hint = "analyses/topology/README.md says what a pattern is";
        TraceError::new(ErrorKind::Malformed, message)
            .at(place)
            .hint(hint)
    })
}

//! The subcommand `foldtrace steps`: reports which operations happen side by side, which are late, and where lateness
//! begins.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use foldtrace_clock::{ClockReport, Correction};
use foldtrace_command::clock::{ClockOptions, described};
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{OutputOptions, OutputWriter};
use foldtrace_command::progress::Work;
use foldtrace_command::report::{self, Done, Outcome};
use foldtrace_command::shard::{ShardOption, share};
use foldtrace_command::table::{Columns, Narrow, Table};
use foldtrace_command::{Context, paragraph};
use foldtrace_output::OutputFile;
use foldtrace_store::StoreReader;
use foldtrace_stream::select;
use foldtrace_trace::{Diagnostics, ErrorKind, Output, TraceError};

use crate::picture::{Gatherer, View, picture, steps_html, steps_svg};
use crate::report::{ORIGIN_COLUMNS, StepLabels, headline, origin_rows, steps_json};
use crate::{Options, ShardRequest, Shards, StepsTable, Summary, find, to_shard};

/// Show the logical steps of a program, and where lateness begins and spreads.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace steps lu.fold                         the largest origins of lateness
  foldtrace steps lu.fold --table steps.parquet   a row per operation
  foldtrace steps tree.fold --leaps --top 20
  foldtrace steps mg.fold --phases mg3p --json
  foldtrace steps tree.fold -o tree.html
  foldtrace steps tree.fold --steps 40..80 -o tree.svg
  srun -n 16 foldtrace steps lu.fold --shard auto -o steps.txt    by several tasks (docs/scale.md)

An operation is what a single call does: send, receive, or take part in a collective
operation. Its lateness is the time from the first completion of an operation in its
step until its own completion.")]
pub struct Steps {
    #[command(flatten)]
    input: StoreInput,
    /// Show at most this many origins of lateness.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: u32,
    /// Write a Parquet table of all operations and of the intervals between them.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Merge operations that belong together even if no message connects them.
    #[arg(long)]
    leaps: bool,
    /// Use the instances of this region as phases; needs all operations in memory.
    #[arg(long, value_name = "REGION", conflicts_with = "leaps")]
    phases: Option<String>,
    /// Memory for operations under way, such as 256M; where they need more, their partition is cut.
    #[arg(long, value_name = "SIZE", conflicts_with_all = ["leaps", "phases"],
          value_parser = |text: &str| parse_size::parse_size(text))]
    memory: Option<u64>,
    /// Draw only these steps, FROM included and TO excluded; either may be omitted.
    #[arg(long, value_name = "FROM..TO", value_parser = range)]
    steps: Option<Range<u64>>,
    /// Draw only this location: an id of the source (7 or @7), RANK.THREAD, or a rank; repeatable.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    /// Find the steps of this shard of the run only: K from 0 to N-1, or auto, which takes K and N from
    /// srun or mpirun. The task that ends last shows what all have found.
    #[arg(long, value_name = "K/N|auto", conflicts_with_all = ["leaps", "phases", "memory"])]
    shard: Option<ShardOption>,
    #[command(flatten)]
    clock: ClockOptions,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Steps {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json, Format::Svg, Format::Html];
}

/// The columns of the table of lateness origins, sorted by new lateness, largest first.
const ORIGINS: Columns = Columns {
    header: &ORIGIN_COLUMNS,
    right: &[1, 2, 3, 4, 5],
    narrowing: &[
        Narrow::Shorten(6, 24),
        Narrow::Shorten(7, 16),
        Narrow::Drop(5),
        Narrow::Drop(2),
    ],
};

/// Parses a range of steps given as `FROM..TO`.
fn range(text: &str) -> Result<Range<u64>, String> {
    let side = |side: &str, open| match side.trim() {
        "" => Ok(open),
        number => number.parse().map_err(|_| format!("'{number}' is no step")),
    };
    let sides = text.split_once("..");
    let (from, to) = sides.ok_or("write FROM..TO, such as 40..80")?;
    let range = side(from, 0)?..side(to, u64::MAX)?;
    if range.is_empty() {
        return Err("a range has its first step, and not its last one".to_owned());
    }
    Ok(range)
}

/// The memory that an operation takes, in bytes, until it has its step.
const OPERATION: u64 = 370;

/// Returns the number of operations for which this memory is sufficient.
fn most_operations(bytes: u64) -> Result<usize, TraceError> {
    const LEAST: u64 = 1_000_000;
    if bytes < LEAST {
        let message = format!("{bytes} bytes of memory are not enough for steps");
        return Err(TraceError::new(ErrorKind::Usage, message).hint("at least 1M is needed"));
    }
    Ok(usize::try_from(bytes / OPERATION).unwrap_or(usize::MAX))
}

/// The maximum number of operations and aggregates in a picture, unless a single step has more.
const CELLS: usize = 20_000;

impl Steps {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        if let Some(shard) = self.shard {
            return self.run_shard(shard, context);
        }
        let out = self.output.create()?;
        let input = self.input.open(context)?;
        input.done(self.analyse(out, &input, context))
    }

    /// Finds the steps of a shard, and shows what all tasks have found if no other one is still to come.
    fn run_shard(&self, shard: ShardOption, context: Context) -> Outcome {
        let store = self.input.open(context)?;
        store.check_is_lasting()?;
        if self.drawn(&store)?.is_some() {
            let error = TraceError::new(ErrorKind::Usage, "pictures are drawn by one task");
            return Err(error.hint("leave out --shard").into());
        }
        let correction = self.clock.correction(&Work::new(context), &store)?;
        let options = self.options()?;
        let request = ShardRequest {
            options: &options,
            has_events: self.table.is_some(),
        };
        let replace = self.output.replaces();
        share(
            shard,
            &store,
            replace,
            context,
            |id, progress| to_shard(&store, &correction, request, id, replace, progress),
            || Shards::open(&store),
            |shards| {
                let out = self.output.create()?;
                let found =
                    self.with_table(&store, &mut None, |sink| shards.join(options.origins, sink))?;
                self.show(out, &store, &found, correction.report(), context)
            },
        )
    }

    /// Analyses the store, and writes what was found.
    fn analyse(self, mut out: OutputWriter, store: &StoreReader, context: Context) -> Outcome {
        let work = Work::new(context);
        let mut drawn = self.drawn(store)?;
        let correction = self.clock.correction(&work, store)?;
        let (summary, diagnostics) = self.find(&work, store, &correction, &mut drawn)?;
        if let Some(around) = self.around(drawn.as_ref(), &summary) {
            drawn = Some(around);
            work.watch(store, |progress| {
                find(store, &correction, &self.options()?, progress, &mut drawn)
            })?;
        }
        let clock = correction.report();
        let Some(drawn) = drawn else {
            return self.show(out, store, &(summary, diagnostics), clock, context);
        };
        self.draw(&mut out, store, drawn, (&summary, clock), context)?;
        out.finish()?;
        report::diagnostics(&diagnostics, store.names(), context);
        Ok(Done::Clean)
    }

    /// Writes what was found, without a picture.
    fn show(
        &self,
        mut out: OutputWriter,
        store: &StoreReader,
        (summary, diagnostics): &(Summary, Diagnostics),
        clock: ClockReport,
        context: Context,
    ) -> Outcome {
        let words = StepLabels {
            names: store.names(),
            symbols: store.symbols(),
            ticks_per_second: store.manifest().clock().ticks_per_second,
        };
        if self.output.is_json() {
            out.json(&steps_json(summary, clock, words))?;
        } else {
            text(&mut out, summary, clock, words)?;
            out.finish()?;
        }
        report::diagnostics(diagnostics, store.names(), context);
        Ok(Done::Clean)
    }

    fn options(&self) -> Result<Options, TraceError> {
        Ok(Options {
            leaps: self.leaps,
            phases: self.phases.clone(),
            origins: self.top as usize,
            most: self.memory.map(most_operations).transpose()?,
            ..Options::default()
        })
    }

    /// Returns a gatherer for the steps in which most lateness begins, if not all steps can be drawn, and the user has not said
    /// which ones.
    fn around(&self, drawn: Option<&Gatherer>, summary: &Summary) -> Option<Gatherer> {
        let drawn = drawn.filter(|drawn| self.steps.is_none() && drawn.is_cut())?;
        let mut origins = [&summary.origins[..], &summary.in_operations].concat();
        origins.sort_by_key(|origin| Reverse(origin.event.differential_lateness));
        drawn.around(&origins)
    }

    fn find(
        &self,
        work: &Work,
        store: &StoreReader,
        correction: &Correction,
        drawn: &mut Option<Gatherer>,
    ) -> Result<(Summary, Diagnostics), TraceError> {
        let options = self.options()?;
        self.with_table(store, drawn, |sink| {
            work.watch(store, |progress| {
                find(store, correction, &options, progress, sink)
            })
        })
    }

    /// Calls `find` with a sink for the table of steps, if the user wants one, and the picture. Completes the table.
    fn with_table(
        &self,
        store: &StoreReader,
        drawn: &mut Option<Gatherer>,
        find: impl FnOnce(
            &mut (&mut Option<StepsTable<OutputFile>>, &mut Option<Gatherer>),
        ) -> Result<(Summary, Diagnostics), TraceError>,
    ) -> Result<(Summary, Diagnostics), TraceError> {
        let table = self.table.as_ref().map(|path| {
            let file = OutputFile::create(Output::Path {
                path: path.clone(),
                replace: self.output.replaces(),
            })?;
            StepsTable::new(file, path, store.manifest())
        });
        let mut table = table.transpose()?;
        let found = find(&mut (&mut table, drawn))?;
        if let Some(table) = table {
            let (_, file) = table.finish()?;
            file.complete()?;
        }
        Ok(found)
    }

    /// Returns the gatherer for the picture, or `None` if the format is not a picture.
    fn drawn(&self, store: &StoreReader) -> Result<Option<Gatherer>, TraceError> {
        if !self.output.format().is_picture() {
            if self.steps.is_none() && self.location.is_empty() {
                return Ok(None);
            }
            let message = "--steps and --location apply only to pictures";
            let error = TraceError::new(ErrorKind::Usage, message);
            return Err(error.hint("add --format svg or --format html"));
        }
        let names = store.names();
        let rows = select::locations(names, &self.location, store.locations())?;
        let rows = rows.into_iter().map(|row| (row, names.label(row)));
        Ok(Some(Gatherer::new(View {
            steps: self.steps.clone().unwrap_or(0..u64::MAX),
            rows: rows.collect(),
            locations: store.locations().count(),
            cells: CELLS,
            columns: match self.output.format() {
                Format::Svg => 400,
                _ => 2_000,
            },
        })))
    }

    fn draw(
        &self,
        out: &mut impl Write,
        store: &StoreReader,
        drawn: Gatherer,
        (summary, clock): (&Summary, ClockReport),
        context: Context,
    ) -> anyhow::Result<()> {
        let is_cut = drawn.is_cut();
        let mut grid = picture(store, drawn, summary)?;
        grid.title = self.input.file_stem().into_owned();
        let sentences = described(clock).into_iter().chain([headline(summary)]);
        grid.summary = sentences.collect::<Vec<_>>().join("; ");
        if is_cut {
            report::note(&grid.left_out, context);
        }
        match self.output.format() {
            Format::Svg => steps_svg(out, &grid)?,
            _ => steps_html(out, &grid)?,
        }
        Ok(())
    }
}

/// Prints a line about corrected clocks if there are any, a line of totals, and where lateness begins.
fn text(
    out: &mut OutputWriter,
    summary: &Summary,
    clock: ClockReport,
    words: StepLabels<'_>,
) -> io::Result<()> {
    let terminal = out.terminal();
    if let Some(text) = described(clock) {
        writeln!(out, "{}", paragraph::headline(&text, terminal))?;
    }
    writeln!(out, "{}", paragraph::headline(&headline(summary), terminal))?;
    for (place, origins) in [
        ("between operations", &summary.origins),
        ("in operations", &summary.in_operations),
    ] {
        if !origins.is_empty() {
            writeln!(out, "\nwhere lateness begins {place}")?;
            let rows = origin_rows(origins, words);
            let table = Table::new(&ORIGINS, rows, terminal).emphasise(0);
            writeln!(out, "{table}")?;
        }
    }
    Ok(())
}

//! The subcommand `foldtrace waits`: shows where processes wait for others, and why.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use foldtrace_command::Context;
use foldtrace_command::clock::{ClockOptions, described};
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{OutputOptions, OutputWriter, grouped};
use foldtrace_command::paragraph::headline;
use foldtrace_command::progress::Work;
use foldtrace_command::report::{self, Done, Outcome};
use foldtrace_command::shard::{ShardOption, share};
use foldtrace_command::table::{Columns, Narrow, Table};
use foldtrace_output::OutputFile;
use foldtrace_store::StoreReader;
use foldtrace_trace::{Output, TraceError};
use foldtrace_view::units::{Percent, Seconds};

use crate::{
    Cause, Found, Options, ShardRequest, Shards, WaitLabels, WaitsTable, find, to_shard, waits_json,
};

/// Show where processes wait for others, for how long, and which work of which process is the cause.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace waits lu.fold                         classes, calls that wait, and causes
  foldtrace waits lu.fold --top 30
  foldtrace waits lu.fold --table waits.parquet   a row for each wait state
  foldtrace waits lu.fold --json | jq '.causes[0]'
  foldtrace waits lu.fold --clock none            with the times as recorded
  srun -n 16 foldtrace waits lu.fold --shard auto -o waits.txt    by several tasks (docs/scale.md)

A cause is work of a process that took longer than that of the process that waits,
since both were last in step. Where the late process has waited itself, the cause
is that of its waiting. analyses/waits/README.md defines all classes.")]
pub struct Waiting {
    #[command(flatten)]
    input: StoreInput,
    /// Show at most this many rows of each table.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: u32,
    /// Write a Parquet table of all wait states.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Search only this shard of the run: K from 0 to N-1, or auto, which takes K and N from srun or
    /// mpirun. The task that ends last shows what all have found.
    #[arg(long, value_name = "K/N|auto")]
    shard: Option<ShardOption>,
    #[command(flatten)]
    clock: ClockOptions,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Waiting {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json];
}

/// The columns of the table of classes.
const CLASSES: Columns = Columns {
    header: &["class", "time", "share", "occurrences"],
    right: &[1, 2, 3],
    narrowing: &[Narrow::Shorten(0, 16)],
};

/// The columns of the table of calls that wait.
const CALLS: Columns = Columns {
    header: &[
        "time",
        "share",
        "occurrences",
        "longest in",
        "class",
        "call path",
    ],
    right: &[0, 1, 2, 3],
    narrowing: &[
        Narrow::Shorten(5, 32),
        Narrow::Drop(3),
        Narrow::Drop(2),
        Narrow::Shorten(5, 16),
    ],
};

/// The columns of the table of causes.
const CAUSES: Columns = Columns {
    header: &["caused", "share", "process", "iterations", "call path"],
    right: &[0, 1, 2],
    narrowing: &[
        Narrow::Shorten(4, 32),
        Narrow::Shorten(3, 24),
        Narrow::Shorten(4, 16),
    ],
};

/// The number of iterations of a cause that the text shows.
const ITERATIONS: usize = 4;

impl Waiting {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        if let Some(shard) = self.shard {
            return self.run_shard(shard, context);
        }
        let out = self.output.create()?;
        let input = self.input.open(context)?;
        input.done(self.analyse(out, &input, context))
    }

    fn analyse(&self, out: OutputWriter, store: &StoreReader, context: Context) -> Outcome {
        let work = Work::new(context);
        let correction = self.clock.correction(&work, store)?;
        let found = self.with_table(store, |mut table| {
            work.watch(store, |progress| {
                find(store, &correction, self.options(), progress, &mut table)
            })
        })?;
        self.show(out, store, &found, context)
    }

    /// Searches a shard, and shows what all tasks have found if no other one is still to come.
    fn run_shard(&self, shard: ShardOption, context: Context) -> Outcome {
        let store = self.input.open(context)?;
        store.check_is_lasting()?;
        let correction = self.clock.correction(&Work::new(context), &store)?;
        let request = ShardRequest {
            options: self.options(),
            has_waits: self.table.is_some(),
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
                let found = self.with_table(&store, |mut table| {
                    shards.join(&store, &correction, request.options, &mut table)
                })?;
                self.show(out, &store, &found, context)
            },
        )
    }

    fn options(&self) -> Options {
        Options {
            causes: (self.top as usize).max(Options::default().causes),
            ..Options::default()
        }
    }

    /// Calls `find` with the table of wait states, if the user wants one, and completes it.
    fn with_table(
        &self,
        store: &StoreReader,
        find: impl FnOnce(Option<&mut WaitsTable<OutputFile>>) -> Result<Found, TraceError>,
    ) -> anyhow::Result<Found> {
        let Some(path) = &self.table else {
            return Ok(find(None)?);
        };
        let file = OutputFile::create(Output::Path {
            path: path.clone(),
            replace: self.output.replaces(),
        })?;
        let mut table = WaitsTable::new(file, path, store.manifest())?;
        let found = find(Some(&mut table))?;
        let (_, file) = table.finish()?;
        file.complete()?;
        Ok(found)
    }

    fn show(
        &self,
        mut out: OutputWriter,
        store: &StoreReader,
        found: &Found,
        context: Context,
    ) -> Outcome {
        let labels = WaitLabels {
            names: store.names(),
            regions: &found.regions,
            paths: &found.summary.paths,
            ticks_per_second: store.manifest().clock().ticks_per_second,
        };
        if self.output.is_json() {
            out.json(&waits_json(found, labels))?;
        } else {
            self.text(&mut out, found, labels)?;
            out.finish()?;
        }
        report::diagnostics(&found.diagnostics, store.names(), context);
        Ok(Done::Clean)
    }

    fn text(
        &self,
        out: &mut OutputWriter,
        found: &Found,
        labels: WaitLabels<'_>,
    ) -> io::Result<()> {
        let (terminal, summary) = (out.terminal(), &found.summary);
        if let Some(clock) = described(found.clock) {
            writeln!(out, "{}", headline(&clock, terminal))?;
        }
        let waited = summary.waited() as f64;
        let seconds = |ticks: f64| Seconds(labels.seconds(ticks)).to_string();
        let share = |ticks: f64| Percent(ticks / waited.max(1.0)).to_string();
        let line = format!(
            "{} of {} ({}) are spent waiting for other processes",
            seconds(waited),
            seconds(summary.total as f64),
            Percent(waited / (summary.total as f64).max(1.0)),
        );
        writeln!(out, "{}", headline(&line, terminal))?;
        if summary.waiting.is_empty() {
            return Ok(());
        }
        let classes = summary.classes();
        let rows = classes.iter().map(|(class, total)| {
            vec![
                class.title().to_owned(),
                seconds(total.ticks as f64),
                share(total.ticks as f64),
                grouped(total.occurrences),
            ]
        });
        writeln!(
            out,
            "\n{}",
            Table::new(&CLASSES, rows.collect(), terminal).emphasise(0)
        )?;
        let top = self.top as usize;
        let rows = summary.by_path().into_iter().take(top).map(|it| {
            vec![
                seconds(it.total.ticks as f64),
                share(it.total.ticks as f64),
                grouped(it.total.occurrences),
                labels.location(it.location),
                it.class.title().to_owned(),
                labels.path(it.path),
            ]
        });
        writeln!(out, "\ncalls that wait")?;
        writeln!(
            out,
            "{}",
            Table::new(&CALLS, rows.collect(), terminal).emphasise(5)
        )?;
        let rows = summary.causes.iter().take(top).map(|cause| {
            vec![
                seconds(cause.ticks),
                share(cause.ticks),
                labels.location(cause.location),
                iterations(cause),
                labels.path(cause.path),
            ]
        });
        writeln!(out, "\nwork that makes others wait")?;
        writeln!(
            out,
            "{}",
            Table::new(&CAUSES, rows.collect(), terminal).emphasise(4)
        )
    }
}

/// Lists the iterations that contribute at least a twentieth to a cause, the greatest first.
fn iterations(cause: &Cause) -> String {
    let least = cause.ticks / 20.0;
    let greatest = cause.iterations.iter().filter(|it| it.ticks >= least);
    let listed = greatest.clone().take(ITERATIONS);
    let listed = listed.map(|it| format!("{}[{}]", it.construct, it.iteration));
    let mut listed = listed.collect::<Vec<_>>().join(", ");
    let left = greatest.count().saturating_sub(ITERATIONS);
    if left > 0 {
        listed.push_str(&format!(" and {left} more"));
    }
    if listed.is_empty() {
        "–".to_owned()
    } else {
        listed
    }
}

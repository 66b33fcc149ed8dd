//! The subcommand `foldtrace critical`: shows which activities determine how long a program runs.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use foldtrace_command::Context;
use foldtrace_command::clock::{ClockOptions, described};
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{OutputOptions, OutputWriter, counted, grouped};
use foldtrace_command::paragraph::headline;
use foldtrace_command::progress::Work;
use foldtrace_command::report::{self, Done, Outcome};
use foldtrace_command::table::{Columns, Narrow, Table};
use foldtrace_output::OutputFile;
use foldtrace_store::StoreReader;
use foldtrace_trace::Output;
use foldtrace_view::units::{Percent, Seconds};

use crate::{Critical, CriticalLabels, LoopTime, SegmentTable, critical_json, find};

/// Show the critical path: the activities that determine how long the program runs, because all others wait for them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace critical lu.fold                        regions, processes and loops on the path
  foldtrace critical lu.fold --top 30
  foldtrace critical lu.fold --table path.parquet   a row for each segment of the path
  foldtrace critical lu.fold --json | jq '.regions[0]'
  foldtrace critical lu.fold --clock none           with the times as recorded

The imbalance of a region is how much longer it is on the path than in the mean of all
processes. analyses/critical/README.md defines all numbers.")]
pub struct CriticalPath {
    #[command(flatten)]
    input: StoreInput,
    /// Show at most this many rows of each table.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: u32,
    /// Write a Parquet table of all segments of the path.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    #[command(flatten)]
    clock: ClockOptions,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for CriticalPath {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json];
}

/// The columns of the table of regions.
const REGIONS: Columns = Columns {
    header: &["on the path", "share", "mean", "imbalance", "region"],
    right: &[0, 1, 2, 3],
    narrowing: &[
        Narrow::Shorten(4, 32),
        Narrow::Drop(2),
        Narrow::Shorten(4, 16),
    ],
};

/// The columns of the table of processes.
const PROCESSES: Columns = Columns {
    header: &["on the path", "share", "process"],
    right: &[0, 1, 2],
    narrowing: &[],
};

/// The columns of the table of loops.
const LOOPS: Columns = Columns {
    header: &[
        "on the path",
        "share",
        "loop",
        "iterations",
        "longest iterations",
    ],
    right: &[0, 1, 2, 3],
    narrowing: &[Narrow::Shorten(4, 24), Narrow::Drop(3)],
};

/// The number of longest iterations of a loop that the text shows.
const ITERATIONS: usize = 3;

impl CriticalPath {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let out = self.output.create()?;
        let input = self.input.open(context)?;
        input.done(self.analyse(out, &input, context))
    }

    fn analyse(self, mut out: OutputWriter, store: &StoreReader, context: Context) -> Outcome {
        let work = Work::new(context);
        let critical = self.find(&work, store)?;
        let labels = CriticalLabels {
            names: store.names(),
            ticks_per_second: store.manifest().clock().ticks_per_second,
        };
        if self.output.is_json() {
            out.json(&critical_json(&critical, labels))?;
        } else {
            self.text(&mut out, &critical, labels)?;
            out.finish()?;
        }
        if let Some(irregular) = &critical.irregular {
            report::note(&format!("loops are left out: {irregular}"), context);
        }
        report::diagnostics(&critical.diagnostics, store.names(), context);
        Ok(Done::Clean)
    }

    fn find(&self, work: &Work, store: &StoreReader) -> anyhow::Result<Critical> {
        let correction = self.clock.correction(work, store)?;
        let Some(path) = &self.table else {
            let find = |progress: &_| find(store, &correction, progress, &mut ());
            return Ok(work.watch(store, find)?);
        };
        let file = OutputFile::create(Output::Path {
            path: path.clone(),
            replace: self.output.replaces(),
        })?;
        let mut table = SegmentTable::new(file, path, store.manifest())?;
        let critical = work.watch(store, |progress| {
            find(store, &correction, progress, &mut table)
        })?;
        let (_, file) = table.finish()?;
        file.complete()?;
        Ok(critical)
    }

    fn text(
        &self,
        out: &mut OutputWriter,
        critical: &Critical,
        labels: CriticalLabels<'_>,
    ) -> io::Result<()> {
        let (terminal, top) = (out.terminal(), self.top as usize);
        if let Some(clock) = described(critical.clock) {
            writeln!(out, "{}", headline(&clock, terminal))?;
        }
        let seconds = |ticks: f64| Seconds(labels.seconds(ticks)).to_string();
        let share = |ticks: u64| Percent(critical.share(ticks)).to_string();
        let on_path = critical.processes.iter().filter(|it| it.ticks > 0).count();
        let line = format!(
            "the critical path takes {} in {} of {} of {}",
            seconds(critical.length as f64),
            counted(critical.segments, "segment"),
            grouped(on_path as u64),
            counted(critical.processes.len() as u64, "process"),
        );
        writeln!(out, "{}", headline(&line, terminal))?;
        if critical.absent > 0 {
            let line = format!(
                "{} of it pass before the first event of its process, or after the last",
                seconds(critical.absent as f64)
            );
            writeln!(out, "{}", headline(&line, terminal))?;
        }
        let rows = critical.regions.iter().take(top).map(|it| {
            vec![
                seconds(it.ticks as f64),
                share(it.ticks),
                seconds(it.mean),
                seconds(it.imbalance()),
                labels.region(critical, it),
            ]
        });
        let table = Table::new(&REGIONS, rows.collect(), terminal).emphasise(4);
        writeln!(out, "\n{table}")?;
        let mut processes = critical.processes.clone();
        processes.sort_by_key(|it| Reverse(it.ticks));
        let longest = processes.iter().take(top).filter(|it| it.ticks > 0);
        let rows = longest.map(|it| {
            vec![
                seconds(it.ticks as f64),
                share(it.ticks),
                labels.names.label(it.location),
            ]
        });
        let table = Table::new(&PROCESSES, rows.collect(), terminal).emphasise(2);
        writeln!(out, "\n{table}")?;
        let mut loops: Vec<&LoopTime> = critical.loops.iter().filter(|it| it.ticks > 0).collect();
        if loops.is_empty() {
            return Ok(());
        }
        loops.sort_by_key(|it| Reverse(it.ticks));
        let rows = loops.into_iter().take(top).map(|it| {
            let longest = it.longest.iter().take(ITERATIONS);
            let longest = longest.map(|it| format!("{} ({})", it.index, seconds(it.ticks as f64)));
            vec![
                seconds(it.ticks as f64),
                share(it.ticks),
                it.phase.number.to_string(),
                grouped(it.phase.iterations),
                longest.collect::<Vec<_>>().join(", "),
            ]
        });
        let table = Table::new(&LOOPS, rows.collect(), terminal).emphasise(4);
        writeln!(out, "\n{table}")
    }
}

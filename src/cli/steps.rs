//! `foldtrace steps`: what happens side by side, who is late for it, and where that begins.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use foldtrace::analysis::steps::{Options, Summary};
use foldtrace::export::lateness::{Words, origins_text, steps_json};
use foldtrace::steps::{self, StepsTable};
use foldtrace::store::StoreReader;
use foldtrace_output::OutputFile;
use foldtrace_trace::{Diagnostics, Output, TraceError};

use super::Context;
use super::output::{self, counted};
use super::progress::Work;
use super::report::{self, Done, Outcome};

/// Show the logical steps of a program, and where lateness begins and spreads.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace steps lu.fold                         where most lateness begins
  foldtrace steps lu.fold --table steps.parquet   a row for each operation
  foldtrace steps tree.fold --leaps --top 20
  foldtrace steps mg.fold --phases mg3p --json

Operations are what single calls do: send, receive, or take part in a collective
operation. Lateness is how long after the first of its step one is complete.")]
pub struct Steps {
    /// Store to read.
    store: PathBuf,
    /// How many origins of lateness to show.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: u32,
    /// Write a Parquet table of all operations, and of what is between them.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Replace a table that exists.
    #[arg(long, requires = "table")]
    force: bool,
    /// Merge what belongs together although no message says so; needs all operations in memory.
    #[arg(long)]
    leaps: bool,
    /// Take the instances of this region as phases; needs all operations in memory.
    #[arg(long, value_name = "REGION", conflicts_with = "leaps")]
    phases: Option<String>,
    /// How to write what was found.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Steps {
    pub fn run(self, context: Context) -> Outcome {
        let work = Work::new(context);
        let store = StoreReader::open(&self.store)?;
        let (summary, diagnostics) = self.find(&work, &store)?;
        let words = Words {
            names: store.names(),
            symbols: store.symbols(),
            ticks_per_second: store.manifest().clock().ticks_per_second,
        };
        if self.json || self.format == Format::Json {
            output::json(&steps_json(&summary, words))?;
        } else {
            text(&summary, words)?;
        }
        report::diagnostics(&diagnostics, context);
        Ok(Done::Clean)
    }

    fn find(&self, work: &Work, store: &StoreReader) -> Result<(Summary, Diagnostics), TraceError> {
        let options = Options {
            leaps: self.leaps,
            phases: self.phases.clone(),
            origins: self.top as usize,
            ..Options::default()
        };
        let Some(path) = &self.table else {
            return work.watch(store, |progress| {
                steps::find(store, &options, progress, &mut ())
            });
        };
        let file = OutputFile::create(Output::Path {
            path: path.clone(),
            replace: self.force,
        })?;
        let mut table = StepsTable::new(file, path.clone(), store.manifest().clock())?;
        let found = work.watch(store, |progress| {
            steps::find(store, &options, progress, &mut table)
        })?;
        let (_, file) = table.finish()?;
        file.complete()?;
        Ok(found)
    }
}

/// A line of totals, and where lateness begins.
fn text(summary: &Summary, words: Words<'_>) -> std::io::Result<()> {
    let mut out = output::stdout();
    let totals = summary.totals;
    writeln!(
        out,
        "{} of {} in {}; {}",
        counted(totals.steps, "step"),
        counted(totals.operations, "operation"),
        counted(totals.partitions, "partition"),
        match totals.violations {
            0 => "no violations".to_owned(),
            violations => counted(violations, "violation"),
        },
    )?;
    for (place, origins) in [
        ("between operations", &summary.origins),
        ("in operations", &summary.in_operations),
    ] {
        if !origins.is_empty() {
            writeln!(out, "\nwhere lateness begins {place}")?;
            origins_text(&mut out, origins, words)?;
        }
    }
    out.flush()
}

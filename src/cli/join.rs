//! `foldtrace join`: makes a store of its shards.

use std::path::PathBuf;

use crate::convert::{self, ConvertOptions, Progress};
use crate::derive;
use crate::store::{StoreReader, Work, remove_joined, work_of_shards};
use clap::Args;
use foldtrace_command::conversion::print_summary;
use foldtrace_trace::{ErrorKind, Names, TraceError};

use super::convert::planned;
use super::derive::report_derived;
use super::report::{self, Done, Outcome};
use super::{Context, progress, signals};

/// Join the shards that several tasks have written of a store, or of its derived tables.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace convert run.otf2 run.fold --shard 0/2   one task writes the first of two shards
  foldtrace convert run.otf2 run.fold --shard 1/2   another one writes the second
  foldtrace join run.fold                           one task makes the store of both
  srun foldtrace convert run.otf2 run.fold --shard auto
  foldtrace derive run.fold --shard 0/2             one task derives half of the tables

The shards are in the folder STORE.shards, which is removed when the store is complete.
The store is the same as that of a single task.")]
pub struct Join {
    /// Store to write; its shards are in STORE.shards.
    store: PathBuf,
    /// Replace an existing store by that of a conversion.
    #[arg(long)]
    force: bool,
    /// Memory for buffers, such as 512M or 2G.
    #[arg(long, value_name = "SIZE", value_parser = |text: &str| parse_size::parse_size(text))]
    memory: Option<u64>,
}

impl Join {
    pub fn run(self, context: Context) -> Outcome {
        let progress = signals::progress();
        if remove_joined(&self.store)? {
            report::note("the shards were joined before", context);
            return Ok(Done::Clean);
        }
        match work_of_shards(&self.store)? {
            Work::Conversion => self.join_conversion(context, &progress),
            Work::Derivation => {
                let joined = progress::watch(&progress, &self.store, 0, context.quiet, || {
                    derive::join(&self.store, &progress)
                });
                report_derived(&self.store, &joined?, context)
            }
            Work::WaitStates => Err(self.shown_by("waits").into()),
            Work::Steps => Err(self.shown_by("steps").into()),
        }
    }

    /// Returns the error for shards of an analysis, which the last of its tasks joins.
    fn shown_by(&self, analysis: &str) -> TraceError {
        let store = self.store.display();
        let message = format!("the shards of {store} are those of the analysis {analysis}");
        let hint =
            format!("'foldtrace {analysis} {store} --shard K/N' shows them when all are written");
        TraceError::new(ErrorKind::Usage, message).hint(hint)
    }

    fn join_conversion(&self, context: Context, progress: &Progress) -> Outcome {
        let options = ConvertOptions {
            replace: self.force,
            memory: planned(self.memory)?,
            ..ConvertOptions::default()
        };
        let joined = progress::watch(progress, &self.store, 0, context.quiet, || {
            convert::join(&self.store, context.formats, &options, progress)
        });
        let (manifest, diagnostics) = joined?;
        if !context.quiet {
            print_summary(&self.store, &manifest);
        }
        let names = if diagnostics.is_empty() {
            Names::default()
        } else {
            StoreReader::open(&self.store)?.names().clone()
        };
        Ok(report::diagnostics(&diagnostics, &names, context))
    }
}

//! `foldtrace join`: makes a store of its shards.

use std::path::PathBuf;

use crate::convert::{ConvertOptions, join};
use crate::store::StoreReader;
use clap::Args;
use foldtrace_command::conversion::print_summary;
use foldtrace_trace::Names;

use super::convert::planned;
use super::report::{self, Outcome};
use super::{Context, progress, signals};

/// Join the shards that several tasks have written to a store.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace convert run.otf2 run.fold --shard 0/2   one task writes the first of two shards
  foldtrace convert run.otf2 run.fold --shard 1/2   another one writes the second
  foldtrace join run.fold                           one task makes the store of both
  srun foldtrace convert run.otf2 run.fold --shard auto

The shards are in the folder STORE.shards, which is removed when the store is complete.
The store is the same as that of a conversion by a single task.")]
pub struct Join {
    /// Store to write; its shards are in STORE.shards.
    store: PathBuf,
    /// Replace an existing store.
    #[arg(long)]
    force: bool,
    /// Memory for buffers, such as 512M or 2G.
    #[arg(long, value_name = "SIZE", value_parser = |text: &str| parse_size::parse_size(text))]
    memory: Option<u64>,
}

impl Join {
    pub fn run(self, context: Context) -> Outcome {
        let progress = signals::progress();
        let options = ConvertOptions {
            replace: self.force,
            memory: planned(self.memory)?,
            ..ConvertOptions::default()
        };
        let joined = progress::watch(&progress, &self.store, 0, context.quiet, || {
            join(&self.store, &options, &progress)
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

//! `foldtrace verify`: checks that a store is unchanged since it was written.

use std::io::Write;
use std::path::PathBuf;

use crate::fold::Selection;
use crate::program::Program;
use crate::program::command::MergeOptions;
use crate::store::{self, Finding, StoreReader, Verification};
use clap::Args;
use foldtrace_command::format::{Format, Formats};
use foldtrace_trace::TraceError;

use super::output::{OutputOptions, bytes, counted};
use super::report::{Done, Outcome};
use super::{Context, signals};

/// Verify a store: checksums, counts, and models against events; the exit code is 4 if anything
/// differs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace verify lu.fold && echo as it was written
  foldtrace verify lu.fold --models     also the merged models of the program")]
pub struct Verify {
    /// Store to verify.
    store: PathBuf,
    /// Also merge the models of all locations, once of communication and once of all events, and
    /// compare the merged models with the events of each process.
    #[arg(long)]
    models: bool,
    #[command(flatten)]
    merge: MergeOptions,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Verify {
    const FORMATS: &'static [Format] = &[Format::Text];
}

impl Verify {
    pub fn run(self, context: Context) -> Outcome {
        let mut out = self.output.create()?;
        let mut verification = store::verify(&self.store)?;
        if self.models && verification.findings.is_empty() {
            self.merge_models(&mut verification)?;
        }
        for finding in &verification.findings {
            writeln!(out, "{}: {}", finding.path, finding.problem)?;
        }
        if !context.quiet {
            writeln!(
                out,
                "{}: {} ({}), {}, {}: {}",
                self.store.display(),
                counted(verification.files, "file"),
                bytes(verification.bytes),
                counted(verification.events, "event"),
                counted(verification.models, "model"),
                match verification.findings.len() {
                    0 => "all as it was written".to_owned(),
                    n => format!("{n} not as it was written"),
                },
            )?;
        }
        out.finish()?;
        Ok(if verification.findings.is_empty() {
            Done::Clean
        } else {
            Done::Findings
        })
    }

    fn merge_models(&self, verification: &mut Verification) -> Result<(), TraceError> {
        let (store, progress) = (StoreReader::open(&self.store)?, signals::progress());
        let locations: Vec<_> = store.locations().collect();
        for selection in [Selection::Communication, Selection::All] {
            let merging = self.merge.merging(selection);
            let program = Program::from_store(&store, &locations, &merging, &progress)?;
            for (location, position) in program.differences(&store)? {
                verification.findings.push(Finding {
                    path: format!("merged model of {} (location {location})", selection.name()),
                    problem: format!("differs from the events at position {position}"),
                });
            }
            verification.models += 1;
        }
        Ok(())
    }
}

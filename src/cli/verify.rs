//! `foldtrace verify`: is a store as it was written?

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use foldtrace::store;

use super::Context;
use super::output::{self, bytes, counted};
use super::report::{Done, Outcome};

/// Verify a store: checksums, counts, and models against events. Exit code 4 if anything differs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace verify lu.fold && echo as it was written")]
pub struct Verify {
    /// Store to verify.
    store: PathBuf,
}

impl Verify {
    pub fn run(self, context: Context) -> Outcome {
        let verification = store::verify(&self.store)?;
        let mut out = output::stdout();
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
        out.flush()?;
        Ok(if verification.findings.is_empty() {
            Done::Clean
        } else {
            Done::Findings
        })
    }
}

//! `foldtrace completions`: completion scripts for shells.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use foldtrace_command::format::{Format, Formats};

use super::output::OutputOptions;
use super::report::{Done, Outcome};

/// Print a completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace completions bash -o /etc/bash_completion.d/foldtrace")]
pub struct Completions {
    /// Shell to print the script for.
    shell: Shell,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Completions {
    const FORMATS: &'static [Format] = &[Format::Text];
}

impl Completions {
    pub fn run(self) -> Outcome {
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut super::Cli::command(),
            "foldtrace",
            &mut script,
        );
        let mut out = self.output.create()?;
        out.write_all(&script)?;
        out.finish()?;
        Ok(Done::Clean)
    }
}

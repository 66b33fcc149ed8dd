//! `foldtrace completions`: completion scripts for shells.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::output;
use super::report::{Done, Outcome};

/// Print a completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace completions bash > /etc/bash_completion.d/foldtrace")]
pub struct Completions {
    /// Shell to print the script for.
    shell: Shell,
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
        let mut out = output::stdout();
        out.write_all(&script)?;
        out.flush()?;
        Ok(Done::Clean)
    }
}

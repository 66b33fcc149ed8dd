//! `foldtrace help`: prints the help of the command or of a subcommand.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Args, Parser};

use super::{Cli, report};

/// Print this message or the help of the given subcommand.
#[derive(Debug, Args)]
pub struct Help {
    /// Subcommand whose help to print.
    command: Option<OsString>,
}

impl Help {
    /// Prints the same text as `--help`.
    pub fn run(self) -> ExitCode {
        let program = OsString::from("foldtrace");
        let arguments = [Some(program), self.command, Some("--help".into())];
        match Cli::try_parse_from(arguments.into_iter().flatten()) {
            Ok(_) => ExitCode::SUCCESS,
            Err(help) => report::usage(&help),
        }
    }
}

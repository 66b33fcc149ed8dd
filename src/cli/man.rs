//! `foldtrace man`: prints or writes the man pages.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man as Page;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::output::OutputOptions;
use foldtrace_trace::TraceError;

use super::report::{Done, Outcome};

/// Print the manual page, or write the manual pages of all subcommands to a folder.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace man | man -l -
  foldtrace man /usr/local/share/man/man1")]
pub struct Man {
    /// Folder for foldtrace.1, foldtrace-convert.1 and so on; it is created if it does not exist.
    #[arg(conflicts_with_all = ["output", "force"])]
    folder: Option<PathBuf>,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Man {
    const FORMATS: &'static [Format] = &[Format::Text];
}

impl Man {
    pub fn run(self) -> Outcome {
        let mut command = super::Cli::command();
        command.build();
        let Some(folder) = self.folder else {
            let mut out = self.output.create()?;
            Page::new(command).render(&mut out)?;
            out.finish()?;
            return Ok(Done::Clean);
        };
        fs::create_dir_all(&folder).map_err(|e| TraceError::unwritable(&folder, e))?;
        let subcommands: Vec<Command> = command.get_subcommands().cloned().collect();
        for page in std::iter::once(command).chain(subcommands) {
            let name = page
                .get_display_name()
                .unwrap_or(page.get_name())
                .to_owned();
            let path = folder.join(format!("{name}.1"));
            let mut text = Vec::new();
            Page::new(page).render(&mut text)?;
            fs::write(&path, text).map_err(|e| TraceError::unwritable(&path, e))?;
        }
        Ok(Done::Clean)
    }
}

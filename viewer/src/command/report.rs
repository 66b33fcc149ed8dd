//! The subcommand `foldtrace report`: writes a page that shows a store.

use std::env;

use clap::Args;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::OutputOptions;
use foldtrace_command::report::{self, Done, Outcome};
use foldtrace_command::{Context, progress, signals};

use crate::Report;

/// Write a page that shows a trace in a browser: an overview, and a timeline to zoom into.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace report lu.fold -o lu.html          open it in any browser
  foldtrace report eztrace_log.otf2 -o run.html

The page is one file without access to a network. Drag selects a part of the timeline,
whose profile is shown beside it; the wheel zooms, Shift+drag moves. The address of the
page is a link to what it shows.")]
pub struct Reporting {
    #[command(flatten)]
    input: StoreInput,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Reporting {
    const FORMATS: &'static [Format] = &[Format::Html];
}

impl Reporting {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let mut out = self.output.create()?;
        let input = self.input.open(context)?;
        // Several analyses read the store, so a bar would be full several times.
        let progress = signals::progress();
        let report = progress::watch(&progress, self.input.path(), 0, context.quiet, || {
            Report::gather(&input, &env::temp_dir(), &progress)
        });
        let report = report?;
        report.write(&mut out, &self.input.file_stem())?;
        out.finish()?;
        report::diagnostics(report.diagnostics(), input.names(), context);
        input.done(Ok(Done::Clean))
    }
}

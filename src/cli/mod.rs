//! The command line, with one file per subcommand. The algorithms are in the library.

mod completions;
mod convert;
mod cut;
mod derive;
mod formats;
mod help;
mod info;
mod join;
mod man;
mod print;
mod renamed;
mod verify;

use std::ffi::OsString;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::formats::REGISTRY;
use crate::select;
use crate::trace::{Diagnostics, ErrorKind, TraceError};
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use foldtrace_command::report::Outcome;
use foldtrace_command::{
    Context, allocator, host, output, panics, progress, report, signals, style, table,
};

/// Converts, stores, folds and explains execution traces of parallel programs.
#[derive(Debug, Parser)]
#[command(
    name = "foldtrace",
    version,
    propagate_version = true,
    disable_help_subcommand = true,
    after_help = EXAMPLES
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Report only errors and losses of data.
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Report every recorded case of a problem, not only the first case and the count.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
}

const EXAMPLES: &str = "\
Examples:
  foldtrace convert eztrace_log.otf2 lu.fold   store and fold a trace
  foldtrace info lu.fold                       summarise its contents
  foldtrace loops lu.fold --location 0         show the loops of rank 0
  cat trace.txt | foldtrace convert - run.fold

Exit codes: 0 success; 1 internal error; 2 invalid arguments; 3 success, but with
reported loss of data; 4 unreadable or malformed input, or verify found a problem;
5 output failure; 130 interrupted.";

#[derive(Debug, Subcommand)]
enum Command {
    Convert(convert::Convert),
    Join(join::Join),
    Derive(derive::Derive),
    Info(info::Info),
    Print(print::Print),
    Verify(verify::Verify),
    Loops(foldtrace_program::command::Loops),
    Replay(foldtrace_program::command::Replay),
    Predict(foldtrace_program::command::Predict),
    Dag(foldtrace_dag::command::Dag),
    Patterns(foldtrace_patterns::command::Patterns),
    Filter(foldtrace_patterns::command::Filter),
    Profile(foldtrace_profile::command::Profiling),
    Waits(foldtrace_waits::command::Waiting),
    Critical(foldtrace_critical::command::CriticalPath),
    Efficiency(foldtrace_efficiency::command::Efficiencies),
    Compare(foldtrace_compare::command::Compare),
    Matrix(foldtrace_program::command::Matrix),
    Extract(foldtrace_extract::command::Extract),
    Skeleton(foldtrace_skeleton::command::Skeleton),
    Steps(foldtrace_steps::command::Steps),
    Topology(foldtrace_topology::command::Topology),
    Logical(foldtrace_logical::command::Logical),
    Report(foldtrace_viewer::command::Reporting),
    View(foldtrace_viewer::command::Viewing),
    Formats(formats::Formats),
    Completions(completions::Completions),
    Man(man::Man),
    Help(help::Help),
}

impl Command {
    fn run(self, context: Context) -> Outcome {
        match self {
            Self::Convert(command) => command.run(context),
            Self::Join(command) => command.run(context),
            Self::Derive(command) => command.run(context),
            Self::Info(command) => command.run(context),
            Self::Print(command) => command.run(context),
            Self::Verify(command) => command.run(context),
            Self::Loops(command) => command.run(context),
            Self::Replay(command) => command.run(context),
            Self::Predict(command) => command.run(context),
            Self::Dag(command) => command.run(context),
            Self::Patterns(command) => command.run(context),
            Self::Filter(command) => command.run(context),
            Self::Profile(command) => command.run(context),
            Self::Waits(command) => command.run(context),
            Self::Critical(command) => command.run(context),
            Self::Efficiency(command) => command.run(context),
            Self::Compare(command) => command.run(context),
            Self::Matrix(command) => command.run(context),
            Self::Extract(command) => command.run(context),
            Self::Skeleton(command) => command.run(context),
            Self::Steps(command) => command.run(context),
            Self::Topology(command) => command.run(context),
            Self::Logical(command) => command.run(context),
            Self::Report(command) => command.run(context),
            Self::View(command) => command.run(context),
            Self::Formats(command) => command.run(),
            Self::Completions(command) => command.run(),
            Self::Man(command) => command.run(),
            Self::Help(command) => command.run(),
        }
    }
}

/// Parses the arguments, the first of which is the name of the command.
fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = Cli::command();
    let matches = command.try_get_matches_from_mut(arguments);
    let matches = matches.map_err(|error| {
        if help::is_help(&error) {
            return help::grouped(error, arguments.iter().cloned());
        }
        let arguments = arguments
            .iter()
            .map(|argument| argument.to_string_lossy().into_owned());
        let arguments: Vec<_> = arguments.collect();
        renamed::explained(error, &command, &arguments)
    })?;
    Cli::from_arg_matches(&matches).map_err(|error| {
        let subcommand = matches.subcommand_name();
        let subcommand = subcommand.and_then(|name| command.find_subcommand_mut(name));
        match subcommand {
            Some(subcommand) => error.format(subcommand),
            None => error,
        }
    })
}

/// Parses the arguments, the first of which is the name of the command, runs the subcommand and reports its outcome.
/// Returns the exit code, which [`exit`](foldtrace_command::exit) defines.
///
/// The process belongs to the command: a signal or a panic ends it.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let cli = match parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => return report::usage(&error),
    };
    let context = Context {
        quiet: cli.quiet,
        verbose: cli.verbose > 0,
        formats: &REGISTRY,
    };
    allocator::keep_pages();
    signals::install();
    panics::install();
    let outcome = cli.command.run(context);
    signals::work_is_over();
    report::outcome(outcome)
}

/// Runs a subcommand for a program that contains the command, without printing anything. Signals, panics and threads remain
/// those of the program; `stop` stops the work. The arguments begin with the subcommand, and name a file for its output.
///
/// Returns the diagnostics that the command would print.
///
/// # Errors
/// Returns the error that the command would print.
pub fn answer(
    arguments: impl IntoIterator<Item = OsString>,
    stop: Arc<AtomicBool>,
) -> Result<Diagnostics, TraceError> {
    let name = OsString::from("foldtrace");
    let arguments: Vec<_> = iter::once(name).chain(arguments).collect();
    let cli = parse(&arguments).map_err(|error| misused(&error))?;
    let context = Context {
        quiet: true,
        verbose: false,
        formats: &REGISTRY,
    };
    let (outcome, diagnostics) = host::within(stop, || cli.command.run(context));
    match outcome {
        Ok(_) => Ok(diagnostics),
        Err(error) => Err(error
            .downcast()
            .unwrap_or_else(|error| match error.downcast_ref() {
                Some(help) => misused(help),
                None => TraceError::new(ErrorKind::Internal, error.to_string()),
            })),
    }
}

/// Returns the error for arguments that are invalid, or ask for a help.
fn misused(error: &clap::Error) -> TraceError {
    let message = error.render().to_string();
    let message = message.trim_start_matches("error: ").trim_end();
    TraceError::new(ErrorKind::Usage, message)
}

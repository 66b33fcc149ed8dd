//! The command line, with one file per subcommand. The algorithms are in the library.

mod completions;
mod convert;
mod cut;
mod derive;
mod formats;
mod help;
mod info;
mod man;
mod print;
mod renamed;
mod verify;

use std::ffi::OsString;

use crate::formats::REGISTRY;
use crate::select;
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use foldtrace_command::report::Outcome;
use foldtrace_command::{
    Context, allocator, output, panics, progress, report, signals, style, table,
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
    Formats(formats::Formats),
    Completions(completions::Completions),
    Man(man::Man),
    Help(help::Help),
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
    let outcome: Outcome = match cli.command {
        Command::Convert(command) => command.run(context),
        Command::Derive(command) => command.run(context),
        Command::Info(command) => command.run(context),
        Command::Print(command) => command.run(context),
        Command::Verify(command) => command.run(context),
        Command::Loops(command) => command.run(context),
        Command::Replay(command) => command.run(context),
        Command::Predict(command) => command.run(context),
        Command::Dag(command) => command.run(context),
        Command::Patterns(command) => command.run(context),
        Command::Filter(command) => command.run(context),
        Command::Profile(command) => command.run(context),
        Command::Waits(command) => command.run(context),
        Command::Critical(command) => command.run(context),
        Command::Efficiency(command) => command.run(context),
        Command::Compare(command) => command.run(context),
        Command::Matrix(command) => command.run(context),
        Command::Extract(command) => command.run(context),
        Command::Skeleton(command) => command.run(context),
        Command::Steps(command) => command.run(context),
        Command::Topology(command) => command.run(context),
        Command::Logical(command) => command.run(context),
        Command::Formats(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(),
        Command::Help(command) => return command.run(),
    };
    signals::work_is_over();
    report::outcome(outcome)
}

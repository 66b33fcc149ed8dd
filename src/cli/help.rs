//! `foldtrace help`: prints the help of the command or of a subcommand. The subcommands are listed in groups.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::error::{Error, ErrorKind};
use clap::{Args, Command, CommandFactory};
use foldtrace_command::paragraph::filled;
use foldtrace_command::report::{Done, Outcome};
use foldtrace_command::style::Terminal;

use super::Cli;

/// The subcommands in groups, as users look for them.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Traces and stores",
        &[
            "convert", "join", "derive", "info", "print", "verify", "formats",
        ],
    ),
    ("Models", &["loops", "replay", "predict", "dag", "patterns"]),
    (
        "Analyses",
        &[
            "profile",
            "waits",
            "critical",
            "efficiency",
            "compare",
            "matrix",
            "topology",
            "steps",
            "filter",
            "extract",
            "logical",
            "skeleton",
        ],
    ),
    ("Pages", &["report", "view"]),
    ("This command", &["completions", "man", "help"]),
];

/// The width of the column of names: the longest name, and two spaces on each side.
const COLUMN: usize = 15;
/// The maximum width of the help, the same as for subcommands.
const WIDEST: usize = 100;

/// Print this message or the help of the given subcommand.
#[derive(Debug, Args)]
pub struct Help {
    /// Subcommand whose help to print.
    command: Option<OsString>,
}

impl Help {
    /// Prints the same text as `--help`.
    pub fn run(self) -> Outcome {
        let program = OsString::from("foldtrace");
        let arguments = [Some(program), self.command, Some("--help".into())];
        let arguments = arguments.into_iter().flatten();
        match Cli::command().try_get_matches_from(arguments.clone()) {
            Ok(_) => Ok(Done::Clean),
            Err(help) => Err(grouped(help, arguments).into()),
        }
    }
}

/// Returns whether clap ended with a help.
pub fn is_help(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    )
}

/// Returns the help that `arguments` ask for, with the subcommands in groups. The list of subcommands is made only when
/// a help is shown. `help` is clap's own help.
pub fn grouped(help: Error, arguments: impl Iterator<Item = OsString>) -> Error {
    let command = Cli::command();
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n{}\nOptions:\n{{options}}{{after-help}}",
        groups(&command)
    );
    let parsed = command
        .help_template(template)
        .try_get_matches_from(arguments);
    parsed.err().unwrap_or(help)
}

/// Returns the list of all subcommands, each with its description.
fn groups(command: &Command) -> String {
    let width = Terminal::stdout().width.unwrap_or(WIDEST).min(WIDEST);
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "\n{title}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            for (number, line) in filled(&about, width.saturating_sub(COLUMN))
                .iter()
                .enumerate()
            {
                let name = if number == 0 { name } else { "" };
                let _ = writeln!(text, "  {name:<0$}{line}", COLUMN - 2);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_is_in_one_group() {
        let mut grouped: Vec<_> = GROUPS.iter().flat_map(|(_, names)| *names).collect();
        let command = Cli::command();
        let mut all: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert!(grouped.into_iter().eq(&all));
    }
}

//! Names the new spelling of an option to users of an old one.

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// Options of earlier versions: the subcommand, the old spelling, and the new one.
const RENAMED: [(&str, &str, &str); 7] = [
    ("print", "--format", "'--format' is now '--from'"),
    ("predict", "--at", "'--at' is now '--begin'"),
    (
        "dag",
        "--min-percent",
        "'--min-percent 5' is now '--threshold 5%'",
    ),
    ("dag", "--table", "'--table' is now '--compaction'"),
    ("extract", "--processes", "'--processes' is now '--process'"),
    ("extract", "--at", "'--at' is now '--part'"),
    ("extract", "--emit", "'--emit' is now '--format'"),
];

/// Adds the new spelling to an error about an option that an earlier version had.
pub fn explained(mut error: Error, command: &Command, arguments: &[String]) -> Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let is_subcommand = |argument: &&String| command.find_subcommand(argument).is_some();
    let Some(subcommand) = arguments.iter().find(is_subcommand) else {
        return error;
    };
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let mut renamed = RENAMED.iter();
    let Some((.., new)) = renamed.find(|(of, old, _)| of == subcommand && old == given) else {
        return error;
    };
    // A similar name that clap guesses would contradict the advice.
    error.remove(ContextKind::SuggestedArg);
    error.remove(ContextKind::SuggestedValue);
    let advice = ContextValue::StyledStrs(vec![(*new).into()]);
    error.insert(ContextKind::Suggested, advice);
    error
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn old_spellings_are_gone_and_name_the_new_ones() {
        for (subcommand, old, new) in RENAMED {
            let arguments = ["foldtrace", subcommand, "a.fold", old].map(str::to_owned);
            let error = Cli::command().try_get_matches_from(&arguments).unwrap_err();
            let text = explained(error, &Cli::command(), &arguments).to_string();
            assert!(text.contains(new), "{text}");
        }
    }
}

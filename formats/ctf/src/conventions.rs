//! The table that says which events are calls: built in, and extended by users.

use std::path::{Path, PathBuf};

use foldtrace_trace::{ErrorKind, Place, TraceError};
use serde::Deserialize;

const BUILT_IN: &str = include_str!("conventions.toml");
/// The file of a user, in the folder of the trace.
pub(crate) const FILE: &str = "ctf-conventions.toml";
/// The variable of the environment with the path of a user's file.
const VARIABLE: &str = "FOLDTRACE_CTF_CONVENTIONS";

/// Rules, in the order of precedence.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Conventions {
    #[serde(default)]
    rule: Vec<Rule>,
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CallRole {
    /// It enters a region.
    Enter,
    /// It leaves a region; the innermost one if the rule has none.
    Leave,
    /// It describes a program or library in memory.
    Module,
    /// It is nothing but an event.
    Event,
}

/// The end of a message that an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MessageRole {
    Send,
    Receive,
}

/// A rule about the events whose name fits a pattern.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    event: String,
    pub role: CallRole,
    /// The name of the region, with `$1`, `$2` … for the texts of stars.
    pub region: Option<String>,
    /// The field that has the name of the region.
    pub field: Option<String>,
    /// The field that has the address of the function.
    pub address: Option<String>,
    pub message: Option<MessageRole>,
    /// The fields of a message: the rank of the other process, the tag, the number of bytes.
    pub peer: Option<String>,
    pub tag: Option<String>,
    pub bytes: Option<String>,
}

impl Conventions {
    /// Returns the rules of the user, if there are any, and those that are built in.
    pub(crate) fn read(folder: &Path) -> Result<Self, TraceError> {
        let mut conventions = Self::default();
        let in_folder = Some(folder.join(FILE)).filter(|path| path.is_file());
        let named = std::env::var_os(VARIABLE).map(PathBuf::from);
        for path in in_folder.into_iter().chain(named) {
            let text = std::fs::read_to_string(&path);
            let text = text.map_err(|error| TraceError::unreadable(&path, error))?;
            conventions.add(&text, &path)?;
        }
        conventions.add(BUILT_IN, Path::new("conventions.toml"))?;
        Ok(conventions)
    }

    fn add(&mut self, text: &str, path: &Path) -> Result<(), TraceError> {
        let parsed: Result<Self, toml::de::Error> = toml::from_str(text);
        let added = parsed.map_err(|error| {
            let line = error.span().map_or(1, |span| {
                let before = text.get(..span.start).unwrap_or_default();
                before.matches('\n').count() as u64 + 1
            });
            TraceError::new(ErrorKind::Usage, error.message().to_owned())
                .at(Place::file(path).line(line))
                .hint("each [[rule]] has an event, a role, and the name of a region or of fields")
        })?;
        self.rule.extend(added.rule);
        Ok(())
    }

    /// Returns the rule for events with a name, and the name of the region that follows from it.
    pub(crate) fn find(&self, event: &str) -> Option<(&Rule, Option<String>)> {
        self.rule.iter().find_map(|rule| {
            let texts = matched(&rule.event, event)?;
            let region = rule.region.as_ref().map(|region| {
                let mut region = region.clone();
                for (number, text) in texts.iter().enumerate().rev() {
                    region = region.replace(&format!("${}", number + 1), text);
                }
                region
            });
            Some((rule, region))
        })
    }
}

/// Returns the texts for which the stars of a pattern stand; `None` if the pattern does not fit. Each star takes as little as
/// possible.
fn matched<'a>(pattern: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut pieces = pattern.split('*');
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut texts = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        // The last piece is the end of the text.
        let at = if pieces.peek().is_none() {
            rest.strip_suffix(piece)?.len()
        } else {
            rest.find(piece)?
        };
        texts.push(&rest[..at]);
        rest = &rest[at + piece.len()..];
    }
    rest.is_empty().then_some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        assert_eq!(
            matched("*:*_entry", "mpi:MPI_Send_entry"),
            Some(vec!["mpi", "MPI_Send"])
        );
        assert_eq!(matched("a*", "a"), Some(vec![""]));
        assert_eq!(matched("a", "a"), Some(vec![]));
        assert_eq!(matched("a", "ab"), None);
        assert_eq!(matched("*_entry", "entry"), None);
        assert_eq!(matched("*b*", "abb"), Some(vec!["a", "b"]));
    }

    #[test]
    fn built_in_rules_name_regions() {
        let mut conventions = Conventions::default();
        conventions.add(BUILT_IN, Path::new("")).unwrap();
        for (event, role, region) in [
            (
                "lttng_ust_mpi:MPI_Send_entry",
                CallRole::Enter,
                Some("MPI_Send"),
            ),
            ("syscall_exit_openat", CallRole::Leave, Some("openat")),
            ("exit_syscall", CallRole::Leave, None),
            ("irq_handler_entry", CallRole::Enter, Some("irq_handler")),
            (
                "lttng_ust_cyg_profile_fast:func_exit",
                CallRole::Leave,
                None,
            ),
        ] {
            let (rule, found) = conventions.find(event).unwrap();
            assert_eq!((rule.role, found.as_deref()), (role, region), "{event}");
        }
        assert!(conventions.find("sched_switch").is_none());
    }

    #[test]
    fn faulty_rules_have_a_line() {
        let error = Conventions::default()
            .add("[[rule]]\nevent = 1\n", Path::new("a"))
            .unwrap_err();
        assert_eq!(error.place.line, Some(2));
    }
}

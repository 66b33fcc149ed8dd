//! Diagnostics as data: what was wrong in a trace, where, and what to do about it.
//!
//! Recoverable problems are collected here, stored with the trace and summarised for the user. Memory is bounded: a
//! key that occurs a million times keeps its first cases and a count.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::{LocationId, Position};

/// Maximum number of cases kept per key; further cases are only counted.
const CASES_PER_KEY: usize = 100;

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Note,
    /// The source is not as it should be, but nothing is lost.
    Warning,
    /// Part of the source is missing from the result.
    Loss,
}

impl Severity {
    /// Returns the name used in files and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Loss => "loss",
        }
    }

    /// Returns the severity with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Note, Self::Warning, Self::Loss]
            .into_iter()
            .find(|s| s.name() == name)
    }
}

/// A place in the input, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub file: Option<PathBuf>,
    /// Byte offset in the file, 0-based.
    pub byte: Option<u64>,
    /// Line in the file, 1-based.
    pub line: Option<u64>,
    /// The location being read.
    pub location: Option<LocationId>,
    /// The position being read.
    pub position: Option<Position>,
}

impl Place {
    /// Creates a place that is a whole file.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self {
            file: Some(path.as_ref().to_owned()),
            ..Self::default()
        }
    }

    /// Sets the byte offset in the file, 0-based.
    #[must_use]
    pub fn byte(mut self, offset: u64) -> Self {
        self.byte = Some(offset);
        self
    }

    /// Sets the line of the file, 1-based.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Sets the place to an event of a location.
    #[must_use]
    pub fn event(mut self, location: LocationId, position: Position) -> Self {
        self.location = Some(location);
        self.position = Some(position);
        self
    }

    /// Sets the location.
    #[must_use]
    pub fn location(mut self, location: LocationId) -> Self {
        self.location = Some(location);
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(file) = &self.file {
            write!(f, "{}", file.display())?;
            separator = ", ";
        }
        for (name, value) in [
            ("byte", self.byte),
            ("line", self.line),
            ("location", self.location.map(|l| l.0)),
            ("position", self.position.map(|p| p.0)),
        ] {
            if let Some(value) = value {
                write!(f, "{separator}{name} {value}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity of the problem.
    pub severity: Severity,
    /// Stable name of the problem, `format.problem`.
    pub key: &'static str,
    /// The place of the problem.
    pub place: Place,
    /// A description of the problem.
    pub message: String,
    /// A suggestion to the user.
    pub hint: Option<&'static str>,
}

impl Diagnostic {
    /// Creates a diagnostic without a place or a hint.
    pub fn new(severity: Severity, key: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity,
            key,
            place: Place::default(),
            message: message.into(),
            hint: None,
        }
    }

    /// Returns the diagnostic with a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// Returns the diagnostic with a hint.
    #[must_use]
    pub fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }
}

/// All cases with the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticGroup {
    /// The worst severity among the cases.
    pub severity: Severity,
    /// The number of cases.
    pub count: u64,
    /// The first cases, up to a fixed maximum.
    pub cases: Vec<Diagnostic>,
}

/// Problems by key, in order of first occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "SavedDiagnostics", from = "SavedDiagnostics")]
pub struct Diagnostics {
    groups: IndexMap<&'static str, DiagnosticGroup>,
}

impl Diagnostics {
    /// Records one case.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.report_many(diagnostic, 1);
    }

    /// Records one case that stands for `count` cases.
    pub fn report_many(&mut self, diagnostic: Diagnostic, count: u64) {
        let key = diagnostic.key;
        self.merge_group(
            key,
            DiagnosticGroup {
                severity: diagnostic.severity,
                count,
                cases: vec![diagnostic],
            },
        );
    }

    /// Records one case. `case` is called only if its result will be kept.
    pub fn report_with(
        &mut self,
        severity: Severity,
        key: &'static str,
        case: impl FnOnce() -> Diagnostic,
    ) {
        match self.groups.get_mut(key) {
            Some(group) if group.cases.len() >= CASES_PER_KEY => {
                group.severity = group.severity.max(severity);
                group.count += 1;
            }
            _ => self.report(case()),
        }
    }

    /// Adds all cases of another collection.
    pub fn merge(&mut self, other: Self) {
        for (key, group) in other.groups {
            self.merge_group(key, group);
        }
    }

    fn merge_group(&mut self, key: &'static str, group: DiagnosticGroup) {
        let mine = self.groups.entry(key).or_insert_with(|| DiagnosticGroup {
            severity: group.severity,
            count: 0,
            cases: Vec::new(),
        });
        mine.severity = mine.severity.max(group.severity);
        mine.count += group.count;
        let room = CASES_PER_KEY.saturating_sub(mine.cases.len());
        mine.cases.extend(group.cases.into_iter().take(room));
    }

    /// Returns an iterator over the keys and their cases.
    pub fn groups(&self) -> impl Iterator<Item = (&'static str, &DiagnosticGroup)> {
        self.groups.iter().map(|(&key, group)| (key, group))
    }

    /// Returns the worst severity, or `None` if there is no problem.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.groups.values().map(|group| group.severity).max()
    }

    /// Returns the number of cases of `key`.
    #[must_use]
    pub fn count(&self, key: &str) -> u64 {
        self.groups.get(key).map_or(0, |group| group.count)
    }

    /// Returns whether there is no problem.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Sorts the keys alphabetically, for output that must not depend on the order of work.
    pub fn sort(&mut self) {
        self.groups.sort_keys();
    }
}

/// Problems in the form in which they are saved: the groups with their keys.
#[derive(Serialize, Deserialize)]
struct SavedDiagnostics(Vec<(String, Severity, u64, Vec<SavedDiagnostic>)>);

/// A case in the form in which it is saved.
#[derive(Serialize, Deserialize)]
struct SavedDiagnostic {
    severity: Severity,
    place: Place,
    message: String,
    hint: Option<String>,
}

impl From<Diagnostics> for SavedDiagnostics {
    fn from(diagnostics: Diagnostics) -> Self {
        let groups = diagnostics.groups.into_iter().map(|(key, group)| {
            let cases = group.cases.into_iter().map(|case| SavedDiagnostic {
                severity: case.severity,
                place: case.place,
                message: case.message,
                hint: case.hint.map(str::to_owned),
            });
            (key.to_owned(), group.severity, group.count, cases.collect())
        });
        Self(groups.collect())
    }
}

impl From<SavedDiagnostics> for Diagnostics {
    fn from(SavedDiagnostics(groups): SavedDiagnostics) -> Self {
        let groups = groups.into_iter().map(|(key, severity, count, cases)| {
            let key = kept(key);
            let cases = cases.into_iter().map(|case| Diagnostic {
                severity: case.severity,
                key,
                place: case.place,
                message: case.message,
                hint: case.hint.map(kept),
            });
            let cases = cases.collect();
            let group = DiagnosticGroup {
                severity,
                count,
                cases,
            };
            (key, group)
        });
        Self {
            groups: groups.collect(),
        }
    }
}

/// Returns a text that lives as long as the program. Keys and hints are few, and each of them is kept once.
fn kept(text: String) -> &'static str {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(&*text) {
        return known;
    }
    let new: &'static str = Box::leak(text.into_boxed_str());
    all.insert(new);
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_bounded_and_counted() {
        let (mut all, mut lazily) = (Diagnostics::default(), Diagnostics::default());
        let mut created = 0;
        for i in 0..1000 {
            let severity = if i == 500 {
                Severity::Loss
            } else {
                Severity::Note
            };
            let case = || Diagnostic::new(severity, "text.bad_line", format!("line {i}"));
            all.report(case());
            lazily.report_with(severity, "text.bad_line", || {
                created += 1;
                case()
            });
        }
        assert_eq!((&lazily, created), (&all, CASES_PER_KEY));
        let mut sum = Diagnostics::default();
        sum.merge(all.clone());
        sum.merge(all);
        assert_eq!(sum.count("text.bad_line"), 2000);
        assert_eq!(sum.worst(), Some(Severity::Loss));
        assert!(
            sum.groups()
                .all(|(_, group)| group.cases.len() == CASES_PER_KEY)
        );
    }

    #[test]
    fn saved_problems_come_back() {
        let mut all = Diagnostics::default();
        for line in 0..150 {
            let place = Place::file("a/b.trace").line(line);
            let case = Diagnostic::new(Severity::Loss, "text.bad_line", format!("line {line}"));
            all.report(case.at(place).hint("remove it"));
        }
        let case = Diagnostic::new(Severity::Note, "otf2.event_count", "one");
        all.report_many(
            case.at(Place::default().event(LocationId(3), Position(4))),
            7,
        );
        let saved = postcard::to_stdvec(&all).unwrap();
        let mut again: Diagnostics = postcard::from_bytes(&saved).unwrap();
        assert_eq!(again, all);
        assert!(again.groups().eq(all.groups()));
        // Keys of both are the same texts.
        again.merge(all);
        assert_eq!(again.groups().count(), 2);
    }

    #[test]
    fn a_place_reads_from_large_to_small() {
        let place = Place::file("17.evt")
            .byte(81920)
            .event(LocationId(17), Position(40211));
        assert_eq!(
            place.to_string(),
            "17.evt, byte 81920, location 17, position 40211"
        );
        assert_eq!(Place::default().to_string(), "");
    }
}

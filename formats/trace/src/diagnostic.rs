//! Diagnostics as data: what was wrong in a trace, where, and what to do about it.
//!
//! Recoverable problems are collected here, stored with the trace and summarised for the user. Memory is bounded: a
//! key that occurs a million times keeps its first cases and a count.

use std::fmt;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use crate::{LocationId, Position};

/// Maximum number of cases kept per key; further cases are only counted.
const CASES_PER_KEY: usize = 100;

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

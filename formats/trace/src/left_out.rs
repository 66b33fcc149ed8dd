//! Counts the content that a writer cannot represent, by kind.

use std::borrow::Cow;
use std::fmt::Display;

use indexmap::IndexMap;

use crate::{DefinitionKind, Definitions, Diagnostic, Diagnostics, Severity};

/// Counts of the content left out of an output, so that nothing is lost silently.
///
/// ```
/// use foldtrace_trace::{EventKind, LeftOut, Severity};
/// let mut left_out = LeftOut::default();
/// left_out.count(EventKind::Enter.name(), 12);
/// left_out.count("attribute", 3);
/// let diagnostics = left_out.diagnostics("table.left_out", "table.definitions_left_out");
/// assert_eq!(diagnostics.worst(), Some(Severity::Loss));
/// let (key, group) = diagnostics.groups().next().unwrap();
/// assert_eq!((key, group.count), ("table.left_out", 15));
/// assert_eq!(group.cases[0].message, "left out: 12 enter, 3 attribute");
/// ```
#[derive(Clone, Debug, Default)]
pub struct LeftOut {
    counts: IndexMap<Cow<'static, str>, u64>,
    definitions: IndexMap<&'static str, u64>,
}

impl LeftOut {
    /// Adds `count` to the counter `name`, such as the name of an event kind or of a quantity.
    #[inline]
    pub fn count(&mut self, name: impl Into<Cow<'static, str>>, count: u64) {
        if count > 0 {
            *self.counts.entry(name.into()).or_default() += count;
        }
    }

    /// Counts the definitions of all kinds for which `holds` is false.
    pub fn definitions(
        &mut self,
        definitions: &Definitions,
        holds: impl Fn(DefinitionKind) -> bool,
    ) {
        for &kind in DefinitionKind::ALL {
            let count = definitions.table(kind).len() as u64;
            if count > 0 && !holds(kind) {
                *self.definitions.entry(kind.name()).or_default() += count;
            }
        }
    }

    /// Returns a loss that lists everything left out of events, and a note on definitions, each with a key of its
    /// own. A diagnostic with a count of zero is omitted.
    #[must_use]
    pub fn diagnostics(self, of_events: &'static str, of_definitions: &'static str) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        let definitions = listed(&self.definitions);
        for (severity, key, (counts, total)) in [
            (Severity::Loss, of_events, listed(&self.counts)),
            (Severity::Note, of_definitions, definitions),
        ] {
            if total > 0 {
                let message = format!("left out: {counts}");
                diagnostics.report_many(Diagnostic::new(severity, key, message), total);
            }
        }
        diagnostics
    }
}

/// Returns all counts as a list, and their sum.
fn listed(counts: &IndexMap<impl Display, u64>) -> (String, u64) {
    let list: Vec<_> = counts
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    (list.join(", "), counts.values().sum())
}

//! The constructs of a model in the order of its text, each with its number.

use foldtrace_fold::merge::{Construct, System};
use foldtrace_trace::{ErrorKind, Remedy, TraceError};

/// A construct of a model with its place in the outline.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The construct.
    pub construct: &'a Construct,
    /// Its number, such as `3.1`: the numbers of the enclosing loops and its own, from 1.
    pub number: String,
    /// The index of the enclosing loop in the outline.
    pub parent: Option<usize>,
    /// The number of enclosing loops.
    pub depth: usize,
    /// How often the construct occurs.
    pub instances: u64,
}

impl Entry<'_> {
    /// Returns whether this construct is `other` or is within its body.
    #[must_use]
    pub fn is_in(&self, other: &Self) -> bool {
        let inner = self.number.strip_prefix(&*other.number);
        inner.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// Returns the construct with the given number.
///
/// # Errors
/// If no construct has this number.
pub fn find<'a, 'b>(entries: &'b [Entry<'a>], number: &str) -> Result<&'b Entry<'a>, TraceError> {
    let found = entries.iter().find(|entry| entry.number == number);
    found.ok_or_else(|| {
        let around = number.rsplit_once('.').map_or("", |(around, _)| around);
        let mut siblings = entries.iter().filter(|entry| match entry.parent {
            None => around.is_empty(),
            Some(parent) => entries[parent].number == around,
        });
        let is_there = entries.iter().any(|entry| entry.number == around);
        let why = match (siblings.clone().next(), siblings.next_back()) {
            (Some(first), Some(last)) => {
                format!("; the numbers are {} to {}", first.number, last.number)
            }
            _ if is_there => format!("; construct {around} is not a loop"),
            _ => String::new(),
        };
        let message = format!("there is no construct '{number}'{why}");
        TraceError::new(ErrorKind::Usage, message).remedy(Remedy::NumberConstructs)
    })
}

/// Lists all constructs of a system; the constructs of a body come after their loop.
#[must_use]
pub fn outline(system: &System) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    add(system, None, &mut entries);
    entries
}

fn add<'a>(system: &'a System, parent: Option<usize>, entries: &mut Vec<Entry<'a>>) {
    let around = parent.map(|parent| &entries[parent]);
    let prefix = around.map_or_else(String::new, |around| format!("{}.", around.number));
    let depth = around.map_or(0, |around| around.depth + 1);
    let times = around.and_then(|around| Some((around.instances, around.construct.as_loop()?.0)));
    let instances = times.map_or(1, |(instances, count)| instances.saturating_mul(count));
    for (index, construct) in system.constructs.iter().enumerate() {
        entries.push(Entry {
            construct,
            number: format!("{prefix}{}", index + 1),
            parent,
            depth,
            instances,
        });
        if let Some((_, body)) = construct.as_loop() {
            add(body, Some(entries.len() - 1), entries);
        }
    }
}

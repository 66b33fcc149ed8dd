//! The constructs of a model in the order of its text, each with its number.

use crate::fold::merge::{Construct, System};

/// A construct of a model and where it is.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The construct.
    pub construct: &'a Construct,
    /// Its number: those of the loops around it and its own, from 1, as in `3.1`.
    pub number: String,
    /// Index of the loop around it.
    pub parent: Option<usize>,
    /// Loops around it.
    pub depth: usize,
    /// How often it happens.
    pub instances: u64,
}

/// All constructs of a system, those of a body behind their loop.
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

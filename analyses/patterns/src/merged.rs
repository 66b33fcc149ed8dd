//! Merges patterns that are equal across ranks, and numbers them for people.

use std::collections::{BTreeSet, HashMap};

use foldtrace_fold::patterns::PatternName;
use foldtrace_trace::{LocationId, Names, format_set};
use indexmap::IndexMap;

use crate::occurrences::Durations;
use crate::{Part, PatternSummary, Summary};

/// Patterns that differ only in ranks, tags and communicators.
#[derive(Clone, Debug)]
pub struct MergedPattern<'a> {
    /// The one with the most time.
    pub first: &'a PatternSummary,
    /// The locations that have one of them.
    pub locations: BTreeSet<LocationId>,
    /// The durations of the occurrences of all of them.
    pub durations: Durations,
}

/// The patterns of a store, merged across ranks. The names of patterns lead to their numbers.
#[derive(Clone, Debug)]
pub struct MergedPatterns<'a> {
    /// The patterns, sorted by time in descending order.
    pub patterns: Vec<MergedPattern<'a>>,
    numbers: HashMap<PatternName, usize>,
}

impl<'a> MergedPatterns<'a> {
    /// Merges the patterns of a store.
    #[must_use]
    pub fn new(summary: &'a Summary) -> Self {
        let mut merged: IndexMap<(blake3::Hash, u64), (MergedPattern<'a>, Vec<PatternName>)> =
            IndexMap::new();
        for one in &summary.patterns {
            let empty = || MergedPattern {
                first: one,
                locations: BTreeSet::new(),
                durations: Durations::default(),
            };
            let group = merged.entry((one.content.key, one.length));
            let (pattern, names) = group.or_insert_with(|| (empty(), Vec::new()));
            pattern.locations.extend(&one.locations);
            pattern.durations.merge(&one.durations);
            names.push(one.name);
        }
        let mut merged: Vec<_> = merged.into_values().collect();
        merged.sort_by_key(|(pattern, _)| {
            let durations = &pattern.durations;
            std::cmp::Reverse(durations.whole.sum() + durations.before.sum())
        });
        let mut numbers = HashMap::new();
        let mut patterns = Vec::new();
        for (number, (pattern, names)) in (1..).zip(merged) {
            numbers.extend(names.into_iter().map(|name| (name, number)));
            patterns.push(pattern);
        }
        Self { patterns, numbers }
    }

    /// Returns the number of a pattern for people, such as `P1`.
    #[must_use]
    pub fn number(&self, name: PatternName) -> String {
        self.numbers
            .get(&name)
            .map_or_else(String::new, |number| format!("P{number}"))
    }

    /// Returns the text of a part of a pattern.
    #[must_use]
    pub fn part(&self, part: &Part) -> String {
        match part.pattern {
            Some((name, length)) => format!("{} ({length} events)", self.number(name)),
            None => part.text.clone(),
        }
    }
}

impl MergedPattern<'_> {
    /// Returns the processes of its locations, such as `ranks 0-15`; the names of locations that are no processes.
    #[must_use]
    pub fn processes(&self, names: &Names) -> String {
        let ranks = self
            .locations
            .iter()
            .map(|&location| match names.rank(location) {
                Some((rank, 0)) => Some(rank),
                _ => None,
            });
        if let Some(mut ranks) = ranks.collect::<Option<Vec<u64>>>() {
            ranks.sort_unstable();
            let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
            return format!("{noun} {}", format_set(&ranks));
        }
        let labels: Vec<String> = self
            .locations
            .iter()
            .map(|&location| names.label(location))
            .collect();
        labels.join(",")
    }
}

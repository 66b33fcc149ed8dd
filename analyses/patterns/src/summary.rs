//! Summarises the patterns of all locations: a row per location, and each pattern once for all locations that have
//! it.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use foldtrace_fold::patterns::{Item, PatternId, PatternName, What};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{EventKind, LabelText, LocationId, TraceError};
use foldtrace_view::histogram::Histogram;
use indexmap::IndexMap;
use rayon::prelude::*;

use crate::contents::{Content, contents};
use crate::occurrences::{Durations, Tally};
use crate::{Alphabet, LocationPatterns};

/// A summary of the patterns of a location: a row of table II of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocationSummary {
    /// The location.
    pub location: LocationId,
    /// The number of its events.
    pub events: u64,
    /// The number of its patterns.
    pub patterns: u64,
    /// The outermost loop or pattern with the most events.
    pub main: Option<Main>,
    /// The number of events in the outermost patterns.
    pub in_patterns: u64,
    /// The number of events in loops of the location's loop model.
    pub in_loops: u64,
    /// Whether all events of the location are metrics.
    pub has_only_metrics: bool,
}

impl LocationSummary {
    /// Returns which explains more events of the location: `patterns`, `loops`, or `both` if they explain the same
    /// number.
    #[must_use]
    pub fn explains_more(&self) -> &'static str {
        match self.in_patterns.cmp(&self.in_loops) {
            Ordering::Greater => "patterns",
            Ordering::Less => "loops",
            Ordering::Equal => "both",
        }
    }
}

/// The outermost pattern with the most events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Main {
    /// Its name.
    pub name: PatternName,
    /// The number of events of an occurrence.
    pub length: u64,
    /// The number of its consecutive occurrences.
    pub iterations: u64,
}

/// A pattern, merged over all locations that have it.
#[derive(Clone, Debug)]
pub struct PatternSummary {
    /// Its name.
    pub name: PatternName,
    /// The calls in it.
    pub content: Content,
    /// The number of events of an occurrence.
    pub length: u64,
    /// Its parts in the first location that has it.
    pub items: Vec<Part>,
    /// The locations that have it.
    pub locations: Vec<LocationId>,
    /// The durations of its occurrences.
    pub durations: Durations,
}

/// A part of a pattern.
#[derive(Clone, Debug)]
pub struct Part {
    /// The event or the pattern, as text.
    pub text: String,
    /// The name of the pattern and the number of its events, if the part is a pattern.
    pub pattern: Option<(PatternName, u64)>,
    /// The number of its repetitions.
    pub count: u64,
    /// The time before it.
    pub gaps: Histogram,
    /// The total time of all its repetitions, if it is a loop.
    pub loops: Histogram,
}

/// A summary of the patterns of a store.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// One summary per location.
    pub locations: Vec<LocationSummary>,
    /// The patterns, sorted by the time spent in and before their occurrences, in descending order.
    pub patterns: Vec<PatternSummary>,
}

impl Summary {
    /// Returns the number of events of all locations.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.locations.iter().map(|location| location.events).sum()
    }
}

/// Summarises the patterns found in a store.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or the work was stopped.
pub fn summary(
    store: &StoreReader,
    found: &[LocationPatterns],
    alphabet: &Alphabet,
    progress: &Progress,
) -> Result<Summary, TraceError> {
    let locations: Vec<LocationId> = found.iter().map(|found| found.location).collect();
    let mut in_loops = HashMap::new();
    let mut with_only_metrics = HashSet::new();
    for stored in store.models_of(locations)? {
        let stored = stored?;
        in_loops.insert(stored.location, stored.model.events_in_loops());
        if stored.model.has_only_metrics(store.symbols()) {
            with_only_metrics.insert(stored.location);
        }
    }
    let tallies = found.par_iter().map(|found| found.tally(store, progress));
    let tallies: Vec<Tally> = tallies.collect::<Result<_, _>>()?;
    let mut summary = Summary::default();
    let mut patterns: IndexMap<(PatternName, u64), PatternSummary> = IndexMap::new();
    for (found, tally) in found.iter().zip(&tallies) {
        summary.locations.push(LocationSummary {
            location: found.location,
            events: found.patterns.events,
            patterns: found.patterns.len() as u64,
            main: found.patterns.main().and_then(|item| main(found, item)),
            in_patterns: found.patterns.occupied(),
            in_loops: in_loops.get(&found.location).copied().unwrap_or_default(),
            has_only_metrics: with_only_metrics.contains(&found.location),
        });
        let contents = contents(found, alphabet, store.names());
        for (pattern, content) in found.patterns.ids().zip(contents) {
            let (name, length) = (found.names[pattern.index()], found.patterns.length(pattern));
            let known = patterns
                .entry((name, length))
                .or_insert_with(|| PatternSummary {
                    name,
                    content,
                    length,
                    items: parts(store, found, alphabet, pattern, tally),
                    locations: Vec::new(),
                    durations: Durations::default(),
                });
            known.locations.push(found.location);
            known.durations.merge(&tally.patterns[pattern.index()]);
        }
    }
    summary.patterns = patterns.into_values().collect();
    let time = |pattern: &PatternSummary| {
        let durations = &pattern.durations;
        durations.whole.sum() + durations.before.sum()
    };
    summary
        .patterns
        .sort_by_key(|pattern| std::cmp::Reverse(time(pattern)));
    Ok(summary)
}

fn main(found: &LocationPatterns, item: Item) -> Option<Main> {
    let What::Pattern(pattern) = item.what else {
        return None;
    };
    Some(Main {
        name: found.names[pattern.index()],
        length: found.patterns.length(pattern),
        iterations: item.count,
    })
}

fn parts(
    store: &StoreReader,
    found: &LocationPatterns,
    alphabet: &Alphabet,
    pattern: PatternId,
    tally: &Tally,
) -> Vec<Part> {
    let first = found.patterns.first_item(pattern);
    let items = found.patterns.items(pattern).iter().enumerate();
    let parts = items.map(|(index, item)| Part {
        text: text(store, found, alphabet, item),
        pattern: match item.what {
            What::Pattern(inner) => {
                Some((found.names[inner.index()], found.patterns.length(inner)))
            }
            What::Event(_) => None,
        },
        count: item.count,
        gaps: tally.gaps.get(first + index).cloned().unwrap_or_default(),
        loops: tally.loops.get(first + index).cloned().unwrap_or_default(),
    });
    parts.collect()
}

/// Returns the text of an item, without its number of repetitions.
#[must_use]
pub fn text(
    store: &StoreReader,
    found: &LocationPatterns,
    alphabet: &Alphabet,
    item: &Item,
) -> String {
    match item.what {
        What::Pattern(pattern) => {
            let length = found.patterns.length(pattern);
            format!("{} ({length} events)", found.names[pattern.index()])
        }
        What::Event(letter) => {
            let Some((symbol, bytes)) = found.letters.event(letter, alphabet) else {
                return String::new();
            };
            let label = LabelText {
                names: store.names(),
                symbol,
            };
            let bytes = if bytes > 0 {
                format!(" bytes={bytes}")
            } else {
                String::new()
            };
            match symbol.kind {
                EventKind::Enter | EventKind::CallingContextEnter => format!("enter {label}"),
                _ => format!("{label}{bytes}"),
            }
        }
    }
}

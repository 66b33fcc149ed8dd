//! What the patterns of all locations come to: a row a location, and a pattern once for all that have it.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use foldtrace_fold::patterns::{Item, PatternId, PatternName, What};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{EventKind, LabelText, LocationId, TraceError};
use foldtrace_view::histogram::Histogram;
use indexmap::IndexMap;
use rayon::prelude::*;

use crate::occurrences::{Durations, Tally};
use crate::{Alphabet, Found};

/// What the patterns of a location are like; a row of the paper's table II.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocationSummary {
    /// The location.
    pub location: LocationId,
    /// Its events.
    pub events: u64,
    /// How many patterns it has.
    pub patterns: u64,
    /// The outermost loop or pattern that has most events.
    pub main: Option<Main>,
    /// Events in the outermost patterns.
    pub in_patterns: u64,
    /// Events in loops of the location's loop model.
    pub in_loops: u64,
    /// Whether all events of the location are metrics.
    pub has_only_metrics: bool,
}

impl LocationSummary {
    /// Which explains more of the location's events: `patterns`, `loops`, or `both` as many.
    #[must_use]
    pub fn explains_more(&self) -> &'static str {
        match self.in_patterns.cmp(&self.in_loops) {
            Ordering::Greater => "patterns",
            Ordering::Less => "loops",
            Ordering::Equal => "both",
        }
    }
}

/// The outermost pattern that has most events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Main {
    /// Its name.
    pub name: PatternName,
    /// Events of an occurrence.
    pub length: u64,
    /// How often it follows itself.
    pub iterations: u64,
}

/// A pattern, in all locations that have it.
#[derive(Clone, Debug)]
pub struct PatternSummary {
    /// Its name.
    pub name: PatternName,
    /// Events of an occurrence.
    pub length: u64,
    /// What it consists of in the first location that has it.
    pub items: Vec<Part>,
    /// Who has it.
    pub locations: Vec<LocationId>,
    /// How long its occurrences take.
    pub durations: Durations,
}

/// A part of a pattern.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is.
    pub text: String,
    /// How often it comes.
    pub count: u64,
    /// The time before it.
    pub gaps: Histogram,
    /// How long it takes, all repetitions together, if it is a loop.
    pub loops: Histogram,
}

/// What the patterns of a store come to.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// By location.
    pub locations: Vec<LocationSummary>,
    /// Those in which most time is spent come first.
    pub patterns: Vec<PatternSummary>,
}

impl Summary {
    /// All events.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.locations.iter().map(|location| location.events).sum()
    }
}

/// Sums up what was found in a store.
///
/// # Errors
/// If a table is missing or damaged, or the work was stopped.
pub fn summary(
    store: &StoreReader,
    found: &[Found],
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
        for pattern in found.patterns.ids() {
            let (name, length) = (found.names[pattern.index()], found.patterns.length(pattern));
            let known = patterns
                .entry((name, length))
                .or_insert_with(|| PatternSummary {
                    name,
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

fn main(found: &Found, item: Item) -> Option<Main> {
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
    found: &Found,
    alphabet: &Alphabet,
    pattern: PatternId,
    tally: &Tally,
) -> Vec<Part> {
    let first = found.patterns.first_item(pattern);
    let items = found.patterns.items(pattern).iter().enumerate();
    let parts = items.map(|(index, item)| Part {
        text: text(store, found, alphabet, item),
        count: item.count,
        gaps: tally.gaps.get(first + index).cloned().unwrap_or_default(),
        loops: tally.loops.get(first + index).cloned().unwrap_or_default(),
    });
    parts.collect()
}

/// What an item is, without how often.
#[must_use]
pub fn text(store: &StoreReader, found: &Found, alphabet: &Alphabet, item: &Item) -> String {
    match item.what {
        What::Pattern(pattern) => {
            let length = found.patterns.length(pattern);
            format!("{} ({length} events)", found.names[pattern.index()])
        }
        What::Event(letter) => {
            let Some((symbol, bytes)) = found.letters.event(letter, alphabet) else {
                return String::new();
            };
            let symbol = store.symbols().symbol(symbol);
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

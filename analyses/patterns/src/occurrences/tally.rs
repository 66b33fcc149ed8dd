//! Collects the durations of all occurrences of a location's patterns in histograms.

use foldtrace_fold::patterns::{Letter, PatternId, Patterns};
use foldtrace_view::histogram::Histogram;

use super::{ElapsedTime, Observer, Ticks};

/// The durations of one pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durations {
    /// [`Ticks::whole`] of each occurrence.
    pub whole: Histogram,
    /// [`Ticks::exclusive`] of each occurrence.
    pub exclusive: Histogram,
    /// [`Ticks::before`] of each occurrence that has it.
    pub before: Histogram,
    /// [`Ticks::computing`] of each occurrence.
    pub computing: Histogram,
    /// [`Ticks::communicating`] of each occurrence.
    pub communicating: Histogram,
    /// The time from the last event of an occurrence to the first event of the next.
    pub between: Histogram,
}

impl Durations {
    /// Adds the durations of the same pattern in another location.
    pub fn merge(&mut self, other: &Self) {
        self.whole.merge(&other.whole);
        self.exclusive.merge(&other.exclusive);
        self.before.merge(&other.before);
        self.computing.merge(&other.computing);
        self.communicating.merge(&other.communicating);
        self.between.merge(&other.between);
    }
}

/// The durations of all patterns of one location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The durations of each pattern.
    pub patterns: Vec<Durations>,
    /// By item of patterns: the time before its first event, or before each repetition if it is an event that
    /// repeats. The first item of a pattern has none.
    pub gaps: Vec<Histogram>,
    /// By item of patterns, if it is a loop: the time from its first event to its last one.
    pub loops: Vec<Histogram>,
    /// The time from the first event of the location to the last one.
    pub ticks: u64,
}

/// An observer that builds a [`Tally`].
#[derive(Clone, Debug, Default)]
pub struct Tallying {
    tally: Tally,
    /// By pattern: the end of its last occurrence.
    ends: Vec<Option<u64>>,
}

impl Tallying {
    /// Creates an observer of these patterns.
    #[must_use]
    pub fn new(patterns: &Patterns) -> Self {
        Self {
            tally: Tally {
                patterns: vec![Durations::default(); patterns.len()],
                gaps: vec![Histogram::default(); patterns.items_of_all()],
                loops: vec![Histogram::default(); patterns.items_of_all()],
                ticks: 0,
            },
            ends: vec![None; patterns.len()],
        }
    }

    /// Returns the tally.
    #[must_use]
    pub fn into_tally(self) -> Tally {
        self.tally
    }
}

impl Observer for Tallying {
    fn begin(&mut self, _pattern: PatternId) {}

    fn event(&mut self, _letter: Letter, passed: ElapsedTime) {
        self.tally.ticks = self.tally.ticks.saturating_add(passed.ticks);
        if let Some(place) = passed.before
            && let Some(gaps) = self.tally.gaps.get_mut(place.item)
        {
            gaps.add(passed.ticks);
        }
    }

    fn end_loop(&mut self, item: usize, ticks: u64) {
        if let Some(loops) = self.tally.loops.get_mut(item) {
            loops.add(ticks);
        }
    }

    fn end(&mut self, pattern: PatternId, ticks: Ticks) {
        let (Some(durations), Some(end)) = (
            self.tally.patterns.get_mut(pattern.index()),
            self.ends.get_mut(pattern.index()),
        ) else {
            return;
        };
        durations.whole.add(ticks.whole);
        durations.exclusive.add(ticks.exclusive);
        if let Some(before) = ticks.before {
            durations.before.add(before.ticks);
        }
        durations.computing.add(ticks.computing);
        durations.communicating.add(ticks.communicating);
        if let Some(before) = end.replace(ticks.begin.0 + ticks.whole) {
            durations.between.add(ticks.begin.0.saturating_sub(before));
        }
    }
}

//! How long all occurrences of a location's patterns take, as histograms.

use foldtrace_fold::patterns::{Letter, PatternId, Patterns};
use foldtrace_view::histogram::Histogram;

use super::{Observer, Passed, Ticks};

/// The durations of one pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durations {
    /// [`Ticks::whole`] of each occurrence.
    pub whole: Histogram,
    /// [`Ticks::exclusive`].
    pub exclusive: Histogram,
    /// [`Ticks::before`].
    pub before: Histogram,
    /// [`Ticks::computing`].
    pub computing: Histogram,
    /// [`Ticks::communicating`].
    pub communicating: Histogram,
    /// From the last event of an occurrence to the first one of the next.
    pub between: Histogram,
}

impl Durations {
    /// Adds those of the same pattern elsewhere.
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
    /// By pattern.
    pub patterns: Vec<Durations>,
    /// By item of patterns: the time before its first event, or before each of them if it is an event that
    /// repeats. Before the first item of a pattern, there is none.
    pub gaps: Vec<Histogram>,
    /// By item of patterns, if it is a loop: from its first event to its last one.
    pub loops: Vec<Histogram>,
    /// From the first event of the location to the last one.
    pub ticks: u64,
}

/// Makes a [`Tally`].
#[derive(Clone, Debug, Default)]
pub struct Tallying {
    tally: Tally,
    /// When the last occurrence of each pattern has ended.
    ends: Vec<Option<u64>>,
}

impl Tallying {
    /// Of these patterns.
    #[must_use]
    pub fn of(patterns: &Patterns) -> Self {
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

    /// What was found.
    #[must_use]
    pub fn into_tally(self) -> Tally {
        self.tally
    }
}

impl Observer for Tallying {
    fn begin(&mut self, _pattern: PatternId) {}

    fn event(&mut self, _letter: Letter, passed: Passed) {
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

//! Which events are left when all that repeats itself is left out.
//!
//! After Trahay et al., section IV: of the occurrences of a pattern that take about as long as each other,
//! one is kept; and all that take unlike any. What is within an occurrence that is kept is chosen in the
//! same way, so that an unusual iteration shows what is unusual in it.

use std::ops::Range;

use foldtrace_fold::patterns::{Letter, PatternId};
use foldtrace_view::histogram::{Peak, Window};

use super::{Observer, Passed, Tally, Ticks};

/// The events of a location that are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Positions, in order; ranges do not touch each other.
    pub ranges: Vec<Range<u64>>,
    /// The occurrences that are kept for many others, at most one a peak.
    pub representatives: Vec<Representative>,
}

/// An occurrence that stands for all of a peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Representative {
    /// Its pattern.
    pub pattern: PatternId,
    /// The number of the peak among those of the pattern.
    pub peak: usize,
    /// The position of its first event.
    pub position: u64,
}

impl Kept {
    /// How many events are kept.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.ranges
            .iter()
            .map(|range| range.end - range.start)
            .sum()
    }

    /// Whether the event at a position is kept.
    #[must_use]
    pub fn contains(&self, position: u64) -> bool {
        let index = self.ranges.partition_point(|range| range.end <= position);
        self.ranges
            .get(index)
            .is_some_and(|range| range.contains(&position))
    }

    /// The same with further events, in order.
    #[must_use]
    pub fn with(self, positions: &[u64]) -> Self {
        let mut all = Self {
            ranges: Vec::with_capacity(self.ranges.len()),
            representatives: self.representatives,
        };
        let mut ranges = self.ranges.into_iter().peekable();
        for &position in positions {
            while let Some(range) = ranges.next_if(|range| range.start <= position) {
                all.push(range);
            }
            all.push(position..position + 1);
        }
        ranges.for_each(|range| all.push(range));
        all
    }

    /// Appends a range that begins behind all others begin.
    fn push(&mut self, range: Range<u64>) {
        match self.ranges.last_mut() {
            Some(last) if last.end >= range.end => {}
            Some(last) if last.end >= range.start => last.end = range.end,
            _ => self.ranges.push(range),
        }
    }
}

/// The peaks of a location's patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peaks {
    /// Those of durations, by pattern, the one with most occurrences first.
    pub of: Vec<Vec<Peak>>,
    /// Those of the times before occurrences.
    before: Vec<Vec<Peak>>,
}

impl Peaks {
    /// The peaks of all durations.
    #[must_use]
    pub fn new(tally: &Tally, window: Window) -> Self {
        let patterns = || tally.patterns.iter();
        Self {
            of: patterns()
                .map(|durations| durations.whole.peaks(window))
                .collect(),
            before: patterns()
                .map(|durations| durations.before.peaks(window))
                .collect(),
        }
    }

    /// The number of the peak that an occurrence belongs to: by its duration, if the time before it is
    /// as usual, too.
    #[must_use]
    pub fn find(&self, pattern: PatternId, ticks: &Ticks) -> Option<usize> {
        let peaks = self.before.get(pattern.index())?;
        let is_usual = ticks
            .before
            .is_none_or(|before| peaks.iter().any(|peak| peak.contains(before.ticks)));
        let peaks = self.of.get(pattern.index()).filter(|_| is_usual)?;
        peaks.iter().position(|peak| peak.contains(ticks.whole))
    }
}

/// Chooses what is kept.
#[derive(Clone, Debug)]
pub struct Selecting<'a> {
    peaks: &'a Peaks,
    /// Which peaks have been shown already, by pattern.
    shown: Vec<Vec<bool>>,
    open: Vec<Open>,
    position: u64,
    kept: Kept,
}

/// What an occurrence has that is kept with it.
type Parts = Vec<Part>;

/// An open occurrence.
#[derive(Clone, Debug, Default)]
struct Open {
    /// The position of its first event.
    position: u64,
    parts: Parts,
    /// The peaks of which it has an occurrence among its parts.
    like: Vec<(PatternId, usize)>,
}

#[derive(Clone, Debug)]
enum Part {
    /// Events of its own.
    Events(Range<u64>),
    /// An occurrence of another pattern: its events, and what is kept of them.
    Occurrence {
        events: Range<u64>,
        /// If it is like others: the first one of its peak within the occurrence around.
        like: Option<Representative>,
        parts: Parts,
    },
}

impl<'a> Selecting<'a> {
    /// By these peaks.
    #[must_use]
    pub fn new(peaks: &'a Peaks) -> Self {
        let shown = peaks.of.iter().map(|peaks| vec![false; peaks.len()]);
        Self {
            peaks,
            shown: shown.collect(),
            open: Vec::new(),
            position: 0,
            kept: Kept::default(),
        }
    }

    /// What is kept.
    #[must_use]
    pub fn into_kept(self) -> Kept {
        self.kept
    }

    /// Keeps what stands at the top: nothing is around that could be left out.
    fn keep(&mut self, part: Part) {
        let (events, like, parts) = match part {
            Part::Events(range) => return self.kept.push(range),
            Part::Occurrence {
                events,
                like,
                parts,
            } => (events, like, parts),
        };
        if let Some(one) = like {
            let shown = self.shown.get_mut(one.pattern.index());
            let shown = shown.and_then(|peaks| peaks.get_mut(one.peak));
            if shown.is_none_or(|shown| std::mem::replace(shown, true)) {
                return;
            }
            self.kept.representatives.push(one);
        }
        // Its ends are kept even if all that is in it is like something else.
        self.kept.push(events.start..events.start + 1);
        parts.into_iter().for_each(|part| self.keep(part));
        self.kept.push(events.end - 1..events.end);
    }
}

impl Observer for Selecting<'_> {
    fn begin(&mut self, _pattern: PatternId) {
        self.open.push(Open {
            position: self.position,
            ..Open::default()
        });
    }

    fn event(&mut self, _letter: Letter, _passed: Passed) {
        let range = self.position..self.position + 1;
        self.position += 1;
        match self.open.last_mut() {
            None => self.kept.push(range),
            Some(Open { parts, .. }) => match parts.last_mut() {
                Some(Part::Events(last)) if last.end == range.start => last.end = range.end,
                _ => parts.push(Part::Events(range)),
            },
        }
    }

    fn end_loop(&mut self, _item: usize, _ticks: u64) {}

    fn end(&mut self, pattern: PatternId, ticks: Ticks) {
        let Some(Open {
            position, parts, ..
        }) = self.open.pop()
        else {
            return;
        };
        let peak = self.peaks.find(pattern, &ticks);
        let like = peak.map(|peak| Representative {
            pattern,
            peak,
            position,
        });
        if let Some(one) = like {
            let shown = self.shown.get(pattern.index());
            if shown.and_then(|peaks| peaks.get(one.peak)) == Some(&true) {
                return;
            }
        }
        let part = Part::Occurrence {
            events: position..self.position,
            like,
            parts,
        };
        let Some(around) = self.open.last_mut() else {
            return self.keep(part);
        };
        // Of each peak, one within the same occurrence is enough.
        if let Some(peak) = peak {
            if around.like.contains(&(pattern, peak)) {
                return;
            }
            around.like.push((pattern, peak));
        }
        around.parts.push(part);
    }
}

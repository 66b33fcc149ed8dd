//! Selects the events that remain when repetitions are left out.
//!
//! The method follows Trahay et al., section IV. One of the occurrences of a pattern that take about the same time is
//! kept, and every occurrence whose duration is unusual. The parts of an occurrence that is kept are selected in the
//! same way, so that an unusual iteration shows what is unusual in it.

use std::ops::Range;

use foldtrace_fold::patterns::{Letter, PatternId};
use foldtrace_view::histogram::{Peak, Window};

use super::{ElapsedTime, Observer, Tally, Ticks};

/// The events of a location that are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The positions, in ascending order; ranges do not touch each other.
    pub ranges: Vec<Range<u64>>,
    /// The occurrences that are kept on behalf of many others, at most one per peak.
    pub representatives: Vec<Representative>,
}

/// An occurrence that represents all occurrences of a peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Representative {
    /// Its pattern.
    pub pattern: PatternId,
    /// The index of the peak among the peaks of the pattern.
    pub peak: usize,
    /// The position of its first event.
    pub position: u64,
}

impl Kept {
    /// Returns the number of events that are kept.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.ranges
            .iter()
            .map(|range| range.end - range.start)
            .sum()
    }

    /// Returns whether the event at a position is kept.
    #[must_use]
    pub fn contains(&self, position: u64) -> bool {
        let index = self.ranges.partition_point(|range| range.end <= position);
        self.ranges
            .get(index)
            .is_some_and(|range| range.contains(&position))
    }

    /// Adds further events, whose positions are in ascending order.
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

    /// Appends a range that begins after the start of every other range.
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
    /// By pattern: the peaks of durations, the one with the most occurrences first.
    pub of: Vec<Vec<Peak>>,
    /// By pattern: the peaks of the times before occurrences.
    before: Vec<Vec<Peak>>,
}

impl Peaks {
    /// Finds the peaks of all durations.
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

    /// Returns the index of the peak that an occurrence belongs to, according to its duration; `None` if the duration
    /// or the time before it is unusual.
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

/// An observer that selects the events to keep.
#[derive(Clone, Debug)]
pub struct Selecting<'a> {
    peaks: &'a Peaks,
    /// By pattern: whether a representative of each peak has been kept.
    shown: Vec<Vec<bool>>,
    open: Vec<Open>,
    position: u64,
    kept: Kept,
}

/// The parts of an occurrence that are kept with it.
type Parts = Vec<Part>;

/// An open occurrence.
#[derive(Clone, Debug, Default)]
struct Open {
    /// The position of its first event.
    position: u64,
    parts: Parts,
    /// The peaks that have an occurrence among its parts.
    like: Vec<(PatternId, usize)>,
}

#[derive(Clone, Debug)]
enum Part {
    /// Events outside of inner occurrences.
    Events(Range<u64>),
    /// An occurrence of another pattern: its events, and the parts that are kept of them.
    Occurrence {
        events: Range<u64>,
        /// If it belongs to a peak: the first occurrence of the peak within the occurrence around it.
        like: Option<Representative>,
        parts: Parts,
    },
}

impl<'a> Selecting<'a> {
    /// Creates an observer that selects by these peaks.
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

    /// Returns the events that are kept.
    #[must_use]
    pub fn into_kept(self) -> Kept {
        self.kept
    }

    /// Keeps a part outside of all occurrences: there is nothing around it that could be left out.
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
        // The first and the last event are kept even if everything between them resembles other occurrences.
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

    fn event(&mut self, _letter: Letter, _passed: ElapsedTime) {
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
        // One occurrence of each peak is enough within the same occurrence.
        if let Some(peak) = peak {
            if around.like.contains(&(pattern, peak)) {
                return;
            }
            around.like.push((pattern, peak));
        }
        around.parts.push(part);
    }
}

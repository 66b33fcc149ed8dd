//! Finds points of interest: occurrences that take longer than others of their pattern, and the cause in them.
//!
//! Figures 7 and 8 of Trahay et al. compare two occurrences, one of which waits for a message. Here each occurrence
//! is compared with the median of its pattern, separately for computing and communication: the process that computes
//! longer than usual is the likely cause of a delay, and processes that wait longer are mostly affected by it. Time
//! in a pattern within another one counts only for the inner pattern.

use foldtrace_fold::patterns::{Letter, PatternId};
use foldtrace_trace::Timestamp;
use foldtrace_view::histogram::Histogram;

use super::{ElapsedTime, Observer, Tally, Ticks};

/// An occurrence that takes longer than usual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its pattern.
    pub pattern: PatternId,
    /// Its number among the occurrences of the pattern in the location, counted from 0.
    pub occurrence: u64,
    /// The position of its first event.
    pub position: u64,
    /// The time of its first event.
    pub begin: Timestamp,
    /// The time of computing, or of communication, in it but not in patterns within it; in a loop, since the previous
    /// iteration.
    pub ticks: u64,
    /// The median of its pattern.
    pub usual: u64,
    /// The excess over the median, in ticks.
    pub excess: u64,
    /// The time between two events that exceeds the usual time between them most.
    pub cause: Option<Cause>,
}

/// A time between two events that is longer than usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The position of the second event.
    pub position: u64,
    /// The time between the two events, in ticks.
    pub ticks: u64,
    /// The median time between them, in ticks.
    pub usual: u64,
}

impl Cause {
    const fn excess(&self) -> u64 {
        self.ticks.saturating_sub(self.usual)
    }
}

/// The points of a location with the greatest excess, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Points {
    /// Occurrences that compute longer than usual.
    pub computing: Vec<Point>,
    /// Occurrences that communicate longer than usual; in most cases, they wait.
    pub communicating: Vec<Point>,
}

/// The medians with which occurrences are compared.
#[derive(Clone, Debug)]
struct Usual {
    /// By pattern: the medians of computing and of communication.
    patterns: Vec<[u64; 2]>,
    /// By pattern: the median time before an iteration.
    before: Vec<u64>,
    /// By item: the median time before it.
    gaps: Vec<u64>,
}

/// An observer that finds [`Points`].
#[derive(Clone, Debug)]
pub struct Finding {
    usual: Usual,
    /// The minimum excess, as a fraction of the usual time.
    width: f64,
    /// The maximum number of points of each kind.
    most: usize,
    open: Vec<Open>,
    /// By pattern: the number of its occurrences so far.
    occurrences: Vec<u64>,
    position: u64,
    points: [Vec<Point>; 2],
}

/// An open occurrence.
#[derive(Clone, Copy, Debug)]
struct Open {
    position: u64,
    causes: [Option<Cause>; 2],
}

impl Finding {
    /// Creates an observer that compares occurrences with a tally of the same location. An excess of at most `width`
    /// times the usual time is no point; at most `most` points of each kind are kept.
    #[must_use]
    pub fn new(tally: &Tally, width: f64, most: usize) -> Self {
        let medians = tally.patterns.iter().map(|durations| {
            [&durations.computing, &durations.communicating].map(Histogram::median)
        });
        let before = tally.patterns.iter();
        Self {
            usual: Usual {
                patterns: medians.collect(),
                before: before.map(|durations| durations.before.median()).collect(),
                gaps: tally.gaps.iter().map(Histogram::median).collect(),
            },
            width,
            most,
            open: Vec::new(),
            occurrences: vec![0; tally.patterns.len()],
            position: 0,
            points: Default::default(),
        }
    }

    /// Returns the points.
    #[must_use]
    pub fn into_points(mut self) -> Points {
        self.points
            .iter_mut()
            .for_each(|points| rank(points, self.most));
        let [computing, communicating] = self.points;
        Points {
            computing,
            communicating,
        }
    }
}

/// Keeps the points with the greatest excess, in descending order.
fn rank(points: &mut Vec<Point>, most: usize) {
    points.sort_by_key(|point| (std::cmp::Reverse(point.excess), point.position));
    points.truncate(most);
}

impl Observer for Finding {
    fn begin(&mut self, _pattern: PatternId) {
        self.open.push(Open {
            position: self.position,
            causes: [None; 2],
        });
    }

    fn event(&mut self, _letter: Letter, passed: ElapsedTime) {
        let position = self.position;
        self.position += 1;
        let Some(place) = passed.before else { return };
        if let (Some(open), Some(&usual)) = (
            self.open.get_mut(place.depth),
            self.usual.gaps.get(place.item),
        ) {
            let ticks = passed.ticks;
            let spent = usize::from(passed.communicates);
            let cause = Cause {
                position,
                ticks,
                usual,
            };
            open.causes[spent] = greater(open.causes[spent], Some(cause));
        }
    }

    fn end_loop(&mut self, _item: usize, _ticks: u64) {}

    fn end(&mut self, pattern: PatternId, ticks: Ticks) {
        let Some(mut open) = self.open.pop() else {
            return;
        };
        if let Some(before) = ticks.before {
            let spent = usize::from(before.communicates);
            let cause = Cause {
                position: open.position,
                ticks: before.ticks,
                usual: self
                    .usual
                    .before
                    .get(pattern.index())
                    .copied()
                    .unwrap_or_default(),
            };
            open.causes[spent] = greater(open.causes[spent], Some(cause));
        }
        let Some(occurrence) = self.occurrences.get_mut(pattern.index()) else {
            return;
        };
        let number = *occurrence;
        *occurrence += 1;
        let usual = self
            .usual
            .patterns
            .get(pattern.index())
            .copied()
            .unwrap_or_default();
        for (spent, taken) in [ticks.computing, ticks.communicating]
            .into_iter()
            .enumerate()
        {
            let usual = usual[spent];
            let excess = taken.saturating_sub(usual);
            if excess == 0 || excess as f64 <= usual as f64 * self.width {
                continue;
            }
            let points = &mut self.points[spent];
            points.push(Point {
                pattern,
                occurrence: number,
                position: open.position,
                begin: ticks.begin,
                ticks: taken,
                usual,
                excess,
                cause: open.causes[spent],
            });
            if points.len() >= 2 * self.most.max(64) {
                rank(points, self.most);
            }
        }
    }
}

/// Returns the cause with the greater excess.
fn greater(left: Option<Cause>, right: Option<Cause>) -> Option<Cause> {
    match (left, right) {
        (Some(one), Some(other)) if other.excess() > one.excess() => Some(other),
        (Some(one), _) => Some(one),
        (None, other) => other,
    }
}

//! Points of interest: occurrences that take longer than others of their pattern, and what in them does.
//!
//! Figures 7 and 8 of Trahay et al. show two occurrences side by side, of which one waits for a message.
//! Here each occurrence is compared with the median of its pattern, computing and communication
//! apart: who computes longer than usual is where something happens, who waits longer mostly feels it. What an
//! inner occurrence has too much, those around it have, too; so each is told for the innermost one alone.

use foldtrace_trace::Timestamp;

use super::{Histogram, Observer, Tally, Ticks};
use crate::fold::patterns::{Letter, PatternId, Patterns, What};

/// An occurrence that takes longer than usual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its pattern.
    pub pattern: PatternId,
    /// Its number among the occurrences of the pattern in the location, from 0 on.
    pub occurrence: u64,
    /// The position of its first event.
    pub position: u64,
    /// The time of its first event.
    pub begin: Timestamp,
    /// Ticks that it takes, the time before its first event included.
    pub ticks: u64,
    /// The median of its pattern.
    pub usual: u64,
    /// Ticks that it takes longer than usual, without those of points within it.
    pub excess: u64,
    /// The time between two events that differs most from what is usual between them.
    pub cause: Option<Cause>,
}

/// A time between two events that is longer than usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The position of the second event.
    pub position: u64,
    /// Ticks between the two.
    pub ticks: u64,
    /// The median.
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
    /// Those that compute longer than usual.
    pub computing: Vec<Point>,
    /// Those that communicate longer, which is to wait in most cases.
    pub communicating: Vec<Point>,
}

/// What is usual: medians.
#[derive(Clone, Debug)]
struct Usual {
    /// Computing and communication, by pattern.
    patterns: Vec<[u64; 2]>,
    /// By item, if that is a single event.
    items: Vec<Option<u64>>,
}

const COMPUTING: usize = 0;
const COMMUNICATING: usize = 1;

/// Finds [`Points`].
#[derive(Clone, Debug)]
pub struct Finding {
    usual: Usual,
    /// How much of the usual an excess has to be, at least.
    width: f64,
    /// How many points are kept.
    most: usize,
    open: Vec<Open>,
    /// How many occurrences each pattern had.
    occurrences: Vec<u64>,
    position: u64,
    /// The last event: ticks since the one before, and whether these were spent on communication.
    last: (u64, usize),
    points: [Vec<Point>; 2],
}

/// An open occurrence.
#[derive(Clone, Copy, Debug)]
struct Open {
    position: u64,
    causes: [Option<Cause>; 2],
    /// Excess of the points within it.
    within: [u64; 2],
}

impl Finding {
    /// Compares with a tally of the same patterns. What takes no more than `width` of the usual longer is
    /// no point; `most` are kept.
    #[must_use]
    pub fn new(patterns: &Patterns, tally: &Tally, width: f64, most: usize) -> Self {
        let medians = tally.patterns.iter().map(|durations| {
            [&durations.computing, &durations.communicating].map(Histogram::median)
        });
        let mut items = Vec::with_capacity(patterns.items_of_all());
        for pattern in patterns.ids() {
            for item in patterns.items(pattern) {
                let is_event = matches!(item.what, What::Event(_)) && item.count == 1;
                let durations = tally.items.get(items.len()).filter(|_| is_event);
                items.push(durations.map(Histogram::median));
            }
        }
        Self {
            usual: Usual {
                patterns: medians.collect(),
                items,
            },
            width,
            most,
            open: Vec::new(),
            occurrences: vec![0; patterns.len()],
            position: 0,
            last: (0, COMPUTING),
            points: Default::default(),
        }
    }

    /// What was found.
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

/// Leaves those with the greatest excess, in this order.
fn rank(points: &mut Vec<Point>, most: usize) {
    points.sort_by_key(|point| (std::cmp::Reverse(point.excess), point.position));
    points.truncate(most);
}

impl Observer for Finding {
    fn begin(&mut self, _pattern: PatternId) {
        self.open.push(Open {
            position: self.position,
            causes: [None; 2],
            within: [0; 2],
        });
    }

    fn event(&mut self, _letter: Letter, ticks: u64, communicates: bool) {
        self.position += 1;
        self.last = (
            ticks,
            if communicates {
                COMMUNICATING
            } else {
                COMPUTING
            },
        );
    }

    fn item(&mut self, item: usize, _ticks: u64) {
        let Some(&Some(usual)) = self.usual.items.get(item) else {
            return;
        };
        let (ticks, spent) = self.last;
        let cause = Cause {
            position: self.position.saturating_sub(1),
            ticks,
            usual,
        };
        if let Some(open) = self.open.last_mut() {
            open.causes[spent] = greater(open.causes[spent], Some(cause));
        }
    }

    fn end(&mut self, pattern: PatternId, ticks: Ticks) {
        let Some(open) = self.open.pop() else { return };
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
            let (usual, within) = (usual[spent], open.within[spent]);
            let excess = taken.saturating_sub(usual);
            let new = excess.saturating_sub(within);
            if let Some(around) = self.open.last_mut() {
                around.within[spent] += excess.max(within);
                around.causes[spent] = greater(around.causes[spent], open.causes[spent]);
            }
            if new == 0 || (new as f64) <= usual as f64 * self.width {
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
                excess: new,
                cause: open.causes[spent],
            });
            if points.len() >= 2 * self.most.max(64) {
                rank(points, self.most);
            }
        }
    }
}

/// The cause with the greater excess.
fn greater(left: Option<Cause>, right: Option<Cause>) -> Option<Cause> {
    match (left, right) {
        (Some(one), Some(other)) if other.excess() > one.excess() => Some(other),
        (Some(one), _) => Some(one),
        (None, other) => other,
    }
}

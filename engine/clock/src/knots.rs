//! Piecewise linear functions from estimated to corrected times, one per location.
//!
//! A function consists of knots: events whose corrected time is stored. The times of the events between two knots are
//! interpolated in the estimated time and rounded to ticks. [`KnotWriter`] keeps only the knots that are needed for
//! every event that it is given to have exactly its corrected time.

use foldtrace_trace::{Position, Timestamp};

/// An event with its corrected time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Knot {
    /// The position of the event in its location.
    pub position: Position,
    /// The estimated time of the event.
    pub time: Timestamp,
    /// Its corrected time.
    pub corrected: Timestamp,
}

/// The knots of a location, in the order of their positions. Without knots, all times stay as estimated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Knots {
    positions: Vec<Position>,
    times: Vec<Timestamp>,
    corrected: Vec<Timestamp>,
}

/// The segment of a function in which the events from one knot to the next are.
#[derive(Clone, Copy, Debug)]
struct Segment {
    begin: Knot,
    /// The estimated and the corrected ticks from `begin` to the next knot; both 0 if times are only shifted.
    ticks: u64,
    corrected_ticks: u64,
}

impl Segment {
    fn new(begin: Knot, end: Option<Knot>) -> Self {
        let ticks = end.and_then(|end| end.time.0.checked_sub(begin.time.0));
        let corrected = end.and_then(|end| end.corrected.0.checked_sub(begin.corrected.0));
        match ticks.zip(corrected) {
            Some((ticks, corrected_ticks)) if ticks != corrected_ticks => Self {
                begin,
                ticks,
                corrected_ticks,
            },
            _ => Self {
                begin,
                ticks: 0,
                corrected_ticks: 0,
            },
        }
    }

    /// Returns the corrected time of an event in the segment.
    #[inline]
    fn at(&self, time: Timestamp) -> Timestamp {
        let since = time.0.wrapping_sub(self.begin.time.0);
        // Outside of the segment, where clocks go backwards, times are shifted like those of the first knot.
        if self.ticks == 0 || since > self.ticks {
            return Timestamp(self.begin.corrected.0.wrapping_add(since));
        }
        let scaled = u128::from(since) * u128::from(self.corrected_ticks);
        let rounded = (scaled + u128::from(self.ticks / 2)) / u128::from(self.ticks);
        Timestamp(self.begin.corrected.0.wrapping_add(rounded as u64))
    }
}

impl Knots {
    /// Appends a knot; its position must be after those of the other knots.
    pub fn push(&mut self, knot: Knot) {
        self.positions.push(knot.position);
        self.times.push(knot.time);
        self.corrected.push(knot.corrected);
    }

    /// Returns the number of knots.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns whether there are no knots, so that all times stay as estimated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Returns the knots in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Knot> {
        (0..self.len()).map(|index| Knot {
            position: self.positions[index],
            time: self.times[index],
            corrected: self.corrected[index],
        })
    }

    /// Returns the last knot.
    #[must_use]
    pub fn last(&self) -> Option<Knot> {
        self.get(self.len().checked_sub(1)?)
    }

    fn get(&self, index: usize) -> Option<Knot> {
        Some(Knot {
            position: *self.positions.get(index)?,
            time: *self.times.get(index)?,
            corrected: *self.corrected.get(index)?,
        })
    }

    /// Returns the estimated time of a knot.
    pub(crate) fn time(&self, index: usize) -> Option<Timestamp> {
        self.times.get(index).copied()
    }

    /// Returns the corrected time of an event between a knot and the next one.
    pub(crate) fn in_segment(&self, index: usize, time: Timestamp) -> Timestamp {
        self.get(index).map_or(time, |begin| {
            Segment::new(begin, self.get(index + 1)).at(time)
        })
    }

    /// Returns the corrected time of the event at a position.
    #[must_use]
    pub fn at(&self, position: Position, time: Timestamp) -> Timestamp {
        let mut times = [time];
        self.correct(position, &mut times);
        times[0]
    }

    /// Replaces the estimated times of consecutive events, the first of which is at position `first`, with corrected
    /// times.
    pub fn correct(&self, first: Position, times: &mut [Timestamp]) {
        if self.is_empty() {
            return;
        }
        let after = self
            .positions
            .partition_point(|&position| position <= first);
        let mut index = after.saturating_sub(1);
        let mut done = 0;
        while done < times.len()
            && let Some(begin) = self.get(index)
        {
            let next = self.get(index + 1);
            let end = next.map_or(times.len(), |next| {
                let until = next.position.0.saturating_sub(first.0);
                usize::try_from(until).map_or(times.len(), |until| until.min(times.len()))
            });
            let segment = Segment::new(begin, next);
            for time in times.get_mut(done..end).into_iter().flatten() {
                *time = segment.at(*time);
            }
            done = end.max(done);
            index += 1;
        }
    }
}

/// The slopes of all lines from a knot on which the events after it have exactly their corrected times: from `least`,
/// included, to `most`, excluded. A slope is a fraction of corrected by estimated ticks.
#[derive(Clone, Copy, Debug)]
struct Slopes {
    least: (u64, u64),
    most: (u64, u64),
}

impl Slopes {
    const ALL: Self = Self {
        least: (0, 1),
        most: (1, 0),
    };

    /// Returns whether a slope is one of these.
    fn contain(&self, (corrected, ticks): (u64, u64)) -> bool {
        !is_less((corrected, ticks), self.least) && is_less((corrected, ticks), self.most)
    }

    /// Keeps the slopes of the lines on which an event has its corrected time; `ticks` is its distance from the knot.
    fn restrict(&mut self, (corrected, ticks): (u64, u64)) {
        // Rounding to the nearest tick allows half a tick on both sides.
        let least = ((2 * corrected).saturating_sub(1), 2 * ticks);
        let most = (2 * corrected + 1, 2 * ticks);
        if is_less(self.least, least) {
            self.least = least;
        }
        if is_less(most, self.most) {
            self.most = most;
        }
    }
}

/// Returns whether a fraction is less than another one.
fn is_less(one: (u64, u64), other: (u64, u64)) -> bool {
    u128::from(one.0) * u128::from(other.1) < u128::from(other.0) * u128::from(one.1)
}

/// Chooses knots among the events of a location whose corrected times are known. It takes the events in order, in constant
/// time and memory per event.
#[derive(Clone, Debug)]
pub struct KnotWriter {
    knots: Knots,
    /// The last knot.
    base: Option<Knot>,
    /// The last event; it is not a knot yet.
    last: Option<Knot>,
    /// The slopes on which the events from `base` to `last`, without `last`, are.
    slopes: Slopes,
}

impl Default for KnotWriter {
    fn default() -> Self {
        Self {
            knots: Knots::default(),
            base: None,
            last: None,
            slopes: Slopes::ALL,
        }
    }
}

/// The maximum number of ticks between two knots, such that fractions can be multiplied.
const LONGEST: u64 = 1 << 61;

/// Returns the corrected and the estimated ticks from one event to another; `None` if no line leads there.
fn slope(from: Knot, to: Knot) -> Option<(u64, u64)> {
    let ticks = to.time.0.checked_sub(from.time.0)?;
    let corrected = to.corrected.0.checked_sub(from.corrected.0)?;
    (ticks > 0 && ticks < LONGEST && corrected < LONGEST).then_some((corrected, ticks))
}

impl KnotWriter {
    /// Takes the next event of the location.
    #[inline]
    pub fn push(&mut self, event: Knot) {
        let (Some(base), Some(last)) = (self.base, self.last) else {
            if self.base.is_none() {
                self.set_base(event);
            } else {
                self.last = Some(event);
            }
            return;
        };
        // The last event need not be a knot if a line from the last knot to this event leads through it.
        let is_same =
            |one: Knot, other: Knot| one.time == other.time && one.corrected == other.corrected;
        if is_same(base, last) && base.time < event.time {
            self.last = Some(event);
            return;
        }
        if let (Some(to_last), Some(to_event)) = (slope(base, last), slope(base, event))
            && last.time <= event.time
        {
            let mut slopes = self.slopes;
            slopes.restrict(to_last);
            if slopes.contain(to_event) {
                self.slopes = slopes;
                self.last = Some(event);
                return;
            }
        }
        self.set_base(last);
        self.last = Some(event);
    }

    /// Makes an event a knot.
    fn set_base(&mut self, event: Knot) {
        self.knots.push(event);
        self.base = Some(event);
        self.slopes = Slopes::ALL;
    }

    /// Ends the location. Returns its knots; none if all events have their estimated times.
    #[must_use]
    pub fn finish(mut self) -> Knots {
        if let Some(last) = self.last.take() {
            self.set_base(last);
        }
        if self.knots.iter().all(|knot| knot.time == knot.corrected) {
            return Knots::default();
        }
        self.knots
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn knots(events: &[(u64, u64)]) -> Knots {
        let mut writer = KnotWriter::default();
        for (position, &(time, corrected)) in (0..).zip(events) {
            writer.push(Knot {
                position: Position(position),
                time: Timestamp(time),
                corrected: Timestamp(corrected),
            });
        }
        writer.finish()
    }

    #[test]
    fn few_knots_are_needed() {
        let shifted: Vec<_> = (0..1000).map(|t| (t * t, 500 + t * t)).collect();
        assert_eq!(knots(&shifted).len(), 2);
        let stretched: Vec<_> = (0..1000).map(|t| (t * 100, t * 101)).collect();
        assert_eq!(knots(&stretched).len(), 2);
        let jumping: Vec<_> = (0..1000)
            .map(|t| (t * 100, t * 100 + 30 * (t / 500)))
            .collect();
        assert_eq!(knots(&jumping).len(), 4);
        let same: Vec<_> = (0..10).map(|t| (t, t)).collect();
        assert!(knots(&same).is_empty());
    }

    #[test]
    fn times_between_knots_are_interpolated() {
        let knots = knots(&[(100, 200), (110, 230), (120, 240)]);
        let mut times = [90, 100, 105, 110, 115, 130].map(Timestamp);
        // Positions decide in which segment an event is.
        let positions = [0, 0, 0, 1, 1, 2];
        for (time, position) in times.iter_mut().zip(positions) {
            *time = knots.at(Position(position), *time);
        }
        assert_eq!(times, [190, 200, 215, 230, 235, 250].map(Timestamp));
    }

    proptest! {
        #[test]
        fn every_event_has_its_corrected_time(
            steps in prop::collection::vec((0_u64..20, 0_u64..20, prop::bool::weighted(0.05)), 1..200)
        ) {
            let mut events = Vec::new();
            let (mut time, mut corrected) = (1_000_u64, 5_000_u64);
            for (step, corrected_step, is_backward) in steps {
                time = if is_backward { time - step } else { time + step };
                corrected += if step % 3 == 0 { corrected_step } else { step };
                events.push((time, corrected));
            }
            let knots = knots(&events);
            let mut times: Vec<_> = events.iter().map(|&(time, _)| Timestamp(time)).collect();
            knots.correct(Position(0), &mut times);
            let expected: Vec<_> = events.iter().map(|&(_, corrected)| Timestamp(corrected)).collect();
            prop_assert_eq!(&times, &expected);
            for (position, &(time, corrected)) in (0..).zip(&events) {
                prop_assert_eq!(knots.at(Position(position), Timestamp(time)), Timestamp(corrected));
            }
        }
    }
}

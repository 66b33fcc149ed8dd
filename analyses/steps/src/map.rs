//! Maps the lateness of all steps of a trace in bounded memory.

use std::collections::HashMap;

use foldtrace_trace::{LocationId, Position, TraceError};

use crate::{Sink, StepEvent};

/// The latest operation or aggregate of a location in a range of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latest {
    /// Its lateness, in ticks.
    pub lateness: u64,
    /// The position of its first trace event.
    pub position: Position,
    /// Its step.
    pub step: u64,
}

/// A sink that keeps the latest operation or aggregate of each location in each range of steps.
///
/// All ranges have the same number of steps, a power of two, which grows with the trace. Of equally late events, the first one is
/// kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LatenessMap {
    indices: HashMap<LocationId, usize>,
    /// By location: its ranges, of which the last one has an event.
    rows: Vec<Vec<Option<Latest>>>,
    /// The greatest number of ranges.
    most: usize,
    /// The binary logarithm of the number of steps in a range.
    shift: u32,
}

impl LatenessMap {
    /// Creates a map of the given locations with at most `most` ranges of steps, at least two.
    #[must_use]
    pub fn new(locations: impl IntoIterator<Item = LocationId>, most: usize) -> Self {
        let indices: HashMap<_, _> = locations.into_iter().zip(0..).collect();
        Self {
            rows: vec![Vec::new(); indices.len()],
            indices,
            most: most.max(2),
            shift: 0,
        }
    }

    /// Returns the number of steps in a range.
    #[must_use]
    pub const fn steps_of_range(&self) -> u64 {
        1 << self.shift
    }

    /// Returns the number of ranges.
    #[must_use]
    pub fn ranges(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or_default()
    }

    /// Returns the range of a step.
    #[must_use]
    pub const fn range_of(&self, step: u64) -> u64 {
        step >> self.shift
    }

    /// Returns the index of the row of a location.
    #[must_use]
    pub fn row_of(&self, location: LocationId) -> Option<usize> {
        self.indices.get(&location).copied()
    }

    /// Returns the latest event in each range in which a location has one, for each location in the given order.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, Latest)>> {
        self.rows.iter().map(|row| {
            let ranges = row.iter().enumerate();
            ranges.filter_map(|(range, latest)| Some((range, (*latest)?)))
        })
    }

    /// Makes ranges twice as long.
    fn widen(&mut self) {
        for row in &mut self.rows {
            let pairs = row
                .chunks(2)
                .map(|pair| pair.iter().copied().flatten().reduce(later));
            *row = pairs.collect();
        }
        self.shift += 1;
    }
}

/// Returns the later one of two events; the first one if they are equally late.
fn later(first: Latest, second: Latest) -> Latest {
    if second.lateness > first.lateness {
        second
    } else {
        first
    }
}

impl Sink for LatenessMap {
    fn event(&mut self, event: &StepEvent) -> Result<(), TraceError> {
        let Some(&index) = self.indices.get(&event.location) else {
            return Ok(());
        };
        while self.range_of(event.step) >= self.most as u64 {
            self.widen();
        }
        let range = self.range_of(event.step) as usize;
        let latest = Latest {
            lateness: event.lateness,
            position: event.position,
            step: event.step,
        };
        let row = &mut self.rows[index];
        if row.len() <= range {
            row.resize(range + 1, None);
        }
        let before = row[range].unwrap_or(latest);
        row[range] = Some(later(before, latest));
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use std::cmp::Reverse;

    use foldtrace_trace::Timestamp;
    use proptest::prelude::*;

    use super::*;
    use crate::Kind;

    fn event((location, step, lateness): (u64, u64, u64), position: u64) -> StepEvent {
        StepEvent {
            location: LocationId(location),
            position: Position(position),
            events: 1,
            kind: Kind::Send,
            partition: 0,
            step,
            start: Timestamp(0),
            end: Timestamp(0),
            lateness,
            differential_lateness: 0,
            class: None,
        }
    }

    proptest! {
        #[test]
        fn keeps_the_latest_event_of_each_range(
            events in prop::collection::vec((0_u64..4, 0_u64..500, 0_u64..9), 0..200),
            most in 2_usize..40,
        ) {
            let mut events: Vec<_> = events;
            events.sort_by_key(|&(_, step, _)| step);
            let mut map = LatenessMap::new((0..3).map(LocationId), most);
            for (position, &one) in events.iter().enumerate() {
                map.event(&event(one, position as u64)).unwrap();
            }
            prop_assert!(map.ranges() <= most);
            let each = map.steps_of_range();
            for (location, row) in map.rows().enumerate() {
                let row: HashMap<usize, Latest> = row.collect();
                for range in 0..500 / each as usize + 1 {
                    let inside = events.iter().zip(0..).filter(|((other, step, _), _)| {
                        *other == location as u64 && step / each == range as u64
                    });
                    let expected = inside.max_by_key(|((_, _, lateness), position)| (*lateness, Reverse(*position)));
                    let expected = expected.map(|(&(_, step, lateness), position)| Latest {
                        lateness,
                        position: Position(position),
                        step,
                    });
                    prop_assert_eq!(row.get(&range).copied(), expected);
                }
            }
        }
    }
}

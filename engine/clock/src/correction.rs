//! The corrected clocks of a trace, and how they were found.

use std::collections::BTreeMap;

use foldtrace_trace::{LocationId, Position, Timestamp};
use serde::Serialize;

use crate::knots::Knots;
use crate::line::Line;

/// A method of correcting times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Times stay as recorded.
    #[default]
    None,
    /// Each clock is corrected by an offset and, if the trace supports it, a drift.
    Offset,
    /// After offsets and drifts, events that are still earlier than an event on which they depend are moved: the
    /// controlled logical clock.
    Controlled,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 3] = [Self::None, Self::Offset, Self::Controlled];

    /// Returns the name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Offset => "offset",
            Self::Controlled => "controlled",
        }
    }

    /// Returns the method with a name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// The method of a correction, and the number of violations without and with it. A violation is an event that is earlier
/// than one on which it depends: a receive that completes before its send, or a collective operation that ends for a
/// member before another member, whose data it needs, has begun it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ClockReport {
    /// The method of correction.
    pub method: Method,
    /// Violations in the recorded times; null if they were not counted.
    pub violations_before: Option<u64>,
    /// Violations in the corrected times; null if they were not counted.
    pub violations_after: Option<u64>,
}

/// The corrected clock of a location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocationClock {
    /// The estimate of the clock; `None` if it stays as it is.
    pub line: Option<Line>,
    /// The corrected times, if they differ from the estimated ones.
    pub knots: Knots,
    /// The number of events of the location that violate a dependence in the recorded times.
    pub violations_before: u64,
    /// The number of those that do so in the corrected times.
    pub violations_after: u64,
}

/// The corrected times of a trace. The default changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Correction {
    pub(crate) method: Method,
    pub(crate) is_counted: bool,
    pub(crate) clocks: BTreeMap<LocationId, LocationClock>,
}

impl Correction {
    /// Returns whether all times stay as recorded.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.clocks.values().all(|clock| clock.line.is_none())
    }

    /// Returns the number of locations whose times are corrected.
    #[must_use]
    pub fn corrected_locations(&self) -> u64 {
        let corrected = self.clocks.values().filter(|clock| clock.line.is_some());
        corrected.count() as u64
    }

    /// Returns the method, and the number of violations.
    #[must_use]
    pub fn report(&self) -> ClockReport {
        let is_counted = self.is_counted;
        let sum = |count: fn(&LocationClock) -> u64| self.clocks.values().map(count).sum();
        ClockReport {
            method: self.method,
            violations_before: is_counted.then(|| sum(|clock| clock.violations_before)),
            violations_after: is_counted.then(|| sum(|clock| clock.violations_after)),
        }
    }

    /// Returns the clocks of the locations that communicate or are corrected, sorted by location.
    pub fn clocks(&self) -> impl ExactSizeIterator<Item = (LocationId, &LocationClock)> {
        self.clocks
            .iter()
            .map(|(&location, clock)| (location, clock))
    }

    /// Replaces the times of consecutive events of a location, the first of which is at position `first`, with
    /// corrected times.
    pub fn correct(&self, location: LocationId, first: Position, times: &mut [Timestamp]) {
        if let Some(LocationClock {
            line: Some(line),
            knots,
            ..
        }) = self.clocks.get(&location)
        {
            line.correct(times);
            knots.correct(first, times);
        }
    }

    /// Returns the corrected time of an event.
    #[must_use]
    pub fn at(&self, location: LocationId, position: Position, time: Timestamp) -> Timestamp {
        let mut times = [time];
        self.correct(location, position, &mut times);
        times[0]
    }
}

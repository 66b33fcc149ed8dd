//! The positions of the events that a scan selects.

use std::collections::VecDeque;
use std::ops::Range;
use std::vec;

use foldtrace_store::StoreReader;
use foldtrace_stream::cut::TimeSpan;
use foldtrace_stream::select;
use foldtrace_trace::{LocationId, Position, TimeRange, TraceError};

/// The positions to read, location by location. A stretch is in one row group, whose columns are open only meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Stretches {
    range: TimeRange,
    positions: Option<Range<Position>>,
    /// The locations after those of `next`.
    locations: vec::IntoIter<LocationId>,
    next: VecDeque<(LocationId, Range<Position>)>,
}

impl Stretches {
    /// Selects locations by their names on the command line, all if there are none, and a range of time.
    pub fn new(
        store: &StoreReader,
        locations: &[String],
        time: TimeSpan,
    ) -> Result<Self, TraceError> {
        let mut locations = select::locations(store.names(), locations, store.locations())?;
        locations.sort_unstable();
        locations.dedup();
        Ok(Self {
            range: time.ticks(store.manifest().clock())?,
            positions: None,
            locations: locations.into_iter(),
            next: VecDeque::new(),
        })
    }

    /// Selects only these positions of each location; all if `None`.
    pub fn at(mut self, positions: Option<Range<Position>>) -> Self {
        self.positions = positions;
        self
    }

    /// Returns the next stretch of the store; `None` at the end.
    pub fn next_of(
        &mut self,
        store: &StoreReader,
    ) -> Result<Option<(LocationId, Range<Position>)>, TraceError> {
        while self.next.is_empty() {
            let Some(location) = self.locations.next() else {
                return Ok(None);
            };
            let mut positions = store.positions_in(location, self.range)?;
            if let Some(only) = &self.positions {
                positions = positions.start.max(only.start)..positions.end.min(only.end);
            }
            let segments = store.index().of(location).iter();
            let stretches = segments.map(|segment| {
                segment.first.max(positions.start)..segment.end().min(positions.end)
            });
            let stretches = stretches.filter(|positions| !positions.is_empty());
            self.next
                .extend(stretches.map(|positions| (location, positions)));
        }
        Ok(self.next.pop_front())
    }
}

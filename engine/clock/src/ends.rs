//! The corrected times at which locations begin and end.

use foldtrace_store::StoreReader;
use foldtrace_trace::{LocationId, Position, Timestamp, TraceError};

use crate::correction::Correction;

/// The number of locations whose events are looked up at once.
const AT_ONCE: usize = 1 << 12;

impl Correction {
    /// Returns the corrected times of the first and the last event of each of some locations; `None` if it has no events.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn ends(
        &self,
        store: &StoreReader,
        locations: &[LocationId],
    ) -> Result<Vec<Option<(Timestamp, Timestamp)>>, TraceError> {
        let mut lookup = store.lookup();
        let mut ends = Vec::with_capacity(locations.len());
        for some in locations.chunks(AT_ONCE) {
            let places = some.iter().flat_map(|&location| {
                let last = store.index().events(location).saturating_sub(1);
                [Position(0), Position(last)].map(|position| (location, position))
            });
            let places: Vec<(LocationId, Position)> = places.collect();
            let events = lookup.get_many(&places)?;
            let found = places.iter().zip(events);
            let times = found.map(|(&(location, position), event)| {
                Some(self.at(location, position, event?.time))
            });
            let times: Vec<Option<Timestamp>> = times.collect();
            ends.extend(times.chunks(2).map(|ends| ends[0].zip(ends[1])));
        }
        Ok(ends)
    }
}

//! The locations of rows in a timeline.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;
use foldtrace_trace::LocationId;

use crate::{Lane, Timeline};

/// The numbers of locations in a timeline, by the places of rows.
#[derive(Debug)]
pub struct Lanes<P> {
    lanes: HashMap<P, Lane, RandomState>,
    /// The place of the last row of each query, which is mostly that of the next one.
    last: Vec<Option<(P, Lane)>>,
}

impl<P: Copy + Eq + Hash> Lanes<P> {
    /// Adds all locations to a timeline. Rows come from this number of queries.
    pub fn new(
        locations: &HashMap<P, LocationId, RandomState>,
        queries: usize,
        timeline: &mut Timeline,
    ) -> Self {
        let mut locations: Vec<_> = locations.iter().collect();
        locations.sort_unstable_by_key(|&(_, location)| *location);
        let lanes = locations
            .into_iter()
            .map(|(&place, &location)| (place, timeline.lane(location)));
        Self {
            lanes: lanes.collect(),
            last: vec![None; queries],
        }
    }

    /// Returns the location of a row of a query; `None` if its place has none.
    #[inline]
    pub fn find(&mut self, query: usize, place: P) -> Option<Lane> {
        match self.last[query] {
            Some((last, lane)) if last == place => Some(lane),
            _ => {
                let lane = *self.lanes.get(&place)?;
                self.last[query] = Some((place, lane));
                Some(lane)
            }
        }
    }
}

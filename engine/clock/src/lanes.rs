//! The clocks of a trace: the locations of a process share one.

use std::collections::BTreeMap;

use foldtrace_matching::Census;
use foldtrace_trace::{LocationId, Names, SymbolTable};

use crate::role::Role;

/// A location that communicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneLocation {
    /// The location.
    pub id: LocationId,
    /// The number of its stream.
    pub stream: usize,
    /// The number of its lane.
    pub lane: usize,
}

/// The lanes of a trace: one per process that communicates, with the locations that share its clock.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    locations: Vec<LaneLocation>,
    /// By lane: the numbers of its communicating locations.
    of_lane: Vec<Vec<usize>>,
    /// The other locations of these processes, with their lanes.
    silent: Vec<(LocationId, usize)>,
}

impl Lanes {
    /// Forms the lanes of the trace whose events `census` has counted, in the order of their ranks; `locations` are those of
    /// its streams.
    #[must_use]
    pub fn new(
        locations: impl Iterator<Item = LocationId>,
        names: &Names,
        census: &Census,
        symbols: &SymbolTable,
    ) -> Self {
        let related = census.locations().filter(|(_, counts)| {
            let mut kinds = counts.iter().map(|&(symbol, _)| symbols.kind(symbol));
            kinds.any(|kind| Role::of(kind).is_related())
        });
        let related: Vec<LocationId> = related.map(|(id, _)| id).collect();
        // A location without a process has a clock of its own, after those of all processes.
        let mut processes: BTreeMap<(u64, LocationId), Vec<(usize, LocationId)>> = BTreeMap::new();
        for (stream, id) in locations.enumerate() {
            let key = match names.rank(id) {
                Some((rank, _)) => (rank, LocationId(0)),
                None => (u64::MAX, id),
            };
            processes.entry(key).or_default().push((stream, id));
        }
        let mut lanes = Self::default();
        for process in processes.into_values() {
            let lane = lanes.of_lane.len();
            let is_related = |id: LocationId| related.binary_search(&id).is_ok();
            if !process.iter().any(|&(_, id)| is_related(id)) {
                continue;
            }
            let mut own = Vec::new();
            for (stream, id) in process {
                if is_related(id) {
                    own.push(lanes.locations.len());
                    lanes.locations.push(LaneLocation { id, stream, lane });
                } else {
                    lanes.silent.push((id, lane));
                }
            }
            lanes.of_lane.push(own);
        }
        lanes
    }

    /// Returns whether no location communicates.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.of_lane.is_empty()
    }

    /// Returns the number of lanes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.of_lane.len()
    }

    /// Returns the locations that communicate, by number.
    #[must_use]
    pub fn locations(&self) -> &[LaneLocation] {
        &self.locations
    }

    /// Returns the numbers of the locations of a lane that communicate.
    #[must_use]
    pub fn locations_of(&self, lane: usize) -> &[usize] {
        self.of_lane.get(lane).map_or(&[], |numbers| numbers)
    }

    /// Returns the locations that share the clock of a lane and do not communicate.
    #[must_use]
    pub fn silent(&self) -> &[(LocationId, usize)] {
        &self.silent
    }
}

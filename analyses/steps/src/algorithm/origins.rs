//! Where lateness begins, and how it goes from process to process.
//!
//! Each late event is late for one cause at most: what was before it in its location, or a sender. So
//! lateness forms trees, and their roots are its origins. Only those with the most new lateness are
//! kept, so memory does not grow with the trace.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use foldhash::fast::FixedState;
use foldtrace_trace::{LocationId, Position, SymbolId};

use super::{Kind, StepEvent};

/// Hops that are kept of a path.
const HOPS: usize = 1 << 10;

/// An event with which lateness begins, and what became late by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The event.
    pub event: StepEvent,
    /// Symbol of the event that entered its call, or the call that follows an aggregate; `None` outside of
    /// any call.
    pub call: Option<SymbolId>,
    /// How many other events are late for it.
    pub late_events: u64,
    /// In how many other locations.
    pub late_locations: u64,
    /// The largest lateness of these.
    pub largest: u64,
    /// How lateness reached those locations, in the order of steps; no more than the first 1,024.
    pub path: Vec<Hop>,
}

/// Lateness reaches a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The location it comes from.
    pub from: LocationId,
    /// The location that it reaches.
    pub to: LocationId,
    /// The event that is late first.
    pub position: Position,
    /// Its step.
    pub step: u64,
    /// How late it is.
    pub lateness: u64,
}

/// Names an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct OriginId(u64);

/// More new lateness is a higher rank; of the same, the first location and position.
type Rank = (u64, Reverse<(LocationId, Position, Kind)>, OriginId);

/// The origins with the most new lateness so far.
#[derive(Debug)]
pub(super) struct Origins {
    most: usize,
    next: u64,
    /// Those between operations, and those in them.
    rankings: [BTreeSet<Rank>; 2],
    kept: HashMap<OriginId, Kept, FixedState>,
}

#[derive(Debug)]
struct Kept {
    origin: Origin,
    reached: HashSet<LocationId, FixedState>,
}

impl Origins {
    pub fn new(most: usize) -> Self {
        Self {
            most,
            next: 0,
            rankings: Default::default(),
            kept: HashMap::default(),
        }
    }

    /// Lateness begins with an event; `None` if others matter more.
    pub fn begin(&mut self, event: &StepEvent, call: Option<SymbolId>) -> Option<OriginId> {
        let id = OriginId(self.next);
        let place = (event.location, event.position, event.kind);
        let rank = (event.differential_lateness, Reverse(place), id);
        let ranking = &mut self.rankings[usize::from(event.kind != Kind::Aggregate)];
        let is_less = ranking.first().is_none_or(|least| rank < *least);
        if ranking.len() >= self.most && is_less {
            return None;
        }
        self.next += 1;
        ranking.insert(rank);
        if ranking.len() > self.most
            && let Some((.., least)) = ranking.pop_first()
        {
            self.kept.remove(&least);
        }
        let origin = Origin {
            event: *event,
            call,
            late_events: 0,
            late_locations: 0,
            largest: 0,
            path: Vec::new(),
        };
        let reached = HashSet::from_iter([event.location]);
        self.kept.insert(id, Kept { origin, reached });
        Some(id)
    }

    /// An event is late for what was late in the location `from`.
    pub fn reach(&mut self, id: OriginId, event: &StepEvent, from: LocationId) {
        let Some(Kept { origin, reached }) = self.kept.get_mut(&id) else {
            return;
        };
        origin.late_events += 1;
        origin.largest = origin.largest.max(event.lateness);
        if from == event.location || !reached.insert(event.location) {
            return;
        }
        origin.late_locations += 1;
        if origin.path.len() < HOPS {
            origin.path.push(Hop {
                from,
                to: event.location,
                position: event.position,
                step: event.step,
                lateness: event.lateness,
            });
        }
    }

    /// Those between operations and those in them, each with the largest first.
    pub fn finish(self) -> [Vec<Origin>; 2] {
        let Self {
            rankings, mut kept, ..
        } = self;
        rankings.map(|ranking| {
            let ids = ranking.into_iter().rev().map(|(.., id)| id);
            ids.filter_map(|id| Some(kept.remove(&id)?.origin))
                .collect()
        })
    }
}

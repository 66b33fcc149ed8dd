//! Finds where lateness begins, and how it spreads from process to process.
//!
//! Each late event has at most one cause: the preceding event of its location, or a sender. So lateness forms trees,
//! and their roots are its origins. Only the origins with the most new lateness are kept, so memory does not grow
//! with the trace.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::NonZeroU64;

use foldhash::fast::FixedState;
use foldtrace_trace::{LocationId, Position, SymbolId};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Kind, StepEvent};

/// The maximum number of hops to keep of a path.
const HOPS: usize = 1 << 10;

/// An event in which lateness begins, and the extent of its effects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The event.
    pub event: StepEvent,
    /// The symbol of the event that entered its call, or for an aggregate, the call that follows it; `None` outside
    /// of any call.
    #[serde(with = "number_of_symbol")]
    pub call: Option<SymbolId>,
    /// The number of other events that are late because of this one.
    pub late_events: u64,
    /// The number of other locations that are late because of it.
    pub late_locations: u64,
    /// The largest lateness of these other events, in ticks.
    pub largest: u64,
    /// The path by which lateness reached those locations, in the order of steps; at most the first 1,024 hops.
    pub path: Vec<Hop>,
}

/// Saves the id of a symbol as its number.
mod number_of_symbol {
    use foldtrace_trace::SymbolId;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde passes a reference")]
    pub(super) fn serialize<S: Serializer>(
        symbol: &Option<SymbolId>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        symbol.map(u64::from).serialize(serializer)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(
        deserializer: D,
    ) -> Result<Option<SymbolId>, D::Error> {
        Ok(Option::<u64>::deserialize(deserializer)?.map(SymbolId::from))
    }
}

/// The arrival of lateness at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// The location that the lateness comes from.
    pub from: LocationId,
    /// The location that the lateness reaches.
    pub to: LocationId,
    /// The position of the first late event in that location.
    pub position: Position,
    /// The step of that event.
    pub step: u64,
    /// The lateness of that event, in ticks.
    pub lateness: u64,
}

/// The identifier of an origin: its number in its stage; or of the origin of the lateness that a location carries into a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum OriginId {
    Own(NonZeroU64),
    Carried(LocationId),
}

/// The rank of an origin: more new lateness ranks higher; among equals, the first location and position do.
type Rank = (u64, Reverse<(LocationId, Position, Kind)>, OriginId);

/// The origins with the most new lateness seen so far.
#[derive(Debug)]
pub(super) struct Origins {
    most: usize,
    next: NonZeroU64,
    /// The rankings of origins between operations, and of those in operations.
    rankings: [BTreeSet<Rank>; 2],
    kept: HashMap<OriginId, Kept, FixedState>,
    carried: HashMap<LocationId, Carried, FixedState>,
    /// The number of arrivals of lateness so far.
    arrivals: u64,
}

#[derive(Debug)]
struct Kept {
    origin: Origin,
    reached: HashSet<LocationId, FixedState>,
}

/// The effects of the lateness that a location carries into a stage.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Carried {
    late_events: u64,
    largest: u64,
    /// The first arrival at each location, and its number among all arrivals of the stage.
    hops: IndexMap<LocationId, (u64, Hop), FixedState>,
}

/// An origin that a stage has kept, and the locations that its lateness has reached.
pub(super) type KeptOrigin = (OriginId, Origin, HashSet<LocationId, FixedState>);

impl Origins {
    pub fn new(most: usize) -> Self {
        Self {
            most,
            next: NonZeroU64::MIN,
            rankings: Default::default(),
            kept: HashMap::default(),
            carried: HashMap::default(),
            arrivals: 0,
        }
    }

    /// Adds an event in which lateness begins; returns `None` if enough origins have more new lateness.
    pub fn begin(&mut self, event: &StepEvent, call: Option<SymbolId>) -> Option<OriginId> {
        let origin = Origin {
            event: *event,
            call,
            late_events: 0,
            late_locations: 0,
            largest: 0,
            path: Vec::new(),
        };
        self.keep(origin, HashSet::from_iter([event.location]))
    }

    /// Adds an origin whose lateness has reached some locations; returns `None` if enough origins have more new lateness.
    pub fn keep(
        &mut self,
        origin: Origin,
        reached: HashSet<LocationId, FixedState>,
    ) -> Option<OriginId> {
        let event = &origin.event;
        let id = OriginId::Own(self.next);
        let place = (event.location, event.position, event.kind);
        let rank = (event.differential_lateness, Reverse(place), id);
        let ranking = &mut self.rankings[usize::from(event.kind != Kind::Aggregate)];
        let is_less = ranking.first().is_none_or(|least| rank < *least);
        if ranking.len() >= self.most && is_less {
            return None;
        }
        self.next = self.next.saturating_add(1);
        ranking.insert(rank);
        if ranking.len() > self.most
            && let Some((.., least)) = ranking.pop_first()
        {
            self.kept.remove(&least);
        }
        self.kept.insert(id, Kept { origin, reached });
        Some(id)
    }

    /// Records an event that is late because of the lateness in the location `from`.
    pub fn reach(&mut self, id: OriginId, event: &StepEvent, from: LocationId) {
        let hop = (from != event.location).then_some(Hop {
            from,
            to: event.location,
            position: event.position,
            step: event.step,
            lateness: event.lateness,
        });
        if let OriginId::Carried(location) = id {
            self.arrivals += 1;
            let carried = self.carried.entry(location).or_default();
            carried.late_events += 1;
            carried.largest = carried.largest.max(event.lateness);
            if let Some(hop) = hop {
                carried.hops.entry(hop.to).or_insert((self.arrivals, hop));
            }
        } else if let Some(kept) = self.kept.get_mut(&id) {
            kept.origin.late_events += 1;
            kept.origin.largest = kept.origin.largest.max(event.lateness);
            kept.arrive(hop);
        }
    }

    /// Records the effects of the lateness that locations carry into the next stage, whose steps begin at `step`. `origin` returns the
    /// origin of the lateness of a location.
    pub fn reach_stage(
        &mut self,
        carried: &HashMap<LocationId, Carried, FixedState>,
        origin: impl Fn(LocationId) -> Option<OriginId>,
        step: u64,
    ) {
        let mut arrivals: Vec<(u64, Hop, OriginId)> = Vec::new();
        for (location, effects) in carried {
            let Some(id) = origin(*location) else {
                continue;
            };
            let Some(kept) = self.kept.get_mut(&id) else {
                continue;
            };
            kept.origin.late_events += effects.late_events;
            kept.origin.largest = kept.origin.largest.max(effects.largest);
            let hops = effects.hops.values();
            arrivals.extend(hops.map(|&(number, hop)| (number, hop, id)));
        }
        arrivals.sort_unstable_by_key(|&(number, ..)| number);
        for (_, hop, id) in arrivals {
            if let Some(kept) = self.kept.get_mut(&id) {
                let step = hop.step + step;
                kept.arrive(Some(Hop { step, ..hop }));
            }
        }
    }

    /// Returns the origins that are kept, and the effects of the lateness that locations have carried into the stage.
    pub fn into_stage(self) -> (Vec<KeptOrigin>, HashMap<LocationId, Carried, FixedState>) {
        let kept = self.kept.into_iter();
        let mut kept: Vec<KeptOrigin> = kept
            .map(|(id, Kept { origin, reached })| (id, origin, reached))
            .collect();
        kept.sort_unstable_by_key(|&(id, ..)| id);
        (kept, self.carried)
    }

    /// Returns the origins between operations and those in operations, each with the largest first.
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

impl Kept {
    /// Records that lateness arrives at another location, if it does and has not been there.
    fn arrive(&mut self, hop: Option<Hop>) {
        let Some(hop) = hop.filter(|hop| self.reached.insert(hop.to)) else {
            return;
        };
        self.origin.late_locations += 1;
        if self.origin.path.len() < HOPS {
            self.origin.path.push(hop);
        }
    }
}

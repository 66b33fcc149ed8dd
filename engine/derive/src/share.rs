//! The share of a task in deriving tables, which all tasks compute from the store alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use foldtrace_matching::{RankGroups, RankRange};
use foldtrace_store::{Derived, ShardId, StoreReader, distribute};
use foldtrace_trace::LocationId;

use crate::Request;

/// The greatest number of groups of receivers, each of which needs 9 MB if one task derives the messages of all.
const MOST_GROUPS: u64 = 64;

/// What a task derives.
#[derive(Clone, Debug)]
pub(crate) struct TaskShare {
    /// The parts of the store of whose locations it derives tables; `None` for all.
    parts: Option<BTreeSet<u32>>,
    /// The processes whose calls it derives.
    pub callers: RankRange,
    /// The processes whose received messages it derives; `None` if it derives no messages.
    pub receivers: Option<Receivers>,
    pub has_collectives: bool,
    pub has_clock: bool,
}

/// Processes whose received messages are derived.
#[derive(Clone, Debug)]
pub(crate) struct Receivers {
    /// All groups, each of which has row groups of its own in the table.
    pub groups: RankGroups,
    /// The groups of these processes.
    pub own: Range<usize>,
    /// The ranks of these processes.
    pub ranks: RankRange,
}

impl TaskShare {
    /// Returns the share of the only task.
    pub fn whole(store: &StoreReader, request: &Request<'_>) -> Self {
        let is_requested = |table| request.tables.contains(&table);
        // A table of some processes is not that of a store.
        let groups = if request.ranks == RankRange::ALL {
            groups_of(store, request.events_per_group)
        } else {
            RankGroups::default()
        };
        let receivers = Receivers {
            own: 0..groups.count(),
            ranks: request.ranks,
            groups,
        };
        Self {
            parts: None,
            callers: request.ranks,
            receivers: is_requested(Derived::Messages).then_some(receivers),
            has_collectives: is_requested(Derived::Collectives),
            has_clock: is_requested(Derived::Clock),
        }
    }

    /// Returns the share of the task that writes a shard.
    pub fn of_shard(store: &StoreReader, request: &Request<'_>, shard: ShardId) -> Self {
        let is_requested = |table| request.tables.contains(&table);
        let (number, of) = (shard.number() as usize, shard.of() as usize);
        let all = store.manifest().counts.events;
        let groups = groups_of(store, request.events_per_group);
        let of_task = |task: usize| {
            let begin = |task: usize| task * groups.count() / of;
            begin(task)..begin(task + 1)
        };
        let mut loads = vec![0; of];
        if is_requested(Derived::Messages) {
            let of_group = all * cost(Derived::Messages) / groups.count() as u64;
            let load = |task| of_group * of_task(task).len() as u64;
            loads = (0..of).map(load).collect();
        }
        let per_event = request.tables.iter().filter(|table| is_of_parts(**table));
        let per_event: u64 = per_event.map(|table| cost(*table)).sum();
        let parts = events_of_parts(store);
        let whole = |table| all * cost(table) * u64::from(is_requested(table));
        let pieces = parts.values().map(|events| events * per_event);
        let pieces: Vec<u64> = pieces
            .chain([whole(Derived::Collectives), whole(Derived::Clock)])
            .collect();
        let tasks = distribute(&pieces, &loads);
        let is_mine = |piece: usize| tasks[piece] == shard.number();
        let mine = parts
            .keys()
            .enumerate()
            .filter(|(piece, _)| is_mine(*piece));
        let own = of_task(number);
        let receivers = Receivers {
            ranks: groups.ranks(own.clone()),
            own,
            groups,
        };
        let has_messages = is_requested(Derived::Messages) && !receivers.own.is_empty();
        Self {
            parts: Some(mine.map(|(_, &part)| part).collect()),
            callers: RankRange::ALL,
            receivers: has_messages.then_some(receivers),
            has_collectives: is_requested(Derived::Collectives) && is_mine(parts.len()),
            has_clock: is_requested(Derived::Clock) && is_mine(parts.len() + 1),
        }
    }

    /// Returns whether the task derives tables of the locations of a part.
    pub fn has_part(&self, part: u32) -> bool {
        self.parts
            .as_ref()
            .is_none_or(|parts| parts.contains(&part))
    }

    /// Returns the locations of the task with the numbers of their streams.
    pub fn locations(&self, store: &StoreReader) -> Vec<(LocationId, usize)> {
        let locations = store.locations().zip(0..);
        let mine = locations.filter(|&(location, _)| self.has_part(part_of(store, location)));
        mine.collect()
    }
}

/// Returns whether a table is derived location by location.
const fn is_of_parts(table: Derived) -> bool {
    matches!(
        table,
        Derived::Calls | Derived::Dag | Derived::Iterations | Derived::Timeline
    )
}

/// Returns the time that an event takes to derive a table, in units of 10 ns as measured on NPB LU.
const fn cost(table: Derived) -> u64 {
    match table {
        Derived::Calls => 14,
        Derived::Messages => 16,
        Derived::Collectives => 3,
        Derived::Dag => 6,
        Derived::Iterations | Derived::Timeline => 4,
        Derived::Clock => 30,
    }
}

/// Returns the part of the store with the events of a location. A location without events is in the first part.
pub(crate) fn part_of(store: &StoreReader, location: LocationId) -> u32 {
    store.index().part(location).unwrap_or(0)
}

/// Returns the number of events of each part. There is at least one part, so that even an empty table has a file.
fn events_of_parts(store: &StoreReader) -> BTreeMap<u32, u64> {
    let mut parts = BTreeMap::from([(0, 0)]);
    for location in store.locations() {
        *parts.entry(part_of(store, location)).or_default() += store.index().events(location);
    }
    parts
}

/// Divides the processes of a store into groups of receivers.
fn groups_of(store: &StoreReader, events_per_group: u64) -> RankGroups {
    let all = store.manifest().counts.events;
    let most = (all / events_per_group.max(1)).clamp(1, MOST_GROUPS);
    let mut events = BTreeMap::new();
    for location in store.locations() {
        let rank = store.names().rank(location).map_or(0, |(rank, _)| rank);
        *events.entry(rank).or_default() += store.index().events(location);
    }
    RankGroups::with_events(&events, most)
}

//! Describes tracks: a process track per process, a thread track per location, and a counter track per metric of a
//! location.
//!
//! Track ids are computed from the ids of the source, so the same trace always has the same track ids.

use foldtrace_trace::{DefinitionKind, LocationId, Names};

use crate::messages::{CounterDescriptor, ProcessDescriptor, ThreadDescriptor, TrackDescriptor};

/// The object that a track shows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TrackSubject {
    /// A process, by its rank.
    Process(u64),
    Location(LocationId),
    /// A metric of a location, and a member of the metric.
    Metric(LocationId, u64, u32),
}

impl TrackSubject {
    /// Returns the id of the track. Ids are spread over 64 bits, so that ids within a trace, and ids of traces that
    /// happen to be concatenated, do not collide.
    pub(crate) fn uuid(self) -> u64 {
        match self {
            Self::Process(rank) => spread([1, rank, 0, 0]),
            Self::Location(location) => spread([2, location.0, 0, 0]),
            Self::Metric(location, metric, member) => {
                spread([3, location.0, metric, u64::from(member)])
            }
        }
    }
}

/// Mixes numbers as in SplitMix64.
fn spread(numbers: [u64; 4]) -> u64 {
    let mut hash = 0x666f_6c64_7472_6163_u64;
    for number in numbers {
        hash = (hash ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^= hash >> 31;
    }
    hash.max(1)
}

/// Returns the process id for Perfetto. Process 0 is the idle process there, so rank 0 has process id 1.
fn pid(rank: u64) -> Option<i32> {
    i32::try_from(rank.checked_add(1)?).ok()
}

/// Returns the thread id for Perfetto. The first thread of a process has the id of the process, as in Linux; the ids
/// of other threads follow those of all processes.
fn tid(names: &Names, rank: u64, thread: u64) -> Option<i64> {
    if thread == 0 {
        return pid(rank).map(i64::from);
    }
    let processes = names.processes();
    let before = processes.iter().take(usize::try_from(rank).ok()?);
    let others: usize = before
        .map(|process| process.locations.len().saturating_sub(1))
        .sum();
    let number = processes.len() as u64 + others as u64 + thread;
    i64::try_from(number).ok()
}

/// Returns the track of the process of a location, if it has one.
pub(crate) fn process_track(location: LocationId, names: &Names) -> Option<TrackDescriptor> {
    let (rank, _) = names.rank(location)?;
    let group = names.process(rank)?.group;
    let name = (names.name(DefinitionKind::LocationGroup, group))
        .filter(|name| !name.is_empty())
        .map_or_else(|| format!("rank {rank}"), str::to_owned);
    Some(TrackDescriptor {
        uuid: Some(TrackSubject::Process(rank).uuid()),
        process: Some(ProcessDescriptor {
            pid: pid(rank),
            legacy_sort_index: i32::try_from(rank).ok(),
            process_name: Some(name),
        }),
        ..TrackDescriptor::default()
    })
}

/// Returns the track of a location: a thread of its process, or a track of its own if it has no process.
pub(crate) fn location_track(location: LocationId, names: &Names) -> TrackDescriptor {
    let name = (names.name(DefinitionKind::Location, location.0))
        .filter(|name| !name.is_empty())
        .map_or_else(|| format!("location {location}"), str::to_owned);
    let uuid = Some(TrackSubject::Location(location).uuid());
    let Some((rank, thread)) = names.rank(location) else {
        return TrackDescriptor {
            uuid,
            name: Some(name),
            ..TrackDescriptor::default()
        };
    };
    TrackDescriptor {
        uuid,
        parent_uuid: Some(TrackSubject::Process(rank).uuid()),
        thread: Some(ThreadDescriptor {
            pid: pid(rank),
            tid: tid(names, rank, thread),
            legacy_sort_index: i32::try_from(thread).ok(),
            thread_name: Some(name),
        }),
        ..TrackDescriptor::default()
    }
}

/// Returns the track of a member of a metric that a location records.
pub(crate) fn metric_track(
    track: TrackSubject,
    location: LocationId,
    name: &str,
    unit: &str,
) -> TrackDescriptor {
    TrackDescriptor {
        uuid: Some(track.uuid()),
        name: Some(name.to_owned()),
        parent_uuid: Some(TrackSubject::Location(location).uuid()),
        counter: Some(CounterDescriptor {
            unit_name: (!unit.is_empty()).then(|| unit.to_owned()),
        }),
        ..TrackDescriptor::default()
    }
}

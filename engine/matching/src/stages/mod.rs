//! Stages: parts of a run that are independent of each other where events depend on other locations.
//!
//! A run divides where all locations that communicate wait for each other in a collective operation, while no message is under
//! way and no request is open. What comes before such a border happens before everything after it, so that an analysis of
//! dependences can work on several stages at once. It hands over the calls that are open, and nothing else. The operation
//! itself belongs to both stages: the earlier one ends with waiting for it, and in the later one, all locations are in step from
//! then on.
//!
//! Borders are found from symbols alone, in two passes over each location. The first one adds up, for each operation in which all
//! locations take part, what is under way (`candidates`). The second one keeps the places of the operations during which nothing
//! is. Stages have a minimum length, so they depend on the trace, and not on how many of them are worked on at once.

mod candidates;
mod effects;
mod found;
mod run;
mod shard;
mod walk;

use std::collections::BTreeSet;
use std::ops::{Deref, Range};

use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, SymbolId, TraceError};
use rayon::prelude::*;

use super::scan::{ALL, fold_symbols};
use super::{CalleeIndex, Census, CollectiveCalls, Communicators, RegionIndex, Regions};
use candidates::Candidates;
use effects::Effects;
use walk::Walk;

pub use found::{FoundInStage, Rows};
pub use run::{Division, StagedRun};
pub use shard::{FoundByTasks, ShareOfStages, SharedSearch, SharingTask, to_shard};

/// The minimum number of events of a stage, and of its events per location: a stage begins in the middle of all locations, which has
/// to be found.
const LEAST_EVENTS: u64 = 1 << 20;
const LEAST_PER_LOCATION: u64 = 1 << 16;

/// The maximum number of streams that are open at once, unless a single stage has more.
const MOST_STREAMS: usize = 1 << 14;

/// An open call.
pub type OpenCall = (CalleeIndex, RegionIndex);

/// The operation between two stages, in a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Border {
    /// The positions from entering the operation to leaving it.
    pub operation: Range<Position>,
    /// The calls around it, the outermost first.
    pub open: Vec<OpenCall>,
}

/// The stages of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// The locations that communicate, sorted by id.
    locations: Vec<LocationId>,
    /// By location: the operations between consecutive stages.
    borders: Vec<Vec<Border>>,
}

/// The communication of a trace.
#[derive(Clone, Copy, Debug)]
pub struct Communication<'a> {
    /// The regions.
    pub regions: &'a Regions,
    /// The communicators.
    pub communicators: &'a Communicators,
    /// The counts of its events.
    pub census: &'a Census,
    /// The calls that are collective operations without events of their own.
    pub calls: &'a CollectiveCalls,
}

/// The part of a stage in a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagePart<'a> {
    /// The location.
    pub location: LocationId,
    /// The positions of its events.
    pub positions: Range<Position>,
    /// The operation with which they begin, which the stage before ends with; `None` in the first stage.
    pub border: Option<&'a Border>,
}

/// The parts of a stage, by location.
#[derive(Clone, Debug)]
pub struct StageParts<'a>(Vec<StagePart<'a>>);

impl<'a> StageParts<'a> {
    /// Returns the part of a location; `None` if it does not communicate.
    #[must_use]
    pub fn of(&self, location: LocationId) -> Option<&StagePart<'a>> {
        let part = self.0.binary_search_by_key(&location, |part| part.location);
        part.ok().map(|part| &self.0[part])
    }

    /// Returns the positions of the events of a location; `None` if it does not communicate.
    #[must_use]
    pub fn positions(&self, location: LocationId) -> Option<Range<Position>> {
        self.of(location).map(|part| part.positions.clone())
    }
}

impl<'a> Deref for StageParts<'a> {
    type Target = [StagePart<'a>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Stages {
    /// Finds the stages of a store's run. Each has at least `least` events, or without a number, as many as make dividing worth the
    /// effort.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn of_store(
        store: &StoreReader,
        communication: Communication<'_>,
        least: Option<u64>,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let whole = Self::whole(communication);
        let locations = &whole.locations;
        let events = locations.iter().map(|&it| store.index().events(it));
        let (all, count): (u64, _) = (events.sum(), locations.len());
        let least = least.unwrap_or_else(|| LEAST_EVENTS.max(LEAST_PER_LOCATION * count as u64));
        if all / 2 < least {
            return Ok(whole);
        }
        let effects = Effects::new(store.names(), communication, store.symbols(), locations);
        let candidates = Candidates::new(effects.operations());
        if candidates.is_empty() {
            return Ok(whole);
        }
        let numbered = || locations.par_iter().enumerate();
        numbered().try_for_each(|(number, &location)| {
            let mut walk = Walk::new(&effects, number);
            fold_symbols(store, location, ALL, progress, |(): &mut (), symbols| {
                walk.take(symbols, |passage, _| candidates.note(&passage));
            })
        })?;
        let chosen = candidates.choose(count, all, least);
        if chosen.is_empty() {
            return Ok(whole);
        }
        let borders = numbered().map(|(number, &location)| {
            let mut walk = Walk::new(&effects, number);
            let add = |borders: &mut Vec<Border>, symbols: &[SymbolId]| {
                walk.take(symbols, |passage, walk| {
                    borders.extend(chosen.contains(&passage).then(|| Border {
                        open: walk.open_calls(),
                        operation: passage.positions,
                    }));
                });
            };
            fold_symbols(store, location, ALL, progress, add)
        });
        Ok(Self {
            borders: borders.collect::<Result<_, TraceError>>()?,
            locations: whole.locations,
        })
    }

    /// Returns a run that is not divided.
    #[must_use]
    pub fn whole(communication: Communication<'_>) -> Self {
        let Communication { census, calls, .. } = communication;
        let communicating = census.locations().filter(|(_, counts)| !counts.is_empty());
        let locations = communicating.map(|(location, _)| location);
        let locations: BTreeSet<LocationId> = locations.chain(calls.locations()).collect();
        Self {
            borders: vec![Vec::new(); locations.len()],
            locations: locations.into_iter().collect(),
        }
    }

    /// Returns the numbers of all stages.
    #[must_use]
    pub fn all(&self) -> Vec<usize> {
        (0..self.count()).collect()
    }

    /// Returns the number of stages.
    #[must_use]
    pub fn count(&self) -> usize {
        self.borders.first().map_or(1, |borders| borders.len() + 1)
    }

    /// Returns the locations that communicate, sorted by id.
    #[must_use]
    pub fn locations(&self) -> &[LocationId] {
        &self.locations
    }

    /// Returns the parts of a stage, by location.
    #[must_use]
    pub fn parts(&self, stage: usize) -> StageParts<'_> {
        let locations = self.locations.iter().zip(&self.borders);
        let parts = locations.map(|(&location, borders)| {
            let border = stage.checked_sub(1).and_then(|before| borders.get(before));
            let begin = border.map_or(ALL.start, |border| border.operation.start);
            let end = borders
                .get(stage)
                .map_or(ALL.end, |border| border.operation.end);
            StagePart {
                location,
                positions: begin..end,
                border,
            }
        });
        StageParts(parts.collect())
    }

    /// Returns the number of events of each stage in a store, in the order of the run.
    #[must_use]
    pub fn events(&self, store: &StoreReader) -> Vec<u64> {
        let of_stage = |stage| {
            let parts = self.parts(stage);
            let events = parts.iter().map(|part| {
                let end = part
                    .positions
                    .end
                    .0
                    .min(store.index().events(part.location));
                end.saturating_sub(part.positions.start.0)
            });
            events.sum()
        };
        (0..self.count()).map(of_stage).collect()
    }

    /// Counts the events of a stage. `census` has those of the run.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn census(
        &self,
        stage: usize,
        store: &StoreReader,
        census: &Census,
        progress: &Progress,
    ) -> Result<Census, TraceError> {
        if self.count() == 1 {
            return Ok(census.only(&self.locations));
        }
        let parts = self.parts(stage);
        let positions = parts
            .iter()
            .map(|part| (part.location, part.positions.clone()));
        Census::of_parts(store, positions.collect(), progress)
    }

    /// Returns the locations of a store that do not communicate. Their events count as read.
    pub fn silent(&self, store: &StoreReader, progress: &Progress) -> Vec<LocationId> {
        let is_silent = |location: &LocationId| self.locations.binary_search(location).is_err();
        let silent: Vec<LocationId> = store.locations().filter(is_silent).collect();
        let events = silent.iter().map(|&it| store.index().events(it));
        progress.count(events.sum::<u64>() as usize);
        silent
    }

    /// Does some work on each of some stages, on several at once, and takes the results in their order.
    ///
    /// # Errors
    /// Returns the first error of the work, or of taking its results.
    pub fn for_each<T: Send>(
        &self,
        stages: &[usize],
        work: impl Fn(usize) -> Result<T, TraceError> + Sync,
        mut take: impl FnMut(T) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let streams = self.locations.len().max(1);
        let at_once = (MOST_STREAMS / streams).clamp(1, rayon::current_num_threads());
        for some in stages.chunks(at_once) {
            let results = some.par_iter().map(|&stage| work(stage));
            for result in results.collect::<Result<Vec<T>, TraceError>>()? {
                take(result)?;
            }
        }
        Ok(())
    }
}

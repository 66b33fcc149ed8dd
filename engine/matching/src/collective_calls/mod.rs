//! Collective operations that are recorded only as calls.
//!
//! Some recorders write that `MPI_Allreduce` was called, but no event of what it did. [`CollectiveCalls`] are the calls
//! that are operations nevertheless. A [`CallAssembly`] takes them one at a time, and returns the [`Collective`]s that
//! they belong to.

use std::collections::{BTreeMap, HashMap, VecDeque};

use foldhash::fast::FixedState;
use foldtrace_mpi::BLOCKING;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    EventKind, LocationId, Names, Position, SymbolId, SymbolTable, Timestamp, TraceError,
};
use rayon::prelude::*;

use super::{Census, Collective, Member, Moment};
use survey::{CallSurvey, SurveyedCalls};

mod survey;

/// The calls of a trace that are collective operations, although no events say so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectiveCalls {
    /// By symbol of the event that enters a call: the code of the operation, if its calls are operations.
    operations: Vec<Option<usize>>,
    /// The number of calls of each location that are operations.
    per_location: u64,
    /// The locations that take part in each operation, with the ranks of their processes.
    locations: BTreeMap<LocationId, Option<u64>>,
}

impl CollectiveCalls {
    /// Finds the calls of a store that are collective operations. There are none if the store has events of collective
    /// operations. Otherwise, reads the symbols and times of all events; `correct` corrects the times of consecutive
    /// events of a location, given the position of the first.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged, or the work was stopped.
    pub fn from_store(
        store: &StoreReader,
        census: &Census,
        correct: impl Fn(LocationId, Position, &mut [Timestamp]) + Sync,
        progress: &Progress,
    ) -> Result<Self, TraceError> {
        let Some(survey) = CallSurvey::new(store.names(), census, store.symbols()) else {
            return Ok(Self::default());
        };
        let locations: Vec<LocationId> = store.locations().collect();
        let surveyed = locations.into_par_iter().map(|location| {
            let mut own = survey.location(location);
            let mut events = store.events(location, Position(0));
            let (mut symbols, mut times) = (Vec::new(), Vec::new());
            let mut position = Position(0);
            loop {
                progress.check()?;
                events.next_times(&mut symbols, &mut times)?;
                if symbols.is_empty() {
                    return Ok(own.finish());
                }
                correct(location, position, &mut times);
                position.0 += times.len() as u64;
                for (&symbol, &time) in symbols.iter().zip(&times) {
                    own.take(symbol, time, store.symbols());
                }
            }
        });
        let surveyed =
            surveyed.try_reduce(SurveyedCalls::default, |one, other| Ok(one.with(other)));
        Ok(survey.conclude(&surveyed?, store.names()))
    }

    /// Finds the calls of a trace in memory that are collective operations, from the symbols and corrected times of all events
    /// of each location.
    #[must_use]
    pub fn from_events<'a>(
        names: &Names,
        census: &Census,
        symbols: &SymbolTable,
        locations: impl IntoIterator<Item = (LocationId, &'a [SymbolId], &'a [Timestamp])>,
    ) -> Self {
        let Some(survey) = CallSurvey::new(names, census, symbols) else {
            return Self::default();
        };
        let surveyed = locations.into_iter().map(|(location, ids, times)| {
            let mut own = survey.location(location);
            for (&symbol, &time) in ids.iter().zip(times) {
                own.take(symbol, time, symbols);
            }
            own.finish()
        });
        let surveyed = surveyed.fold(SurveyedCalls::default(), SurveyedCalls::with);
        survey.conclude(&surveyed, names)
    }

    /// Returns the code of the operation that a call is, if it is one, from the symbol of the event that enters the call.
    /// Calls within other MPI calls are none.
    #[must_use]
    pub fn operation(&self, enter: SymbolId) -> Option<usize> {
        self.operations.get(enter.row()).copied().flatten()
    }

    /// Returns the locations that take part in each operation.
    pub fn locations(&self) -> impl Iterator<Item = LocationId> {
        self.locations.keys().copied()
    }

    /// Returns the number of calls of each location that are operations.
    #[must_use]
    pub const fn per_location(&self) -> u64 {
        self.per_location
    }
}

/// A call that is the part of a location in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveCall {
    /// The code of the operation.
    pub operation: usize,
    /// The location.
    pub location: LocationId,
    /// The moment at which it enters the call.
    pub enter: Moment,
    /// The moment at which it leaves the call.
    pub leave: Moment,
}

/// Assembles collective operations from calls: the n-th calls of a routine in all locations.
#[derive(Clone, Debug, Default)]
pub struct CallAssembly {
    /// The locations that take part in each operation, with the ranks of their processes.
    locations: BTreeMap<LocationId, Option<u64>>,
    /// By code of the operation.
    tracks: [Track; BLOCKING],
    /// The number of operations that are complete.
    complete: u64,
}

/// The operations of a routine that some locations have not reached yet.
#[derive(Clone, Debug, Default)]
struct Track {
    /// The number of calls that each location has made.
    made: HashMap<LocationId, usize, FixedState>,
    /// The number of the first operation under way.
    first: usize,
    under_way: VecDeque<Vec<Member>>,
}

impl CallAssembly {
    /// Creates an assembly of the operations of a trace.
    #[must_use]
    pub fn new(calls: &CollectiveCalls) -> Self {
        Self {
            locations: calls.locations.clone(),
            ..Self::default()
        }
    }

    /// Takes the next call of a location. Returns its operation if all other locations have made their calls. An
    /// operation has neither a communicator nor a root, and its number counts the operations of all routines.
    pub fn take(&mut self, call: CollectiveCall) -> Option<Collective> {
        let track = self.tracks.get_mut(call.operation)?;
        let made = track.made.entry(call.location).or_default();
        let index = made.saturating_sub(track.first);
        *made += 1;
        if index >= track.under_way.len() {
            track.under_way.resize(index + 1, Vec::new());
        }
        let operation = Some(call.operation as u64);
        let members = &mut track.under_way[index];
        members.push(Member {
            location: call.location,
            rank: self.locations.get(&call.location).copied().flatten(),
            operation,
            begin: Some(call.enter),
            end: call.leave,
            bytes: None,
            bytes_received: None,
        });
        if members.len() < self.locations.len() {
            return None;
        }
        // Every location has also made the calls before this one, so this operation is the first under way.
        let members = track.under_way.pop_front()?;
        track.first += 1;
        self.complete += 1;
        Some(Collective {
            kind: EventKind::Leave,
            operation,
            communicator: None,
            window: None,
            number: self.complete - 1,
            root: None,
            size: Some(members.len() as u64),
            members,
        })
    }
}

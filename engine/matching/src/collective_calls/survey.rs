//! Recognises collective operations that are recorded only as calls.
//!
//! The n-th calls of a collective routine in all locations are treated as one operation, under these conditions: all
//! locations that call MPI call the routine equally often, nothing is recorded inside of its calls, and for a routine
//! that synchronises, no location leaves a call before all have entered it. A [`CallSurvey`] checks these conditions.

use std::collections::BTreeSet;

use foldtrace_mpi::{BLOCKING, Routine, blocking_collective, synchronises};
use foldtrace_trace::{
    CallChange, DefinitionKind, EventKind, LocationId, Names, OpenCalls, SymbolId, SymbolTable,
    Timestamp,
};

use super::CollectiveCalls;
use crate::Census;

/// The role of an event in a survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    Other,
    /// An event that communicates.
    Communicates,
    /// An event that enters an MPI call.
    Mpi,
    /// An event that enters a call of this collective routine.
    Collective(usize),
}

/// A survey of the calls of a trace that has no events of collective operations.
#[derive(Clone, Debug)]
pub(super) struct CallSurvey {
    /// By symbol: the role of its events.
    sights: Vec<Sight>,
}

impl CallSurvey {
    /// Creates a survey of the trace whose events `census` has counted. Returns `None` if there is nothing to find:
    /// collective operations are recorded as events, or no collective routine is called.
    pub fn new(names: &Names, census: &Census, symbols: &SymbolTable) -> Option<Self> {
        let mut counted = census.locations().flat_map(|(_, counts)| counts);
        if counted.any(|&(id, _)| symbols.kind(id).is_collective()) {
            return None;
        }
        let sights = symbols.iter().map(|(_, symbol)| match symbol.kind {
            EventKind::Enter | EventKind::CallingContextEnter => {
                let callee = names.callee(&symbol);
                let name = callee.and_then(|callee| names.name(DefinitionKind::Region, callee));
                match name.map(|name| (blocking_collective(name), Routine::called(name))) {
                    Some((Some(routine), _)) => Sight::Collective(routine),
                    None | Some((None, Routine::Other)) => Sight::Other,
                    Some((None, _)) => Sight::Mpi,
                }
            }
            EventKind::MpiMrecv
            | EventKind::MpiImrecv
            | EventKind::MpiCollectiveBegin
            | EventKind::RmaCollectiveBegin => Sight::Communicates,
            kind if kind.is_communication() => Sight::Communicates,
            _ => Sight::Other,
        });
        let sights: Vec<Sight> = sights.collect();
        let is_collective = |sight: &Sight| matches!(sight, Sight::Collective(_));
        sights.iter().any(is_collective).then_some(Self { sights })
    }

    /// Starts the survey of a location.
    pub fn location(&self, location: LocationId) -> LocationSurvey<'_> {
        LocationSurvey {
            location,
            survey: self,
            open: OpenCalls::default(),
            of_mpi: 0,
            seen: 0,
            after_communication: 0,
            calls: SurveyedCalls::default(),
        }
    }

    /// Returns the calls that are collective operations, from what was seen in all locations.
    pub fn conclude(&self, seen: &SurveyedCalls, names: &Names) -> CollectiveCalls {
        let is_met = |routine: usize| {
            let calls = seen.by_routine[routine].as_deref().unwrap_or_default();
            !calls.is_empty()
                && (!synchronises(routine) || calls.iter().all(|call| call.start <= call.end))
        };
        let operations = self.sights.iter().map(|sight| match *sight {
            Sight::Collective(routine) if seen.locations.len() > 1 && is_met(routine) => {
                Some(routine)
            }
            _ => None,
        });
        let operations: Vec<Option<usize>> = operations.collect();
        let called: BTreeSet<usize> = operations.iter().copied().flatten().collect();
        let calls = called.iter().filter_map(|&it| seen.by_routine[it].as_ref());
        let locations = seen.locations.iter();
        let locations = locations.map(|&it| (it, names.rank(it).map(|(rank, _)| rank)));
        CollectiveCalls {
            per_location: calls.map(|calls| calls.len() as u64).sum(),
            operations,
            locations: locations.collect(),
        }
    }
}

/// The interval that the n-th calls of a routine have in common: from the last start to the first end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Common {
    start: Timestamp,
    end: Timestamp,
}

/// The calls of collective routines in a set of locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SurveyedCalls {
    /// The locations that call MPI.
    locations: BTreeSet<LocationId>,
    /// By routine: its calls; `None` if they are not operations.
    by_routine: [Option<Vec<Common>>; BLOCKING],
}

impl Default for SurveyedCalls {
    fn default() -> Self {
        Self {
            locations: BTreeSet::new(),
            by_routine: std::array::from_fn(|_| Some(Vec::new())),
        }
    }
}

impl SurveyedCalls {
    /// Merges the calls of other locations into these.
    pub fn with(mut self, other: Self) -> Self {
        if self.locations.is_empty() || other.locations.is_empty() {
            return if self.locations.is_empty() {
                other
            } else {
                self
            };
        }
        self.locations.extend(other.locations);
        for (own, other) in self.by_routine.iter_mut().zip(other.by_routine) {
            match (own.as_mut(), other) {
                (Some(calls), Some(others)) if calls.len() == others.len() => {
                    for (call, other) in calls.iter_mut().zip(others) {
                        call.start = call.start.max(other.start);
                        call.end = call.end.min(other.end);
                    }
                }
                _ => *own = None,
            }
        }
        self
    }
}

/// An open call.
#[derive(Clone, Copy, Debug)]
struct Entered {
    /// The position of the event that entered the call.
    event: u64,
    time: Timestamp,
    /// Whether the call is collective and not within another MPI call.
    is_outside: bool,
}

/// The survey of one location, which takes its events in order.
#[derive(Clone, Debug)]
pub(super) struct LocationSurvey<'a> {
    survey: &'a CallSurvey,
    location: LocationId,
    open: OpenCalls<Entered>,
    /// The number of open MPI calls.
    of_mpi: usize,
    /// The number of events so far.
    seen: u64,
    /// The first event after all events that communicate.
    after_communication: u64,
    calls: SurveyedCalls,
}

impl LocationSurvey<'_> {
    fn sight(&self, symbol: SymbolId) -> Sight {
        let sight = self.survey.sights.get(symbol.row());
        sight.copied().unwrap_or(Sight::Other)
    }

    /// Takes the next event.
    pub fn take(&mut self, symbol: SymbolId, time: Timestamp, symbols: &SymbolTable) {
        let event = self.seen;
        self.seen += 1;
        let sight = self.sight(symbol);
        if sight == Sight::Communicates {
            self.after_communication = self.seen;
            return;
        }
        if sight != Sight::Other {
            self.calls.locations.insert(self.location);
        }
        let is_outside = matches!(sight, Sight::Collective(_)) && self.of_mpi == 0;
        let entered = Entered {
            event,
            time,
            is_outside,
        };
        match self.open.take_with(symbol, symbols, |_| entered) {
            CallChange::None => {}
            CallChange::Entered => self.of_mpi += usize::from(sight != Sight::Other),
            CallChange::Left { enter, call, .. } => {
                let sight = self.sight(enter);
                self.of_mpi -= usize::from(sight != Sight::Other);
                if let (Sight::Collective(routine), true) = (sight, call.is_outside) {
                    let calls = &mut self.calls.by_routine[routine];
                    match calls {
                        Some(calls) if call.event >= self.after_communication => {
                            calls.push(Common {
                                start: call.time,
                                end: time,
                            });
                        }
                        _ => *calls = None,
                    }
                }
            }
        }
    }

    /// Returns the calls of the location.
    pub fn finish(self) -> SurveyedCalls {
        self.calls
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use foldtrace_mpi::COLLECTIVES;
    use foldtrace_trace::{Definitions, Symbol};

    use super::*;

    const REGIONS: [&str; 5] = [
        "main",
        "MPI_Barrier",
        "PMPI_Barrier",
        "MPI_Bcast",
        "MPI_Send",
    ];
    const SEND: usize = 10;
    const COLLECTIVE: usize = 11;

    /// Returns the routines whose calls are operations. The events of a location are the regions that it enters, or
    /// leaves if prefixed with a minus, each with its time.
    fn found(locations: &[&[(&str, u64)]]) -> Option<Vec<&'static str>> {
        let mut definitions = Definitions::default();
        for (id, name) in (0..).zip(REGIONS) {
            definitions.push(DefinitionKind::String, &[id], &[], name);
            let region = [id, id, 0, 0, 1, 0, 0, 0, 0, 0];
            definitions.push(DefinitionKind::Region, &region, &[], "");
        }
        let names = Names::new(&definitions);
        let mut symbols = SymbolTable::default();
        let mut ids = Vec::new();
        for kind in [EventKind::Enter, EventKind::Leave] {
            for region in 0..REGIONS.len() as u64 {
                ids.push(symbols.intern(Symbol::new(kind, &[region])));
            }
        }
        ids.push(symbols.intern(Symbol::new(EventKind::MpiSend, &[0, 0, 0])));
        ids.push(symbols.intern(Symbol::new(EventKind::MpiCollectiveEnd, &[0, 0, 0])));
        let symbol = |name: &str| match (name, name.strip_prefix('-')) {
            ("send", _) => ids[SEND],
            ("collective", _) => ids[COLLECTIVE],
            (_, left) => {
                let region = REGIONS
                    .iter()
                    .position(|it| *it == left.unwrap_or(name))
                    .unwrap();
                ids[region + if left.is_some() { REGIONS.len() } else { 0 }]
            }
        };
        let census = (0..).zip(locations).map(|(id, events)| {
            let counts = events.iter().map(|(name, _)| symbol(name)).collect();
            Census::from_counts(LocationId(id), counts, &symbols)
        });
        let survey = CallSurvey::new(&names, &census.collect(), &symbols)?;
        let seen = (0..).zip(locations).map(|(id, events)| {
            let mut own = survey.location(LocationId(id));
            for (name, time) in *events {
                own.take(symbol(name), Timestamp(*time), &symbols);
            }
            own.finish()
        });
        let calls = survey.conclude(
            &seen.fold(SurveyedCalls::default(), SurveyedCalls::with),
            &names,
        );
        let found = ids.iter().filter_map(|&id| calls.operation(id));
        Some(
            found
                .filter_map(|operation| COLLECTIVES.name(operation as u64))
                .collect(),
        )
    }

    const BOTH: [&str; 2] = ["MPI_Barrier", "MPI_Barrier"];

    #[test]
    fn calls_that_all_make_together_are_operations() {
        let first = [("MPI_Barrier", 5), ("-MPI_Barrier", 20)];
        let second = [("PMPI_Barrier", 20), ("-PMPI_Barrier", 30)];
        assert_eq!(found(&[&first, &second]), Some(BOTH.to_vec()));
        // A location that never calls MPI does not count; one that does counts.
        let idle = [("main", 1), ("-main", 50)];
        assert_eq!(found(&[&first, &idle, &second]), Some(BOTH.to_vec()));
        let sends = [("MPI_Send", 1), ("-MPI_Send", 50)];
        assert_eq!(found(&[&first, &sends, &second]), Some(vec![]));
        assert_eq!(found(&[&first]), Some(vec![]), "alone");
    }

    #[test]
    fn no_process_leaves_a_barrier_before_all_have_entered() {
        let first = [("MPI_Barrier", 5), ("-MPI_Barrier", 20)];
        let late = [("MPI_Barrier", 21), ("-MPI_Barrier", 30)];
        assert_eq!(found(&[&first, &late]), Some(vec![]));
        let first = [("MPI_Bcast", 5), ("-MPI_Bcast", 20)];
        let late = [("MPI_Bcast", 21), ("-MPI_Bcast", 30)];
        assert_eq!(found(&[&first, &late]), Some(vec!["MPI_Bcast"]));
    }

    #[test]
    fn calls_with_events_in_them_stay_what_they_are() {
        let plain = [("MPI_Barrier", 5), ("-MPI_Barrier", 20)];
        let by_messages = [("MPI_Barrier", 5), ("send", 6), ("-MPI_Barrier", 20)];
        assert_eq!(found(&[&plain, &by_messages]), Some(vec![]));
        let after = [("send", 4), ("MPI_Barrier", 5), ("-MPI_Barrier", 20)];
        assert_eq!(found(&[&plain, &after]), Some(BOTH.to_vec()));
        let recorded = [("MPI_Barrier", 5), ("collective", 6), ("-MPI_Barrier", 20)];
        assert_eq!(found(&[&recorded, &recorded]), None);
    }

    #[test]
    fn only_the_outermost_call_counts() {
        let plain = [("MPI_Barrier", 5), ("-MPI_Barrier", 20)];
        let wrapped = [
            ("MPI_Barrier", 5),
            ("PMPI_Barrier", 6),
            ("-PMPI_Barrier", 19),
            ("-MPI_Barrier", 20),
        ];
        assert_eq!(found(&[&plain, &wrapped]), Some(BOTH.to_vec()));
        let twice = [&plain[..], &[("MPI_Barrier", 25), ("-MPI_Barrier", 30)]].concat();
        assert_eq!(found(&[&plain, &twice]), Some(vec![]));
        assert_eq!(found(&[&twice, &twice]), Some(BOTH.to_vec()));
    }
}

//! Finds wait states while the events of a trace, or of a stage of it, pass in the order of corrected times.
//!
//! [`Waits`] follows the calls of each location (`lane`), and keeps a `log` of its recent activities. An MPI call is kept
//! (`call`) until it is left and its messages and collective operations are matched; then it is known how long it waited
//! for which other location. `blaming` compares what both did since they were last `in_step`. Memory is proportional to the
//! calls under way, and to the pairs of locations that exchange messages.

mod blame;
mod blaming;
mod call;
mod causes;
mod class;
mod in_step;
mod iterations;
mod lane;
mod log;
mod paths;
mod role;
mod search;
mod stage;

use std::cmp::Reverse;
use std::collections::HashMap;

use foldtrace_matching::{
    Census, Collectives, Communication, Communicators, Matching, Messages, StagePart,
};
use foldtrace_stream::timeline::Passing;
use foldtrace_trace::{EventRef, LocationId, Names, Position, SymbolTable, Timestamp, TraceError};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub use causes::WaitTotal;
pub use class::Class;
pub(crate) use iterations::Iterations;
pub use paths::{CallPath, PathIndex};
pub(crate) use stage::{RunSums, StageSums, duration};

use search::Search;

/// Options for finding wait states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of causes in the summary. With 0, causes are not looked for, which takes less time: the cause of a wait
    /// state is then the location that it waits for.
    pub causes: usize,
    /// The number of iterations of each cause in the summary.
    pub iterations: usize,
    /// The least number of events of a stage. Without a number, a stage has as many as make it worth to divide the run.
    pub stage_events: Option<u64>,
}

impl Options {
    /// Returns whether causes are looked for.
    pub(crate) const fn has_causes(self) -> bool {
        self.causes > 0
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            causes: 100,
            iterations: 10,
            stage_events: None,
        }
    }
}

/// A call that waits for another location. Times are in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitState {
    /// The class.
    pub class: Class,
    /// The location that waits.
    pub location: LocationId,
    /// The position of the event that enters the call.
    pub position: Position,
    /// The call path.
    pub path: PathIndex,
    /// The time at which the call is entered.
    pub start: Timestamp,
    /// The ticks that it waits.
    pub ticks: u64,
    /// The location that it waits for.
    pub late: LocationId,
    /// The position at which that location enters the call that ends the waiting.
    pub late_position: Position,
    /// The location whose work is the main cause.
    pub cause: LocationId,
    /// The call path of that work.
    pub cause_path: PathIndex,
    /// The iteration of that work: its loop, numbered from 1 in the model of its location, and its number, from 0.
    pub cause_iteration: Option<(u32, u32)>,
}

/// The waiting caused by an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedIteration {
    /// The loop: its number among the constructs in the model of its location, from 1.
    pub construct: u32,
    /// The number of the iteration, from 0.
    pub iteration: u32,
    /// The ticks.
    pub ticks: f64,
}

/// The waiting that a location causes by its work on a call path.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// The location.
    pub location: LocationId,
    /// The call path.
    pub path: PathIndex,
    /// The ticks that calls of all locations wait because of it.
    pub ticks: f64,
    /// The iterations that cause most of it, in descending order.
    pub iterations: Vec<TimedIteration>,
}

/// The wait states of a class, in one location on one call path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The location.
    pub location: LocationId,
    /// The call path.
    pub path: PathIndex,
    /// The class.
    pub class: Class,
    /// Their time and their number.
    pub total: WaitTotal,
}

/// The sums of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The time that each location waits on each call path, by class, the longest first.
    pub waiting: Vec<Waiting>,
    /// The causes, the greatest first.
    pub causes: Vec<Cause>,
    /// The call paths, by [`PathIndex`].
    pub paths: Vec<CallPath>,
    /// The ticks from the first to the last event of each location, summed.
    pub total: u64,
}

impl Summary {
    /// Returns the totals of all classes that occur.
    #[must_use]
    pub fn classes(&self) -> Vec<(Class, WaitTotal)> {
        let of = |class| {
            let of_class = self.waiting.iter().filter(|it| it.class == class);
            of_class.fold(WaitTotal::default(), |all, own| all.with(own.total))
        };
        let classes = Class::ALL.map(|class| (class, of(class)));
        let occurring = classes
            .into_iter()
            .filter(|(_, total)| total.occurrences > 0);
        occurring.collect()
    }

    /// Returns the wait states of all locations by call path and class, the longest time first, each with the location that
    /// waits longest.
    #[must_use]
    pub fn by_path(&self) -> Vec<Waiting> {
        let mut all: IndexMap<(PathIndex, Class), Waiting> = IndexMap::new();
        // The location that waits longest comes first.
        for own in &self.waiting {
            all.entry((own.path, own.class))
                .and_modify(|it| it.total = it.total.with(own.total))
                .or_insert(*own);
        }
        let mut all: Vec<Waiting> = all.into_values().collect();
        all.sort_by_key(|it| Reverse(it.total.ticks));
        all
    }

    /// Returns the ticks of all wait states.
    #[must_use]
    pub fn waited(&self) -> u64 {
        let ticks = self.waiting.iter().map(|it| it.total.ticks);
        ticks.fold(0, u64::saturating_add)
    }
}

/// A receiver of the wait states of a trace.
pub trait Sink {
    /// Returns whether wait states are wanted at all.
    fn is_wanted(&self) -> bool {
        true
    }

    /// Takes the next wait state. Those of a location are nearly in the order of their positions.
    ///
    /// # Errors
    /// Returns an error if the sink cannot keep it; this ends the work.
    fn wait(&mut self, wait: &WaitState) -> Result<(), TraceError>;
}

/// A sink that discards everything, for callers that only need the summary.
impl Sink for () {
    fn is_wanted(&self) -> bool {
        false
    }

    fn wait(&mut self, _: &WaitState) -> Result<(), TraceError> {
        Ok(())
    }
}

/// A sink that discards everything if it is `None`.
impl<S: Sink> Sink for Option<S> {
    fn is_wanted(&self) -> bool {
        self.as_ref().is_some_and(Sink::is_wanted)
    }

    fn wait(&mut self, wait: &WaitState) -> Result<(), TraceError> {
        self.as_mut().map_or(Ok(()), |sink| sink.wait(wait))
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn is_wanted(&self) -> bool {
        (**self).is_wanted()
    }

    fn wait(&mut self, wait: &WaitState) -> Result<(), TraceError> {
        (**self).wait(wait)
    }
}

impl Sink for Vec<WaitState> {
    fn wait(&mut self, wait: &WaitState) -> Result<(), TraceError> {
        self.push(*wait);
        Ok(())
    }
}

/// The trace in which wait states are searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// Its names.
    pub names: &'a Names,
    /// Its communication.
    pub communication: Communication<'a>,
    /// Its symbols.
    pub symbols: &'a SymbolTable,
    /// The outermost loops of its locations.
    pub loops: &'a HashMap<LocationId, Iterations>,
}

/// The state of the search for the wait states of a stage.
#[derive(Debug)]
pub(crate) struct Waits<'a> {
    messages: Messages<'a>,
    collectives: Collectives<'a>,
    communicators: &'a Communicators,
    symbols: &'a SymbolTable,
    search: Search,
}

impl<'a> Waits<'a> {
    /// Begins the search in a stage of a trace, whose events `census` has counted.
    #[must_use]
    pub fn new(
        subject: Subject<'a>,
        census: &Census,
        parts: &[StagePart<'_>],
        options: Options,
    ) -> Self {
        let (names, symbols) = (subject.names, subject.symbols);
        let communicators = subject.communication.communicators;
        let mut search = Search::new(subject, census, options);
        parts.iter().for_each(|part| search.begin(part));
        Self {
            messages: Messages::new(names, communicators, census, symbols).without_completions(),
            collectives: Collectives::new(names, communicators, census, symbols),
            communicators,
            symbols,
            search,
        }
    }

    /// Takes an event out of the order of time; those of its location must come in their order. Returns whether the event
    /// must be [taken](Self::take) in the order of time as well, before the next event of its location comes here.
    #[inline]
    pub fn pass(&mut self, event: Passing) -> bool {
        self.search.pass(event)
    }

    /// Takes the next event, for which [`pass`](Self::pass) has returned true, in the order of time.
    ///
    /// # Errors
    /// Returns an error if the sink does.
    pub fn take(
        &mut self,
        location: LocationId,
        event: &EventRef,
        sink: &mut impl Sink,
    ) -> Result<(), TraceError> {
        let called = self.search.take(location, event);
        self.messages.take(location, event, self.symbols);
        self.collectives.take(location, event, self.symbols);
        for message in self.messages.found() {
            self.search.relate_message(&message);
        }
        for collective in self.collectives.found().chain(called) {
            self.search
                .relate_collective(collective, self.communicators);
        }
        self.search.report(sink)
    }

    /// Ends the stage. Returns its sums.
    ///
    /// # Errors
    /// Returns an error if the sink does.
    pub fn finish(mut self, sink: &mut impl Sink) -> Result<StageSums, TraceError> {
        let (messages, mut diagnostics) = self.messages.finish();
        for message in messages {
            self.search.relate_message(&message);
        }
        let (collectives, odd) = self.collectives.finish();
        diagnostics.merge(odd);
        for collective in collectives {
            self.search
                .relate_collective(collective, self.communicators);
        }
        self.search.finish(diagnostics, sink)
    }
}

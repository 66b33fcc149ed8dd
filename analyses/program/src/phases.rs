//! The phases of a program: the outermost loops of its merged model, and where each process executes their iterations.
//!
//! Positions follow from the model alone, without reading events. In a model of a selection, they count only the selected
//! events: the n-th event of the selection in a process has the position n - 1.
//!
//! ```
//! use foldtrace_fold::Selection;
//! use foldtrace_fold::merge::Process;
//! use foldtrace_program::{Merging, Phases, Program};
//! use foldtrace_store::StoreReader;
//! use foldtrace_stream::read::Progress;
//!
//! let store = StoreReader::open("../../tests/data/stores/v4/ring-4.fold".as_ref())?;
//! let locations: Vec<_> = store.locations().collect();
//! let merging = Merging::new(Selection::Communication);
//! let program = Program::from_store(&store, &locations, &merging, &Progress::default())?;
//! let phases = Phases::new(&program.model.system);
//! let span = phases.spans(Process(1))[0];
//! let phase = &phases.phases()[span.phase.0 as usize];
//! let mut iterations = phases.cursor(Process(1));
//! for position in span.first..span.end() {
//!     let iteration = iterations.at(position).map(|it| it.index);
//!     assert!(iteration < Some(phase.iterations));
//! }
//! # Ok::<(), foldtrace_trace::TraceError>(())
//! ```

use std::collections::HashMap;

use foldtrace_fold::Selection;
use foldtrace_fold::merge::{Process, System};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{ErrorKind, LocationId, TraceError};

use crate::{Merging, Program};

/// The index of a phase among those of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PhaseIndex(pub u32);

/// A phase: an outermost loop of the merged model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The number of the loop among the outermost constructs, from 1, as in the [`outline`](crate::outline::outline).
    pub number: u64,
    /// The number of its iterations.
    pub iterations: u64,
    /// The number of processes that execute it.
    pub processes: u64,
}

/// An iteration of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Iteration {
    /// The phase.
    pub phase: PhaseIndex,
    /// The number of the iteration, from 0.
    pub index: u64,
}

/// The positions at which a process executes a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseSpan {
    /// The phase.
    pub phase: PhaseIndex,
    /// The position of its first event.
    pub first: u64,
    /// The number of events in each iteration.
    pub length: u64,
    /// The number of iterations.
    pub iterations: u64,
}

impl PhaseSpan {
    /// Returns the position of the first event of an iteration.
    #[must_use]
    pub const fn begin(&self, iteration: u64) -> u64 {
        self.first + iteration * self.length
    }

    /// Returns the position after the last event of the phase.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.begin(self.iterations)
    }
}

/// The phases of a program, with their positions in each process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    phases: Vec<Phase>,
    /// By process: its phases, in order.
    spans: Vec<Vec<PhaseSpan>>,
}

impl Phases {
    /// Returns the outermost loops of a system, which is that of a whole program.
    #[must_use]
    pub fn new(system: &System) -> Self {
        let mut all = Self::default();
        let places = system.places();
        for (number, (construct, placed)) in (1..).zip(system.constructs.iter().zip(&places)) {
            let Some((iterations, _)) = construct.as_loop() else {
                continue;
            };
            let phase = PhaseIndex(all.phases.len() as u32);
            all.phases.push(Phase {
                number,
                iterations,
                processes: construct.processes.len() as u64,
            });
            for (process, place) in construct.processes.iter().zip(&placed.places) {
                if all.spans.len() <= process.index() {
                    all.spans.resize(process.index() + 1, Vec::new());
                }
                all.spans[process.index()].push(PhaseSpan {
                    phase,
                    first: place.position,
                    length: place.iteration,
                    iterations,
                });
            }
        }
        all
    }

    /// Returns the phases in the order of the outline, by [`PhaseIndex`].
    #[must_use]
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// Returns the phases of a process, in order.
    #[must_use]
    pub fn spans(&self, process: Process) -> &[PhaseSpan] {
        self.spans
            .get(process.index())
            .map_or(&[], |spans| &spans[..])
    }

    /// Returns a cursor at the first position of a process.
    #[must_use]
    pub fn cursor(&self, process: Process) -> PhaseCursor<'_> {
        PhaseCursor::new(self.spans(process))
    }
}

/// The iterations of a process, for positions that increase.
#[derive(Clone, Copy, Debug, Default)]
pub struct PhaseCursor<'a> {
    /// The phases that have not ended.
    spans: &'a [PhaseSpan],
    /// The iteration of all positions up to the next boundary.
    current: Option<Iteration>,
    /// The next position that may be in another iteration.
    boundary: u64,
}

impl<'a> PhaseCursor<'a> {
    fn new(spans: &'a [PhaseSpan]) -> Self {
        Self {
            spans,
            current: None,
            boundary: 0,
        }
    }

    /// Returns the iteration of the event at a position; `None` outside of phases. The position must not precede the one
    /// asked for before.
    #[inline]
    pub fn at(&mut self, position: u64) -> Option<Iteration> {
        if position >= self.boundary {
            self.seek(position);
        }
        self.current
    }

    fn seek(&mut self, position: u64) {
        let ended = self.spans.partition_point(|span| span.end() <= position);
        self.spans = &self.spans[ended..];
        (self.current, self.boundary) = match self.spans.first() {
            None => (None, u64::MAX),
            Some(span) if position < span.first => (None, span.first),
            Some(span) => {
                let index = (position - span.first) / span.length.max(1);
                let phase = span.phase;
                (Some(Iteration { phase, index }), span.begin(index + 1))
            }
        };
    }
}

/// The phases of the program that a store has recorded.
#[derive(Clone, Debug, Default)]
pub struct ProgramPhases {
    /// The phases.
    pub phases: Phases,
    /// Why there are none, if the program is too irregular for a model.
    pub irregular: Option<String>,
    processes: HashMap<LocationId, Process>,
}

impl ProgramPhases {
    /// The events of the model: the numbers of its constructs are those of `foldtrace loops --global`.
    pub const SELECTION: Selection = Selection::Communication;

    /// Merges the models of a store, and returns their phases.
    ///
    /// # Errors
    /// If a table is missing or damaged, or the work was stopped.
    pub fn of_store(store: &StoreReader, progress: &Progress) -> Result<Self, TraceError> {
        let locations: Vec<LocationId> = store.locations().collect();
        let merging = Merging::new(Self::SELECTION);
        match Program::from_store(store, &locations, &merging, progress) {
            Ok(program) => Ok(Self {
                phases: Phases::new(&program.model.system),
                irregular: None,
                processes: program
                    .locations
                    .into_iter()
                    .zip((0..).map(Process))
                    .collect(),
            }),
            Err(error) if error.kind == ErrorKind::Usage => Ok(Self {
                irregular: Some(error.message),
                ..Self::default()
            }),
            Err(error) => Err(error),
        }
    }

    /// Returns a cursor at the first position of a location; there are no phases in one without a model.
    #[must_use]
    pub fn cursor(&self, location: LocationId) -> PhaseCursor<'_> {
        let process = self.processes.get(&location);
        process.map_or_else(PhaseCursor::default, |&process| self.phases.cursor(process))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use foldtrace_fold::merge::{Channel, End, Global, Role, Wiring};
    use foldtrace_fold::{Folder, Model, Shapes};
    use foldtrace_trace::{EventKind, Symbol, SymbolId, SymbolTable};
    use proptest::prelude::*;

    use super::*;

    fn fold(events: &[SymbolId], symbols: &SymbolTable) -> Model {
        let mut shapes = Shapes::default();
        shapes.update(symbols);
        let mut folder = Folder::new(16);
        folder.push(events, symbols, &shapes);
        folder.finish(symbols, &shapes)
    }

    proptest! {
        /// Two processes do different work around the messages of the same loops.
        #[test]
        fn positions_belong_to_iterations_of_outermost_loops(
            loops in prop::collection::vec((3_u64..9, 0_usize..3, 0_usize..3), 1..5),
        ) {
            let mut symbols = SymbolTable::default();
            let mut enter = |region| symbols.intern(Symbol::new(EventKind::Enter, &[region]));
            let between = enter(0);
            let work = [enter(1), enter(2), enter(3)];
            let mut events = [Vec::new(), Vec::new()];
            let mut expected = [Vec::new(), Vec::new()];
            for (number, &(iterations, first, second)) in (0..).zip(&loops) {
                let separator = symbols.intern(Symbol::new(EventKind::Enter, &[100 + number]));
                for (process, amount) in [first, second].into_iter().enumerate() {
                    let kind = [EventKind::MpiSend, EventKind::MpiRecv][process];
                    let peer = 1 - process as u64;
                    let message = symbols.intern(Symbol::new(kind, &[peer, 0, number]));
                    events[process].extend([between, separator]);
                    expected[process].extend([None, None]);
                    for index in 0..iterations {
                        events[process].push(message);
                        events[process].extend(&work[..amount]);
                        let iteration = Iteration { phase: PhaseIndex(number as u32), index };
                        expected[process].extend(vec![Some(iteration); 1 + amount]);
                    }
                }
            }
            let models = events.each_ref().map(|events| fold(events, &symbols));
            let mut wiring = Wiring::new(loops.len() as u32);
            for (id, symbol) in symbols.iter() {
                let (process, end): (u32, fn(Channel) -> End) = match symbol.kind {
                    EventKind::MpiSend => (0, Channel::source),
                    EventKind::MpiRecv => (1, Channel::sink),
                    _ => continue,
                };
                let ends = vec![end(Channel(symbol.operands[2] as u32))];
                wiring.set(Process(process), id, Role { ends, ..Role::default() });
            }
            let global = Global::merge(&models, &wiring, &symbols, 1_000).unwrap();
            let phases = Phases::new(&global.system);
            prop_assert_eq!(phases.phases().len(), loops.len());
            for (process, expected) in (0..).map(Process).zip(&expected) {
                let mut cursor = phases.cursor(process);
                let found = (0..).zip(expected).map(|(position, _)| cursor.at(position));
                let found: Vec<_> = found.collect();
                prop_assert_eq!(&found, expected);
            }
        }
    }
}

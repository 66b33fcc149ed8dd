//! The times of the iterations of the outermost loops of a program.

use std::collections::HashMap;
use std::ops::Range;

use foldtrace_fold::merge::Process;
use foldtrace_program::{Iteration, PhaseCursor, Phases, Program};
use foldtrace_store::{LocationStream, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{LocationId, Position, TraceError};
use rayon::prelude::*;

/// The greatest number of entries for a loop. If it has more iterations, an entry is for several of them.
const MOST_ENTRIES: u64 = 1 << 14;

/// The time of an iteration, or of some consecutive ones, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IterationTime {
    /// The time of its first event in any process.
    pub first: u64,
    /// The time of its last event in any process.
    pub last: u64,
    /// The ticks of the iteration and process that take longest.
    pub longest: u64,
}

impl IterationTime {
    /// The time of no iteration.
    const NONE: Self = Self {
        first: u64::MAX,
        last: 0,
        longest: 0,
    };

    /// Returns the time of the iterations of both.
    fn with(self, other: Self) -> Self {
        Self {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
            longest: self.longest.max(other.longest),
        }
    }
}

/// The times of the iterations of a phase, and its positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PhaseTimes {
    /// The number of iterations of an entry.
    pub each: u64,
    pub entries: Vec<IterationTime>,
    /// The positions in each location, from the one after the last event of the model before the phase.
    positions: HashMap<LocationId, Range<u64>>,
}

/// A part of the events of a location that is in one iteration.
#[derive(Clone, Debug)]
struct Stretch {
    of: Iteration,
    /// The times of its first and its last event.
    first: u64,
    last: u64,
    positions: Range<u64>,
}

impl PhaseTimes {
    fn new(iterations: u64) -> Self {
        let each = iterations.div_ceil(MOST_ENTRIES).max(1);
        let entries = iterations.div_ceil(each) as usize;
        Self {
            each,
            entries: vec![IterationTime::NONE; entries],
            positions: HashMap::new(),
        }
    }

    fn add(&mut self, location: LocationId, stretch: &Stretch) {
        let (first, last) = (stretch.first, stretch.last);
        if let Some(entry) = self
            .entries
            .get_mut((stretch.of.index / self.each) as usize)
        {
            *entry = entry.with(IterationTime {
                first,
                last,
                longest: last.saturating_sub(first),
            });
        }
        let positions = self.positions.entry(location);
        let positions = positions.or_insert_with(|| stretch.positions.clone());
        positions.end = stretch.positions.end;
    }

    /// Adds the times and positions of other locations.
    fn merge(&mut self, other: Self) {
        for (entry, other) in self.entries.iter_mut().zip(other.entries) {
            *entry = entry.with(other);
        }
        self.positions.extend(other.positions);
    }

    /// Returns whether the phase contains an event.
    pub fn contains(&self, location: LocationId, position: Position) -> bool {
        let positions = self.positions.get(&location);
        positions.is_some_and(|positions| positions.contains(&position.0))
    }

    /// Returns the entry with the iteration that takes longest in a process.
    pub fn longest(&self) -> Option<&IterationTime> {
        // Of equally long ones, the page shows the first.
        self.entries.iter().rev().max_by_key(|entry| entry.longest)
    }

    /// Returns the times of the first and the last event; `None` if there are none.
    pub fn span(&self) -> Option<(u64, u64)> {
        let all = self.entries.iter().copied();
        let all = all.fold(IterationTime::NONE, IterationTime::with);
        (all.first <= all.last).then_some((all.first, all.last))
    }
}

/// Measures the iterations of all phases of a program, by phase.
///
/// # Errors
/// Returns an error if a table of the store is missing or damaged, or the work was stopped.
pub(super) fn measure(
    store: &StoreReader,
    program: &Program,
    phases: &Phases,
    progress: &Progress,
) -> Result<Vec<PhaseTimes>, TraceError> {
    let symbols = store.symbols().iter();
    let selected = symbols.map(|(_, symbol)| program.selection.contains(symbol.kind));
    let selected: Vec<bool> = selected.collect();
    let nothing = || {
        let phases = phases.phases().iter();
        let times = phases.map(|phase| PhaseTimes::new(phase.iterations));
        times.collect::<Vec<_>>()
    };
    let processes: Vec<Process> = (0..).map(Process).take(program.locations.len()).collect();
    let own = processes.into_par_iter().map(|process| {
        let mut times = nothing();
        let location = program.location(process);
        let add = |stretch: Stretch| {
            if let Some(times) = times.get_mut(stretch.of.phase.0 as usize) {
                times.add(location, &stretch);
            }
        };
        let stream = store.events(location, Position(0));
        walk(stream, phases.cursor(process), &selected, progress, add)?;
        Ok(times)
    });
    own.try_reduce(nothing, |mut all, one| {
        for (all, one) in all.iter_mut().zip(one) {
            all.merge(one);
        }
        Ok(all)
    })
}

/// Passes each stretch of a location to `add`. `selected` are the symbols of events that the model has.
fn walk(
    mut stream: LocationStream,
    mut cursor: PhaseCursor<'_>,
    selected: &[bool],
    progress: &Progress,
    mut add: impl FnMut(Stretch),
) -> Result<(), TraceError> {
    let (mut symbols, mut times) = (Vec::new(), Vec::new());
    let mut positions = 0..;
    let mut ordinals = 0..;
    // The position after the last event of the model.
    let mut next = 0;
    let mut current: Option<Stretch> = None;
    loop {
        progress.check()?;
        stream.next_times(&mut symbols, &mut times)?;
        if symbols.is_empty() {
            break;
        }
        progress.count(symbols.len());
        let events = symbols.iter().zip(&times).zip(&mut positions);
        for ((_, time), position) in events.filter(|((symbol, _), _)| selected[symbol.row()]) {
            let iteration = ordinals.next().and_then(|ordinal| cursor.at(ordinal));
            let begin = std::mem::replace(&mut next, position + 1);
            match &mut current {
                Some(stretch) if Some(stretch.of) == iteration => {
                    stretch.last = time.0;
                    stretch.positions.end = next;
                }
                _ => {
                    current.take().into_iter().for_each(&mut add);
                    current = iteration.map(|of| Stretch {
                        of,
                        first: time.0,
                        last: time.0,
                        positions: begin..next,
                    });
                }
            }
        }
    }
    current.into_iter().for_each(add);
    Ok(())
}

//! The times of the iterations of the outermost loops of a program.

use foldtrace_fold::merge::Process;
use foldtrace_program::{Iteration, PhaseIndex, Phases, Program};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{Position, TraceError};
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

/// The times of the iterations of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PhaseTimes {
    /// The number of iterations of an entry.
    pub each: u64,
    pub entries: Vec<IterationTime>,
}

impl PhaseTimes {
    fn new(iterations: u64) -> Self {
        let each = iterations.div_ceil(MOST_ENTRIES).max(1);
        let entries = iterations.div_ceil(each) as usize;
        Self {
            each,
            entries: vec![IterationTime::NONE; entries],
        }
    }

    fn add(&mut self, iteration: u64, first: u64, last: u64) {
        if let Some(entry) = self.entries.get_mut((iteration / self.each) as usize) {
            *entry = entry.with(IterationTime {
                first,
                last,
                longest: last.saturating_sub(first),
            });
        }
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
        let add = |phase: PhaseIndex, iteration, first, last| {
            if let Some(times) = times.get_mut(phase.0 as usize) {
                times.add(iteration, first, last);
            }
        };
        walk(store, program, phases, process, &selected, progress, add)?;
        Ok(times)
    });
    own.try_reduce(nothing, |mut all, one| {
        for (all, one) in all.iter_mut().zip(&one) {
            for (entry, other) in all.entries.iter_mut().zip(&one.entries) {
                *entry = entry.with(*other);
            }
        }
        Ok(all)
    })
}

/// Passes the phase, the iteration, and the times of its first and last event to `add`, for each iteration of a process.
/// `selected` are the symbols of events that the model has.
fn walk(
    store: &StoreReader,
    program: &Program,
    phases: &Phases,
    process: Process,
    selected: &[bool],
    progress: &Progress,
    mut add: impl FnMut(PhaseIndex, u64, u64, u64),
) -> Result<(), TraceError> {
    let mut stream = store.events(program.location(process), Position(0));
    let (mut symbols, mut times) = (Vec::new(), Vec::new());
    let mut cursor = phases.cursor(process);
    let mut ordinals = 0..;
    let mut current: Option<(Iteration, u64, u64)> = None;
    loop {
        progress.check()?;
        stream.next_times(&mut symbols, &mut times)?;
        if symbols.is_empty() {
            break;
        }
        progress.count(symbols.len());
        let events = symbols.iter().zip(&times);
        for (_, time) in events.filter(|(symbol, _)| selected[symbol.row()]) {
            let iteration = ordinals.next().and_then(|ordinal| cursor.at(ordinal));
            match &mut current {
                Some((of, _, last)) if Some(*of) == iteration => *last = time.0,
                _ => {
                    if let Some((of, first, last)) = current.take() {
                        add(of.phase, of.index, first, last);
                    }
                    current = iteration.map(|of| (of, time.0, time.0));
                }
            }
        }
    }
    if let Some((of, first, last)) = current {
        add(of.phase, of.index, first, last);
    }
    Ok(())
}

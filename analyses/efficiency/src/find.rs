//! Finds the efficiencies of a store: replays its communication with corrected times.

use std::collections::HashSet;

use foldtrace_clock::{ClockReport, Corrected, Correction, Lanes, Replay, Replayed};
use foldtrace_matching::{Census, Communicators, Regions};
use foldtrace_program::{Phase, ProgramPhases};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::{Late, Progress, Reading};
use foldtrace_trace::{ErrorKind, EventBatch, LocationId, Step, TraceError, TraceReader};

use crate::clocks::Clocks;
use crate::counters::Counters;
use crate::factors::Factors;
use crate::ideal::Ideal;
use crate::iterations::{Iterations, Sink, TimedIteration};
use crate::lane::{Effect, Lane};
use crate::spread::Spread;

/// The times of a process, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessTime {
    /// The location.
    pub location: LocationId,
    /// The time outside of MPI.
    pub useful: u64,
    /// The time from the first event of the program to the last one of the process.
    pub runtime: u64,
    /// The same on an ideal network.
    pub ideal_runtime: u64,
}

/// The efficiencies of a phase.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseEfficiency {
    /// The phase.
    pub phase: Phase,
    /// The times of the whole phase.
    pub factors: Factors,
    /// The spread of the parallel efficiency over its iterations.
    pub spread: Option<Spread>,
    /// Its slowest iterations, the slowest first.
    pub slowest: Vec<TimedIteration>,
}

/// The efficiencies of a store.
#[derive(Clone, Debug)]
pub struct Efficiency {
    /// The clocks by which times were compared.
    pub clock: ClockReport,
    /// The times of the whole program.
    pub program: Factors,
    /// The times of each process.
    pub processes: Vec<ProcessTime>,
    /// The phases of the program, in order.
    pub phases: Vec<PhaseEfficiency>,
    /// Why there are no phases, if the program is too irregular for a model.
    pub irregular: Option<String>,
    /// Hardware counters.
    pub counters: Counters,
    /// The number of dependences between processes that contradict others, and were ignored.
    pub contradictions: u64,
}

/// Finds the efficiencies of a store, with times as `correction` corrects them, and reports each iteration to `sink`.
///
/// # Errors
/// Returns an error if no location calls MPI, a table is missing or damaged, the sink fails, or the work was stopped.
pub fn find(
    store: &StoreReader,
    correction: &Correction,
    progress: &Progress,
    sink: &mut dyn Sink,
) -> Result<Efficiency, TraceError> {
    let (definitions, names, symbols) = (store.definitions(), store.names(), store.symbols());
    let census = Census::from_store(store, progress)?;
    let communicators = Communicators::new(definitions, names, &census, symbols);
    let regions = Regions::new(definitions, names, symbols);
    let effects = Effect::of_symbols(&regions, symbols, |kind| {
        ProgramPhases::SELECTION.contains(kind)
    });
    let communicating = Lanes::new(store.locations(), names, &census, symbols);
    let silent = silent_callers(store, &census, &effects, &communicating);
    let program = ProgramPhases::of_store(store, progress)?;
    let phases = &program.phases;
    let locations = communicating.locations().iter().map(|it| it.id);
    let locations = locations.chain(silent.iter().map(|&(_, location)| location));
    let lanes = locations.map(|location| {
        let cursor = program.cursor(location);
        Lane::new(location, cursor, phases.phases().len())
    });
    let lanes: Vec<Lane<'_>> = lanes.collect();
    if lanes.is_empty() {
        let message = "no process of the trace calls MPI, so it has no efficiencies";
        return Err(TraceError::new(ErrorKind::Usage, message));
    }
    let mut ideal = Ideal::new(effects, lanes, Iterations::new(phases, sink));
    let corrected = Corrected::new(store, correction);
    let replayed = Replayed {
        reader: &corrected,
        names,
        symbols,
        lanes: &communicating,
        census: &census,
        communicators: &communicators,
    };
    Replay::new(replayed, progress)?.run(&mut ideal)?;
    for (number, &(stream, _)) in (communicating.locations().len()..).zip(&silent) {
        execute_alone(&mut ideal, number, &corrected, stream, progress)?;
    }
    let Ideal {
        lanes,
        mut iterations,
        contradictions,
        ..
    } = ideal;
    let (times, totals) = conclude(lanes, &mut iterations, phases.phases().len());
    let mut program_factors = Factors::default();
    for process in &times {
        program_factors.add(Clocks {
            recorded: process.runtime,
            ideal: process.ideal_runtime,
            useful: process.useful,
        });
    }
    let completed = iterations.finish()?;
    let all = phases.phases().iter().zip(totals).zip(completed);
    let all = all.map(|((phase, factors), completed)| {
        let (spread, slowest) = completed.finish();
        PhaseEfficiency {
            phase: phase.clone(),
            factors,
            spread,
            slowest,
        }
    });
    let examined: Vec<LocationId> = times.iter().map(|process| process.location).collect();
    Ok(Efficiency {
        clock: correction.report(),
        program: program_factors,
        phases: all.collect(),
        irregular: program.irregular,
        counters: Counters::from_store(store, &examined, progress)?,
        processes: times,
        contradictions,
    })
}

/// Returns the locations that call MPI but do not communicate, each with the number of its stream.
fn silent_callers(
    store: &StoreReader,
    census: &Census,
    effects: &[Effect],
    replayed: &Lanes,
) -> Vec<(usize, LocationId)> {
    let calling = census.locations().filter(|(_, counts)| {
        let mut effects = counts.iter().filter_map(|(id, _)| effects.get(id.row()));
        effects.any(Effect::enters_mpi)
    });
    let mut silent: HashSet<LocationId> = calling.map(|(location, _)| location).collect();
    for communicating in replayed.locations() {
        silent.remove(&communicating.id);
    }
    let streams = store.locations().enumerate();
    let silent = streams.filter(|(_, location)| silent.contains(location));
    silent.collect()
}

/// Executes a location that does not communicate.
fn execute_alone(
    ideal: &mut Ideal<'_>,
    number: usize,
    reader: &dyn TraceReader,
    stream: usize,
    progress: &Progress,
) -> Result<(), TraceError> {
    let mut late = Late::default();
    let mut reading = Reading::open(reader, stream, false, progress, &mut late)?;
    let mut batch = EventBatch::default();
    loop {
        let step = reading.next_batch(&mut batch, &mut late)?;
        for (&time, &symbol) in batch.times.iter().zip(&batch.symbols) {
            ideal.take(number, time, symbol);
        }
        if step == Step::End {
            return Ok(());
        }
    }
}

/// Ends all processes. Returns their times, and those of each phase.
fn conclude(
    lanes: Vec<Lane<'_>>,
    iterations: &mut Iterations<'_>,
    phases: usize,
) -> (Vec<ProcessTime>, Vec<Factors>) {
    let starts = lanes.iter().filter_map(|lane| lane.start);
    let start = starts.map(|start| start.recorded).min().unwrap_or(0);
    let start = Clocks {
        recorded: start,
        ideal: start,
        useful: 0,
    };
    let mut factors = vec![Factors::default(); phases];
    let times = lanes.into_iter().map(|mut lane| {
        for (factors, ticks) in factors.iter_mut().zip(lane.finish(iterations)) {
            if ticks != Clocks::default() {
                factors.add(ticks);
            }
        }
        let end = lane.now.since(start);
        ProcessTime {
            location: lane.location,
            useful: end.useful,
            runtime: end.recorded,
            ideal_runtime: end.ideal,
        }
    });
    let times = times.collect();
    (times, factors)
}

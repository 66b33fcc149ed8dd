//! Collects the times of iterations until all processes have executed them.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_program::{Iteration, Phase, Phases};
use foldtrace_trace::TraceError;

use crate::clocks::Clocks;
use crate::factors::Factors;
use crate::spread::{Shares, Spread};

/// The number of slowest iterations of a phase that are kept.
const SLOWEST: usize = 10;

/// An iteration of a phase, with the times of all processes that execute it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedIteration {
    /// The number of the phase among the outermost constructs of the global model, from 1.
    pub r#loop: u64,
    /// The number of the iteration, from 0.
    pub index: u64,
    /// Its times.
    pub factors: Factors,
}

/// A receiver of the iterations of all phases.
pub trait Sink {
    /// Takes the next iteration. Those of a phase come nearly in their order.
    ///
    /// # Errors
    /// Returns an error if the sink cannot keep it; this ends the work.
    fn iteration(&mut self, iteration: &TimedIteration) -> Result<(), TraceError>;
}

/// A sink that discards everything, for callers that only need the sums.
impl Sink for () {
    fn iteration(&mut self, _: &TimedIteration) -> Result<(), TraceError> {
        Ok(())
    }
}

impl Sink for Vec<TimedIteration> {
    fn iteration(&mut self, iteration: &TimedIteration) -> Result<(), TraceError> {
        self.push(*iteration);
        Ok(())
    }
}

/// The completed iterations of a phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompletedIterations {
    parallel: Shares,
    /// The slowest ones, the slowest first.
    slowest: Vec<TimedIteration>,
}

impl CompletedIterations {
    fn add(&mut self, timed: TimedIteration) {
        self.parallel.add(timed.factors.parallel());
        let runtime = timed.factors.runtime;
        let place = self
            .slowest
            .partition_point(|it| it.factors.runtime >= runtime);
        if place < SLOWEST {
            self.slowest.truncate(SLOWEST - 1);
            self.slowest.insert(place, timed);
        }
    }

    /// Returns the spread of the parallel efficiency, and the slowest iterations.
    pub fn finish(self) -> (Option<Spread>, Vec<TimedIteration>) {
        (self.parallel.spread(), self.slowest)
    }
}

/// The iterations of all phases.
pub(crate) struct Iterations<'a> {
    phases: &'a [Phase],
    /// The iterations that some processes have still to execute.
    under_way: HashMap<Iteration, Factors, FixedState>,
    completed: Vec<CompletedIterations>,
    sink: &'a mut dyn Sink,
    /// The first error of the sink.
    failed: Option<TraceError>,
}

impl<'a> Iterations<'a> {
    pub fn new(phases: &'a Phases, sink: &'a mut dyn Sink) -> Self {
        let phases = phases.phases();
        Self {
            phases,
            under_way: HashMap::default(),
            completed: vec![CompletedIterations::default(); phases.len()],
            sink,
            failed: None,
        }
    }

    /// Adds the times of a process in an iteration.
    pub fn add(&mut self, iteration: Iteration, ticks: Clocks) {
        let index = iteration.phase.0 as usize;
        let Some(phase) = self.phases.get(index) else {
            return;
        };
        let factors = self.under_way.entry(iteration).or_default();
        factors.add(ticks);
        if factors.processes < phase.processes {
            return;
        }
        let timed = TimedIteration {
            r#loop: phase.number,
            index: iteration.index,
            factors: *factors,
        };
        self.under_way.remove(&iteration);
        if let Some(completed) = self.completed.get_mut(index) {
            completed.add(timed);
        }
        if self.failed.is_none() {
            self.failed = self.sink.iteration(&timed).err();
        }
    }

    /// Returns the completed iterations of each phase.
    ///
    /// # Errors
    /// Returns an error if the sink has failed.
    pub fn finish(self) -> Result<Vec<CompletedIterations>, TraceError> {
        self.failed.map_or(Ok(self.completed), Err)
    }
}

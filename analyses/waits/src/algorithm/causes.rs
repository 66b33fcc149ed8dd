//! Sums wait states, and the work that causes them.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_trace::LocationId;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::blame::{Blame, Work};
use super::class::Class;
use super::iterations::Iteration;
use super::paths::PathIndex;
use super::{Cause, Options, TimedIteration};

/// The number of iterations of a cause that are kept when there are twice as many.
const ITERATIONS: usize = 256;

/// Wait states: their time and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitTotal {
    /// The ticks.
    pub ticks: u64,
    /// The number of wait states.
    pub occurrences: u64,
}

impl WaitTotal {
    /// Adds other wait states.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self {
            ticks: self.ticks + other.ticks,
            occurrences: self.occurrences + other.occurrences,
        }
    }

    pub(super) const fn add(&mut self, ticks: u64) {
        self.ticks += ticks;
        self.occurrences += 1;
    }
}

/// The key of a total: a location by its number, a call path, and a class.
pub(super) type Waiter = (u32, PathIndex, Class);

/// The work of a location on a call path.
type Worker = (u32, PathIndex);

/// The waiting that a location causes by its work on a call path.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Caused {
    pub ticks: f64,
    /// The waiting caused by iterations; the smallest are left out if there are many.
    pub iterations: HashMap<Iteration, f64, FixedState>,
}

/// The sums of a trace.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Sums {
    pub waiting: IndexMap<Waiter, WaitTotal, FixedState>,
    pub caused: IndexMap<Worker, Caused, FixedState>,
}

impl Sums {
    /// Adds a wait state with its causes.
    pub fn add(&mut self, waiter: Waiter, ticks: u64, blame: &Blame) {
        self.waiting.entry(waiter).or_default().add(ticks);
        for (work, share) in blame.causes() {
            let Work {
                lane,
                path,
                iteration,
            } = work;
            let caused = self.caused.entry((lane, path)).or_default();
            let ticks = f64::from(share) * ticks as f64;
            caused.ticks += ticks;
            if let Some(iteration) = iteration {
                *caused.iterations.entry(iteration).or_default() += ticks;
                caused.forget_least();
            }
        }
    }
}

impl Sums {
    /// Adds the sums of a later stage, whose call paths have these indices here.
    pub fn merge(&mut self, stage: &Self, paths: &[PathIndex]) {
        let path = |index: PathIndex| paths[index.0 as usize];
        for (&(lane, at, class), &total) in &stage.waiting {
            let own = self.waiting.entry((lane, path(at), class)).or_default();
            *own = own.with(total);
        }
        for (&(lane, at), caused) in &stage.caused {
            let own = self.caused.entry((lane, path(at))).or_default();
            own.ticks += caused.ticks;
            for (&iteration, &ticks) in &caused.iterations {
                *own.iterations.entry(iteration).or_default() += ticks;
            }
            own.forget_least();
        }
    }

    /// Returns the greatest causes, with the iterations that contribute most.
    pub fn causes(&self, options: Options, location: impl Fn(u32) -> LocationId) -> Vec<Cause> {
        let mut all: Vec<(&Worker, &Caused)> = self.caused.iter().collect();
        all.sort_by(|a, b| b.1.ticks.total_cmp(&a.1.ticks).then(a.0.cmp(b.0)));
        let greatest = all.into_iter().take(options.causes);
        let causes = greatest.map(|(&(lane, path), caused)| Cause {
            location: location(lane),
            path,
            ticks: caused.ticks,
            iterations: caused.greatest_iterations(options.iterations),
        });
        causes.collect()
    }
}

impl Caused {
    fn greatest_iterations(&self, most: usize) -> Vec<TimedIteration> {
        let iterations = self.iterations.iter().map(|(it, &ticks)| TimedIteration {
            construct: it.construct,
            iteration: it.index,
            ticks,
        });
        let mut iterations: Vec<TimedIteration> = iterations.collect();
        let number = |it: &TimedIteration| (it.construct, it.iteration);
        iterations.sort_by(|a, b| b.ticks.total_cmp(&a.ticks).then(number(a).cmp(&number(b))));
        iterations.truncate(most);
        iterations
    }

    /// Leaves out the iterations that cause least, if there are too many.
    fn forget_least(&mut self) {
        if self.iterations.len() < 2 * ITERATIONS {
            return;
        }
        let mut all: Vec<(Iteration, f64)> = self.iterations.drain().collect();
        let by_ticks =
            |a: &(Iteration, f64), b: &(Iteration, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        all.select_nth_unstable_by(ITERATIONS, by_ticks);
        self.iterations.extend(all.into_iter().take(ITERATIONS));
    }
}

//! Finds the causes of a wait state, after Böhme et al., Identifying the Root Causes of Wait States in Large-Scale Parallel
//! Applications (2010).
//!
//! A process waits for another one because that one needed more time since the two were last in step. What it needed more
//! time for is the cause: its work on call paths where it spent more time than the waiting process, and its own waiting,
//! whose causes are known already. So causes are followed along chains of processes without going back.

use foldtrace_trace::Timestamp;

use super::blame::{Blame, Work};
use super::iterations::Iteration;
use super::log::{Activity, Log, Mark};
use super::paths::{PathIndex, Paths};

/// A process that comes to a call: its log until it enters the call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coming<'a> {
    pub lane: u32,
    pub log: &'a Log,
    pub enter: Mark,
}

/// The time that a late process spent more on a call path than the process that waits.
#[derive(Clone, Copy, Debug, Default)]
struct Excess {
    ticks: i64,
    /// The longest segment of the late process, and its iteration.
    longest: u64,
    iteration: Option<Iteration>,
}

/// Computes causes; keeps its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Blaming {
    by_path: Vec<Excess>,
    touched: Vec<PathIndex>,
    parts: Vec<(Work, f64)>,
}

impl Blaming {
    /// Returns the causes for which `late` comes later than `waiting`, of what both did since a time.
    pub fn blame(
        &mut self,
        late: Coming<'_>,
        waiting: Coming<'_>,
        since: Timestamp,
        paths: &Paths,
    ) -> Blame {
        self.by_path.resize(paths.len(), Excess::default());
        // Only what both logs still have can be compared.
        let start = since.max(late.log.begin()).max(waiting.log.begin());
        let mut waited = self.add_late(late, start);
        waited -= self.subtract_waiting(waiting, start);
        self.collect(late.lane);
        if waited > 0.0 {
            self.add_causes_of_waiting(late, start, waited);
        }
        self.conclude(late, paths)
    }

    /// Adds the time of the late process on each call path. Returns the time that it waited.
    fn add_late(&mut self, late: Coming<'_>, start: Timestamp) -> f64 {
        let mut waited = 0;
        for (_, ticks, activity) in late.log.since(start, late.enter) {
            match *activity {
                Activity::Wait => waited += ticks,
                Activity::Path(path, iteration) => {
                    let excess = &mut self.by_path[path.0 as usize];
                    if excess.ticks == 0 {
                        self.touched.push(path);
                    }
                    excess.ticks += ticks as i64;
                    if ticks > excess.longest {
                        excess.longest = ticks;
                        excess.iteration = iteration;
                    }
                }
            }
        }
        waited as f64
    }

    /// Subtracts the time of the waiting process on each call path. Returns the time that it waited.
    fn subtract_waiting(&mut self, waiting: Coming<'_>, start: Timestamp) -> f64 {
        let mut waited = 0;
        for (_, ticks, activity) in waiting.log.since(start, waiting.enter) {
            match *activity {
                Activity::Wait => waited += ticks,
                Activity::Path(path, _) => {
                    let excess = &mut self.by_path[path.0 as usize];
                    if excess.longest > 0 {
                        excess.ticks -= ticks as i64;
                    }
                }
            }
        }
        waited as f64
    }

    /// Turns the excess on call paths into parts of the cause, and clears the buffers.
    fn collect(&mut self, lane: u32) {
        for path in self.touched.drain(..) {
            let excess = std::mem::take(&mut self.by_path[path.0 as usize]);
            if excess.ticks > 0 {
                let work = Work {
                    lane,
                    path,
                    iteration: excess.iteration,
                };
                self.parts.push((work, excess.ticks as f64));
            }
        }
    }

    /// Adds the causes for which the late process itself waited `waited` ticks longer than the other one.
    fn add_causes_of_waiting(&mut self, late: Coming<'_>, start: Timestamp, waited: f64) {
        let first = self.parts.len();
        let mut all = 0.0;
        for (mark, ticks, activity) in late.log.since(start, late.enter) {
            if *activity == Activity::Wait
                && let Some(blame) = late.log.blame(mark)
            {
                let ticks = ticks as f64;
                all += ticks;
                let causes = blame.causes();
                let causes = causes.map(|(work, share)| (work, f64::from(share) * ticks));
                self.parts.extend(causes);
            }
        }
        for (_, ticks) in &mut self.parts[first..] {
            *ticks *= waited / all;
        }
    }

    /// Returns the greatest parts. Without any part, the last activity of the late process is the cause.
    fn conclude(&mut self, late: Coming<'_>, paths: &Paths) -> Blame {
        // Equal works stay in their order, so that the sum of their ticks depends on nothing else.
        self.parts.sort_by_key(|part| part.0);
        self.parts.dedup_by(|part, before| {
            let is_same = part.0 == before.0;
            if is_same {
                before.1 += part.1;
            }
            is_same
        });
        let order = |a: &Work, b: &Work| {
            let by_path = a
                .lane
                .cmp(&b.lane)
                .then_with(|| paths.compare(a.path, b.path));
            by_path.then(a.iteration.cmp(&b.iteration))
        };
        self.parts
            .sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| order(&a.0, &b.0)));
        if self.parts.is_empty() {
            let (path, iteration) = late.log.last_work(late.enter).unwrap_or_default();
            return Blame::only(Work {
                lane: late.lane,
                path,
                iteration,
            });
        }
        let blame = Blame::greatest(self.parts.iter().copied());
        self.parts.clear();
        blame
    }
}

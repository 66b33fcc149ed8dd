//! The critical path by region, process and iteration.

use std::cmp::Reverse;
use std::collections::HashMap;

use foldtrace_clock::ClockReport;
use foldtrace_matching::{RegionIndex, Regions};
use foldtrace_program::{Iteration, Phase};
use foldtrace_trace::{Diagnostics, LocationId};

/// The number of longest iterations of a loop that are kept.
const LONGEST: usize = 10;

/// The critical path of a store. Times are in ticks.
#[derive(Clone, Debug)]
pub struct Critical {
    /// The clocks by which times were compared.
    pub clock: ClockReport,
    /// The length: the time from the first event of all locations to the last.
    pub length: u64,
    /// The part of it in which its location has not begun, or has ended. It is outside of calls, too.
    pub absent: u64,
    /// The number of segments.
    pub segments: u64,
    /// The regions on the path, the one with the longest time first.
    pub regions: Vec<RegionTime>,
    /// The processes, in the order of the store.
    pub processes: Vec<ProcessTime>,
    /// The outermost loops of the merged model, in its order.
    pub loops: Vec<LoopTime>,
    /// Why there are no loops, if the program is too irregular for a model.
    pub irregular: Option<String>,
    /// The names of the regions.
    pub names: Regions,
    /// Problems with messages and collective operations.
    pub diagnostics: Diagnostics,
}

impl Critical {
    /// Returns the share of a time in the length of the path, from 0 to 1.
    #[must_use]
    pub fn share(&self, ticks: u64) -> f64 {
        ticks as f64 / self.length.max(1) as f64
    }
}

/// The time of a region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionTime {
    /// The region; `None` outside of calls.
    pub region: Option<RegionIndex>,
    /// The time on the path.
    pub ticks: u64,
    /// The mean time of a process in the region, without waiting.
    pub mean: f64,
}

impl RegionTime {
    /// Returns how much longer the region is on the path than in the mean of all processes: what perfect balance could save.
    #[must_use]
    pub fn imbalance(&self) -> f64 {
        (self.ticks as f64 - self.mean).max(0.0)
    }
}

/// The time of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessTime {
    /// The location.
    pub location: LocationId,
    /// The time on the path.
    pub ticks: u64,
}

/// The time of an outermost loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopTime {
    /// The loop.
    pub phase: Phase,
    /// The time on the path.
    pub ticks: u64,
    /// The iterations with the longest time on the path, the longest first.
    pub longest: Vec<TimedIteration>,
}

/// The time of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedIteration {
    /// The number of the iteration, from 0.
    pub index: u64,
    /// The time on the path.
    pub ticks: u64,
}

/// The times of all regions.
#[derive(Clone, Debug)]
pub(crate) struct RegionTicks {
    /// The time outside of calls, then by region: all of it, and the part on the path.
    ticks: Vec<[u64; 2]>,
    /// The time on the path outside of all events of its location.
    pub absent: u64,
}

impl RegionTicks {
    pub fn new(regions: usize) -> Self {
        Self {
            ticks: vec![[0; 2]; regions + 1],
            absent: 0,
        }
    }

    /// Adds time on the path before the first event of its location, or after the last.
    pub const fn add_absent(&mut self, on_path: u64) {
        self.absent = self.absent.saturating_add(on_path);
    }

    /// Adds time in a region.
    #[inline]
    pub fn add(&mut self, region: Option<RegionIndex>, ticks: u64, on_path: u64) {
        let of_region = &mut self.ticks[region.map_or(0, |region| region.0 as usize + 1)];
        of_region[0] = of_region[0].saturating_add(ticks);
        of_region[1] = of_region[1].saturating_add(on_path);
    }

    fn merge(&mut self, other: &Self) {
        for (own, other) in self.ticks.iter_mut().zip(&other.ticks) {
            own[0] = own[0].saturating_add(other[0]);
            own[1] = own[1].saturating_add(other[1]);
        }
        self.absent = self.absent.saturating_add(other.absent);
    }

    /// Returns the regions on the path, the longest time first. Of the time of all processes, `waiting` was spent waiting.
    pub fn regions(
        &self,
        waiting: &HashMap<Option<RegionIndex>, u64>,
        processes: usize,
    ) -> Vec<RegionTime> {
        let regions = std::iter::once(None).chain((0..).map(|index| Some(RegionIndex(index))));
        let regions = regions.zip(self.ticks.iter().copied());
        let regions = regions.map(|(region, [all, on_path])| match region {
            None => (region, [all, on_path + self.absent]),
            Some(_) => (region, [all, on_path]),
        });
        let regions = regions.filter(|(_, [_, on_path])| *on_path > 0);
        let regions = regions.map(|(region, [all, on_path])| {
            let waiting = waiting.get(&region).copied().unwrap_or(0);
            RegionTime {
                region,
                ticks: on_path,
                mean: all.saturating_sub(waiting) as f64 / processes.max(1) as f64,
            }
        });
        let mut regions: Vec<RegionTime> = regions.collect();
        regions.sort_by_key(|it| (Reverse(it.ticks), it.region));
        regions
    }
}

/// The sums over some locations.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    pub regions: RegionTicks,
    /// The processes, each with the number of its location.
    pub processes: Vec<(usize, u64)>,
    pub iterations: HashMap<Iteration, u64>,
}

impl Sums {
    pub fn new(regions: usize) -> Self {
        Self {
            regions: RegionTicks::new(regions),
            processes: Vec::new(),
            iterations: HashMap::new(),
        }
    }

    /// Adds the sums over other locations.
    pub fn with(mut self, other: Self) -> Self {
        self.regions.merge(&other.regions);
        self.processes.extend(other.processes);
        self.add_iterations(other.iterations);
        self
    }

    /// Adds the iterations of a location.
    pub fn add_iterations(&mut self, iterations: HashMap<Iteration, u64>) {
        for (iteration, ticks) in iterations {
            *self.iterations.entry(iteration).or_default() += ticks;
        }
    }

    /// Returns the time of all loops.
    pub fn loops(&self, phases: &[Phase]) -> Vec<LoopTime> {
        let loops = phases.iter().map(|phase| LoopTime {
            phase: phase.clone(),
            ticks: 0,
            longest: Vec::new(),
        });
        let mut loops: Vec<LoopTime> = loops.collect();
        for (iteration, &ticks) in &self.iterations {
            if let Some(of_phase) = loops.get_mut(iteration.phase.0 as usize) {
                of_phase.ticks += ticks;
                let index = iteration.index;
                of_phase.longest.push(TimedIteration { index, ticks });
            }
        }
        for it in &mut loops {
            it.longest
                .sort_unstable_by_key(|it| (Reverse(it.ticks), it.index));
            it.longest.truncate(LONGEST);
        }
        loops
    }
}

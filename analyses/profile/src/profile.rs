//! A profile, and its sums over all locations.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use foldtrace_matching::{Paradigm, RegionIndex, Regions};
use foldtrace_trace::{Clock, LocationId, MetricMember, MetricMode};

use crate::measures::{MetricIndex, MetricSum};
use crate::tally::{LocationProfile, RegionTime};
use crate::ticks::ticks;
use crate::tree::Tree;

/// The profile of a program. Times are in ticks of its clock.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The regions of the store.
    pub regions: Regions,
    /// The profile of each location, in the order in which they were requested.
    pub locations: Vec<LocationProfile>,
    /// The call paths of all locations, if they were requested.
    pub tree: Option<Tree>,
    /// The metrics that the locations have, by index.
    pub metrics: Vec<MetricMember>,
    /// The clock of the store.
    pub clock: Clock,
    /// The number of processes in the store.
    pub processes: u64,
}

/// The calls of a region in all locations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionTotal {
    /// The sums over all locations.
    pub time: RegionTime,
    /// The location with the greatest exclusive time.
    pub slowest: LocationId,
    /// Its exclusive time.
    pub slowest_exclusive: i64,
    /// The factor between that time and the mean of all locations with calls: 1 if all take the same time; `None` if the
    /// exclusive time is not positive.
    pub imbalance: Option<f64>,
}

/// The values of a metric in all locations.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricTotal {
    /// What its values mean: those of a metric whose values fall are measurements.
    pub mode: MetricMode,
    /// The sums over all regions. The inclusive sum has no meaning.
    pub all: MetricSum,
    /// The sums of each region.
    pub regions: Vec<MetricSum>,
}

impl Profile {
    /// Returns the locations with calls. Others, which have only metrics or messages, have no share of the time.
    pub fn calling(&self) -> impl Iterator<Item = &LocationProfile> + Clone {
        let locations = self.locations.iter();
        locations.filter(|location| !location.regions.is_empty())
    }

    /// Returns the ticks from the first event of a location to its last, summed over all locations with calls.
    #[must_use]
    pub fn total(&self) -> i64 {
        let durations = self.calling().map(LocationProfile::duration);
        durations.fold(0, i64::saturating_add)
    }

    /// Returns the ticks from the first event of all locations to the last; 0 without events.
    #[must_use]
    pub fn duration(&self) -> i64 {
        let spans = || self.locations.iter().filter_map(|location| location.span);
        let first = spans().map(|(first, _)| first).min();
        let last = spans().map(|(_, last)| last).max();
        match (first, last) {
            (Some(first), Some(last)) => ticks(first, last),
            _ => 0,
        }
    }

    /// Returns the ticks during which no call was open, summed over all locations with calls.
    #[must_use]
    pub fn outside(&self) -> i64 {
        let outside = self.calling().map(|location| location.outside);
        outside.fold(0, i64::saturating_add)
    }

    /// Returns the regions that are called, the one with the greatest exclusive time first.
    #[must_use]
    pub fn totals(&self) -> Vec<RegionTotal> {
        let mut totals: Vec<Option<RegionTotal>> = vec![None; self.regions.regions().len()];
        for location in &self.locations {
            for time in &location.regions {
                let Some(total) = totals.get_mut(time.region.0 as usize) else {
                    continue;
                };
                *total = Some(RegionTotal::with(*total, time, location.location));
            }
        }
        let locations = self.calling().count() as f64;
        let mut totals: Vec<RegionTotal> = totals.into_iter().flatten().collect();
        for total in &mut totals {
            let mean = total.time.exclusive as f64 / locations;
            total.imbalance = (mean > 0.0).then(|| total.slowest_exclusive as f64 / mean);
        }
        totals.sort_by_key(|total| (std::cmp::Reverse(total.time.exclusive), total.time.region));
        totals
    }

    /// Returns the sums of each metric that has values, over all locations: of all regions together, and of each region, the one
    /// with the greatest sum first.
    #[must_use]
    pub fn metric_totals(&self) -> Vec<MetricTotal> {
        let mut regions: Vec<BTreeMap<Option<RegionIndex>, MetricSum>> =
            vec![BTreeMap::new(); self.metrics.len()];
        for sum in self.locations.iter().flat_map(|location| &location.metrics) {
            if let Some(regions) = regions.get_mut(sum.metric.0 as usize) {
                match regions.entry(sum.region) {
                    Entry::Vacant(entry) => drop(entry.insert(*sum)),
                    Entry::Occupied(mut entry) => entry.get_mut().add(sum),
                }
            }
        }
        let totals = (0..).map(MetricIndex).zip(regions);
        let measured = totals.filter(|(_, regions)| !regions.is_empty());
        let totals = measured.map(|(metric, regions)| {
            let mut all = MetricSum::new(metric, None);
            regions.values().for_each(|sum| all.add(sum));
            let declared = self.metrics[metric.0 as usize].mode;
            let mode = if declared == MetricMode::Accumulated && all.falls {
                MetricMode::Absolute
            } else {
                declared
            };
            let amount = |sum: &MetricSum| match mode {
                MetricMode::Absolute => sum.total,
                MetricMode::Accumulated | MetricMode::Relative => sum.exclusive,
            };
            let mut regions: Vec<MetricSum> = regions.into_values().collect();
            regions.sort_by(|a, b| amount(b).total_cmp(&amount(a)));
            MetricTotal { mode, all, regions }
        });
        totals.collect()
    }

    /// Returns the exclusive time of each paradigm that has any, in the order of [`Paradigm::ALL`]. Time outside of
    /// calls is computation.
    #[must_use]
    pub fn paradigms(&self) -> Vec<(Paradigm, i64)> {
        self.paradigms_of(self.calling())
    }

    /// Returns the exclusive time of each paradigm that some locations have, like [`paradigms`](Self::paradigms).
    pub fn paradigms_of<'a>(
        &self,
        locations: impl IntoIterator<Item = &'a LocationProfile>,
    ) -> Vec<(Paradigm, i64)> {
        let mut times = [0; Paradigm::ALL.len()];
        for location in locations {
            times[Paradigm::Computation as usize] += location.outside;
            for time in &location.regions {
                times[self.paradigm(time.region) as usize] += time.exclusive;
            }
        }
        let times = Paradigm::ALL.into_iter().zip(times);
        times.filter(|(_, time)| *time != 0).collect()
    }

    /// Returns the name of a region.
    #[must_use]
    pub fn name(&self, region: RegionIndex) -> &str {
        let region = self.regions.regions().get(region.0 as usize);
        region.map_or("", |region| &region.name)
    }

    /// Returns the paradigm of a region.
    #[must_use]
    pub fn paradigm(&self, region: RegionIndex) -> Paradigm {
        let region = self.regions.regions().get(region.0 as usize);
        region.map_or(Paradigm::Computation, |region| region.paradigm)
    }

    /// Converts ticks to nanoseconds.
    #[must_use]
    pub fn nanoseconds(&self, ticks: i64) -> i64 {
        let ticks_per_second = i128::from(self.clock.ticks_per_second.max(1));
        let nanoseconds = i128::from(ticks) * 1_000_000_000 / ticks_per_second;
        i64::try_from(nanoseconds).unwrap_or(if ticks < 0 { i64::MIN } else { i64::MAX })
    }
}

impl RegionTotal {
    /// Returns the total with the calls of one more location.
    fn with(total: Option<Self>, time: &RegionTime, location: LocationId) -> Self {
        let Some(mut total) = total else {
            return Self {
                time: *time,
                slowest: location,
                slowest_exclusive: time.exclusive,
                imbalance: None,
            };
        };
        let sum = &mut total.time;
        sum.calls += time.calls;
        sum.inclusive = sum.inclusive.wrapping_add(time.inclusive);
        sum.exclusive = sum.exclusive.wrapping_add(time.exclusive);
        sum.durations = sum.durations.wrapping_add(time.durations);
        sum.least = sum.least.min(time.least);
        sum.greatest = sum.greatest.max(time.greatest);
        sum.bytes_sent = sum.bytes_sent.wrapping_add(time.bytes_sent);
        sum.bytes_received = sum.bytes_received.wrapping_add(time.bytes_received);
        sum.bytes_io = sum.bytes_io.wrapping_add(time.bytes_io);
        if time.exclusive > total.slowest_exclusive {
            (total.slowest, total.slowest_exclusive) = (location, time.exclusive);
        }
        total
    }
}

//! Names for people.

use foldtrace_trace::{Names, Printable};

use crate::{Critical, RegionTime};

/// The names and the unit of what a critical path refers to.
#[derive(Clone, Copy, Debug)]
pub struct CriticalLabels<'a> {
    /// The names of the store.
    pub names: &'a Names,
    /// Ticks per second of the clock of the store.
    pub ticks_per_second: u64,
}

impl CriticalLabels<'_> {
    /// Returns the name of a region; the time outside of calls has one, too.
    #[must_use]
    pub fn region(self, critical: &Critical, time: &RegionTime) -> String {
        let region = time.region.and_then(|region| {
            let regions = critical.names.regions();
            regions.get(region.0 as usize)
        });
        region.map_or_else(
            || "outside of calls".to_owned(),
            |region| Printable(&region.name).to_string(),
        )
    }

    /// Converts ticks to nanoseconds.
    #[must_use]
    pub fn nanoseconds(self, ticks: f64) -> f64 {
        ticks * 1e9 / self.ticks_per_second.max(1) as f64
    }

    /// Converts ticks to seconds.
    #[must_use]
    pub fn seconds(self, ticks: f64) -> f64 {
        ticks / self.ticks_per_second.max(1) as f64
    }
}

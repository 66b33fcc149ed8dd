//! Names for people: call paths, processes, iterations.

use foldtrace_matching::Regions;
use foldtrace_trace::{LocationId, Names, Printable};

use crate::{CallPath, PathIndex};

/// The names of what wait states refer to.
#[derive(Clone, Copy, Debug)]
pub struct WaitLabels<'a> {
    /// The names of the store.
    pub names: &'a Names,
    /// The regions of call paths.
    pub regions: &'a Regions,
    /// The call paths.
    pub paths: &'a [CallPath],
    /// Ticks per second of the clock of the store.
    pub ticks_per_second: u64,
}

impl WaitLabels<'_> {
    /// Returns the regions of a call path, the outermost first.
    #[must_use]
    pub fn regions_of(self, path: PathIndex) -> Vec<String> {
        let mut regions = Vec::new();
        let mut at = path;
        while let Some(CallPath {
            caller,
            region: Some(region),
        }) = self.paths.get(at.0 as usize).copied()
        {
            let region = self.regions.regions().get(region.0 as usize);
            regions.extend(region.map(|region| Printable(&region.name).to_string()));
            at = caller;
        }
        regions.reverse();
        regions
    }

    /// Returns a call path for people; the time outside of calls has one, too.
    #[must_use]
    pub fn path(self, path: PathIndex) -> String {
        let regions = self.regions_of(path);
        if regions.is_empty() {
            "outside of calls".to_owned()
        } else {
            regions.join(" / ")
        }
    }

    /// Returns the name of a location for people: its process by rank.
    #[must_use]
    pub fn location(self, location: LocationId) -> String {
        self.names.label(location)
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

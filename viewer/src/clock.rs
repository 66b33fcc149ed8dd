//! The times of a page: nanoseconds since the start of the run.

use std::ops::Range;

use foldtrace_store::StoreReader;
use foldtrace_trace::Timestamp;

/// Converts the times of a store to those of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageClock {
    /// The time at which the run starts.
    pub origin: Timestamp,
    /// The nanoseconds of a tick.
    pub tick: f64,
}

impl PageClock {
    /// Creates the clock of a run that starts at `origin`.
    pub fn new(store: &StoreReader, origin: Timestamp) -> Self {
        let tick = 1e9 / store.manifest().clock().ticks_per_second.max(1) as f64;
        Self { origin, tick }
    }

    /// Returns the nanoseconds from the start of the run to a time.
    pub fn time(&self, ticks: u64) -> f64 {
        ticks.saturating_sub(self.origin.0) as f64 * self.tick
    }

    /// Returns the ticks that a range of nanoseconds touches.
    pub fn ticks(&self, range: Range<f64>) -> Range<u64> {
        // Conversions from floating-point numbers saturate.
        let begin = (range.start / self.tick).floor() as u64;
        let end = (range.end / self.tick).ceil() as u64;
        self.origin.0.saturating_add(begin)
            ..self
                .origin
                .0
                .saturating_add(end.max(begin.saturating_add(1)))
    }
}

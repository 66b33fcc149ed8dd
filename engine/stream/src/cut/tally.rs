//! Counts the events that a cut keeps, over all of its streams.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use foldtrace_trace::{Diagnostic, Diagnostics, Severity};

/// The number of events kept in all streams together.
#[derive(Debug)]
pub(super) struct Tally {
    events: AtomicU64,
    /// Whether each stream was read to its end.
    ended: Vec<AtomicBool>,
    left: AtomicUsize,
}

impl Tally {
    /// Creates a tally for this number of streams.
    pub fn new(streams: usize) -> Self {
        Self {
            events: AtomicU64::new(0),
            ended: (0..streams).map(|_| AtomicBool::new(false)).collect(),
            left: AtomicUsize::new(streams),
        }
    }

    /// Counts events that were kept.
    pub fn count(&self, events: usize) {
        self.events.fetch_add(events as u64, Ordering::Relaxed);
    }

    /// Records the end of a stream. The last stream to end reports a cut that has kept nothing.
    pub fn end(&self, stream: usize, diagnostics: &mut Diagnostics) {
        let ended = self.ended.get(stream);
        if ended.is_none_or(|ended| ended.swap(true, Ordering::Relaxed)) {
            return;
        }
        // The thread that ends the last stream sees all events that the other threads have counted.
        let is_last = self.left.fetch_sub(1, Ordering::AcqRel) == 1;
        if is_last && self.events.load(Ordering::Relaxed) == 0 {
            diagnostics.report(nothing_kept());
        }
    }
}

/// Returns the diagnostic of a cut that has no events.
pub(super) fn nothing_kept() -> Diagnostic {
    Diagnostic::new(
        Severity::Loss,
        "cut.empty",
        "the cut has no events: no event passes all of the given filters",
    )
    .hint("the summary of the trace has its duration, locations, regions and kinds of events")
}

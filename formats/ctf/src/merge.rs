//! The order of events of several streams.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Streams with a next event, ordered by its time and then by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Merge {
    waiting: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Merge {
    /// Adds a stream whose next event has this time.
    pub(crate) fn add(&mut self, time: u64, stream: usize) {
        self.waiting.push(Reverse((time, stream)));
    }

    /// Removes the stream with the earliest event and returns it.
    pub(crate) fn take(&mut self) -> Option<usize> {
        self.waiting.pop().map(|Reverse((_, stream))| stream)
    }

    /// Returns whether an event of a stream that was taken precedes those of all others.
    #[inline]
    pub(crate) fn is_first(&self, time: u64, stream: usize) -> bool {
        self.waiting
            .peek()
            .is_none_or(|Reverse(first)| (time, stream) < *first)
    }
}

//! The events of a stream that have been decoded and wait for their turn.

use foldtrace_trace::TraceError;

use crate::chunk::{Chunk, Event, Owner};
use crate::data_stream::{Filled, Obstacle};
use crate::feed::Feed;
use crate::interpreter::StreamFacts;
use crate::plan::TracePlan;

/// How far a stream has been decoded.
#[derive(Debug)]
enum Progress {
    /// The second chunk may take more events.
    Filling,
    Full,
    Ended,
    Failed(TraceError),
}

/// The next events of a stream. There are two chunks of them, so that the last one is far ahead when the first one has been
/// taken.
#[derive(Debug)]
pub(crate) struct Source {
    pub facts: StreamFacts,
    chunks: [Chunk; 2],
    /// The number of events of the chunks that have been taken.
    taken: usize,
    progress: Progress,
}

/// Events that follow each other in a chunk of a source and have the same owner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub source: u32,
    pub chunk: usize,
    pub first: u32,
    pub after: u32,
    pub owner: Owner,
}

impl Source {
    pub(crate) fn new(facts: StreamFacts) -> Self {
        Self {
            facts,
            chunks: Default::default(),
            taken: 0,
            progress: Progress::Filling,
        }
    }

    /// Takes decoded events until both chunks have some, or until the stream is stuck.
    pub(crate) fn prepare(
        &mut self,
        feed: &mut Feed,
        plan: &TracePlan,
        most: usize,
    ) -> Option<Obstacle> {
        loop {
            if matches!(self.progress, Progress::Filling) {
                self.progress = match feed.fill(plan, &mut self.chunks[1], most) {
                    Filled::Full => Progress::Full,
                    Filled::End => Progress::Ended,
                    Filled::Stuck(obstacle) => return Some(obstacle),
                };
            }
            let front = self.chunks[0].events.len();
            if self.taken < front || self.chunks[1].events.is_empty() {
                return None;
            }
            self.taken -= front;
            self.chunks.swap(0, 1);
            self.chunks[1].clear();
            if matches!(self.progress, Progress::Full) {
                self.progress = Progress::Filling;
            }
        }
    }

    /// Ends the stream with an error, after the events before it.
    pub(crate) fn fail(&mut self, error: TraceError) {
        self.progress = Progress::Failed(error);
    }

    /// Returns whether the stream may have events after those of the chunks.
    pub(crate) fn goes_on(&self) -> bool {
        matches!(self.progress, Progress::Full)
    }

    /// Returns whether all events have been decoded.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.progress, Progress::Ended)
    }

    /// Returns the error with which the stream ends, if all events before it have been taken.
    pub(crate) fn take_failure(&mut self) -> Option<TraceError> {
        if self.next().is_some() || !matches!(self.progress, Progress::Failed(_)) {
            return None;
        }
        match std::mem::replace(&mut self.progress, Progress::Ended) {
            Progress::Failed(error) => Some(error),
            _ => None,
        }
    }

    pub(crate) fn chunk(&self, chunk: usize) -> &Chunk {
        &self.chunks[chunk]
    }

    /// Returns the events of each chunk that have not been taken.
    fn waiting(&self) -> [&[Event]; 2] {
        let [front, back] = &self.chunks;
        let in_front = self.taken.min(front.events.len());
        [
            &front.events[in_front..],
            &back.events[(self.taken - in_front).min(back.events.len())..],
        ]
    }

    /// Returns the turn of the next event.
    pub(crate) fn next(&self) -> Option<u64> {
        let [front, back] = self.waiting();
        front.first().or(back.first()).map(|event| event.turn)
    }

    /// Returns the turn of the last event that has been decoded and not taken.
    pub(crate) fn last(&self) -> Option<u64> {
        let [front, back] = self.waiting();
        back.last().or(front.last()).map(|event| event.turn)
    }

    /// Returns the number of events before a turn.
    pub(crate) fn count_before(&self, is_before: impl Fn(u64) -> bool) -> usize {
        let [front, back] = self.waiting();
        let in_front = front.partition_point(|event| is_before(event.turn));
        if in_front < front.len() {
            return in_front;
        }
        in_front + back.partition_point(|event| is_before(event.turn))
    }

    /// Returns the turn of the next barrier, and the number of events before it.
    pub(crate) fn next_barrier(&self) -> Option<(u64, usize)> {
        let mut before = 0;
        for chunk in &self.chunks {
            let mut positions = chunk.barriers.iter().map(|&at| at as usize);
            if let Some(at) = positions.find(|at| before + at >= self.taken) {
                return Some((chunk.events[at].turn, before + at - self.taken));
            }
            before += chunk.events.len();
        }
        None
    }

    /// Takes the next `count` events of this source, whose number is `source`, as spans.
    pub(crate) fn take(&mut self, source: u32, count: usize, spans: &mut Vec<Span>) {
        let (mut from, to) = (self.taken, self.taken + count);
        self.taken = to;
        let mut before = 0;
        for (number, chunk) in self.chunks.iter().enumerate() {
            let end = (before + chunk.events.len()).min(to);
            let first = (from - before) as u32;
            let mut index = chunk.owners.partition_point(|(begin, _)| *begin <= first);
            while from < end {
                let next = chunk.owners.get(index);
                let next = next.map_or(end, |(begin, _)| before + *begin as usize);
                let after = next.min(end);
                if let Some((_, owner)) = index.checked_sub(1).and_then(|it| chunk.owners.get(it)) {
                    spans.push(Span {
                        source,
                        chunk: number,
                        first: (from - before) as u32,
                        after: (after - before) as u32,
                        owner: *owner,
                    });
                }
                (from, index) = (after, index + 1);
            }
            before += chunk.events.len();
            if from < before {
                break;
            }
        }
    }
}

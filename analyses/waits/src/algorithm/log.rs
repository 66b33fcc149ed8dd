//! The recent activities of a location: what it did, for how long, and how long it waited.
//!
//! The log keeps a fixed number of segments. Each MPI call has two of them: the time that it waited, which is set when the
//! other processes are known, and the rest.

use std::collections::VecDeque;

use foldtrace_trace::Timestamp;

use super::blame::Blame;
use super::iterations::Iteration;
use super::paths::PathIndex;

/// A place between two segments of a log: the number of segments before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark(u64);

/// What a location does during a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    /// It works or communicates in a call of this path.
    Path(PathIndex, Option<Iteration>),
    /// It waits for other processes.
    Wait,
}

/// A period of one activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub start: Timestamp,
    pub ticks: u64,
    pub activity: Activity,
}

/// The latest segments of a location.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    segments: VecDeque<Segment>,
    /// The number of segments that are no longer kept.
    dropped: u64,
    /// The places of calls that waited, in order, with the causes.
    blames: VecDeque<(Mark, Blame)>,
}

impl Log {
    /// Returns the current end of the log.
    pub fn end(&self) -> Mark {
        Mark(self.dropped + self.segments.len() as u64)
    }

    /// Appends a segment; keeps at most `most` of them.
    pub fn push(&mut self, segment: Segment, most: usize) {
        if most == 0 {
            return;
        }
        if self.segments.len() >= most {
            self.segments.pop_front();
            self.dropped += 1;
            let dropped = Mark(self.dropped);
            if self.blames.front().is_some_and(|first| first.0 < dropped) {
                self.blames.pop_front();
            }
        }
        self.segments.push_back(segment);
    }

    /// Sets the time that the MPI call at `mark` waited, and the cause, if the call is still in the log.
    pub fn set_wait(&mut self, mark: Mark, ticks: u64, blame: Blame) {
        let Some(index) = mark.0.checked_sub(self.dropped) else {
            return;
        };
        let index = index as usize;
        if index + 1 >= self.segments.len() {
            return;
        }
        let all = self.segments[index].ticks + self.segments[index + 1].ticks;
        let ticks = ticks.min(all);
        let wait = &mut self.segments[index];
        wait.ticks = ticks;
        let start = Timestamp(wait.start.0 + ticks);
        let rest = &mut self.segments[index + 1];
        rest.start = start;
        rest.ticks = all - ticks;
        match self.blames.binary_search_by_key(&mark, |&(mark, _)| mark) {
            Ok(known) => self.blames[known].1 = blame,
            Err(place) => self.blames.insert(place, (mark, blame)),
        }
    }

    /// Returns the causes for which the call waited that begins at a place.
    pub fn blame(&self, mark: Mark) -> Option<&Blame> {
        let place = self.blames.binary_search_by_key(&mark, |&(mark, _)| mark);
        place.ok().map(|place| &self.blames[place].1)
    }

    /// Returns the time at which the log begins.
    pub fn begin(&self) -> Timestamp {
        self.segments
            .front()
            .map(|first| first.start)
            .unwrap_or_default()
    }

    /// Returns what the location did from a time until a place of the log, as far as it is kept: the place at which each
    /// activity begins, its ticks, and the activity.
    pub fn since(
        &self,
        start: Timestamp,
        to: Mark,
    ) -> impl Iterator<Item = (Mark, u64, &Activity)> {
        let end = |segment: &Segment| Timestamp(segment.start.0 + segment.ticks);
        let to = self.index(to);
        let from = self
            .segments
            .partition_point(|segment| end(segment) <= start)
            .min(to);
        let marks = (self.dropped + from as u64..).map(Mark);
        marks
            .zip(self.segments.range(from..to))
            .map(move |(mark, segment)| {
                let from = segment.start.max(start);
                (
                    mark,
                    end(segment).0.saturating_sub(from.0),
                    &segment.activity,
                )
            })
    }

    /// Returns the work before a place of the log.
    pub fn last_work(&self, to: Mark) -> Option<(PathIndex, Option<Iteration>)> {
        let before = self.segments.range(..self.index(to)).rev();
        let mut work = before.filter_map(|segment| match segment.activity {
            Activity::Path(path, iteration) => Some((path, iteration)),
            Activity::Wait => None,
        });
        work.next()
    }

    fn index(&self, mark: Mark) -> usize {
        let index = mark.0.saturating_sub(self.dropped) as usize;
        index.min(self.segments.len())
    }
}

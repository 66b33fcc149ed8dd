//! The state of a location: its open calls, and what it did recently.

use std::collections::VecDeque;

use foldtrace_matching::{CalleeIndex, CollectiveCall, Moment};
use foldtrace_trace::{CallStack, LocationId, Position, Timestamp};

use super::call::CallKey;
use super::iterations::{Iteration, Iterations};
use super::log::{Activity, Log, Segment};
use super::paths::PathIndex;

/// An open call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub path: PathIndex,
    /// The key of the call, if it is an MPI call that is not within another one.
    pub call: Option<CallKey>,
    /// The code of the collective operation that this MPI call is, if no event says so.
    pub operation: Option<usize>,
}

/// A collective operation of a location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Together {
    pub communicator: Option<u64>,
    pub number: u64,
    /// The time at which all members had entered it.
    pub time: Timestamp,
}

/// The state of a location.
#[derive(Debug)]
pub(super) struct Lane {
    pub location: LocationId,
    pub open: CallStack<CalleeIndex, Open>,
    /// The MPI call that is open, the outermost one.
    pub call: Option<CallKey>,
    /// The call that the latest event left, if it is a collective operation without events of its own.
    pub left: Option<CollectiveCall>,
    pub log: Log,
    /// The latest collective operation on each communicator.
    pub together: Vec<Together>,
    /// Late senders that may turn out to be in the wrong order, each with the key of its call.
    pub late_senders: VecDeque<CallKey>,
    /// Whether the location records the completion of non-blocking sends.
    pub records_completion: bool,
    /// The position of the call with which a later stage begins. The stage before reports it.
    pub reported: Option<Position>,
    iterations: Iterations,
    iteration: Option<Iteration>,
    path: PathIndex,
    /// The start of the current activity; `None` before the first event.
    since: Option<Timestamp>,
    first: Timestamp,
    last: Timestamp,
}

impl Lane {
    pub fn new(location: LocationId, iterations: Iterations, records_completion: bool) -> Self {
        Self {
            location,
            open: CallStack::default(),
            call: None,
            left: None,
            log: Log::default(),
            together: Vec::new(),
            late_senders: VecDeque::new(),
            records_completion,
            reported: None,
            iterations,
            iteration: None,
            path: PathIndex::default(),
            since: None,
            first: Timestamp::default(),
            last: Timestamp::default(),
        }
    }

    /// Returns the path of the innermost open call.
    pub const fn path(&self) -> PathIndex {
        self.path
    }

    /// Returns the times of the first event and the last; `None` if there are none.
    pub fn ends(&self) -> Option<(Timestamp, Timestamp)> {
        self.since.map(|_| (self.first, self.last))
    }

    /// Begins within a call that is open.
    pub fn begin_within(&mut self, callee: CalleeIndex, path: PathIndex) {
        self.path = path;
        let open = Open {
            path,
            call: None,
            operation: None,
        };
        self.open.enter(callee, open);
    }

    /// Notes the latest collective operation on a communicator.
    pub fn note_together(&mut self, latest: Together) {
        let same = |it: &&mut Together| it.communicator == latest.communicator;
        match self.together.iter_mut().find(same) {
            Some(together) => *together = latest,
            None => self.together.push(latest),
        }
    }

    /// Notes the time of an event.
    pub fn note(&mut self, time: Timestamp) {
        if self.since.is_none() {
            self.since = Some(time);
            self.first = time;
        }
        self.last = self.last.max(time);
    }

    /// Ends the current activity, and begins one in a call of `path`. The log keeps at most `most` segments.
    pub fn begin(&mut self, now: Moment, path: PathIndex, most: usize) {
        let start = self.since.unwrap_or(now.time);
        let ticks = now.time.0.saturating_sub(start.0);
        if ticks > 0 {
            let activity = Activity::Path(self.path, self.iteration);
            self.log.push(
                Segment {
                    start,
                    ticks,
                    activity,
                },
                most,
            );
        }
        self.continue_at(now, path);
    }

    /// Appends the MPI call that lasted from `enter` until now, and continues in a call of `path`.
    pub fn end_call(&mut self, enter: Timestamp, now: Moment, path: PathIndex, most: usize) {
        let wait = Segment {
            start: enter,
            ticks: 0,
            activity: Activity::Wait,
        };
        let rest = Segment {
            start: enter,
            ticks: now.time.0.saturating_sub(enter.0),
            activity: Activity::Path(self.path, self.iteration),
        };
        self.log.push(wait, most);
        self.log.push(rest, most);
        self.continue_at(now, path);
    }

    fn continue_at(&mut self, now: Moment, path: PathIndex) {
        self.since = Some(now.time);
        self.path = path;
        self.iteration = self.iterations.at(now.position);
    }
}

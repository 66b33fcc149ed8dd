//! MPI calls, until it is known how long they waited.

use foldtrace_matching::Moment;
use foldtrace_mpi::Routine;
use foldtrace_trace::{Position, Timestamp};

use super::blame::Blame;
use super::class::Class;
use super::log::Mark;
use super::paths::PathIndex;

/// The key of an MPI call while it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallKey(pub usize);

/// Another location that a call waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub class: Class,
    /// The time at which the other location does its part.
    pub release: Timestamp,
    /// The number of the other location, and the position at which it enters the call that does its part.
    pub late: (u32, Position),
    pub blame: Blame,
}

/// An MPI call that is not within another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub lane: u32,
    pub path: PathIndex,
    pub enter: Moment,
    /// The place in the log of the location at which the call begins.
    pub mark: Mark,
    pub leave: Option<Timestamp>,
    /// Whether the call completes non-blocking operations.
    pub completes: bool,
    /// The number of its events that wait for matching, and of other reasons to keep it.
    pub users: u32,
    /// The last of those whose part the call needs before it can end: senders, and members of collective operations.
    pub needs: Option<Candidate>,
    /// The last receiver that the call waits for, unless the call ends before.
    pub receiver: Option<Candidate>,
    /// Whether a message that was sent before the one waited for is received later.
    pub is_wrong_order: bool,
}

impl Call {
    /// Creates a call that is entered at a moment, and at a place of the log of its location.
    pub const fn new(
        lane: u32,
        path: PathIndex,
        enter: Moment,
        mark: Mark,
        routine: Routine,
    ) -> Self {
        Self {
            lane,
            path,
            enter,
            mark,
            leave: None,
            completes: matches!(routine, Routine::Waits | Routine::Tests),
            users: 1,
            needs: None,
            receiver: None,
            is_wrong_order: false,
        }
    }

    /// Returns whether a release at `time` by an event of one kind would be the latest one.
    pub fn is_later(&self, time: Timestamp, than: Option<&Candidate>) -> bool {
        time > self.enter.time && than.is_none_or(|it| time > it.release)
    }

    /// Returns the ticks that the call waited, and for whom; `None` if it did not wait.
    pub fn wait(&self) -> Option<(u64, Candidate)> {
        let leave = self.leave?;
        let receiver = self.receiver.filter(|it| it.release <= leave);
        let last = self.needs.into_iter().chain(receiver);
        let mut last = last.max_by_key(|candidate| candidate.release)?;
        if self.is_wrong_order && last.class == Class::LateSender {
            last.class = Class::WrongOrder;
        }
        let ticks = last.release.min(leave).0.checked_sub(self.enter.time.0)?;
        (ticks > 0).then_some((ticks, last))
    }
}

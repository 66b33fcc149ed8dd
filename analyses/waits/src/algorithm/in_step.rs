//! When two locations were last in step: when both had arrived at a message between them, or at a collective operation.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_trace::Timestamp;

use super::lane::Lane;

/// When a sender and a receiver were in step.
#[derive(Clone, Copy, Debug, Default)]
struct Meeting {
    /// The time at which both had entered their calls.
    time: Timestamp,
    /// The time at which the receiver had.
    received: Timestamp,
}

/// The latest messages between pairs of locations.
#[derive(Clone, Debug, Default)]
pub(super) struct InStep {
    /// By pair, the location with the lower number first: the latest meetings in two different calls of receivers. The calls
    /// of an exchange may each receive a message that the other one sends.
    meetings: HashMap<(u32, u32), [Meeting; 2], FixedState>,
}

impl InStep {
    /// Notes a message between two locations, from the times at which they enter their calls.
    pub fn note(&mut self, sender: (u32, Timestamp), receiver: (u32, Timestamp)) {
        let new = Meeting {
            time: sender.1.max(receiver.1),
            received: receiver.1,
        };
        let latest = self.meetings.entry(pair(sender.0, receiver.0)).or_default();
        if latest[0].received == new.received {
            latest[0].time = latest[0].time.max(new.time);
        } else {
            *latest = [new, latest[0]];
        }
    }

    /// Returns the latest time, not after `until`, at which two locations were in step; 0 if they never were.
    pub fn before(&self, until: Timestamp, a: (u32, &Lane), b: (u32, &Lane)) -> Timestamp {
        let meetings = self.meetings.get(&pair(a.0, b.0)).into_iter().flatten();
        let meetings = meetings.map(|meeting| meeting.time);
        let collectives = a.1.together.iter().filter_map(|own| {
            let other = b.1.together.iter().find(|other| {
                (other.communicator, other.number) == (own.communicator, own.number)
            })?;
            Some(own.time.max(other.time))
        });
        let times = meetings.chain(collectives).filter(|&time| time <= until);
        times.max().unwrap_or_default()
    }
}

fn pair(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

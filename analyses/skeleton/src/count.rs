//! Counts how often calls are executed, without executing them.

use std::collections::{BTreeMap, BTreeSet};

use foldtrace_logical::model::{Guard, Number};

use super::program::{Action, Call, Construct, Message};

/// The properties that distinguish the messages of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub direction: i64,
    pub tag: i64,
    pub within: u32,
    pub guard: Option<Guard>,
}

/// Returns the key of a message of a call at these loop indices.
pub(super) fn key(call: &Call, message: &Message, indices: &[i64]) -> Key {
    Key {
        direction: message.direction.at(indices),
        tag: message.tag.at(indices),
        within: message.communicator.0,
        guard: call.guard,
    }
}

/// Returns whether a number grows with the index of the loop at this depth.
fn grows(number: &Number, depth: usize) -> bool {
    let mut growth = number.growth.iter();
    growth.any(|&(of, by)| usize::from(of) == depth && by != 0)
}

/// Returns whether a direction, a tag or an iteration count grows with the index of the loop at this depth.
pub(super) fn matters(body: &[Construct], depth: usize) -> bool {
    body.iter().any(|construct| match construct {
        Construct::Call(call) => call
            .action
            .message()
            .is_some_and(|it| grows(&it.direction, depth) || grows(&it.tag, depth)),
        Construct::Loop(inner) => grows(&inner.count, depth) || matters(&inner.body, depth),
    })
}

/// Returns whether a direction grows with the index of the loop at this depth.
pub(super) fn steers(body: &[Construct], depth: usize) -> bool {
    body.iter().any(|construct| match construct {
        Construct::Call(call) => {
            let message = call.action.message();
            message.is_some_and(|message| grows(&message.direction, depth))
        }
        Construct::Loop(inner) => steers(&inner.body, depth),
    })
}

/// Visits calls with the indices of the enclosing loops and the number of executions at these indices. Loops whose
/// index has no effect are not iterated: the number of executions of their calls is multiplied instead.
pub(super) fn visit<'a>(body: &'a [Construct], see: &mut impl FnMut(&'a Call, &[i64], u64)) {
    within(body, &mut Vec::new(), 1, see);
}

fn within<'a>(
    body: &'a [Construct],
    indices: &mut Vec<i64>,
    times: u64,
    see: &mut impl FnMut(&'a Call, &[i64], u64),
) {
    for construct in body {
        match construct {
            Construct::Call(call) => see(call, indices, times),
            Construct::Loop(inner) => {
                let count = inner.count.at(indices).max(0);
                let is_run_through = matters(&inner.body, indices.len());
                let (steps, each) = if is_run_through {
                    (count, times)
                } else {
                    (count.min(1), times.saturating_mul(count.unsigned_abs()))
                };
                for index in 0..steps {
                    indices.push(index);
                    within(&inner.body, indices, each, see);
                    indices.pop();
                }
            }
        }
    }
}

/// The number of messages by direction, tag, communicator and guard.
pub(super) type Counts = BTreeMap<Key, u64>;

/// The number of messages that a node sends and receives, by direction, tag, communicator and guard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    pub sends: Counts,
    pub receives: Counts,
    pub takes: Counts,
}

impl Profile {
    /// Returns the profile of a whole program.
    pub fn of_program(program: &[Construct]) -> Self {
        Self::inside(program, 0)
    }

    /// Returns the profile of a body within `depth` loops, in their first iterations.
    pub fn inside(body: &[Construct], depth: usize) -> Self {
        let mut profile = Self::default();
        profile.add(body, depth);
        profile
    }

    /// Adds the messages of a body within `depth` loops, in their first iterations.
    pub fn add(&mut self, body: &[Construct], depth: usize) {
        within(body, &mut vec![0; depth], 1, &mut |call, indices, times| {
            let (counts, message) = match &call.action {
                Action::Send(message) => (&mut self.sends, message),
                Action::Receive(message) => (&mut self.receives, message),
                Action::Take(message) => (&mut self.takes, message),
                Action::Collective { .. } => return,
            };
            *counts.entry(key(call, message, indices)).or_default() += times;
        });
    }

    /// Returns all pairs of a tag and a communicator.
    pub fn channels(&self) -> BTreeSet<(i64, u32)> {
        let counts = [&self.sends, &self.receives, &self.takes];
        let keys = counts.into_iter().flat_map(Counts::keys);
        keys.map(|key| (key.tag, key.within)).collect()
    }
}

//! Adds the ends of messages that the trace does not contain.
//!
//! Some tools do not record receives that are completed by `MPI_Waitall`. If messages that are sent in a direction
//! with a tag are never received, receives are added after the run of sends in the same body.

use std::collections::{BTreeSet, HashSet};

use foldtrace_logical::model::{self as logical, Logical, Number};

use super::count::{Key, Profile, key, visit};
use super::links::Link;
use super::program::{Action, Call, Construct, Loop, Message, Size};

/// The code of the first collective operation that does not exchange messages, such as creating a window.
const FIRST_OF_HANDLES: u64 = 17;

/// Returns the constructs of a logical program as those of a skeleton, and the numbers of the calls that were left
/// out.
pub(super) fn taken_over(logical: &Logical) -> (Vec<Construct>, Vec<u32>) {
    let mut left_out = Vec::new();
    let has_tags = has_tags(&logical.program);
    let program = constructs(&logical.program, has_tags, &mut left_out);
    (program, left_out)
}

/// Returns whether each call has a single tag. If not, all messages of the skeleton have tag 0 and are received
/// in the order in which they are sent.
fn has_tags(body: &[logical::Construct]) -> bool {
    body.iter().all(|construct| match construct {
        logical::Construct::Call(call) => call.tags.is_none(),
        logical::Construct::Loop(inner) => has_tags(&inner.body),
    })
}

fn constructs(
    body: &[logical::Construct],
    has_tags: bool,
    left_out: &mut Vec<u32>,
) -> Vec<Construct> {
    let mut taken = Vec::new();
    for construct in body {
        match construct {
            logical::Construct::Call(call) => match action(&call.action, has_tags) {
                Some(action) => taken.push(Construct::Call(Call {
                    origin: Some(call.number),
                    action,
                    guard: call.guard,
                    computing: None,
                    size: Size::Exact(0),
                    limit: None,
                })),
                None => left_out.push(call.number),
            },
            logical::Construct::Loop(inner) => {
                let body = constructs(&inner.body, has_tags, left_out);
                if !body.is_empty() {
                    let count = inner.count.clone();
                    taken.push(Construct::Loop(Loop { count, body }));
                }
            }
        }
    }
    taken
}

fn action(action: &logical::Action, has_tags: bool) -> Option<Action> {
    let message = |direction: &Number, tag: &Option<Number>, communicator| Message {
        direction: direction.clone(),
        tag: tag.clone().filter(|_| has_tags).unwrap_or_default(),
        communicator,
    };
    Some(match action {
        logical::Action::Send {
            direction,
            tag,
            communicator,
        } => Action::Send(message(direction, tag, *communicator)),
        logical::Action::Receive {
            direction,
            tag,
            communicator,
        } => Action::Receive(message(direction, tag, *communicator)),
        logical::Action::Collective {
            operation,
            root,
            communicator,
        } => Action::Collective {
            operation: operation.filter(|&operation| operation < FIRST_OF_HANDLES)?,
            root: root.clone().unwrap_or_default(),
            communicator: *communicator,
        },
    })
}

/// Adds the receives that are missing.
pub(super) fn complete(program: Vec<Construct>, links: &BTreeSet<Link>) -> Vec<Construct> {
    let profile = Profile::of_program(&program);
    let is_received = |key: Key| {
        let mut ends = links.iter().map(|link| link.ends((key.tag, key.within)));
        ends.any(|ends| {
            let mut receives = ends.receives.iter();
            ends.sends.contains(&key) && receives.any(|key| profile.receives.contains_key(key))
        })
    };
    // A call in a loop may have several keys. If one of them is received, nothing is added for the call.
    let mut received: HashSet<*const Call> = HashSet::new();
    visit(&program, &mut |call, indices, _| {
        if let Action::Send(message) = &call.action
            && is_received(key(call, message, indices))
        {
            received.insert(std::ptr::from_ref(call));
        }
    });
    let adding = Adding { links, received };
    adding.completed(&program)
}

struct Adding<'a> {
    links: &'a BTreeSet<Link>,
    received: HashSet<*const Call>,
}

impl Adding<'_> {
    fn completed(&self, body: &[Construct]) -> Vec<Construct> {
        let mut completed = Vec::new();
        let mut missing = Vec::new();
        for construct in body {
            let send = match construct {
                Construct::Call(call) => match &call.action {
                    Action::Send(message) => Some((call, message)),
                    _ => None,
                },
                Construct::Loop(_) => None,
            };
            if send.is_none() {
                completed.append(&mut missing);
            }
            if let Some((call, message)) = send
                && !self.received.contains(&std::ptr::from_ref(call))
            {
                missing.push(Construct::Call(self.receive(call, message)));
            }
            completed.push(match construct {
                Construct::Call(_) => construct.clone(),
                Construct::Loop(inner) => Construct::Loop(Loop {
                    count: inner.count.clone(),
                    body: self.completed(&inner.body),
                }),
            });
        }
        completed.append(&mut missing);
        completed
    }

    /// Returns the call that receives the messages of `sent`: from a single direction if there is only one that they
    /// may come from, otherwise from all senders.
    fn receive(&self, sent: &Call, message: &Message) -> Call {
        let reverse = self.reverse(&message.direction);
        let action = match reverse.filter(|_| sent.guard.is_none()) {
            Some(direction) => Action::Receive(Message {
                direction: Number::constant(direction),
                ..message.clone()
            }),
            None => Action::Take(message.clone()),
        };
        Call {
            origin: None,
            action,
            guard: sent.guard,
            computing: None,
            size: Size::Exact(0),
            limit: None,
        }
    }

    fn reverse(&self, direction: &Number) -> Option<i64> {
        if !direction.growth.is_empty() {
            return None;
        }
        let mut ends = self.links.iter();
        let link = ends.find(|link| link.there == [direction.base])?;
        let is_other = |other: &Link| {
            let is_one_end = other.there == link.there && other.back == link.back;
            let has_an_end = other.there.contains(&direction.base) || other.back == link.back;
            has_an_end && !is_one_end
        };
        let is_one = link.back.len() == 1 && !self.links.iter().any(is_other);
        is_one.then(|| link.back[0])
    }
}

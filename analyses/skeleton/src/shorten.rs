//! Shortens a program for the rehearsal: the result has fewer iterations, and terminates if and only if the whole
//! program does.
//!
//! A loop whose body sends and receives equally often on each link leaves as many messages in flight as it found. An
//! iteration then depends on the same iteration of its neighbours, on a later one, or on one that is as many
//! iterations earlier as there were messages in flight. A dependency on a later iteration requires no more than one
//! on the same iteration, which comes before it. Processes that wait forever therefore do so in a cycle of iterations
//! that are no further apart than the number of messages in flight, and slightly more iterations than that number
//! suffice to show it. Loops without this balance, and loops whose index affects directions, tags or iteration
//! counts, remain unchanged.

use std::collections::BTreeSet;
use std::slice;

use foldtrace_logical::model::Number;

use super::count::{Profile, matters};
use super::links::Link;
use super::program::{Construct, Loop};

/// The number of iterations that a loop keeps if no messages are in flight before it.
const LEAST: u64 = 3;

/// Returns a shorter program that terminates if and only if `program` does.
pub(super) fn shortened(program: &[Construct], links: &BTreeSet<Link>) -> Vec<Construct> {
    let shortening = Shortening { links };
    shortening.body(program, 0, 0)
}

struct Shortening<'a> {
    links: &'a BTreeSet<Link>,
}

impl Shortening<'_> {
    /// Shortens a body before which up to `on_their_way` messages may be in flight.
    fn body(&self, body: &[Construct], depth: usize, on_their_way: u64) -> Vec<Construct> {
        let mut before = Profile::default();
        let shorten = |construct: &Construct| {
            let shortened = match construct {
                Construct::Call(_) => construct.clone(),
                Construct::Loop(inner) => {
                    let on_their_way = on_their_way.saturating_add(self.surplus(&before));
                    Construct::Loop(self.loop_(inner, depth, on_their_way))
                }
            };
            before.add(slice::from_ref(construct), depth);
            shortened
        };
        body.iter().map(shorten).collect()
    }

    fn loop_(&self, inner: &Loop, depth: usize, on_their_way: u64) -> Loop {
        let is_alike =
            inner.count.growth.is_empty() && (0..=depth).all(|it| !matters(&inner.body, it));
        let most = on_their_way.saturating_mul(2).saturating_add(LEAST);
        let is_balanced = self.surplus(&Profile::inside(&inner.body, depth + 1)) == 0;
        let count = if is_alike && is_balanced && !is_limited(&inner.body) {
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            Number::constant(inner.count.base.min(most))
        } else {
            inner.count.clone()
        };
        // In a loop without balance, any number of messages may be in flight before an iteration.
        let kept = if is_balanced { on_their_way } else { u64::MAX };
        Loop {
            count,
            body: self.body(&inner.body, depth + 1, kept),
        }
    }

    /// Returns the difference between the numbers of sends and receives, on the link where it is greatest.
    fn surplus(&self, profile: &Profile) -> u64 {
        let channels = profile.channels();
        let of_link = |link: &Link| {
            let differences = channels.iter().map(|&channel| {
                let (sends, receives) = link.ends(channel).counts(profile);
                sends.abs_diff(receives)
            });
            differences.max().unwrap_or_default()
        };
        self.links.iter().map(of_link).max().unwrap_or_default()
    }
}

fn is_limited(body: &[Construct]) -> bool {
    body.iter().any(|construct| match construct {
        Construct::Call(call) => call.limit.is_some(),
        Construct::Loop(inner) => is_limited(&inner.body),
    })
}

//! A program with fewer iterations, for the rehearsal, which ends exactly if the whole one does.
//!
//! A loop whose body sends and receives as often on each link leaves as many messages on their way as it
//! found. An iteration then needs of its neighbours the same one, a later one, or one as many before as
//! messages were on their way. A later one is no more than the same one asks for, which comes before it. So
//! whoever waits for ever does so in a circle of iterations that are no further apart than messages are on
//! their way, and that many and some more show it. Loops that do not keep this balance, or whose index
//! decides who talks to whom, stay as they are.

use std::collections::BTreeSet;

use foldtrace_logical::model::Number;

use super::count::{Profile, matters};
use super::links::Link;
use super::program::{Construct, Loop};

/// Iterations that are left of a loop that finds no message on its way.
const LEAST: u64 = 3;

/// A shorter program that ends exactly if this one does.
pub(super) fn shortened(program: &[Construct], links: &BTreeSet<Link>) -> Vec<Construct> {
    let shortening = Shortening { links };
    shortening.body(program, 0, 0)
}

struct Shortening<'a> {
    links: &'a BTreeSet<Link>,
}

impl Shortening<'_> {
    /// Shortens a body in which so many messages may be on their way at first.
    fn body(&self, body: &[Construct], depth: usize, on_their_way: u64) -> Vec<Construct> {
        let shorten = |(at, construct): (usize, &Construct)| match construct {
            Construct::Call(_) => construct.clone(),
            Construct::Loop(inner) => {
                let before = self.surplus(&body[..at], depth);
                Construct::Loop(self.loop_(inner, depth, on_their_way.saturating_add(before)))
            }
        };
        body.iter().enumerate().map(shorten).collect()
    }

    fn loop_(&self, inner: &Loop, depth: usize, on_their_way: u64) -> Loop {
        let is_alike =
            inner.count.growth.is_empty() && (0..=depth).all(|it| !matters(&inner.body, it));
        let most = on_their_way.saturating_mul(2).saturating_add(LEAST);
        let is_balanced = self.surplus(&inner.body, depth + 1) == 0;
        let count = match is_alike && is_balanced && !is_limited(&inner.body) {
            true => Number::constant(
                inner
                    .count
                    .base
                    .min(i64::try_from(most).unwrap_or(i64::MAX)),
            ),
            false => inner.count.clone(),
        };
        // Of a loop that keeps no balance any iteration may be at hand.
        let kept = match is_balanced {
            true => on_their_way,
            false => u64::MAX,
        };
        Loop {
            count,
            body: self.body(&inner.body, depth + 1, kept),
        }
    }

    /// By how much the ends of messages differ in number, on the link where that is most.
    fn surplus(&self, body: &[Construct], depth: usize) -> u64 {
        let profile = Profile::inside(body, depth);
        let channels = profile.channels();
        let of_link = |link: &Link| {
            let differences = channels.iter().map(|&channel| {
                let (sends, receives) = link.ends(channel).counts(&profile);
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

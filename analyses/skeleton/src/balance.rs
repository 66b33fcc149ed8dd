//! Removes messages that have only one end, so that this end does not wait for the other one forever.
//!
//! The sends of nodes in a direction and the receives from the reverse directions are counted. If both numbers
//! differ, both ends are executed only as often as the rarer one; later ones have no counterpart.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::count::{Counts, Key, Profile, key, visit};
use super::links::{Ends, Link};
use super::program::{Action, Call, Construct, Loop};
use super::unroll::unrolled;

/// Returns the profile with its counts lowered until both ends of all messages agree.
fn allowed(profile: &Profile, links: &BTreeSet<Link>) -> Profile {
    let mut allowed = profile.clone();
    let channels = profile.channels();
    let ends = links.iter();
    let ends = ends.flat_map(|link| channels.iter().map(|&channel| link.ends(channel)));
    let ends: Vec<Ends> = ends.collect();
    loop {
        let mut is_settled = true;
        for ends in &ends {
            is_settled &= settle(&mut allowed, ends);
        }
        if is_settled {
            return allowed;
        }
    }
}

/// Lowers the more frequent end of a link to the rarer one. Returns `true` if both were already equal.
fn settle(allowed: &mut Profile, ends: &Ends) -> bool {
    let (sends, receives) = ends.counts(allowed);
    if sends > receives {
        lower(&mut allowed.sends, &ends.sends, sends - receives);
    } else if receives > sends {
        let rest = lower(&mut allowed.receives, &ends.receives, receives - sends);
        lower(&mut allowed.takes, &ends.takes, rest);
    }
    sends == receives
}

/// Lowers the counts of `keys` by `by` in total, the last key first. Returns the part of `by` that the counts were
/// too low for.
fn lower(counts: &mut Counts, keys: &[Key], mut by: u64) -> u64 {
    for key in keys.iter().rev() {
        if let Some(count) = counts.get_mut(key) {
            let less = by.min(*count);
            *count -= less;
            by -= less;
        }
    }
    by
}

/// Returns the messages without a counterpart, as the number of instances at a node.
pub(super) fn unmatched(program: &[Construct], links: &BTreeSet<Link>) -> Profile {
    let profile = Profile::of_program(program);
    let allowed = allowed(&profile, links);
    let less = |all: &Counts, allowed: &Counts| -> Counts {
        let less = all.iter().map(|(key, count)| (*key, count - allowed[key]));
        less.filter(|&(_, less)| less > 0).collect()
    };
    Profile {
        sends: less(&profile.sends, &allowed.sends),
        receives: less(&profile.receives, &allowed.receives),
        takes: less(&profile.takes, &allowed.takes),
    }
}

/// Returns the program without calls that have no counterpart, and the maximum numbers of executions of the calls
/// that do not always have one.
pub(super) fn balanced(
    mut program: Vec<Construct>,
    links: &BTreeSet<Link>,
) -> (Vec<Construct>, Vec<u64>) {
    loop {
        let profile = Profile::of_program(&program);
        let allowed = allowed(&profile, links);
        if allowed == profile {
            return (program, Vec::new());
        }
        let limited = Limited::new(&program, &profile, &allowed);
        // A call whose direction or tag depends on a loop index has several limits. If the loop is unrolled, each
        // instance of the call has a single limit; if that would be too long, the call is removed.
        if limited.calls.values().any(|keys| keys.len() > 1) {
            let has_several = |call: &Call| limited.keys(call).is_some_and(|keys| keys.len() > 1);
            if let Some(longer) = unrolled(&program, &has_several) {
                program = longer;
                continue;
            }
            program = rebuilt(&program, &mut |call| match limited.keys(call) {
                Some(keys) if keys.len() > 1 => None,
                _ => Some(call.clone()),
            });
            continue;
        }
        let mut limits = Vec::new();
        let mut numbers = HashMap::new();
        program = rebuilt(&program, &mut |call| {
            let Some(key) = limited.keys(call).and_then(|keys| keys.first()) else {
                return Some(call.clone());
            };
            let most = of_call(&allowed, call)[key];
            let number = *numbers.entry((side(call), *key)).or_insert_with(|| {
                limits.push(most);
                limits.len() - 1
            });
            (most > 0).then(|| Call {
                limit: Some(number),
                ..call.clone()
            })
        });
        return (program, limits);
    }
}

/// The calls that must not be executed every time, by their address, with all their keys.
struct Limited {
    calls: HashMap<*const Call, BTreeSet<Key>>,
}

impl Limited {
    fn new(program: &[Construct], profile: &Profile, allowed: &Profile) -> Self {
        let mut calls: HashMap<*const Call, BTreeSet<Key>> = HashMap::new();
        let mut limited = BTreeSet::new();
        visit(program, &mut |call, indices, _| {
            if let Some(message) = call.action.message() {
                let key = key(call, message, indices);
                calls.entry(call).or_default().insert(key);
                if of_call(allowed, call)[&key] < of_call(profile, call)[&key] {
                    limited.insert(std::ptr::from_ref(call));
                }
            }
        });
        calls.retain(|call, _| limited.contains(call));
        Self { calls }
    }

    fn keys(&self, call: &Call) -> Option<&BTreeSet<Key>> {
        self.calls.get(&std::ptr::from_ref(call))
    }
}

const fn side(call: &Call) -> u8 {
    match call.action {
        Action::Send(_) => 0,
        Action::Take(_) => 1,
        _ => 2,
    }
}

fn of_call<'a>(profile: &'a Profile, call: &Call) -> &'a BTreeMap<Key, u64> {
    match call.action {
        Action::Send(_) => &profile.sends,
        Action::Take(_) => &profile.takes,
        _ => &profile.receives,
    }
}

/// Returns a program in which `change` has replaced or removed each call. Loops that become empty are removed.
pub(super) fn rebuilt(
    body: &[Construct],
    change: &mut impl FnMut(&Call) -> Option<Call>,
) -> Vec<Construct> {
    let mut changed = Vec::new();
    for construct in body {
        match construct {
            Construct::Call(call) => changed.extend(change(call).map(Construct::Call)),
            Construct::Loop(inner) => {
                let body = rebuilt(&inner.body, change);
                if !body.is_empty() {
                    let count = inner.count.clone();
                    changed.push(Construct::Loop(Loop { count, body }));
                }
            }
        }
    }
    changed
}

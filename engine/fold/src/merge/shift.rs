//! Shifts loops: the first part of a loop's body is moved out of the loop (RR-8562, section III.B.2).

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use foldtrace_trace::SymbolTable;

use super::End;
use super::arrange::arranged;
use super::lanes::Lanes;
use super::substitution::Index;
use super::system::{Construct, Kind, System};

/// The maximum number of shifts of a loop. A loop is shifted again when its other counterparts are known, but not
/// forever.
const MAX_SHIFTS: u8 = 8;

/// The result of shifting a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shift {
    /// The constructs that replace the loop.
    pub replacement: Vec<Construct>,
    /// The constructs after the loop that became part of its last iteration.
    pub absorbed: Vec<u32>,
}

/// Shifts a loop by less than an iteration; `messages` contains the number of messages of each end that move before
/// the loop. Returns `None` if these cannot be taken out of an iteration without cutting constructs that communicate,
/// or if the loop has been shifted too often.
pub(super) fn shifted(
    constructs: &[Construct],
    index: u32,
    messages: &BTreeMap<End, u64>,
    symbols: &SymbolTable,
) -> Option<Shift> {
    let construct = constructs.get(index as usize)?;
    let Kind::Loop { count, body } = &construct.kind else {
        return None;
    };
    if construct.shifts >= MAX_SHIFTS {
        return None;
    }
    let is_first = first_part(body, messages)?;
    let part = |first: bool, index: &Index| -> Option<Vec<Construct>> {
        let all = body.constructs.iter().zip(&is_first);
        let part = all.filter(|&(_, &is_first)| is_first == first);
        part.map(|(construct, _)| index.substitute(construct, symbols))
            .collect()
    };
    let mut replacement = part(true, &Index::fixed(0))?;
    // (a b)ⁿ is a (b a)ⁿ⁻¹ b, and (a b)ⁿ a is a (b a)ⁿ.
    let next = part(true, &Index::fixed(*count));
    let absorbed = next.and_then(|next| next_alike(constructs, index, &next));
    let left = count - u64::from(absorbed.is_none());
    if left == 1 {
        replacement.extend(part(false, &Index::fixed(0))?);
        replacement.extend(part(true, &Index::fixed(1))?);
    } else {
        let mut rotated = part(false, &Index::after(0))?;
        rotated.extend(part(true, &Index::after(1))?);
        let body = Arc::new(arranged(rotated, body.matched.clone()));
        let mut rest = Construct::repeat(left, body);
        rest.shifts = construct.shifts + 1;
        replacement.push(rest);
    }
    if absorbed.is_none() {
        replacement.extend(part(false, &Index::fixed(count - 1))?);
    }
    Some(Shift {
        replacement,
        absorbed: absorbed.unwrap_or_default(),
    })
}

/// Shifts a loop so that each iteration begins with the messages with which the iterations of its counterparts begin.
/// These counterparts have as many iterations, or one more or less, and begin later. Returns `None` if the loop is
/// not early by a part of an iteration.
pub(super) fn aligned(
    constructs: &[Construct],
    lanes: &Lanes,
    index: u32,
    symbols: &SymbolTable,
) -> Option<Shift> {
    let (count, _) = constructs.get(index as usize)?.as_loop()?;
    let mut early = BTreeMap::new();
    for run in lanes.runs_of(index) {
        let Some(other) = lanes.around(run.end.other(), run.start + run.volume / 2) else {
            continue;
        };
        let Some((others, _)) = constructs[other.construct as usize].as_loop() else {
            continue;
        };
        if others.abs_diff(count) <= 1 && other.volume / others == run.volume / count {
            // If this loop is late, the other one is early.
            early.insert(run.end, other.start.saturating_sub(run.start));
        }
    }
    let is_early = early.values().any(|&messages| messages > 0);
    is_early.then(|| shifted(constructs, index, &early, symbols))?
}

/// Returns the constructs that come next in their processes after a loop, if they equal `expected`.
fn next_alike(constructs: &[Construct], index: u32, expected: &[Construct]) -> Option<Vec<u32>> {
    let mut expected: Vec<&Construct> = expected.iter().collect();
    let mut found = Vec::new();
    for (index, construct) in (0..).zip(constructs).skip(index as usize + 1) {
        if expected.is_empty() {
            break;
        }
        let meets = |expected: &&Construct| expected.processes.iter().any(|&p| construct.covers(p));
        if let Some(next) = expected.iter().position(meets) {
            if expected.remove(next).kind != construct.kind {
                return None;
            }
            found.push(index);
        }
    }
    expected.is_empty().then_some(found)
}

/// Selects the constructs of a body that have the first messages of some ends, and the constructs that have to come
/// before them or communicate with them.
fn first_part(body: &System, messages: &BTreeMap<End, u64>) -> Option<Vec<bool>> {
    let mut is_first = vec![false; body.constructs.len()];
    for (&end, &moved) in messages {
        let mut sum = 0;
        for (construct, is_first) in body.constructs.iter().zip(&mut is_first) {
            if sum >= moved {
                break;
            }
            let volume = construct.volume(end);
            *is_first |= volume > 0;
            sum += volume;
        }
    }
    close(body, &mut is_first);
    let fits = messages.iter().all(|(&end, &moved)| {
        let firsts = body.constructs.iter().zip(&is_first);
        let volumes = firsts.map(|(c, &is_first)| if is_first { c.volume(end) } else { 0 });
        volumes.sum::<u64>() == moved
    });
    (fits && is_first.contains(&false)).then_some(is_first)
}

/// Adds the constructs that come before any of the selected ones or communicate with them.
fn close(body: &System, is_in: &mut [bool]) {
    loop {
        let before = is_in.iter().filter(|&&is_in| is_in).count();
        let mut processes = HashSet::new();
        for (construct, is_in) in body.constructs.iter().zip(is_in.iter_mut()).rev() {
            *is_in |= construct.processes.iter().any(|p| processes.contains(p));
            if *is_in {
                processes.extend(construct.processes.iter().copied());
            }
        }
        for link in &body.links {
            let [from, to] = [link.from, link.to].map(|index| index as usize);
            let either = is_in[from] || is_in[to];
            (is_in[from], is_in[to]) = (either, either);
        }
        if before == is_in.iter().filter(|&&is_in| is_in).count() {
            return;
        }
    }
}

//! Aligns loops: loops whose bodies are rotations of each other get the same rotation.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::group::{MAX_ITEMS, group, roll};
use super::pool::{Id, Pool};
use super::take::Taken;

/// The maximum number of kinds of bodies per sequence for which rotations are tried.
const MAX_KINDS: usize = 16;

/// The number of rotations of one kind after which no more are collected.
const MAX_ROTATIONS: usize = 32;

/// The maximum number of items that are grouped to try rotations: a long sequence gets fewer tries.
const MAX_WORK: usize = 1 << 16;

/// Returns the sequence in the fewest terms found.
pub(super) fn best(taken: Taken, pool: &mut Pool) -> Vec<Id> {
    let mut flat = absorbed(&taken.flat, pool, &[]);
    let mut best = taken.short;
    let grouped = group(&flat, pool);
    if pool.terms(&grouped) < pool.terms(&best) {
        best = grouped;
    }
    let mut tries = MAX_WORK / flat.len().max(1);
    for kind in kinds(&flat, pool) {
        let mut chosen = None;
        let rotations = rotations(&flat, &kind, pool);
        for rotation in rotations.into_iter().take(tries) {
            tries -= 1;
            let aligned = absorbed(&flat, pool, &rotated(&kind, rotation));
            let grouped = group(&aligned, pool);
            if pool.terms(&grouped) < pool.terms(&best) {
                best = grouped;
                chosen = Some(aligned);
            }
        }
        flat = chosen.unwrap_or(flat);
    }
    best
}

/// Returns the bodies of the loops of a sequence, each in its least rotation, without bodies that are too long.
fn kinds(flat: &[Id], pool: &Pool) -> Vec<Vec<Id>> {
    let mut known = BTreeSet::new();
    let mut kinds = Vec::new();
    for rolled in flat.iter().filter_map(|&id| pool.rolled(id)) {
        if kinds.len() == MAX_KINDS {
            break;
        }
        if (2..=MAX_ITEMS).contains(&rolled.body.len()) {
            let kind = rotated(&rolled.body, least_rotation(&rolled.body));
            if known.insert(kind.clone()) {
                kinds.push(kind);
            }
        }
    }
    kinds
}

/// Returns the rotations of `kind` at which a loop of that kind begins or ends, including the matching items before
/// and after it.
fn rotations(flat: &[Id], kind: &[Id], pool: &Pool) -> BTreeSet<usize> {
    let len = kind.len();
    let mut rotations = BTreeSet::new();
    for (at, &id) in flat.iter().enumerate() {
        let Some(phase) = pool.rolled(id).and_then(|r| phase(&r.body, kind)) else {
            continue;
        };
        let after = neighbours(flat[at + 1..].iter().copied(), kind, pool, false);
        let before = neighbours(flat[..at].iter().rev().copied(), kind, pool, true);
        let on = |k: &usize| after.get(*k) == Some(&kind[(phase + k) % len]);
        let back = |k: &usize| before.get(*k) == Some(&kind[(phase + len - 1 - k) % len]);
        let (on, back) = (
            (0..len).take_while(on).count(),
            (0..len).take_while(back).count(),
        );
        rotations.extend([phase, (phase + on) % len, (phase + len - back) % len]);
        if rotations.len() >= MAX_ROTATIONS {
            break;
        }
    }
    rotations
}

/// Returns the items next to a loop, as far as a body of `kind` may extend.
fn neighbours(
    items: impl Iterator<Item = Id>,
    kind: &[Id],
    pool: &Pool,
    is_backward: bool,
) -> Vec<Id> {
    let mut neighbours = Vec::new();
    for id in items.take(kind.len()) {
        match pool.rolled(id) {
            Some(rolled) if phase(&rolled.body, kind).is_some() => {
                let body = rolled.body.iter().copied();
                if is_backward {
                    neighbours.extend(body.rev());
                } else {
                    neighbours.extend(body);
                }
                break;
            }
            _ => neighbours.push(id),
        }
    }
    neighbours
}

/// Returns the sequence with loops that have absorbed all copies of their bodies next to them. Loops whose bodies are
/// rotations of `common` become loops of `common`.
fn absorbed(flat: &[Id], pool: &mut Pool, common: &[Id]) -> Vec<Id> {
    let mut to = Absorbing {
        ids: Vec::with_capacity(flat.len()),
        last: None,
    };
    for &id in flat {
        let Some(rolled) = pool.rolled(id).cloned() else {
            to.push(id, pool);
            continue;
        };
        match phase(common, &rolled.body) {
            Some(shift) if shift > 0 && rolled.count > 1 => {
                for &id in &rolled.body[..shift] {
                    to.push(id, pool);
                }
                to.push_loop(rolled.count - 1, &common.into(), pool);
                for &id in &rolled.body[shift..] {
                    to.push(id, pool);
                }
            }
            _ => to.push_loop(rolled.count, &rolled.body, pool),
        }
    }
    to.ids
}

/// A sequence under construction, in which loops absorb copies of their bodies.
#[derive(Debug)]
struct Absorbing {
    ids: Vec<Id>,
    /// The place, count and body of the last loop.
    last: Option<(usize, i64, Arc<[Id]>)>,
}

impl Absorbing {
    fn push(&mut self, id: Id, pool: &mut Pool) {
        self.ids.push(id);
        if let Some((at, count, body)) = &self.last
            && self.ids.len() == at + 1 + body.len()
            && self.ids[at + 1..] == body[..]
        {
            let (at, count, body) = (*at, *count, Arc::clone(body));
            if let Some(count) = count.checked_add(1) {
                self.ids.truncate(at);
                self.put(count, body, pool);
            }
        }
    }

    fn push_loop(&mut self, mut count: i64, body: &Arc<[Id]>, pool: &mut Pool) {
        while self.ids.ends_with(body)
            && let Some(more) = count.checked_add(1)
        {
            count = more;
            self.ids.truncate(self.ids.len() - body.len());
        }
        if let Some((at, before, same)) = &self.last
            && self.ids.len() == at + 1
            && same == body
            && let Some(sum) = count.checked_add(*before)
        {
            count = sum;
            self.ids.truncate(*at);
        }
        self.put(count, Arc::clone(body), pool);
    }

    fn put(&mut self, count: i64, body: Arc<[Id]>, pool: &mut Pool) {
        let at = self.ids.len();
        self.ids.push(roll(count, &body, pool));
        self.last = Some((at, count, body));
    }
}

/// Returns the number of items by which `kind` has to be rotated to become `body`, or `None` if it cannot.
fn phase(body: &[Id], kind: &[Id]) -> Option<usize> {
    if body.len() != kind.len() || body.is_empty() {
        return None;
    }
    let len = kind.len();
    let (least, of_kind) = (least_rotation(body), least_rotation(kind));
    let is_same = (0..len).all(|k| body[(least + k) % len] == kind[(of_kind + k) % len]);
    is_same.then_some((of_kind + len - least) % len)
}

fn rotated(ids: &[Id], by: usize) -> Vec<Id> {
    [&ids[by..], &ids[..by]].concat()
}

/// Returns the start of the lexicographically least rotation.
fn least_rotation(ids: &[Id]) -> usize {
    let len = ids.len();
    let (mut best, mut other, mut common) = (0, 1, 0);
    while best < len && other < len && common < len {
        let (a, b) = (ids[(best + common) % len], ids[(other + common) % len]);
        if a == b {
            common += 1;
            continue;
        }
        if a > b {
            best += common + 1;
        } else {
            other += common + 1;
        }
        other += usize::from(best == other);
        common = 0;
    }
    best.min(other)
}

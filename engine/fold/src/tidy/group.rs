//! Groups equal neighbouring blocks into loops, largest savings first.

use std::cmp::Reverse;
use std::sync::Arc;

use super::pool::{Id, NOWHERE, Pool, Rolled};

/// The maximum number of items in a block.
pub(super) const MAX_ITEMS: usize = 256;

/// The maximum number of times a sequence is grouped: blocks that overlap with better ones have to wait.
const ROUNDS: usize = 8;

/// A stretch in which each item is equal to the item `period` before it, if there is one.
#[derive(Clone, Copy, Debug)]
struct Run {
    start: usize,
    end: usize,
    period: usize,
    /// The number of terms saved if it becomes a loop.
    saving: u64,
}

impl Run {
    fn times(&self) -> usize {
        (self.end - self.start) / self.period
    }
}

/// Returns the sequence with loops for blocks that occur several times in a row.
pub(super) fn group(ids: &[Id], pool: &mut Pool) -> Vec<Id> {
    let mut grouped = ids.to_vec();
    for _ in 0..ROUNDS {
        let chosen = chosen(&grouped, pool);
        if chosen.is_empty() {
            break;
        }
        let mut next = Vec::with_capacity(grouped.len());
        let mut done = 0;
        for run in chosen {
            next.extend_from_slice(&grouped[done..run.start]);
            done = run.end;
            push_run(&grouped[run.start..run.end], &run, pool, &mut next);
        }
        next.extend_from_slice(&grouped[done..]);
        if pool.terms(&next) >= pool.terms(&grouped) {
            break;
        }
        grouped = next;
    }
    grouped
}

/// Returns the loop of `count` times `body`.
pub(super) fn roll(count: i64, body: &[Id], pool: &mut Pool) -> Id {
    if let [only] = body
        && let Some(inner) = pool.rolled(*only)
        && let Some(count) = count.checked_mul(inner.count)
    {
        let body = Arc::clone(&inner.body);
        return roll(count, &body, pool);
    }
    let root = root(body);
    if root < body.len()
        && let Some(count) = count.checked_mul((body.len() / root) as i64)
    {
        return roll(count, &body[..root], pool);
    }
    let rolled = Rolled {
        count,
        body: Arc::from(body),
    };
    if let Some(id) = pool.find_loop(&rolled) {
        return id;
    }
    let short = group(body, pool);
    pool.add_loop(rolled, short)
}

/// Returns the length of the shortest sequence of which this one is a repetition.
fn root(ids: &[Id]) -> usize {
    // For each prefix, the length of its longest proper prefix that is also a suffix of it (Knuth, Morris and Pratt).
    let mut borders = vec![0; ids.len()];
    let mut border = 0;
    for end in 1..ids.len() {
        while border > 0 && ids[border] != ids[end] {
            border = borders[border - 1];
        }
        border += usize::from(ids[border] == ids[end]);
        borders[end] = border;
    }
    let period = ids.len() - border;
    if period > 0 && ids.len().is_multiple_of(period) {
        period
    } else {
        ids.len()
    }
}

/// Appends the run as a loop, with the remaining items before or after it.
fn push_run(ids: &[Id], run: &Run, pool: &mut Pool, to: &mut Vec<Id>) {
    let rest = ids.len() % run.period;
    let times = run.times() as i64;
    let first = roll(times, &ids[..run.period], pool);
    let last = roll(times, &ids[rest..rest + run.period], pool);
    if pool.terms(&[last]) < pool.terms(&[first]) {
        to.extend_from_slice(&ids[..rest]);
        to.push(last);
    } else {
        to.push(first);
        to.extend_from_slice(&ids[ids.len() - rest..]);
    }
}

/// Returns runs that do not overlap, in order. Runs that save more are chosen first.
fn chosen(ids: &[Id], pool: &mut Pool) -> Vec<Run> {
    let mut runs = runs(ids, pool);
    runs.sort_by_key(|run| (Reverse(run.saving), run.start, run.period));
    let mut is_taken = vec![false; ids.len()];
    runs.retain(|run| {
        let items = &mut is_taken[run.start..run.end];
        if items.iter().any(|&taken| taken) {
            return false;
        }
        items.fill(true);
        true
    });
    runs.sort_by_key(|run| run.start);
    runs
}

/// Returns all runs of at least two blocks that save terms.
fn runs(ids: &[Id], pool: &mut Pool) -> Vec<Run> {
    let mut runs = Vec::new();
    // For each period, the current stretch of items that are equal to those one period before.
    let mut open: Vec<(usize, usize)> = vec![(0, 0); MAX_ITEMS.min(ids.len()) + 1];
    let previous = pool.previous(ids);
    for (at, &before) in previous.iter().enumerate() {
        let mut equal = before;
        while equal != NOWHERE && at - equal < open.len() {
            let period = at - equal;
            let (_, end) = open[period];
            if end == at {
                open[period].1 += 1;
            } else {
                runs.extend(run(ids, open[period], period, pool));
                open[period] = (at, at + 1);
            }
            equal = previous[equal];
        }
    }
    for (period, &stretch) in open.iter().enumerate().skip(1) {
        runs.extend(run(ids, stretch, period, pool));
    }
    runs
}

fn run(ids: &[Id], (from, end): (usize, usize), period: usize, pool: &Pool) -> Option<Run> {
    if end - from < period {
        return None;
    }
    let mut run = Run {
        start: from - period,
        end,
        period,
        saving: 0,
    };
    let block = &ids[run.start..from];
    let terms = pool.terms(block);
    let is_loop = period == 1 && pool.rolled(block[0]).is_some();
    run.saving = ((run.times() as u64 - 1) * terms).saturating_sub(u64::from(!is_loop));
    (run.saving > 0).then_some(run)
}

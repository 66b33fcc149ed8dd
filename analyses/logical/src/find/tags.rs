//! Restores the tags of a program that was made without them.

use foldtrace_stream::read::Progress;
use foldtrace_trace::{Operand, TraceError};
use rayon::prelude::*;

use super::attempt::Processes;
use super::meanings::Meanings;
use crate::model::{Action, Construct, Follow, Logical, Number, Word, Wording};

/// The least and the greatest tag of a call; `None` if no message of the call has a known tag.
type Range = Option<(u64, u64)>;

fn joined(one: Range, other: Range) -> Range {
    match (one, other) {
        (Some((least, greatest)), Some((less, more))) => {
            Some((least.min(less), greatest.max(more)))
        }
        (one, other) => one.or(other),
    }
}

/// Gives each call of a program the tag of its messages. If the tag depends on the process or the iteration, the
/// call gets the range of tags instead.
///
/// # Errors
/// Returns an error if a table is missing or damaged, or if the work was stopped.
pub(super) fn restore(
    processes: &Processes<'_>,
    wording: Wording,
    logical: &mut Logical,
    progress: &Progress,
) -> Result<(), TraceError> {
    let all = 0..processes.ranks.len() as u32;
    let ranges = all.into_par_iter();
    let ranges = ranges.map(|process| of_process(processes, wording, logical, process, progress));
    let ranges = ranges.try_reduce(Vec::new, |one, other| {
        let (mut longer, shorter) = if one.len() < other.len() {
            (other, one)
        } else {
            (one, other)
        };
        for (all, more) in longer.iter_mut().zip(shorter) {
            *all = joined(*all, more);
        }
        Ok(longer)
    })?;
    write(&mut logical.program, &ranges);
    Ok(())
}

/// Returns the range of tags of each call in one process, by the number of the call.
fn of_process(
    processes: &Processes<'_>,
    wording: Wording,
    logical: &Logical,
    process: u32,
    progress: &Progress,
) -> Result<Vec<Range>, TraceError> {
    let number = process as usize;
    let mut ranges = Vec::new();
    let Some(location) = processes.places[number].location else {
        return Ok(ranges);
    };
    let understanding = &processes.understanding;
    let at = (&logical.topology, &*logical.nodes);
    let of = (process, processes.ranks[number]);
    let mut meanings = Meanings::new(understanding, wording, at, of);
    let mut follow = Follow::new(logical.instances(logical.nodes[number]));
    let mut report = |call: Option<u32>, tag: Option<u64>| {
        if let (Some(call), Some(tag)) = (call, tag) {
            let call = call as usize;
            if ranges.len() <= call {
                ranges.resize(call + 1, None);
            }
            ranges[call] = joined(ranges[call], Some((tag, tag)));
        }
    };
    let mut word = Word::new(wording);
    processes.for_each_symbol(location, progress, |symbol| {
        let meaning = meanings.meaning(symbol);
        let tag = understanding.symbols.symbol(symbol).get(Operand::Tag);
        word.take(meaning, tag, &mut |letter, tag| {
            follow.take(letter, tag, &mut report);
        });
    })?;
    word.finish(&mut |letter, tag| follow.take(letter, tag, &mut report));
    follow.finish(&mut report);
    Ok(ranges)
}

fn write(program: &mut [Construct], ranges: &[Range]) {
    for construct in program {
        let call = match construct {
            Construct::Loop(inner) => {
                write(&mut inner.body, ranges);
                continue;
            }
            Construct::Call(call) => call,
        };
        let range = ranges.get(call.number as usize).copied().flatten();
        let (Action::Send { tag, .. } | Action::Receive { tag, .. }) = &mut call.action else {
            continue;
        };
        match range {
            Some((least, greatest)) if least == greatest => {
                *tag = Some(Number::constant(least as i64));
            }
            _ => call.tags = range,
        }
    }
}

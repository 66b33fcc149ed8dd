//! The model of the program, as lines of nested loops.

use foldtrace_fold::merge::{Construct, Item, Process, Spmd};
use foldtrace_program::MainLoop;
use foldtrace_program::global::{ProgramLabels, ProgramText, SpmdText};
use foldtrace_program::outline::Entry;
use serde::Serialize;

/// The greatest number of lines of a form of the model.
const MOST_LINES: usize = 5000;

/// A form of the model.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Form {
    title: &'static str,
    lines: Vec<Line>,
    /// The number of lines that are left out.
    left_out: usize,
}

#[derive(Clone, Debug, Serialize)]
struct Line {
    text: String,
    /// The number of loops and groups around it.
    depth: usize,
    /// The outermost loop of the program that the line begins, and its share of the time.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    one: Option<Outermost>,
}

/// An outermost loop.
#[derive(Clone, Debug, Serialize)]
struct Outermost {
    number: String,
    share: f64,
}

/// Returns the forms of the model of a program, whose constructs are `entries`: that in which equal processes share constructs, and
/// that with each process.
pub(super) fn forms(
    words: ProgramLabels<'_>,
    entries: &[Entry<'_>],
    loops: &[MainLoop],
) -> Vec<Form> {
    let outermost: Vec<(&Construct, Outermost)> = entries
        .iter()
        .filter(|entry| entry.parent.is_none() && entry.construct.as_loop().is_some())
        .map(|entry| {
            let measured = loops.iter().find(|one| one.number == entry.number);
            let share = measured.map_or(0.0, |one| one.share);
            let number = entry.number.clone();
            (entry.construct, Outermost { number, share })
        })
        .collect();
    let shared = words.program.shared(words.names, words.symbols);
    let of_shared = loops_of(&shared, &outermost);
    let each = outermost.iter().map(|(_, one)| Some(one.clone()));
    vec![
        form(
            "equal processes together",
            &SpmdText::new(words, &shared).to_string(),
            of_shared.into_iter(),
        ),
        form(
            "each process",
            &ProgramText::new(words, false).to_string(),
            each,
        ),
    ]
}

/// Returns, for each outermost loop of several processes in a shared model, the loop of the program that it is.
fn loops_of(shared: &Spmd, outermost: &[(&Construct, Outermost)]) -> Vec<Option<Outermost>> {
    let mut rest = outermost.iter();
    let items = shared.system.items.iter();
    let loops = items.filter_map(|item| match item {
        Item::Loop {
            count, processes, ..
        } => Some((*count, &processes[..])),
        _ => None,
    });
    let found = loops.map(|(count, processes): (u64, &[Process])| {
        let is_same = |construct: &Construct| {
            construct.as_loop().is_some_and(|(own, _)| own == count)
                && construct.processes[..] == *processes
        };
        // Both are in the same order, unless a loop has no other one.
        let mut ahead = rest.clone();
        let (_, one) = ahead.find(|(construct, _)| is_same(construct))?;
        rest = ahead;
        Some(one.clone())
    });
    found.collect()
}

/// Returns a form of the model from its text. `loops` are those that begin without indentation, in order.
fn form(
    title: &'static str,
    text: &str,
    mut loops: impl Iterator<Item = Option<Outermost>>,
) -> Form {
    let mut lines = Vec::new();
    let mut left_out = 0;
    for line in text.lines() {
        let text = line.trim_start();
        if text == "done" {
            continue;
        }
        let depth = (line.len() - text.len()) / 2;
        let is_outermost = depth == 0 && text.starts_with("for i");
        let one = if is_outermost {
            loops.next().flatten()
        } else {
            None
        };
        if lines.len() == MOST_LINES {
            left_out += 1;
            continue;
        }
        lines.push(Line {
            text: text.to_owned(),
            depth,
            one,
        });
    }
    Form {
        title,
        lines,
        left_out,
    }
}

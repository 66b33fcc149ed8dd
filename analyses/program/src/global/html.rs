//! Writes the model of a program as a page with its text and its picture side by side.

use std::collections::HashMap;
use std::io::{self, Write};

use foldtrace_fold::merge::{Construct, Kind};
use foldtrace_view::page::Page;
use foldtrace_view::units::Percent;
use foldtrace_view::xml::escape;
use serde_json::json;

use super::ProgramLabels;
use super::svg::{Heading, Picture};
use crate::outline::Entry;
use crate::{Cost, MainLoop};

const STYLE: &str = concat!(include_str!("picture.css"), include_str!("page/page.css"));
const SCRIPT: &str = include_str!("page/page.js");
const CONTROLS: &str = "\
<button data-key=\"+\" title=\"larger (+)\">+</button>\
<button data-key=\"-\" title=\"smaller (-)\">−</button>\
<button data-key=\"0\" title=\"all processes (0)\">height</button>\
<button data-key=\"a\" title=\"everything (a)\">all</button>
<span class=\"hint\">wheel: zoom · drag or arrow keys: move · point: show details · click: select in text and picture</span>
";

/// Measurements of the constructs of a model, read from the store.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// The cost of each construct, in the order of the text.
    pub costs: &'a [Cost],
    /// All loops.
    pub loops: &'a [MainLoop],
    /// Ticks per second.
    pub ticks_per_second: u64,
}

/// Writes the model as a self-contained page.
///
/// # Errors
/// If `out` fails.
pub fn program_html(
    out: &mut impl Write,
    words: ProgramLabels<'_>,
    heading: Heading<'_>,
    measured: Measured<'_>,
) -> io::Result<()> {
    let picture = Picture::new(words);
    let page = Page {
        title: heading.title,
        summary: heading.summary,
        controls: CONTROLS,
        style: STYLE,
        script: Some(SCRIPT),
        is_served: false,
    };
    page.start(out)?;
    picture.legend().write_html(out)?;
    if picture.has_messages() {
        writeln!(
            out,
            "<span>in the text: <code>0 send 1 7</code> sends a message from 0 to 1 with tag 7, \
             <code>0 recv 1 7</code> receives it</span>"
        )?;
    }
    page.contents(out)?;
    writeln!(out, "<div id=\"text\">")?;
    let shares: HashMap<&str, f64> = measured
        .loops
        .iter()
        .map(|one| (&one.number[..], one.share))
        .collect();
    for entry in &picture.entries {
        let share = shares.get(&entry.number[..]);
        let share = share.map(|share| format!(" <i>{}</i>", Percent(*share)));
        writeln!(
            out,
            "<div><i>{:<8}</i><span>{:indent$}{}</span>{}</div>",
            entry.number,
            "",
            line(words, entry),
            share.unwrap_or_default(),
            indent = 2 * entry.depth
        )?;
    }
    writeln!(out, "</div>\n<div id=\"picture\" tabindex=\"0\">")?;
    picture.write_bare(out)?;
    writeln!(out, "</div>")?;
    page.end(out, |out| data(out, words, &picture.entries, measured))
}

/// Writes the data for the script, one line per construct.
fn data(
    out: &mut impl Write,
    words: ProgramLabels<'_>,
    entries: &[Entry<'_>],
    measured: Measured<'_>,
) -> io::Result<()> {
    let messages = messages(words, entries);
    writeln!(out, "[")?;
    for (index, entry) in entries.iter().enumerate() {
        let cost = measured.costs.get(index).copied().unwrap_or_default();
        let count = entry.construct.as_loop().map_or(0, |(count, _)| count);
        let nanoseconds = cost.ticks as f64 * 1e9 / measured.ticks_per_second.max(1) as f64;
        let row = json!([
            entry.number,
            count,
            entry.construct.processes.len(),
            entry.instances,
            entry.construct.events().saturating_mul(entry.instances),
            messages[index],
            nanoseconds.round() as i64,
            cost.sent,
            cost.received,
        ]);
        let comma = if index > 0 { "," } else { "" };
        writeln!(out, "{comma}{row}")?;
    }
    writeln!(out, "]")
}

fn line(words: ProgramLabels<'_>, entry: &Entry<'_>) -> String {
    let construct: &Construct = entry.construct;
    match &construct.kind {
        Kind::Loop { count, .. } => {
            let processes = words.processes(construct.processes.iter().copied());
            format!("<b>{count}x</b> processes {}", escape(&processes))
        }
        Kind::Event { .. } | Kind::Collective { .. } => {
            escape(words.construct(construct, entry.depth)).into_owned()
        }
    }
}

/// Returns the number of messages sent in each construct, over all of its instances.
fn messages(words: ProgramLabels<'_>, entries: &[Entry<'_>]) -> Vec<u64> {
    let mut sums = vec![0_u64; entries.len()];
    for (index, entry) in entries.iter().enumerate().rev() {
        if let Kind::Event { member, .. } = &entry.construct.kind
            && words.symbols.kind(member.symbol).is_send()
        {
            sums[index] = entry.instances;
        }
        if let Some(parent) = entry.parent {
            sums[parent] += sums[index];
        }
    }
    sums
}

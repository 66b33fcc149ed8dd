//! `foldtrace info`: summarises the contents of a trace or store.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::clock::Method;
use crate::store::Form;
use crate::summary::Summary;
use clap::Args;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::Opening;
use foldtrace_trace::{ReadOptions, Severity, format_labels};
use foldtrace_view::units::{Percent, Seconds};

use super::Context;
use super::output::{OutputOptions, OutputWriter, bytes, grouped};
use super::report::{self, Done, Outcome};
use super::signals;
use super::table::{Columns, Narrow, Table};

/// Summarise a trace or store: events, duration, and names of regions and locations.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace info lu.fold
  foldtrace info eztrace_log.otf2 --json | jq .kinds")]
pub struct Info {
    /// Trace or store to read, or - for standard input.
    input: PathBuf,
    /// Format of the input; by default it is recognised from the content.
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// Keep the intact parts of a damaged trace and report what was lost (exit code 3).
    #[arg(long)]
    salvage: bool,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Info {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json];
}

impl Info {
    pub fn run(self, context: Context) -> Outcome {
        let mut out = self.output.create()?;
        let opening = Opening {
            path: &self.input,
            format: self.from.as_deref(),
            options: ReadOptions::whole(self.salvage),
        };
        let recognised = opening.recognise(&signals::stop(), context)?;
        let summary = Summary::new(recognised, &opening.options)?;
        if self.output.is_json() {
            out.json(&summary)?;
        } else {
            write(&summary, &mut out)?;
            out.finish()?;
        }
        if let Some(error) = summary.unread() {
            report::note(
                &format!("shares and main loops are left out: {error}"),
                context,
            );
        }
        Ok(if summary.worst() == Some(Severity::Loss) {
            Done::Loss
        } else {
            Done::Clean
        })
    }
}

/// Maximum number of regions, and of locations, that the text output lists.
const ROWS: usize = 10;

/// Maximum number of regions that the text output lists with their times.
const TIMED: usize = 5;

/// The columns of names and their values.
const VALUES: Columns = Columns {
    header: &[],
    right: &[1],
    narrowing: &[Narrow::Shorten(0, 24)],
};

/// The columns of the list of the regions with the most calls.
const REGIONS: Columns = Columns {
    header: &["region", "calls"],
    right: &[1],
    narrowing: &[Narrow::Shorten(0, 24)],
};

/// The columns of the list of the regions that take the most time.
const TIMES: Columns = Columns {
    header: &["region", "calls", "exclusive", "share"],
    right: &[1, 2, 3],
    narrowing: &[Narrow::Shorten(0, 24), Narrow::Drop(1)],
};

/// The columns of the list of main loops.
const LOOPS: Columns = Columns {
    header: &["main loop", "share", "iterations", "instances", "processes"],
    right: &[1, 2, 3],
    narrowing: &[Narrow::Shorten(4, 16), Narrow::Drop(3)],
};

/// The columns of the list of the first locations.
const LOCATIONS: Columns = Columns {
    header: &["location", "name", "id", "events"],
    right: &[2, 3],
    narrowing: &[Narrow::Shorten(1, 24)],
};

fn write(summary: &Summary, out: &mut OutputWriter) -> io::Result<()> {
    let terminal = out.terminal();
    writeln!(out, "{}", Table::new(&VALUES, rows(summary), terminal))?;
    for (title, counts) in [
        ("events by kind", &summary.kinds),
        ("diagnostics", &summary.diagnostics),
    ] {
        if !counts.is_empty() {
            let rows = counts.iter();
            let rows = rows.map(|(name, count)| vec![name.clone(), grouped(*count)]);
            let table = Table::new(&VALUES, rows.collect(), terminal);
            writeln!(out, "\n{title}\n{table}")?;
        }
    }
    regions(summary, out)?;
    let loops = summary.main_loops.iter().flatten().map(|one| {
        vec![
            one.construct.clone(),
            Percent(one.share / 100.0).to_string(),
            grouped(one.iterations),
            grouped(one.instances),
            format_labels(&one.processes),
        ]
    });
    let loops: Vec<_> = loops.collect();
    let all = loops.len();
    list(out, &LOOPS, loops, all)?;
    let locations = summary.location_names.iter().take(ROWS);
    let locations = locations.map(|location| {
        vec![
            location.label.clone(),
            location.name.clone(),
            location.location.to_string(),
            grouped(location.events),
        ]
    });
    list(
        out,
        &LOCATIONS,
        locations.collect(),
        summary.location_names.len(),
    )
}

/// Writes the regions that take the most time, or have the most calls if their times are not known.
fn regions(summary: &Summary, out: &mut OutputWriter) -> io::Result<()> {
    let all = summary.region_names.len();
    if summary.mpi_share.is_none() {
        let regions = summary.region_names.iter().take(ROWS);
        let regions = regions.map(|region| vec![region.name.clone(), grouped(region.calls)]);
        return list(out, &REGIONS, regions.collect(), all);
    }
    let mut regions: Vec<_> = summary.region_names.iter().collect();
    regions.sort_by_key(|region| Reverse(region.exclusive));
    let rows = regions.into_iter().take(TIMED).map(|region| {
        let exclusive = region.exclusive.unwrap_or(0) as f64 / 1e9;
        vec![
            region.name.clone(),
            grouped(region.calls),
            Seconds(exclusive).to_string(),
            Percent(region.share.unwrap_or(0.0)).to_string(),
        ]
    });
    list(out, &TIMES, rows.collect(), all)
}

/// Returns the rows of the overview: format, duration, counts and sizes.
fn rows(summary: &Summary) -> Vec<Vec<String>> {
    let mut rows = vec![("format", summary.format.clone())];
    if let Some(duration) = summary.duration {
        rows.push(("duration", Seconds(duration as f64 / 1e9).to_string()));
    }
    if let Some(share) = summary.mpi_share.filter(|share| *share > 0.0) {
        rows.push(("MPI", Percent(share).to_string()));
    }
    if let Some(clocks) = clocks(summary) {
        rows.push(("clock violations", clocks));
    }
    rows.extend([
        ("events", grouped(summary.events)),
        ("locations", grouped(summary.locations)),
        ("processes", grouped(summary.processes)),
        ("regions", grouped(summary.regions)),
        ("symbols", grouped(summary.symbols)),
        ("ticks per second", grouped(summary.ticks_per_second)),
    ]);
    if summary.form == Some(Form::Archive) {
        rows.push(("quantities", "coded, an archive".to_owned()));
    }
    if let Some(size) = summary.bytes {
        rows.push(("size", bytes(size)));
        if summary.events > 0 {
            let each = size as f64 / summary.events as f64;
            rows.push(("bytes per event", format!("{each:.2}")));
        }
    }
    let models = [
        ("loops of all models", summary.loops),
        ("terms of all models", summary.terms),
    ];
    rows.extend(
        models
            .map(|(name, count)| Some((name, grouped(count?))))
            .into_iter()
            .flatten(),
    );
    let rows = rows.into_iter();
    rows.map(|(name, value)| vec![name.to_owned(), value])
        .collect()
}

/// Returns the numbers of violations by clocks; `None` if there are none.
fn clocks(summary: &Summary) -> Option<String> {
    let clock = summary.clock;
    let before = clock.violations_before.filter(|&before| before > 0)?;
    let before = grouped(before);
    Some(match clock.method {
        Method::None => before,
        method => {
            let after = grouped(clock.violations_after.unwrap_or(0));
            format!("{before}, {after} after correction ({})", method.name())
        }
    })
}

/// Writes the first rows of a list, followed by the number of rows not shown. `all` is the total number of rows.
fn list(
    out: &mut OutputWriter,
    columns: &Columns,
    rows: Vec<Vec<String>>,
    all: usize,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let more = all - rows.len();
    writeln!(out, "\n{}", Table::new(columns, rows, out.terminal()))?;
    if more > 0 {
        writeln!(out, " and {} more (--json lists all)", grouped(more as u64))?;
    }
    Ok(())
}

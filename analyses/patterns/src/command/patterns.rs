//! The subcommand `foldtrace patterns`: shows sequences of events that occur several times.

use std::io::{self, Write};
use std::path::Path;

use clap::Args;
use foldtrace_command::Context;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{self, OutputOptions, OutputWriter, counted, grouped};
use foldtrace_command::paragraph::headline;
use foldtrace_command::percent;
use foldtrace_command::progress::Work;
use foldtrace_command::report::{Done, Outcome};
use foldtrace_command::table::{Columns, Narrow, Table};
use foldtrace_fold::patterns::{Item, What};
use foldtrace_store::StoreReader;
use foldtrace_stream::select;
use foldtrace_trace::{ErrorKind, Names, Operand, TraceError};
use foldtrace_view::histogram::Window;
use foldtrace_view::units::Seconds;

use crate::picture::{patterns_html, patterns_page};
use crate::{
    Alphabet, Equality, LocationPatterns, LocationSummary, Main, MergedPatterns, Summary, contents,
    find, patterns_json, summary, text,
};

/// The maximum number of rows of the table of patterns.
const ROWS: usize = 20;

/// Show the patterns of events that repeat in each location, with their counts and durations.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace patterns lu.fold                    a row per location; patterns by total time
  foldtrace patterns lu.fold --location 0 --items
  foldtrace patterns lu.fold --ignore tag,length
  foldtrace patterns lu.fold -o patterns.html   histograms of their durations")]
pub struct Patterns {
    #[command(flatten)]
    input: StoreInput,
    /// Only this location: an id of the source (7 or @7), RANK.THREAD, or a rank; repeatable.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    #[command(flatten)]
    equality: EqualityOptions,
    /// List the items of each location and of each pattern.
    #[arg(long)]
    items: bool,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Patterns {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json, Format::Html];
}

/// Options for the equality of events and the similarity of durations.
#[derive(Debug, Args)]
pub struct EqualityOptions {
    /// Ignore this property when comparing events: length, or an operand such as tag, peer or
    /// communicator (schemas/events.md); repeatable.
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Treat durations as similar if they differ from that of a peak by at most this much.
    #[arg(long, value_name = "PERCENT", default_value = "10%", value_parser = window)]
    window: f64,
}

impl EqualityOptions {
    /// Returns the conditions for events to be equal.
    pub fn equality(&self) -> Result<Equality, TraceError> {
        let mut equality = Equality::default();
        for what in &self.ignore {
            if what == "length" {
                equality.ignores_length = true;
            } else if let Some(operand) = Operand::from_name(what) {
                equality.ignored.push(operand);
            } else {
                let message = format!("events have no '{what}' that could be ignored");
                let names = Operand::ALL.iter().map(|operand| operand.name());
                let names: Vec<_> = names.collect();
                let hint = format!("length, or one of {}", names.join(", "));
                return Err(TraceError::new(ErrorKind::Usage, message).hint(hint));
            }
        }
        Ok(equality)
    }

    /// Returns the window that defines a peak.
    pub fn window(&self) -> Window {
        Window {
            width: self.window,
            ..Window::default()
        }
    }
}

/// Parses the width of a window, which is less than 100 %.
fn window(text: &str) -> Result<f64, String> {
    match percent::percentage(text)? {
        width if width < 1.0 => Ok(width),
        _ => Err("must be less than 100%".to_owned()),
    }
}

impl Patterns {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let out = self.output.create()?;
        let input = self.input.open(context)?;
        input.done(self.analyse(out, &input, context))
    }

    /// Analyses the store, and writes what was found.
    fn analyse(self, mut out: OutputWriter, store: &StoreReader, context: Context) -> Outcome {
        let work = Work::new(context);
        let names = store.names();
        let locations = select::locations(names, &self.location, store.locations())?;
        let alphabet = Alphabet::new(store.symbols(), names, &self.equality.equality()?);
        let found = work.watch(store, |progress| {
            find(store, &locations, &alphabet, progress)
        })?;
        if self.items {
            self.output.check_is_text("--items")?;
            for found in &found {
                items(&mut out, store, found, &alphabet)?;
            }
            out.finish()?;
            return Ok(Done::Clean);
        }
        let summary = work.watch(store, |progress| {
            summary(store, &found, &alphabet, progress)
        })?;
        let ticks_per_second = store.manifest().clock().ticks_per_second;
        let window = self.equality.window();
        if self.output.is_json() {
            out.json(&patterns_json(&summary, names, ticks_per_second, window))?;
            return Ok(Done::Clean);
        }
        if self.output.format() == Format::Html {
            let page = patterns_page(
                &summary,
                names,
                ticks_per_second,
                window,
                &self.input.file_name(),
            );
            patterns_html(&mut out, &page)?;
        } else {
            print(
                &mut out,
                self.input.path(),
                &summary,
                names,
                ticks_per_second,
            )?;
        }
        out.finish()?;
        Ok(Done::Clean)
    }
}

fn percent_text(part: u64, all: u64) -> String {
    format!("{:.2} %", 100.0 * part as f64 / all.max(1) as f64)
}

/// The columns of the table of locations, with a summary of the patterns of each.
const LOCATIONS: Columns = Columns {
    header: &[
        "location",
        "events",
        "patterns",
        "size",
        "iterations",
        "in patterns",
        "in loops",
        "explains more",
        "main pattern",
    ],
    right: &[1, 2, 3, 4, 5, 6],
    narrowing: &[
        Narrow::Drop(7),
        Narrow::Drop(8),
        Narrow::Drop(2),
        Narrow::Drop(4),
        Narrow::Drop(3),
    ],
};

/// The columns of the table of patterns, sorted by total time in descending order.
const PATTERNS: Columns = Columns {
    header: &[
        "pattern",
        "where",
        "events",
        "occurrences",
        "total",
        "median",
        "longest",
        "calls",
    ],
    right: &[2, 3, 4, 5, 6],
    narrowing: &[
        Narrow::Shorten(7, 30),
        Narrow::Drop(6),
        Narrow::Shorten(1, 12),
        Narrow::Drop(2),
        Narrow::Shorten(7, 16),
        Narrow::Drop(5),
    ],
};

/// Prints the tables of locations and patterns.
fn print(
    out: &mut OutputWriter,
    store: &Path,
    summary: &Summary,
    names: &Names,
    ticks_per_second: u64,
) -> io::Result<()> {
    let merged = MergedPatterns::new(summary);
    let patterns: u64 = summary.locations.iter().map(|one| one.patterns).sum();
    let title = format!(
        "{}: {} of {}, {}, {} of them different",
        store.display(),
        counted(summary.events(), "event"),
        counted(summary.locations.len() as u64, "location"),
        counted(patterns, "pattern"),
        grouped(merged.patterns.len() as u64),
    );
    let terminal = out.terminal();
    writeln!(out, "{}", headline(&title, terminal))?;
    let (metrics, locations): (Vec<_>, Vec<_>) = summary
        .locations
        .iter()
        .partition(|location| location.has_only_metrics);
    let all = |of: fn(&LocationSummary) -> u64| locations.iter().map(of).sum::<u64>();
    let rows = locations.iter().map(|one| {
        let main = |text: &dyn Fn(Main) -> String| one.main.map_or_else(String::new, text);
        vec![
            names.label(one.location),
            grouped(one.events),
            grouped(one.patterns),
            main(&|main| grouped(main.length)),
            main(&|main| grouped(main.iterations)),
            percent_text(one.in_patterns, one.events),
            percent_text(one.in_loops, one.events),
            one.explains_more().to_owned(),
            main(&|main| merged.number(main.name)),
        ]
    });
    let mut rows: Vec<Vec<String>> = rows.collect();
    if rows.len() > 1 {
        let events = all(|one| one.events);
        rows.push(vec![
            "all".to_owned(),
            grouped(events),
            grouped(all(|one| one.patterns)),
            String::new(),
            String::new(),
            percent_text(all(|one| one.in_patterns), events),
            percent_text(all(|one| one.in_loops), events),
        ]);
    }
    writeln!(out, "{}", Table::new(&LOCATIONS, rows, terminal))?;
    output::left_out_for_metrics(out, metrics.len())?;
    writeln!(out)?;
    let seconds = |ticks: u128| Seconds(ticks as f64 / ticks_per_second as f64).to_string();
    let rows = merged.patterns.iter().take(ROWS).map(|one| {
        let durations = &one.durations.whole;
        vec![
            merged.number(one.first.name),
            one.processes(names),
            grouped(one.first.length),
            grouped(durations.count()),
            seconds(durations.sum()),
            seconds(durations.median().into()),
            seconds(durations.greatest().into()),
            one.first.content.calls.clone(),
        ]
    });
    let table = Table::new(&PATTERNS, rows.collect(), terminal).emphasise(0);
    writeln!(out, "{table}")?;
    if merged.patterns.len() > ROWS {
        let more = merged.patterns.len() - ROWS;
        writeln!(out, "and {} more (--json has all)", grouped(more as u64))?;
    }
    Ok(())
}

/// Prints the items of a location, and of each of its patterns.
fn items(
    out: &mut impl Write,
    store: &StoreReader,
    found: &LocationPatterns,
    alphabet: &Alphabet,
) -> io::Result<()> {
    let patterns = &found.patterns;
    let label = store.names().label(found.location);
    writeln!(
        out,
        "location {label}: {}, {}",
        counted(patterns.events, "event"),
        counted(patterns.len() as u64, "pattern")
    )?;
    let line = |out: &mut dyn Write, item: &Item| {
        let text = match item.what {
            What::Pattern(inner) => {
                let (number, length) = (inner.index() + 1, patterns.length(inner));
                format!("P{number} ({length} events)")
            }
            What::Event(_) => text(store, found, alphabet, item),
        };
        match item.count {
            1 => writeln!(out, "  {text}"),
            count => writeln!(out, "  {} x {text}", grouped(count)),
        }
    };
    let contents = contents(found, alphabet, store.names());
    for item in &patterns.top {
        line(out, item)?;
    }
    for pattern in patterns.ids() {
        let length = counted(patterns.length(pattern), "event");
        let (number, calls) = (pattern.index() + 1, &contents[pattern.index()].calls);
        writeln!(out, "P{number}: {calls}, {length}")?;
        for item in patterns.items(pattern) {
            line(out, item)?;
        }
    }
    Ok(())
}

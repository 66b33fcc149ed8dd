//! The subcommand `foldtrace filter`: selects the part of a trace that is worth looking at.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use foldtrace_command::Context;
use foldtrace_command::conversion::{Conversion, output_format};
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{OutputOptions, OutputWriter, counted, grouped};
use foldtrace_command::paragraph::headline;
use foldtrace_command::progress::Work;
use foldtrace_command::report::{Done, Outcome};
use foldtrace_command::table::{Columns, Narrow, Table};
use foldtrace_store::{Origin, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_stream::select;
use foldtrace_trace::{Format as TraceFormat, TraceError};
use foldtrace_view::units::Seconds;

use super::patterns::EqualityOptions;
use crate::{Alphabet, FilterJson, Filtered, PointJson, Spent, filter, filter_json, find};

/// Leave out repetitions: keep one of the occurrences of a pattern with similar durations, and all
/// occurrences with unusual durations.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace filter lu.fold                      what is kept, and what takes longer than usual
  foldtrace filter lu.fold --window 5%          fewer similar durations, more events kept
  foldtrace filter lu.fold interesting.otf2     a trace of the kept events
  foldtrace filter lu.fold - --to text | less
  foldtrace filter lu.fold --format csv         kept ranges: location, position, events

Where events are left out, the trace records how many, and that measurement was off.")]
pub struct Filter {
    #[command(flatten)]
    input: StoreInput,
    /// Trace of the kept events: a path, or - for standard output; its extension sets the format.
    #[arg(value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// Format of TRACE; by default it follows from the extension.
    #[arg(long, value_name = "FORMAT", requires = "trace")]
    to: Option<String>,
    /// Only this location: an id of the source (7 or @7), RANK.THREAD, or a rank; repeatable.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    #[command(flatten)]
    equality: EqualityOptions,
    /// Show at most this many points of interest of each kind.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    #[command(flatten)]
    report: OutputOptions<Self>,
}

impl Formats for Filter {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json, Format::Csv];
}

impl Filter {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let to = match &self.trace {
            Some(trace) => Some(output_format(context.formats, trace, self.to.as_deref())?),
            None => None,
        };
        self.report.check_is_no_trace(context)?;
        let out = self.report.create()?;
        let input = self.input.open(context)?;
        input.done(self.analyse(to, out, &input, context))
    }

    /// Analyses the store, and writes what was found.
    fn analyse(
        self,
        to: Option<&'static dyn TraceFormat>,
        mut out: OutputWriter,
        store: &StoreReader,
        context: Context,
    ) -> Outcome {
        let work = Work::new(context);
        let names = store.names();
        let locations = select::locations(names, &self.location, store.locations())?;
        let alphabet = Alphabet::new(store.symbols(), names, &self.equality.equality()?);
        let window = self.equality.window();
        let found = work.watch(store, |progress| {
            find(store, &locations, &alphabet, progress)
        })?;
        let filters = work.watch(store, |progress| {
            filter(store, &found, window, self.top, progress)
        })?;
        let mut done = Done::Clean;
        if let (Some(trace), Some(to)) = (&self.trace, to) {
            done = self.write(store, &filters, trace, to, context, &work.progress)?;
            if self.report.is_left_out_beside(trace, context) {
                return Ok(done);
            }
        }
        if self.report.format() == Format::Csv {
            print_positions(&mut out, &filters)?;
            out.finish()?;
            return Ok(done);
        }
        let placed = |spent| crate::points(store, &found, &alphabet, &filters, spent, self.top);
        let (computing, communicating) = (placed(Spent::Computing)?, placed(Spent::Communicating)?);
        let report = filter_json(
            &filters,
            &found,
            names,
            store.manifest().clock().ticks_per_second,
            window,
            [&computing, &communicating],
        );
        if self.report.is_json() {
            out.json(&report)?;
            return Ok(done);
        }
        print(&mut out, self.input.path(), &report)?;
        out.finish()?;
        Ok(done)
    }

    /// Writes a trace of the events that are kept.
    fn write(
        &self,
        store: &StoreReader,
        filters: &[crate::Filter],
        trace: &Path,
        to: &dyn TraceFormat,
        context: Context,
        progress: &Progress,
    ) -> Result<Done, TraceError> {
        let kept = filters.iter();
        let kept = kept.map(|filter| (filter.location, filter.kept.clone()));
        let filtered = Filtered::new(store, kept.collect());
        let conversion = Conversion::of_store(self.input.path(), trace, to, self.report.replaces());
        conversion.run(&filtered, &Origin::store(store)?, context, progress)
    }
}

fn print_positions(out: &mut impl Write, filters: &[crate::Filter]) -> io::Result<()> {
    writeln!(out, "location,position,events")?;
    for filter in filters {
        for range in &filter.kept.ranges {
            let events = range.end - range.start;
            writeln!(out, "{},{},{events}", filter.location, range.start)?;
        }
    }
    Ok(())
}

/// The columns of the table of locations, with the number of events kept of each.
const KEPT: Columns = Columns {
    header: &["location", "events", "kept", "left out", "representatives"],
    right: &[1, 2, 3, 4],
    narrowing: &[Narrow::Drop(4)],
};

/// The columns of the table of occurrences that take longer than usual, the longest first.
const POINTS: Columns = Columns {
    header: &[
        "location",
        "position",
        "occurrence",
        "of pattern",
        "takes",
        "usually",
        "what differs",
    ],
    right: &[1, 2, 4, 5],
    narrowing: &[
        Narrow::Shorten(6, 40),
        Narrow::Shorten(3, 24),
        Narrow::Drop(3),
        Narrow::Drop(2),
        Narrow::Shorten(6, 16),
        Narrow::Drop(5),
    ],
};

fn print(out: &mut OutputWriter, store: &Path, report: &FilterJson) -> io::Result<()> {
    let summary = format!(
        "{}: {} of {}, {} kept; {:.2} % left out, similar within {} %",
        store.display(),
        counted(report.events, "event"),
        counted(report.locations.len() as u64, "location"),
        grouped(report.kept),
        report.reduction,
        report.window,
    );
    let terminal = out.terminal();
    writeln!(out, "{}", headline(&summary, terminal))?;
    let rows = report.locations.iter().map(|one| {
        vec![
            one.label.clone(),
            grouped(one.events),
            grouped(one.kept),
            format!("{:.2} %", one.reduction),
            grouped(one.representatives.len() as u64),
        ]
    });
    writeln!(out, "{}", Table::new(&KEPT, rows.collect(), terminal))?;
    points(
        out,
        "Computes longer than usual",
        &report.computing,
        report.ticks_per_second,
    )?;
    points(
        out,
        "Communicates longer than usual",
        &report.communicating,
        report.ticks_per_second,
    )
}

fn points(
    out: &mut OutputWriter,
    title: &str,
    points: &[PointJson],
    ticks_per_second: u64,
) -> io::Result<()> {
    if points.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    let seconds = |ticks: u64| Seconds(ticks as f64 / ticks_per_second as f64).to_string();
    let rows = points.iter().map(|one| {
        let cause = one.cause.as_ref();
        let differs = cause.map_or_else(String::new, |cause| cause.text(ticks_per_second));
        vec![
            one.label.clone(),
            one.position.to_string(),
            one.occurrence.to_string(),
            one.calls.clone(),
            seconds(one.ticks),
            seconds(one.usual),
            differs,
        ]
    });
    let table = Table::new(&POINTS, rows.collect(), out.terminal()).emphasise(0);
    writeln!(out, "{table}")
}

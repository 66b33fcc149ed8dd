//! The subcommand `foldtrace predict`, which shows what open loops predict, and how often the predictions are right.

use std::io::{self, Write};

use clap::Args;
use foldtrace_command::Context;
use foldtrace_command::events::Events;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{self, OutputOptions, OutputWriter};
use foldtrace_command::progress::Work;
use foldtrace_command::report::{Done, Outcome};
use foldtrace_fold::DEFAULT_MAX_BODY;
use foldtrace_store::StoreReader;
use foldtrace_store::locations_with_only_metrics;
use foldtrace_stream::read::Progress;
use foldtrace_stream::select;
use foldtrace_trace::{LocationId, SymbolId, SymbolText, TraceError};
use rayon::prelude::*;
use serde::Serialize;

use crate::prediction::{Forecast, Ways, ahead, forecast};

/// Predict the next events of each location from the preceding events, and report how often the
/// predictions are right.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace predict lu.fold --events comm            how often predictions of 16 events are right
  foldtrace predict lu.fold -l 0 --begin 5000 -n 10  10 predicted and actual events from 5000 on")]
pub struct Predict {
    #[command(flatten)]
    input: StoreInput,
    /// Only this location: an id of the source (7 or @7), RANK.THREAD, or a rank; repeatable.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    /// Events to predict: all, or only sends, completed receives and collective operations.
    #[arg(long, value_enum, default_value_t = Events::All)]
    events: Events,
    /// Number of events to predict at a time.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    /// Show the events predicted from position P of each location on, and the actual events.
    #[arg(long, value_name = "P")]
    begin: Option<u64>,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Predict {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json];
}

/// The accuracy of predictions in a location.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct PredictionJson {
    /// The id of the location in the source.
    location: u64,
    /// The name of the location on the command line: RANK for the first location of a process, RANK.THREAD for
    /// others, @ID without a process.
    label: String,
    /// The number of events, each of which could be predicted once.
    events: u64,
    /// The number of events that an open loop predicted.
    announced: u64,
    /// The number of events predicted correctly, up to the first wrong one in each prediction.
    right: u64,
    /// Whether all events of the location are metric events. The text omits such locations.
    has_only_metrics: bool,
}

impl Predict {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// If the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let out = self.output.create()?;
        let input = self.input.open(context)?;
        input.done(self.analyse(out, &input, context))
    }

    /// Analyses the store, and writes what was found.
    fn analyse(self, mut out: OutputWriter, store: &StoreReader, context: Context) -> Outcome {
        let work = Work::new(context);
        let locations = select::locations(store.names(), &self.location, store.locations())?;
        let ways = Ways {
            selection: self.events.selection(),
            count: self.count as usize,
            max_body: usize::try_from(store.manifest().max_body).unwrap_or(DEFAULT_MAX_BODY),
        };
        if let Some(begin) = self.begin {
            self.output.check_is_text("--begin")?;
            for &location in &locations {
                show(&mut out, store, location, begin, ways, &work.progress)?;
            }
            out.finish()?;
            return Ok(Done::Clean);
        }
        let forecasts = work.watch(store, |progress| {
            let forecasts = locations.par_iter();
            let forecasts = forecasts.map(|&location| forecast(store, location, ways, progress));
            forecasts.collect::<Result<Vec<Forecast>, TraceError>>()
        })?;
        let with_only_metrics = locations_with_only_metrics(store, &locations)?;
        let names = store.names();
        let lines = locations
            .iter()
            .zip(&forecasts)
            .map(|(&location, forecast)| PredictionJson {
                location: location.0,
                label: names.label(location),
                events: forecast.events,
                announced: forecast.announced,
                right: forecast.right,
                has_only_metrics: with_only_metrics.contains(&location),
            });
        let lines: Vec<PredictionJson> = lines.collect();
        if self.output.is_json() {
            out.json(&lines)?;
        } else {
            table(&mut out, &lines)?;
            out.finish()?;
        }
        Ok(Done::Clean)
    }
}

/// Prints a line per location that has events other than metrics, and a line for the sum of these.
fn table(out: &mut impl Write, lines: &[PredictionJson]) -> io::Result<()> {
    let (metrics, lines): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.has_only_metrics);
    let sum = |value: fn(&PredictionJson) -> u64| lines.iter().map(|line| value(line)).sum::<u64>();
    let all = PredictionJson {
        location: 0,
        label: "all".to_owned(),
        events: sum(|line| line.events),
        announced: sum(|line| line.announced),
        right: sum(|line| line.right),
        has_only_metrics: false,
    };
    let width = lines
        .iter()
        .map(|line| line.label.len())
        .max()
        .unwrap_or(0)
        .max(8);
    writeln!(
        out,
        "{:>width$}  {:>14}  {:>10}  {:>10}",
        "location", "events", "announced", "hit rate"
    )?;
    let share = |part: u64, whole: u64| match whole {
        0 => "-".to_owned(),
        whole => format!("{:.2} %", 100.0 * part as f64 / whole as f64),
    };
    for line in lines.into_iter().chain([&all]) {
        writeln!(
            out,
            "{:>width$}  {:>14}  {:>10}  {:>10}",
            line.label,
            output::grouped(line.events),
            share(line.announced, line.events),
            share(line.right, line.announced),
        )?;
    }
    output::left_out_for_metrics(out, metrics.len())
}

/// Prints the predicted events next to the actual ones.
fn show(
    out: &mut impl Write,
    store: &StoreReader,
    location: LocationId,
    begin: u64,
    ways: Ways,
    progress: &Progress,
) -> anyhow::Result<()> {
    let ahead = ahead(store, location, begin, ways, progress)?;
    let text = |symbol: Option<&SymbolId>| {
        symbol.map_or_else(
            || "-".to_owned(),
            |&symbol| {
                let symbol = store.symbols().symbol(symbol);
                SymbolText::new(store.names(), location, symbol).to_string()
            },
        )
    };
    let right = ahead
        .announced
        .iter()
        .zip(&ahead.came)
        .take_while(|(a, b)| a == b)
        .count();
    writeln!(
        out,
        "// location {}: {} predicted after {}, {} right",
        store.names().label(location),
        output::counted(ahead.announced.len() as u64, "event"),
        output::counted(begin, "event"),
        output::grouped(right as u64),
    )?;
    for index in 0..ahead.announced.len().max(ahead.came.len()) {
        let (announced, came) = (ahead.announced.get(index), ahead.came.get(index));
        let sign = if announced == came { " " } else { "!" };
        let position = begin + index as u64;
        writeln!(
            out,
            "{sign} {position}\t{}\t{}",
            text(announced),
            text(came)
        )?;
    }
    Ok(())
}

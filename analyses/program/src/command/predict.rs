//! The subcommand `foldtrace predict`, which shows what open loops predict, and how often the predictions are right.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use foldtrace_command::Context;
use foldtrace_command::events::Events;
use foldtrace_command::output;
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
  foldtrace predict lu.fold -l 0 --at 5000 -n 10     10 predicted and actual events from 5000 on")]
pub struct Predict {
    /// Store to read.
    store: PathBuf,
    /// Only this location: an id of the source (7 or @7), RANK.THREAD, or a rank; repeatable.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    /// Events to predict: all, or only sends, completed receives and collective operations.
    #[arg(long, value_enum, default_value_t = Events::All)]
    events: Events,
    /// Number of events to predict at a time.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    /// Show the events predicted from the first P events of each location, and the actual events.
    #[arg(long, value_name = "P")]
    at: Option<u64>,
    /// Print JSON (schemas/predict.schema.json).
    #[arg(long, conflicts_with = "at")]
    json: bool,
}

/// The prediction results of one location.
#[derive(Debug, Serialize)]
struct Line {
    location: u64,
    label: String,
    events: u64,
    announced: u64,
    right: u64,
    has_only_metrics: bool,
}

impl Predict {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// If the input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let work = Work::new(context);
        let store = StoreReader::open(&self.store)?;
        let locations = select::locations(store.names(), &self.location, store.locations())?;
        let ways = Ways {
            selection: self.events.selection(),
            count: self.count as usize,
            max_body: usize::try_from(store.manifest().max_body).unwrap_or(DEFAULT_MAX_BODY),
        };
        if let Some(prefix) = self.at {
            for &location in &locations {
                show(&store, location, prefix, ways, &work.progress)?;
            }
            return Ok(Done::Clean);
        }
        let forecasts = work.watch(&store, |progress| {
            let forecasts = locations.par_iter();
            let forecasts = forecasts.map(|&location| forecast(&store, location, ways, progress));
            forecasts.collect::<Result<Vec<Forecast>, TraceError>>()
        })?;
        let with_only_metrics = locations_with_only_metrics(&store, &locations)?;
        let names = store.names();
        let lines = locations
            .iter()
            .zip(&forecasts)
            .map(|(&location, forecast)| Line {
                location: location.0,
                label: names.label(location),
                events: forecast.events,
                announced: forecast.announced,
                right: forecast.right,
                has_only_metrics: with_only_metrics.contains(&location),
            });
        let lines: Vec<Line> = lines.collect();
        if self.json {
            output::json(&lines)?;
        } else {
            table(&lines)?;
        }
        Ok(Done::Clean)
    }
}

/// Prints a line per location that has events other than metrics, and a line for the sum of these.
fn table(lines: &[Line]) -> std::io::Result<()> {
    let mut out = output::stdout();
    let (metrics, lines): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.has_only_metrics);
    let sum = |value: fn(&Line) -> u64| lines.iter().map(|line| value(line)).sum::<u64>();
    let all = Line {
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
    output::left_out_for_metrics(&mut out, metrics.len())?;
    out.flush()
}

/// Prints the predicted events next to the actual ones.
fn show(
    store: &StoreReader,
    location: LocationId,
    prefix: u64,
    ways: Ways,
    progress: &Progress,
) -> anyhow::Result<()> {
    let ahead = ahead(store, location, prefix, ways, progress)?;
    let mut out = output::stdout();
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
        "// location {}: {} announced behind {}, {} right",
        store.names().label(location),
        output::counted(ahead.announced.len() as u64, "event"),
        output::counted(prefix, "event"),
        output::grouped(right as u64),
    )?;
    for index in 0..ahead.announced.len().max(ahead.came.len()) {
        let (announced, came) = (ahead.announced.get(index), ahead.came.get(index));
        let sign = if announced == came { " " } else { "!" };
        let position = prefix + index as u64;
        writeln!(
            out,
            "{sign} {position}\t{}\t{}",
            text(announced),
            text(came)
        )?;
    }
    out.flush()?;
    Ok(())
}

//! `foldtrace print`: prints the events of a trace or store, one per line.

use std::io;
use std::path::{Path, PathBuf};

use crate::listing::{self, Range};
use crate::store::StoreReader;
use clap::Args;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::Opening;
use foldtrace_command::output::{OutputOptions, OutputWriter};
use foldtrace_trace::{ErrorKind, Names, Position, ReadOptions, TraceError, TraceReader};

use super::report::{self, Done, Outcome};
use super::{Context, select, signals};

/// Print events, one per line: position, a tab, and the event in the text format.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace print lu.fold --location 3 --begin 40000 --count 20
  foldtrace print lu.fold --location 3.0 --topology | sort | uniq -c
  foldtrace print lu.fold --at 3.0:40000 --at 5:17
  foldtrace print lu.fold --at - < places.txt
  foldtrace print eztrace_log.otf2 --location 0")]
pub struct Print {
    /// Trace or store to read, or - for standard input.
    input: PathBuf,
    /// Only this location: an id of the source (7 or @7), RANK.THREAD, or a rank; repeatable.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    /// Format of the input; by default it is recognised from the content.
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// Print the events of each location from position P on.
    #[arg(long, value_name = "P", default_value_t = 0)]
    begin: u64,
    /// Print the events of each location up to position P, without the event at P.
    #[arg(long, value_name = "P", conflicts_with = "count")]
    end: Option<u64>,
    /// Print at most N events per location.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Print single events of a store, in the given order: LOCATION:POSITION, or - for a list on
    /// standard input, one per line; repeatable.
    #[arg(long, value_name = "L:P", conflicts_with_all = ["location", "from", "begin", "end", "count"])]
    at: Vec<String>,
    /// Print only what happened, without times and other quantities, as replay prints it.
    #[arg(long)]
    topology: bool,
    /// Print the intact events of a damaged trace and report what was lost (exit code 3).
    #[arg(long, conflicts_with = "at")]
    salvage: bool,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Print {
    const FORMATS: &'static [Format] = &[Format::Text];
}

impl Print {
    pub fn run(self, context: Context) -> Outcome {
        let mut out = self.output.create()?;
        if !self.at.is_empty() {
            return self.run_at(out);
        }
        self.check_from()?;
        let opening = Opening {
            path: &self.input,
            format: self.from.as_deref(),
            options: ReadOptions::whole(self.salvage),
        };
        let recognised = opening.recognise(&signals::stop(), context)?;
        let reader: Box<dyn TraceReader> = match recognised.store() {
            Some(store) if !self.salvage => Box::new(StoreReader::open_for(store, &self.location)?),
            _ => recognised.open(&opening.options)?.reader,
        };
        let range = Range {
            from: Position(self.begin),
            count: self.count(),
            topology: self.topology,
            salvage: self.salvage,
        };
        let diagnostics = listing::print(&*reader, &range, &mut out, |names| {
            self.location
                .iter()
                .map(|text| select::location(names, text))
                .collect()
        })?;
        out.finish()?;
        if !self.salvage {
            return Ok(Done::Clean);
        }
        let names = Names::new(reader.definitions());
        Ok(report::diagnostics(&diagnostics, &names, context))
    }

    /// Rejects a position given as a format, which was the meaning of `--from` in earlier versions.
    fn check_from(&self) -> Result<(), TraceError> {
        let from = self.from.as_deref().unwrap_or_default();
        if from.parse::<u64>().is_err() {
            return Ok(());
        }
        let message = format!("--from {from} is not a format");
        let hint = format!("positions are given with '--begin {from}'");
        Err(TraceError::new(ErrorKind::Usage, message).hint(hint))
    }

    fn run_at(self, mut out: OutputWriter) -> Outcome {
        let store = self.open_for_places()?;
        let places = self.at.iter().flat_map(|text| lines(text));
        let places = places.map(|line| select::event(store.names(), &line?));
        listing::print_at(&store, places, self.topology, &mut out)?;
        out.finish()?;
        Ok(Done::Clean)
    }

    /// Opens the store to read the requested events, or all events if standard input names them.
    fn open_for_places(&self) -> Result<StoreReader, TraceError> {
        let labels = self.at.iter().map(|place| Some(place.rsplit_once(':')?.0));
        match labels.collect::<Option<Vec<_>>>() {
            Some(labels) => StoreReader::open_for(&self.input, &labels),
            None => StoreReader::open(&self.input),
        }
    }

    /// Returns the maximum number of events to print per location.
    fn count(&self) -> u64 {
        match self.end {
            Some(end) => end.saturating_sub(self.begin),
            None => self.count.unwrap_or(u64::MAX),
        }
    }
}

/// Returns `text` itself, or the non-empty lines of standard input if `text` is `-`.
fn lines(text: &str) -> Box<dyn Iterator<Item = Result<String, TraceError>>> {
    if text != "-" {
        return Box::new(std::iter::once(Ok(text.to_owned())));
    }
    let lines = io::stdin()
        .lines()
        .map(|line| line.map_err(|error| TraceError::unreadable(Path::new("-"), error)));
    Box::new(lines.filter(|line| line.as_ref().map_or(true, |line| !line.trim().is_empty())))
}

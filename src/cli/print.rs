//! `foldtrace print`: the events of a trace or store, a line each.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use foldtrace::formats;
use foldtrace::listing::{self, Range};
use foldtrace_trace::{Position, ReadOptions};

use super::output;
use super::report::{Done, Outcome};
use super::select;

/// Print events, a line each: position, a tab, and the event in the text format.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace print lu.fold --location 3 --from 40000 --count 20
  foldtrace print lu.fold --location 3.0 --topology | sort | uniq -c
  foldtrace print eztrace_log.otf2 --location 0")]
pub struct Print {
    /// Trace or store, or - for standard input.
    input: PathBuf,
    /// Only this location: the source's id (7 or @7), RANK.THREAD, or a rank. May be repeated.
    #[arg(short, long, value_name = "L")]
    location: Vec<String>,
    /// First position of each location.
    #[arg(long, value_name = "P", default_value_t = 0)]
    from: u64,
    /// At most so many events of each location.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Only what happened, without times and other quantities, as replay gives it.
    #[arg(long)]
    topology: bool,
    /// Format of the input; recognised by content if left out.
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

impl Print {
    pub fn run(self) -> Outcome {
        let opened = formats::open(
            &self.input,
            self.format.as_deref(),
            &ReadOptions::default(),
            &Arc::default(),
        )?;
        let range = Range {
            from: Position(self.from),
            count: self.count.unwrap_or(u64::MAX),
            topology: self.topology,
        };
        let mut out = output::stdout();
        listing::print(&*opened.reader, &range, &mut out, |names| {
            self.location
                .iter()
                .map(|text| select::location(names, text))
                .collect()
        })?;
        out.flush()?;
        Ok(Done::Clean)
    }
}

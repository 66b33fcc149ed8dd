//! `foldtrace info`: what is in a trace or store.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use foldtrace::formats;
use foldtrace::store::Form;
use foldtrace::summary::Summary;
use foldtrace_trace::{ReadOptions, Severity};

use super::output::{self, bytes, grouped};
use super::report::{Done, Outcome};
use super::signals;

/// Tell what is in a trace or store.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace info lu.fold
  foldtrace info eztrace_log.otf2 --json | jq .kinds")]
pub struct Info {
    /// Trace or store, or - for standard input.
    input: PathBuf,
    /// Format of the input; recognised by content if left out.
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// Keep what is whole of a damaged trace and say what was lost (exit code 3).
    #[arg(long)]
    salvage: bool,
    /// For programs; schemas/info.schema.json describes it.
    #[arg(long)]
    json: bool,
}

impl Info {
    pub fn run(self) -> Outcome {
        let options = ReadOptions {
            salvage: self.salvage,
        };
        let opened = formats::open(&self.input, self.from.as_deref(), &options, signals::stop())?;
        let summary = Summary::of(&self.input, &opened, self.salvage)?;
        if self.json {
            output::json(&summary)?;
        } else {
            write(&summary, &mut output::stdout())?;
        }
        Ok(if summary.worst() == Some(Severity::Loss) {
            Done::Loss
        } else {
            Done::Clean
        })
    }
}

fn write(summary: &Summary, out: &mut impl Write) -> std::io::Result<()> {
    let mut rows = vec![
        ("format", summary.format.clone()),
        ("events", grouped(summary.events)),
        ("locations", grouped(summary.locations)),
        ("processes", grouped(summary.processes)),
        ("regions", grouped(summary.regions)),
        ("symbols", grouped(summary.symbols)),
        ("ticks per second", grouped(summary.ticks_per_second)),
    ];
    if summary.form == Some(Form::Archive) {
        rows.push(("quantities", "coded, an archive".to_owned()));
    }
    if let Some(size) = summary.bytes {
        rows.push(("size", bytes(size)));
        if summary.events > 0 {
            let each = size as f64 / summary.events as f64;
            rows.push(("bytes an event", format!("{each:.2}")));
        }
    }
    rows.extend(
        summary
            .loops
            .map(|loops| ("loops of all models", grouped(loops))),
    );
    rows.extend(
        summary
            .terms
            .map(|terms| ("terms of all models", grouped(terms))),
    );
    writeln!(out, "{}", table(rows))?;
    for (title, counts) in [
        ("events by kind", &summary.kinds),
        ("diagnostics", &summary.diagnostics),
    ] {
        if !counts.is_empty() {
            let rows = counts
                .iter()
                .map(|(name, count)| (name.as_str(), grouped(*count)));
            writeln!(out, "\n{title}\n{}", table(rows))?;
        }
    }
    out.flush()
}

/// Names to the left, values to the right.
fn table<'a>(rows: impl IntoIterator<Item = (&'a str, String)>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.add_rows(
        rows.into_iter()
            .map(|(name, value)| [name.to_owned(), value]),
    );
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

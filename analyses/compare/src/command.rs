//! The subcommand `foldtrace compare`: shows what differs between runs of a program.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{OutputOptions, OutputWriter};
use foldtrace_command::paragraph::headline;
use foldtrace_command::progress::watch;
use foldtrace_command::report::{Done, Outcome};
use foldtrace_command::table::{Columns, Narrow, Table};
use foldtrace_command::{Context, percent, signals};

use crate::text::{Described, remarks, summary};
use crate::{Comparison, Finding, Options, Runs, compare, compare_html, compare_json};

/// Show what differs between runs: which loops, call paths and message sizes became slower or faster.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace compare before.fold after.fold      what became slower, and by how much
  foldtrace compare p16.fold p64.fold p256.fold each run with the first
  foldtrace compare a.fold b.fold --tolerance 10%
  foldtrace compare a.fold b.fold -o compare.html
  foldtrace compare a.fold b.fold --json | jq '.findings[0]'

Loops and call paths are aligned by the calls in them, not by ranks or ids, so the runs may
have different numbers of processes. A difference is reported if it is larger than the spread
between iterations, and unlikely to be chance (--significance).")]
pub struct Compare {
    #[command(flatten)]
    input: StoreInput,
    /// Runs to compare with the first one.
    #[arg(value_name = "OTHER", required = true)]
    others: Vec<PathBuf>,
    /// Ignore differences of less than this share of the time of a loop or call [default: from the
    /// noise of both runs, at least 3%].
    #[arg(long, value_name = "PERCENT", value_parser = percent::percentage)]
    tolerance: Option<f64>,
    /// Ignore differences of less than this share of the time of the run.
    #[arg(long, value_name = "PERCENT", default_value = "0.1%", value_parser = percent::share)]
    impact: f64,
    /// Greatest probability that a reported difference is due to chance.
    #[arg(long, value_name = "PERCENT", default_value = "1%", value_parser = percent::share)]
    significance: f64,
    /// Show at most this many findings for each run.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: u32,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Compare {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json, Format::Html];
}

/// The columns of the table of findings.
const FINDINGS: Columns = Columns {
    header: &[
        "effect", "share", "ratio", "before", "after", "what", "where",
    ],
    right: &[0, 1, 2, 3, 4],
    narrowing: &[
        Narrow::Shorten(6, 40),
        Narrow::Drop(3),
        Narrow::Drop(4),
        Narrow::Shorten(6, 24),
        Narrow::Drop(1),
    ],
};

impl Compare {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Returns an error if an input cannot be read or the output cannot be written.
    pub fn run(self, context: Context) -> Outcome {
        let mut out = self.output.create()?;
        let mut inputs = vec![self.input.open(context)?];
        let mut names = vec![self.input.file_name().into_owned()];
        for path in &self.others {
            let other = self.input.at(path);
            inputs.push(other.open(context)?);
            names.push(other.file_name().into_owned());
        }
        let stores: Vec<_> = inputs.iter().map(|input| &**input).collect();
        // Each event is read twice: to fold loops, and to measure them.
        let events: u64 = stores
            .iter()
            .map(|store| store.manifest().counts.events)
            .sum();
        let progress = signals::progress();
        let runs = watch(
            &progress,
            self.input.path(),
            2 * events,
            context.quiet,
            || Runs::measure(&stores, &progress),
        )?;
        let options = Options {
            significance: self.significance,
            tolerance: self.tolerance,
            least_impact: self.impact,
        };
        let comparisons: Vec<Comparison> = (1..stores.len())
            .map(|second| compare(&runs, second, &options))
            .collect();
        let first = names.first().map_or("", String::as_str);
        let named = || {
            comparisons
                .iter()
                .zip(&names[1..])
                .map(|(comparison, name)| (comparison, [first, name]))
        };
        match self.output.format() {
            Format::Json => {
                let json = named().map(|(comparison, names)| compare_json(comparison, names));
                match &json.collect::<Vec<_>>()[..] {
                    [one] => out.json(one)?,
                    several => out.json(&several)?,
                }
            }
            Format::Html => {
                compare_html(&mut out, &named().collect::<Vec<_>>())?;
                out.finish()?;
            }
            _ => {
                for (index, (comparison, names)) in named().enumerate() {
                    if index > 0 {
                        writeln!(out)?;
                    }
                    write_text(&mut out, comparison, names, self.top as usize)?;
                }
                out.finish()?;
            }
        }
        inputs
            .iter()
            .try_fold(Done::Clean, |done, input| input.done(Ok(done)))
    }
}

/// Prints a line of totals, and the findings.
fn write_text(
    out: &mut OutputWriter,
    comparison: &Comparison,
    names: [&str; 2],
    top: usize,
) -> io::Result<()> {
    let terminal = out.terminal();
    writeln!(out, "{}", headline(&summary(comparison, names), terminal))?;
    let shown = comparison.findings.iter().take(top);
    for (title, is_consequence) in [("", false), ("\nlikely consequences\n", true)] {
        let findings = shown
            .clone()
            .filter(|finding| finding.is_consequence == is_consequence);
        let rows: Vec<_> = findings
            .map(|finding| row(finding, comparison.durations[0]))
            .collect();
        if !rows.is_empty() {
            writeln!(
                out,
                "{title}{}",
                Table::new(&FINDINGS, rows, terminal).emphasise(0)
            )?;
        }
    }
    let hidden = comparison.findings.len().saturating_sub(top);
    if hidden > 0 {
        writeln!(out, " and {hidden} more (--top shows more)")?;
    }
    for remark in remarks(comparison) {
        writeln!(out, " {remark}")?;
    }
    Ok(())
}

fn row(finding: &Finding, duration: f64) -> Vec<String> {
    let Described {
        effect,
        share,
        ratio,
        before,
        after,
        what,
        place,
    } = Described::new(finding, duration);
    vec![effect, share, ratio, before, after, what, place]
}

//! Implements `foldtrace logical`, which shows one program that describes all processes of a trace.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use foldtrace_command::Context;
use foldtrace_command::conversion::{Conversion, output_format};
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{OutputOptions, OutputWriter, counted, grouped};
use foldtrace_command::progress::Work;
use foldtrace_command::report::{self, Done, Outcome};
use foldtrace_command::table::{Columns, Narrow, Table};
use foldtrace_fold::MAX_BODY;
use foldtrace_store::{Origin, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_topology::command::Recognition;
use foldtrace_trace::{Format as TraceFormat, TraceError};

use crate::show::{LogicalText, logical_json};
use crate::{Account, LogicalReport, LogicalTrace, Options, find};

/// Show one program that describes all processes; its peers are directions of their topology.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace logical lu.fold                       what each process does with its neighbours
  foldtrace logical lu.fold --measure             with the bytes and times of each call
  foldtrace logical mg.fold --topology '4x4 torus'
  foldtrace logical mg.fold --ranks               how accurately it describes each process
  foldtrace logical lu.fold logical.fold          as a store; peers are numbers of directions
  foldtrace logical lu.fold --json > logical.json")]
pub struct Logical {
    #[command(flatten)]
    input: StoreInput,
    /// Trace of the program: a path, or - for standard output; its extension sets the format.
    #[arg(value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// Format of TRACE; by default it follows from the extension.
    #[arg(long, value_name = "FORMAT", requires = "trace")]
    to: Option<String>,
    #[command(flatten)]
    program: ProgramOptions,
    /// Measure the bytes and times of each call; a trace of the program always contains them.
    #[arg(long)]
    measure: bool,
    /// Show how accurately the program describes each process.
    #[arg(long)]
    ranks: bool,
    #[command(flatten)]
    report: OutputOptions<Self>,
}

impl Formats for Logical {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Json];
}

/// Options for making a logical program.
#[derive(Debug, Args)]
pub struct ProgramOptions {
    /// Topology to place the processes on, one of those of the program; by default the one with the
    /// most accurate result.
    #[arg(long, value_name = "NAME")]
    topology: Option<String>,
    #[command(flatten)]
    recognition: Recognition,
    /// Fold with loop bodies of at most N terms.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_BODY as u64))]
    max_body: Option<u64>,
}

impl ProgramOptions {
    /// Returns these options in the form of the library. `measured` determines whether bytes and times are measured.
    pub fn options(&self, measured: bool) -> Result<Options, TraceError> {
        Ok(Options {
            topology: self.recognition.options()?,
            named: self.topology.clone(),
            max_body: self.max_body.and_then(|n| usize::try_from(n).ok()),
            measured,
            is_portable: false,
        })
    }
}

impl Logical {
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
        let options = self.program.options(self.measure || to.is_some())?;
        let made = work.watch(store, |progress| find(store, &options, progress))?;
        let mut done = report::diagnostics(&made.account.diagnostics(), store.names(), context);
        if let (Some(trace), Some(to)) = (&self.trace, to) {
            done = self.write(store, &made, trace, to, context, &work.progress)?;
            if self.report.is_left_out_beside(trace, context) {
                return Ok(done);
            }
        }
        if self.report.is_json() {
            out.json(&logical_json(&made))?;
            return Ok(done);
        }
        summary(&mut out, &made)?;
        if self.ranks {
            ranks(&mut out, &made)?;
        } else if self.trace.is_none() {
            write!(out, "\n{}", LogicalText(&made.logical))?;
        }
        out.finish()?;
        Ok(done)
    }

    /// Writes the program as a trace.
    fn write(
        &self,
        store: &StoreReader,
        made: &LogicalReport,
        path: &Path,
        to: &dyn TraceFormat,
        context: Context,
        progress: &Progress,
    ) -> Result<Done, TraceError> {
        let conversion = Conversion::of_store(self.input.path(), path, to, self.report.replaces());
        let trace = LogicalTrace::new(&made.logical);
        conversion.run(&trace, &Origin::store(store)?, context, progress)
    }
}

fn summary(out: &mut impl Write, made: &LogicalReport) -> io::Result<()> {
    let Account {
        records,
        terms,
        calls,
        agreement,
        outside,
        ..
    } = &made.account;
    let percent = |part: u64| 100.0 * part as f64 / (*calls).max(1) as f64;
    writeln!(
        out,
        "{} on a {}: one program of {} in {}, {:.1} to one",
        counted(made.logical.ranks.len() as u64, "process"),
        made.logical.topology.name,
        counted(*records, "record"),
        counted(*terms, "term"),
        *records as f64 / (*terms).max(1) as f64,
    )?;
    writeln!(
        out,
        "accuracy {:.2} %: the program contains {} of {} of all processes",
        100.0 * made.account.accuracy(),
        grouped(agreement.reproduced),
        counted(*calls, "call"),
    )?;
    let wrong = [
        (agreement.missing, "are missing"),
        (agreement.added, "are in the program alone"),
        (*outside, "have a peer that is not a neighbour"),
    ];
    for (number, what) in wrong.into_iter().filter(|&(number, _)| number > 0) {
        let (calls, percent) = (counted(number, "call"), percent(number));
        writeln!(out, "  {calls} ({percent:.2} %) {what}")?;
    }
    if let (1.., Some((bytes, all))) = (*outside, made.account.bytes_outside) {
        let percent = 100.0 * bytes as f64 / all.max(1) as f64;
        writeln!(
            out,
            "  {} ({percent:.2} %) are sent to such peers",
            counted(bytes, "byte")
        )?;
    }
    Ok(())
}

/// The columns of the table of processes: how accurately the program describes each.
const RANKS: Columns = Columns {
    header: &[
        "rank",
        "node",
        "coordinates",
        "accuracy",
        "reproduced",
        "missing",
        "in excess",
        "outside",
    ],
    right: &[0, 1, 2, 3, 4, 5, 6, 7],
    narrowing: &[Narrow::Drop(1), Narrow::Drop(2)],
};

fn ranks(out: &mut OutputWriter, made: &LogicalReport) -> io::Result<()> {
    let rows = made.account.processes.iter().map(|process| {
        let coordinates = made.logical.topology.coordinates(process.node);
        let coordinates: Vec<String> = coordinates.iter().map(u32::to_string).collect();
        vec![
            process.rank.to_string(),
            process.node.to_string(),
            coordinates.join(","),
            format!("{:.2} %", 100.0 * process.accuracy()),
            grouped(process.agreement.reproduced),
            grouped(process.agreement.missing),
            grouped(process.agreement.added),
            grouped(process.outside),
        ]
    });
    let table = Table::new(&RANKS, rows.collect(), out.terminal());
    writeln!(out, "\n{table}")
}

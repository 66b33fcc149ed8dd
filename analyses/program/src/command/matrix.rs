//! The subcommand `foldtrace matrix`, which shows how much each process sends to each other process.

use std::io::Write;

use clap::Args;
use foldtrace_command::Context;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{OutputOptions, OutputWriter, counted};
use foldtrace_command::progress::Work;
use foldtrace_command::report::{self, Done, Outcome};
use foldtrace_fold::Selection;
use foldtrace_matching::Measure;
use foldtrace_store::StoreReader;
use foldtrace_trace::{LocationId, TraceError};

use super::MergeOptions;
use crate::matrix::{matrix_csv, matrix_json, matrix_svg, matrix_text};
use crate::outline::{find, outline};
use crate::{Matrix as Messages, Merging, Program, add_bytes};

/// Show how many messages each pair of processes exchanges, from loop models.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace matrix lu.fold                        one row per sender, one column per receiver
  foldtrace matrix lu.fold --construct 393.1      only messages sent in this loop
  foldtrace matrix lu.fold --bytes --format csv
  foldtrace matrix lu.fold -o lu.svg              a heat map")]
pub struct Matrix {
    #[command(flatten)]
    input: StoreInput,
    /// Only messages sent in this construct, by its number in loops --global.
    #[arg(short, long, value_name = "C")]
    construct: Option<String>,
    /// Also count bytes, which are read from the store; text and pictures then show bytes.
    #[arg(long)]
    bytes: bool,
    #[command(flatten)]
    merge: MergeOptions,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Matrix {
    const FORMATS: &'static [Format] = &[Format::Text, Format::Csv, Format::Json, Format::Svg];
}

impl Matrix {
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
        let measure = if self.bytes {
            Measure::Bytes
        } else {
            Measure::Messages
        };
        let (matrix, locations) = match &self.construct {
            Some(number) => {
                let merging = self.merge.merging(Selection::Communication);
                construct_matrix(store, number, measure, &merging, &work)?
            }
            None => work.watch(store, |progress| {
                Messages::from_store(store, measure, progress)
            })?,
        };
        report::saturated(&matrix.total(), context);
        let mut ranks: Vec<u64> = locations
            .iter()
            .filter_map(|&location| Some(store.names().rank(location)?.0))
            .collect();
        ranks.dedup();
        let number = self.construct.as_deref();
        if self.output.is_json() {
            out.json(&matrix_json(&matrix, &ranks, number))?;
            return Ok(Done::Clean);
        }
        let within = number.map_or(String::new(), |number| format!(" in construct {number}"));
        let bytes = matrix.bytes().filter(|_| self.bytes);
        let bytes = bytes.map_or(String::new(), |bytes| {
            format!(", {}", counted(bytes, "byte"))
        });
        let title = format!(
            "{} between {}{bytes}{within}",
            counted(matrix.messages(), "message"),
            counted(matrix.pairs.len() as u64, "pair"),
        );
        match self.output.format() {
            Format::Csv => matrix_csv(&mut out, &matrix)?,
            Format::Svg => matrix_svg(&mut out, &matrix, &ranks, measure, &title)?,
            _ => {
                writeln!(out, "{title}")?;
                let width = out.terminal().width;
                matrix_text(&mut out, &matrix, &ranks, measure, width)?;
            }
        }
        out.finish()?;
        Ok(Done::Clean)
    }
}

/// Returns the matrix of the messages sent in the construct with a number, and the locations of the program.
fn construct_matrix(
    store: &StoreReader,
    number: &str,
    measure: Measure,
    merging: &Merging,
    work: &Work,
) -> Result<(Messages, Vec<LocationId>), TraceError> {
    let locations: Vec<_> = store.locations().collect();
    let program = work.watch(store, |progress| {
        Program::from_store(store, &locations, merging, progress)
    })?;
    let entries = outline(&program.model.system);
    let found = find(&entries, number)?;
    let mut matrix = Messages::of_construct(found.construct, found.instances, &program.wires);
    if measure == Measure::Bytes {
        work.watch(store, |progress| {
            add_bytes(&mut matrix, store, &program, found, progress)
        })?;
    }
    Ok((matrix, program.locations))
}

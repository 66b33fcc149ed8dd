//! Implements `foldtrace skeleton`, which writes a program that behaves like the recorded one in a fraction of its
//! time.

use std::io::{self, Write};

use clap::Args;
use foldtrace_command::Context;
use foldtrace_command::format::{Format, Formats};
use foldtrace_command::input::StoreInput;
use foldtrace_command::output::{OutputOptions, OutputWriter};
use foldtrace_command::percent;
use foldtrace_command::progress::Work;
use foldtrace_command::report::{self, Outcome};
use foldtrace_command::style::Terminal;
use foldtrace_command::table::{Columns, Table};
use foldtrace_logical as logical;
use foldtrace_logical::command::ProgramOptions;
use foldtrace_store::StoreReader;

use crate::c::{SENT_COLUMNS, headline, sent_rows, skeleton_c};
use crate::skeleton;

/// Write a C program with MPI that behaves like the recorded one, in a fraction of its time.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace skeleton lu.fold -o skel.c            a hundredth of the time of the trace
  foldtrace skeleton lu.fold -o skel.c --scale 10%
  foldtrace skeleton mg.fold --topology '4x4 torus' > skel.c
  mpicc -std=c99 -O2 -o skel skel.c && mpirun -np 16 ./skel

The program computes its neighbours with a formula, so it also runs with other numbers of
processes. The environment variable SKELETON_RATE=<iterations per second> sets the speed
of computing; by default the program measures it at the start.")]
pub struct Skeleton {
    #[command(flatten)]
    input: StoreInput,
    /// Run time of the program, as a percentage of the time of the trace.
    #[arg(long, value_name = "PERCENT", default_value = "1%", value_parser = percent::percentage)]
    scale: f64,
    #[command(flatten)]
    program: ProgramOptions,
    #[command(flatten)]
    output: OutputOptions<Self>,
}

impl Formats for Skeleton {
    const FORMATS: &'static [Format] = &[Format::C];
}

/// The columns of the table of messages: how many were recorded, and how many the skeleton sends.
const SENT: Columns = Columns {
    header: &SENT_COLUMNS,
    right: &[1, 2, 3],
    narrowing: &[],
};

impl Skeleton {
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
        let options = logical::Options {
            is_portable: true,
            ..self.program.options(true)?
        };
        let made = work.watch(store, |progress| logical::find(store, &options, progress))?;
        report::diagnostics(&made.account.diagnostics(), store.names(), context);
        let skeleton = skeleton(&made.logical, self.scale)?;
        let text = skeleton_c(&skeleton, &self.input.file_name());
        out.write_all(text.as_bytes())?;
        out.finish()?;
        if self.output.file().is_some() && !context.quiet {
            summary(&skeleton)?;
        }
        Ok(report::diagnostics(
            &skeleton.diagnostics(),
            store.names(),
            context,
        ))
    }
}

/// Prints what the skeleton keeps of the recorded program.
fn summary(skeleton: &crate::Skeleton) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let table = Table::new(&SENT, sent_rows(skeleton), Terminal::stdout());
    writeln!(out, "{}\n\n{table}", headline(skeleton))
}

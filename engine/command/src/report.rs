//! Reports errors and diagnostics to users, and exit codes to scripts.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use foldtrace_matching::Traffic;
use foldtrace_trace::{Diagnostics, ErrorKind, Names, Remedy, Severity, TraceError};

use crate::diagnostics::Summary;
use crate::exit::{CLEAN, INPUT, INTERNAL, INTERRUPTED, LOSS, OUTPUT, USAGE};
use crate::style::{self, ERROR, HINT};
use crate::{host, signals};

/// The way in which a subcommand completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// Completed without loss.
    Clean,
    /// Completed with a loss that was reported.
    Loss,
    /// Completed with findings of a verification.
    Findings,
}

/// The result of a subcommand.
pub type Outcome = anyhow::Result<Done>;

/// Reports an outcome on standard error, and returns the exit code.
pub fn outcome(outcome: Outcome) -> u8 {
    match outcome {
        Ok(Done::Clean) => CLEAN,
        Ok(Done::Loss) => LOSS,
        Ok(Done::Findings) => INPUT,
        // After a signal, other errors may only be its consequences, so the signal is reported.
        Err(_) if signals::is_stopped() => {
            signals::report();
            INTERRUPTED
        }
        Err(error) if is_closed_pipe(&error) => CLEAN,
        Err(error) => match error.downcast::<clap::Error>() {
            Ok(help) => usage(&help),
            Err(error) => {
                let error = placed(error);
                let _ = write_error(&mut io::stderr().lock(), &error);
                code(&error)
            }
        },
    }
}

/// Reports invalid arguments, or prints the help that was asked for. Returns the exit code.
pub fn usage(error: &clap::Error) -> u8 {
    let printed = error.print().and_then(|()| io::stdout().flush());
    if error.use_stderr() {
        return USAGE;
    }
    outcome(printed.map(|()| Done::Clean).map_err(Into::into))
}

/// Attributes a bare I/O error to standard output: an error of any other file already contains the file.
fn placed(error: anyhow::Error) -> anyhow::Error {
    let error = match error.downcast::<io::Error>() {
        Ok(error) => error,
        Err(error) => return error,
    };
    match error.downcast::<TraceError>() {
        Ok(error) => error.into(),
        Err(error) => TraceError::unwritable(Path::new("standard output"), error).into(),
    }
}

/// Returns whether an error means that the reader of the output has closed the pipe, which is no failure.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}

fn code(error: &anyhow::Error) -> u8 {
    let Some(error) = error.downcast_ref::<TraceError>() else {
        return INTERNAL;
    };
    match error.kind {
        ErrorKind::Unreadable
        | ErrorKind::Foreign
        | ErrorKind::Truncated
        | ErrorKind::Malformed => INPUT,
        ErrorKind::Output => OUTPUT,
        ErrorKind::Usage => USAGE,
        ErrorKind::Interrupted => INTERRUPTED,
        ErrorKind::Internal => INTERNAL,
    }
}

/// Prints an error, its place, its causes from the top down, and a hint.
fn write_error(out: &mut impl Write, error: &anyhow::Error) -> io::Result<()> {
    writeln!(out, "{} {error}", style::stderr(ERROR, "error:"))?;
    let trace_error = error.downcast_ref::<TraceError>();
    if let Some(place) = trace_error
        .map(|e| e.place.to_string())
        .filter(|place| !place.is_empty())
    {
        writeln!(out, "  at {place}")?;
    }
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = cause {
        writeln!(out, "  caused by: {inner}")?;
        cause = inner.source();
    }
    if let Some(hint) = trace_error.and_then(hint) {
        writeln!(out, "  {} {hint}", style::stderr(HINT, "hint:"))?;
    }
    Ok(())
}

/// Returns the hint of an error, with the option that may help.
fn hint(error: &TraceError) -> Option<String> {
    let flag = error.remedy.map(flag);
    let parts = [error.hint.as_deref(), flag];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Returns the words for the option that a library suggests.
const fn flag(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::Salvage => "--salvage keeps the intact parts",
        Remedy::Replace => "--force replaces it",
        Remedy::InputFormat => "--from names the format; 'foldtrace formats' lists all formats",
        Remedy::StoreThenRepair => {
            "convert the trace to a store first, then the store with --repair"
        }
        Remedy::WriteStore => "'foldtrace convert' makes a store from a trace",
        Remedy::TemporaryFolder => "TMPDIR names another folder for temporary files",
        Remedy::Verify => "'foldtrace verify' lists all damaged files",
        Remedy::WriteModels => "'foldtrace loops --format json' writes models",
        Remedy::WriteProgramModel => {
            "'foldtrace loops --global --format json' writes the model of a program"
        }
        Remedy::NumberConstructs => {
            "'foldtrace loops STORE --global --positions' shows the numbers of all constructs"
        }
        Remedy::MaxTerms => "--max-terms allows more; each takes about 300 bytes of memory",
        Remedy::AnnotateModel => {
            "annotate the output of 'foldtrace loops STORE --global' with the same --events"
        }
        Remedy::CountAllMessages => {
            "'foldtrace topology STORE' shows the groups; --threshold 0% counts every message"
        }
        Remedy::AddTopology => {
            "'foldtrace topology STORE' explains why; --pattern FILE adds a topology of your own"
        }
        Remedy::SelectTopology => {
            "'foldtrace logical STORE --ranks' shows how accurately the program describes each process; --topology NAME selects another topology"
        }
        Remedy::ShowLogicalProgram => {
            "'foldtrace logical STORE' shows the program from which a skeleton is made"
        }
        Remedy::ShowPatterns => "'foldtrace patterns STORE' shows the parts that are regular",
        Remedy::ListEvents => "'foldtrace print STORE' shows the names of regions",
    }
}

/// Prints a note about the input or the output, unless the command is quiet.
pub fn note(text: &str, context: crate::Context) {
    if !context.quiet {
        let note = style::stderr(style::severity(Severity::Note), "note:");
        let _ = writeln!(io::stderr().lock(), "{note} {text}");
    }
}

/// Prints a note if a sum does not fit into 64 bits.
pub fn saturated(traffic: &Traffic, context: crate::Context) {
    if traffic.is_saturated() {
        let most = u64::MAX;
        note(
            &format!("sums of messages or bytes exceed 64 bits and are given as {most}"),
            context,
        );
    }
}

/// Prints a summary of diagnostics, with the names of locations from `names`.
pub fn diagnostics(diagnostics: &Diagnostics, names: &Names, context: crate::Context) -> Done {
    let summary = Summary {
        diagnostics,
        names,
        is_quiet: context.quiet,
        is_verbose: context.verbose,
    };
    if !host::takes(diagnostics) {
        let _ = summary.write(&mut io::stderr().lock(), style::stderr_width());
    }
    match diagnostics.worst() {
        Some(Severity::Loss) => Done::Loss,
        _ => Done::Clean,
    }
}

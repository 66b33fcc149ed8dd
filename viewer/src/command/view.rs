//! The subcommand `foldtrace view`: serves pages of stores.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use foldtrace_command::input::StoreInput;
use foldtrace_command::report::{self, Done, Outcome};
use foldtrace_command::{Context, signals};
use foldtrace_output::Scratch;
use foldtrace_trace::{ErrorKind, TraceError};

use crate::Server;

/// Look at a trace in a browser, down to the single event; Ctrl-C ends.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  foldtrace view lu.fold                     prints the address of the page
  foldtrace view eztrace_log.otf2
  foldtrace view before.fold after.fold      both runs, aligned by their loops
  ssh -L 8080:localhost:8080 cluster foldtrace view lu.fold --port 8080

The page is that of 'foldtrace report', but the events are read when you look at them, so
that any call and message of a long run can be reached. The server listens on this machine
only, and its address contains a token: share it only with those who may see the trace.")]
pub struct Viewing {
    #[command(flatten)]
    input: StoreInput,
    /// Runs to show beside the first one.
    #[arg(value_name = "OTHER")]
    others: Vec<PathBuf>,
    /// Port of the page [default: a free one].
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    port: u16,
}

impl Viewing {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Returns an error if an input cannot be read, or the page cannot be served.
    pub fn run(self, context: Context) -> Outcome {
        let mut inputs = vec![self.input.clone()];
        inputs.extend(self.others.iter().map(|other| self.input.at(other)));
        let (mut stores, mut conversions, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for input in &inputs {
            let (store, conversion) = input.open(context)?.into_parts();
            names.push(store.names().clone());
            stores.push((input.file_stem().into_owned(), store));
            conversions.push(conversion);
        }
        let scratch = Scratch::create(&env::temp_dir())?;
        let server = Server::bind(stores, self.port)?;
        announce(&server.address()?)?;
        report::note("the page is served until Ctrl-C", context);
        let served = server.serve(scratch.path(), &signals::stop(), tell)?;
        for (diagnostics, names) in served.diagnostics.iter().zip(&names) {
            report::diagnostics(diagnostics, names, context);
        }
        if !served.is_complete {
            return Ok(Done::Loss);
        }
        let mut conversions = conversions.iter();
        conversions.try_fold(Done::Clean, |done, conversion| conversion.done(Ok(done)))
    }
}

/// Prints the address of the page.
fn announce(address: &str) -> Result<(), TraceError> {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{address}").and_then(|()| out.flush());
    written.map_err(|error| {
        TraceError::new(ErrorKind::Output, "cannot print the address of the page").caused_by(error)
    })
}

/// Prints an error by which a part of a page cannot be shown; the server goes on.
fn tell(error: &str) {
    let _ = writeln!(io::stderr(), "error: {error}");
}

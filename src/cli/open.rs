//! Opening the trace that a subcommand reads.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use foldtrace::formats::{self, Opened};
use foldtrace_trace::{ReadOptions, TraceError};

use super::Context;
use super::report;

/// A trace to open, and how users name its format.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// Where it is; `-` is standard input.
    pub path: &'a Path,
    /// Its format, if it was named.
    pub format: Option<&'a str>,
    /// The option that names a format.
    pub option: &'a str,
    /// How to read it.
    pub options: ReadOptions,
}

impl Opening<'_> {
    /// Opens the trace, and says so if its format is a guess.
    ///
    /// # Errors
    /// If it cannot be read, no format recognises it, or its reader refuses it.
    pub fn open(&self, stop: &Arc<AtomicBool>, context: Context) -> Result<Opened, TraceError> {
        let opened = formats::open(self.path, self.format, &self.options, stop);
        let opened = opened.map_err(|mut error| {
            // The library names the option as most subcommands have it.
            error.hint = error.hint.map(|hint| hint.replace("--from", self.option));
            error
        })?;
        if opened.is_guess {
            let (path, name) = (self.path.display(), opened.format.name);
            let text = format!(
                "{path} is read as '{name}', which is a guess; {} names its format",
                self.option
            );
            report::note(&text, context);
        }
        Ok(opened)
    }
}

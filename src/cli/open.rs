//! Opens the trace that a subcommand reads.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use foldtrace::formats::{self, Opened, Recognised};
use foldtrace_trace::{ReadOptions, TraceError};

use super::Context;
use super::report;

/// A trace to open.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// The path of the trace; `-` is standard input.
    pub path: &'a Path,
    /// The name of the format, if the user gave one.
    pub format: Option<&'a str>,
    pub options: ReadOptions,
}

impl Opening<'_> {
    /// Opens the trace, and prints a note if its format is a guess.
    ///
    /// # Errors
    /// If the trace cannot be read, no format recognises it, or its reader rejects it.
    pub fn open(&self, stop: &Arc<AtomicBool>, context: Context) -> Result<Opened, TraceError> {
        self.recognise(stop, context)?.open(&self.options)
    }

    /// Recognises the format of the trace, and prints a note if it is a guess.
    ///
    /// # Errors
    /// If the trace cannot be read, or no format recognises it.
    pub fn recognise(
        &self,
        stop: &Arc<AtomicBool>,
        context: Context,
    ) -> Result<Recognised, TraceError> {
        let recognised = formats::recognise(self.path, self.format, stop)?;
        if recognised.is_guess() {
            let (path, name) = (self.path.display(), recognised.format().name);
            let text =
                format!("{path} is read as '{name}', which is a guess; --from names its format");
            report::note(&text, context);
        }
        Ok(recognised)
    }
}

//! The wait states of a stage, which wait in a file until those of the stages before it have been reported.

use std::io::Read;

use foldtrace_output::Spool;
use foldtrace_trace::{ErrorKind, TraceError};

use crate::{PathIndex, Sink, WaitState};

impl Sink for Spool<WaitState> {
    fn wait(&mut self, wait: &WaitState) -> Result<(), TraceError> {
        self.push(wait)
    }
}

/// Passes wait states from a file on. Their call paths get the indices that `paths` has for them.
///
/// # Errors
/// Returns an error if the file cannot be read, or the sink fails.
pub(crate) fn pass_on(
    file: impl Read,
    count: u64,
    paths: &[PathIndex],
    sink: &mut impl Sink,
) -> Result<(), TraceError> {
    let path = |index: PathIndex| {
        let message = "a wait state has no call path";
        let path = paths.get(index.0 as usize).copied();
        path.ok_or_else(|| TraceError::new(ErrorKind::Malformed, message))
    };
    Spool::read(file, count, |wait: WaitState| {
        sink.wait(&WaitState {
            path: path(wait.path)?,
            cause_path: path(wait.cause_path)?,
            ..wait
        })
    })
}

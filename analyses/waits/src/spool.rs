//! The wait states of a stage, which wait in a temporary file until those of the stages before it have been reported.

use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom, Write};

use foldtrace_trace::{ErrorKind, Remedy, TraceError};

use crate::{PathIndex, Sink, WaitState};

/// The maximum size of a wait state in the file.
const MOST_BYTES: usize = 1 << 8;

/// Writes wait states.
pub(crate) struct Spool {
    file: BufWriter<File>,
    count: u64,
}

impl Spool {
    /// Creates the temporary file. It has no name, so it vanishes with the process.
    ///
    /// # Errors
    /// Returns an error if it cannot be created.
    pub fn create() -> Result<Self, TraceError> {
        Ok(Self {
            file: BufWriter::new(tempfile::tempfile().map_err(unwritable)?),
            count: 0,
        })
    }

    /// Passes all wait states on. Their call paths get the indices that `paths` has for them.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written or read, or the sink fails.
    pub fn pass_on(self, paths: &[PathIndex], sink: &mut impl Sink) -> Result<(), TraceError> {
        let mut file = self
            .file
            .into_inner()
            .map_err(|error| unwritable(error.into_error()))?;
        file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        let mut file = BufReader::new(file);
        let mut buffer = [0; MOST_BYTES];
        for _ in 0..self.count {
            let read = postcard::from_io((&mut file, &mut buffer)).map_err(unreadable)?;
            let wait: WaitState = read.0;
            let path = |index: PathIndex| paths[index.0 as usize];
            sink.wait(&WaitState {
                path: path(wait.path),
                cause_path: path(wait.cause_path),
                ..wait
            })?;
        }
        Ok(())
    }
}

impl Sink for Spool {
    fn wait(&mut self, wait: &WaitState) -> Result<(), TraceError> {
        self.count += 1;
        let mut buffer = [0; MOST_BYTES];
        let bytes = postcard::to_slice(wait, &mut buffer).map_err(unwritable)?;
        self.file.write_all(bytes).map_err(unwritable)
    }
}

fn unwritable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> TraceError {
    TraceError::new(ErrorKind::Output, "a temporary file cannot be written")
        .caused_by(error)
        .remedy(Remedy::TemporaryFolder)
}

fn unreadable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> TraceError {
    TraceError::new(ErrorKind::Unreadable, "a temporary file cannot be read").caused_by(error)
}

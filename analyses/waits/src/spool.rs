//! The wait states of a stage, which wait in a file until those of the stages before it have been reported.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use foldtrace_trace::{ErrorKind, Remedy, TraceError};

use crate::{PathIndex, Sink, WaitState};

/// The maximum size of a wait state in the file.
const MOST_BYTES: usize = 1 << 8;

/// Writes wait states to a temporary file.
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

    /// Ends writing. Returns the file, and the number of wait states in it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn finish(self) -> Result<(File, u64), TraceError> {
        let file = self.file.into_inner();
        let mut file = file.map_err(|error| unwritable(error.into_error()))?;
        file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        Ok((file, self.count))
    }

    /// Passes all wait states on; see [`pass_on`].
    ///
    /// # Errors
    /// Returns an error if the file cannot be written or read, or the sink fails.
    pub fn pass_on(self, paths: &[PathIndex], sink: &mut impl Sink) -> Result<(), TraceError> {
        let (file, count) = self.finish()?;
        pass_on(file, count, paths, sink)
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
        let path = paths.get(index.0 as usize).copied();
        path.ok_or_else(|| unreadable(io::Error::from(io::ErrorKind::InvalidData)))
    };
    let mut file = BufReader::new(file);
    let mut buffer = [0; MOST_BYTES];
    for _ in 0..count {
        let read = postcard::from_io((&mut file, &mut buffer)).map_err(unreadable)?;
        let wait: WaitState = read.0;
        sink.wait(&WaitState {
            path: path(wait.path)?,
            cause_path: path(wait.cause_path)?,
            ..wait
        })?;
    }
    Ok(())
}

fn unwritable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> TraceError {
    TraceError::new(ErrorKind::Output, "a temporary file cannot be written")
        .caused_by(error)
        .remedy(Remedy::TemporaryFolder)
}

fn unreadable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> TraceError {
    TraceError::new(ErrorKind::Unreadable, "a temporary file cannot be read").caused_by(error)
}

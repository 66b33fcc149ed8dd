//! Values in a temporary file, which come back in the order in which they were written.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;

use foldtrace_trace::{ErrorKind, Remedy, TraceError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The maximum size of a value in the file.
const MOST_BYTES: usize = 1 << 8;

/// Writes values to a temporary file. In the file, none may have more than 256 bytes.
///
/// ```
/// # use foldtrace_output::Spool;
/// let mut spool = Spool::create()?;
/// (0..1000_u64).try_for_each(|number| spool.push(&number))?;
/// let mut sum = 0;
/// spool.for_each(|number: u64| {
///     sum += number;
///     Ok(())
/// })?;
/// assert_eq!(sum, 499_500);
/// # Ok::<(), foldtrace_trace::TraceError>(())
/// ```
#[derive(Debug)]
pub struct Spool<T> {
    file: BufWriter<File>,
    count: u64,
    values: PhantomData<fn(T)>,
}

impl<T: Serialize + DeserializeOwned> Spool<T> {
    /// Creates the temporary file. It has no name, so it vanishes with the process.
    ///
    /// # Errors
    /// Returns an error if it cannot be created.
    pub fn create() -> Result<Self, TraceError> {
        Ok(Self {
            file: BufWriter::new(tempfile::tempfile().map_err(unwritable)?),
            count: 0,
            values: PhantomData,
        })
    }

    /// Appends a value.
    ///
    /// # Errors
    /// Returns an error if the value is too large, or the file cannot be written.
    pub fn push(&mut self, value: &T) -> Result<(), TraceError> {
        let mut buffer = [0; MOST_BYTES];
        let bytes = postcard::to_slice(value, &mut buffer).map_err(unwritable)?;
        self.count += 1;
        self.file.write_all(bytes).map_err(unwritable)
    }

    /// Ends writing. Returns the file, and the number of values in it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn finish(self) -> Result<(File, u64), TraceError> {
        let file = self.file.into_inner();
        let mut file = file.map_err(|error| unwritable(error.into_error()))?;
        file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        Ok((file, self.count))
    }

    /// Passes all values on.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written or read, or if `take` fails.
    pub fn for_each(self, take: impl FnMut(T) -> Result<(), TraceError>) -> Result<(), TraceError> {
        let (file, count) = self.finish()?;
        Self::read(file, count, take)
    }

    /// Passes `count` values on that a spool has written to a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or if `take` fails.
    pub fn read(
        file: impl Read,
        count: u64,
        mut take: impl FnMut(T) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let mut file = BufReader::new(file);
        let mut buffer = [0; MOST_BYTES];
        for _ in 0..count {
            let (value, _) = postcard::from_io((&mut file, &mut buffer)).map_err(unreadable)?;
            take(value)?;
        }
        Ok(())
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

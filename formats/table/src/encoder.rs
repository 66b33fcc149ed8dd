//! Encodes rows in one of three file formats.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use foldtrace_output::OutputFile;
use foldtrace_trace::{Clock, ErrorKind, Place, TraceError};

use crate::arrow_ipc::{FileEncoder, StreamEncoder};
use crate::csv::CsvEncoder;
use crate::parquet::ParquetEncoder;

/// Number of rows of a row group, the same as in a store.
pub const ROW_GROUP_ROWS: usize = 1 << 18;

/// The encoding of a table.
#[derive(Clone, Copy, Debug)]
pub enum Encoding {
    /// A Parquet file.
    Parquet,
    /// An Arrow IPC file, or an Arrow IPC stream if the output is a pipe.
    Arrow,
    /// Comma-separated values.
    Csv,
}

/// The columns of a table, with hints for their encoding.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The name of the table in the file.
    pub name: &'static str,
    /// The columns of the table.
    pub schema: SchemaRef,
    /// The columns by which the rows are sorted.
    pub sorted_by: &'static [&'static str],
    /// Columns whose values mostly increase in small steps.
    pub growing: &'static [&'static str],
}

/// Any failure of an encoder.
pub(crate) type EncodeError = Box<dyn std::error::Error + Send + Sync>;

/// Encodes rows, and returns the file at the end.
pub(crate) trait Encode {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), EncodeError>;
    fn finish(self: Box<Self>) -> Result<Watched, EncodeError>;
}

/// An encoder and the file that it writes.
pub struct Encoder {
    encode: Box<dyn Encode>,
    path: PathBuf,
    failure: Failure,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Encoder {
    /// Creates an encoder that writes to `file`. A Parquet row group has at most `row_group` rows.
    ///
    /// # Errors
    /// If the file cannot be written, or the table cannot be encoded.
    pub fn new(
        encoding: Encoding,
        file: OutputFile,
        shape: &Shape,
        clock: Clock,
        row_group: usize,
    ) -> Result<Self, TraceError> {
        let path = file.path().to_owned();
        let is_file = file.is_file();
        let failure = Failure::default();
        let file = Watched {
            file,
            failure: failure.clone(),
        };
        let begun: Result<Box<dyn Encode>, EncodeError> = match encoding {
            Encoding::Parquet => ParquetEncoder::new(file, shape, clock, row_group).map(boxed),
            Encoding::Arrow if is_file => FileEncoder::new(file, shape).map(boxed),
            Encoding::Arrow => StreamEncoder::new(file, shape).map(boxed),
            Encoding::Csv => Ok(boxed(CsvEncoder::new(file))),
        };
        Ok(Self {
            encode: begun.map_err(|error| failure.told(&path, error))?,
            path,
            failure,
        })
    }

    /// Returns the path of the output.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes rows.
    ///
    /// # Errors
    /// If the file cannot be written, or the rows do not have the columns of the table.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), TraceError> {
        let written = self.encode.write(batch);
        written.map_err(|error| self.failure.told(&self.path, error))
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> Result<(), TraceError> {
        let finished = self.encode.finish();
        let watched = finished.map_err(|error| self.failure.told(&self.path, error))?;
        watched.file.complete()
    }
}

fn boxed<'a>(encode: impl Encode + 'a) -> Box<dyn Encode + 'a> {
    Box::new(encode)
}

/// A file that keeps its first error, because encoders convert errors of a disk or a pipe into plain text.
pub(crate) struct Watched {
    file: OutputFile,
    failure: Failure,
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        written.map_err(|error| self.failure.keep(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        flushed.map_err(|error| self.failure.keep(error))
    }
}

/// The first error of a file, if any.
#[derive(Clone, Default)]
struct Failure(Arc<Mutex<Option<io::Error>>>);

impl Failure {
    /// Keeps an error to report later, and returns an error of the same kind for the encoder.
    fn keep(&self, error: io::Error) -> io::Error {
        let kind = error.kind();
        if kind != io::ErrorKind::Interrupted {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.get_or_insert(error);
        }
        kind.into()
    }

    /// Returns the cause of an error of the encoder of `path`: the error that was kept, or else a failed encoding.
    fn told(&self, path: &Path, error: EncodeError) -> TraceError {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.take() {
            Some(failure) => TraceError::unwritable(path, failure),
            None => {
                let message = format!("cannot encode {}", path.display());
                TraceError::new(ErrorKind::Internal, message)
                    .at(Place::file(path))
                    .caused_by(error)
            }
        }
    }
}

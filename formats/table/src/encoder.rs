//! Rows as bytes, in one of three encodings.

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

/// Rows of a row group, as in a store.
pub const ROW_GROUP_ROWS: usize = 1 << 18;

/// How rows become bytes.
#[derive(Clone, Copy, Debug)]
pub enum Encoding {
    /// A Parquet file.
    Parquet,
    /// An Arrow IPC file; to pipes a stream.
    Arrow,
    /// Comma-separated values.
    Csv,
}

/// The columns of a table, and what encodings may make use of.
#[derive(Clone, Debug)]
pub struct Shape {
    /// What the table is called in the file.
    pub name: &'static str,
    /// Its columns.
    pub schema: SchemaRef,
    /// The columns that rows are sorted by.
    pub sorted_by: &'static [&'static str],
    /// Columns whose numbers mostly grow by little.
    pub growing: &'static [&'static str],
}

/// Any failure of an encoder.
pub(crate) type EncodeError = Box<dyn std::error::Error + Send + Sync>;

/// Takes rows, and gives the file back in the end.
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
    /// Begins a table in `file`, with at most `row_group` rows a row group of Parquet.
    ///
    /// # Errors
    /// If the file cannot be written, or such a table cannot be encoded.
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

    /// Where the table goes.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes rows.
    ///
    /// # Errors
    /// If the file cannot be written, or the rows have other columns.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), TraceError> {
        let written = self.encode.write(batch);
        written.map_err(|error| self.failure.told(&self.path, error))
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<(), TraceError> {
        let finished = self.encode.finish();
        let watched = finished.map_err(|error| self.failure.told(&self.path, error))?;
        watched.file.complete()
    }
}

fn boxed<'a>(encode: impl Encode + 'a) -> Box<dyn Encode + 'a> {
    Box::new(encode)
}

/// A file whose failure is kept: encoders turn errors of a disk or a pipe into mere text.
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

/// The first failure of a file, if there was any.
#[derive(Clone, Default)]
struct Failure(Arc<Mutex<Option<io::Error>>>);

impl Failure {
    /// Keeps an error that is to be told; gives one for the encoder.
    fn keep(&self, error: io::Error) -> io::Error {
        let kind = error.kind();
        if kind != io::ErrorKind::Interrupted {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.get_or_insert(error);
        }
        kind.into()
    }

    /// What an error of the encoder of `path` really is.
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

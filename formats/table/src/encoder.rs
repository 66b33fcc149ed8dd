//! Encodes rows in one of three file formats.

use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use foldtrace_output::OutputFile;
use foldtrace_trace::{Clock, TraceError};

use crate::arrow_ipc::{FileEncoder, StreamEncoder};
use crate::backend::{Backend, EncodeError, Failure, WatchedFile};
use crate::csv::CsvEncoder;
use crate::parquet::ParquetEncoder;
use crate::shape::Shape;

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

/// An encoder of a table, with the file that it writes.
pub struct Encoder {
    backend: Box<dyn Backend>,
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
        let (file, failure) = WatchedFile::new(file);
        let created: Result<Box<dyn Backend>, EncodeError> = match encoding {
            Encoding::Parquet => ParquetEncoder::new(file, shape, clock, row_group).map(boxed),
            Encoding::Arrow if is_file => FileEncoder::new(file, shape).map(boxed),
            Encoding::Arrow => StreamEncoder::new(file, shape).map(boxed),
            Encoding::Csv => Ok(boxed(CsvEncoder::new(file))),
        };
        Ok(Self {
            backend: created.map_err(|error| failure.cause_of(error, &path))?,
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
        let written = self.backend.write(batch);
        written.map_err(|error| self.failure.cause_of(error, &self.path))
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> Result<(), TraceError> {
        let finished = self.backend.finish();
        let file = finished.map_err(|error| self.failure.cause_of(error, &self.path))?;
        file.complete()
    }
}

fn boxed<'a>(backend: impl Backend + 'a) -> Box<dyn Backend + 'a> {
    Box::new(backend)
}

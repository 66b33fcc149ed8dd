//! Encodes tables as Arrow IPC: a file that programs can map into memory, or a stream for a pipe.

use std::io::BufWriter;

use arrow::array::RecordBatch;
use arrow::ipc::writer::{FileWriter, StreamWriter};
use foldtrace_columns::with_pandas;

use crate::backend::{Backend, EncodeError, WatchedFile};
use crate::shape::Shape;

/// Size of the write buffer, in bytes.
const BLOCK: usize = 1 << 18;

pub(crate) struct FileEncoder(FileWriter<BufWriter<WatchedFile>>);

impl FileEncoder {
    pub(crate) fn new(file: WatchedFile, shape: &Shape) -> Result<Self, EncodeError> {
        let file = BufWriter::with_capacity(BLOCK, file);
        Ok(Self(FileWriter::try_new(
            file,
            &with_pandas(&shape.schema),
        )?))
    }
}

impl Backend for FileEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        Ok(self.0.write(batch)?)
    }

    fn finish(self: Box<Self>) -> Result<WatchedFile, EncodeError> {
        flushed(self.0.into_inner()?)
    }
}

pub(crate) struct StreamEncoder(StreamWriter<BufWriter<WatchedFile>>);

impl StreamEncoder {
    pub(crate) fn new(file: WatchedFile, shape: &Shape) -> Result<Self, EncodeError> {
        let file = BufWriter::with_capacity(BLOCK, file);
        Ok(Self(StreamWriter::try_new(
            file,
            &with_pandas(&shape.schema),
        )?))
    }
}

impl Backend for StreamEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        Ok(self.0.write(batch)?)
    }

    fn finish(self: Box<Self>) -> Result<WatchedFile, EncodeError> {
        flushed(self.0.into_inner()?)
    }
}

/// Returns the file of a buffer, after flushing the buffer.
fn flushed(buffer: BufWriter<WatchedFile>) -> Result<WatchedFile, EncodeError> {
    Ok(buffer.into_inner().map_err(|error| error.into_error())?)
}

//! Encodes tables as Arrow IPC: a file that programs can map into memory, or a stream for a pipe.

use std::io::BufWriter;

use arrow::array::RecordBatch;
use arrow::ipc::writer::{FileWriter, StreamWriter};
use foldtrace_columns::with_pandas;

use crate::encoder::{Encode, EncodeError, Shape, Watched};

/// Size of the write buffer, in bytes.
const BLOCK: usize = 1 << 18;

pub(crate) struct FileEncoder(FileWriter<BufWriter<Watched>>);

impl FileEncoder {
    pub(crate) fn new(file: Watched, shape: &Shape) -> Result<Self, EncodeError> {
        let file = BufWriter::with_capacity(BLOCK, file);
        Ok(Self(FileWriter::try_new(
            file,
            &with_pandas(&shape.schema),
        )?))
    }
}

impl Encode for FileEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        Ok(self.0.write(batch)?)
    }

    fn finish(self: Box<Self>) -> Result<Watched, EncodeError> {
        sent(self.0.into_inner()?)
    }
}

pub(crate) struct StreamEncoder(StreamWriter<BufWriter<Watched>>);

impl StreamEncoder {
    pub(crate) fn new(file: Watched, shape: &Shape) -> Result<Self, EncodeError> {
        let file = BufWriter::with_capacity(BLOCK, file);
        Ok(Self(StreamWriter::try_new(
            file,
            &with_pandas(&shape.schema),
        )?))
    }
}

impl Encode for StreamEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        Ok(self.0.write(batch)?)
    }

    fn finish(self: Box<Self>) -> Result<Watched, EncodeError> {
        sent(self.0.into_inner()?)
    }
}

/// Returns the file of a buffer, after flushing the buffer.
fn sent(buffer: BufWriter<Watched>) -> Result<Watched, EncodeError> {
    Ok(buffer.into_inner().map_err(|error| error.into_error())?)
}

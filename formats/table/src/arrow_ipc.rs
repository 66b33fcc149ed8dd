//! Tables as Arrow IPC: a file that programs map into memory, or a stream for a pipe.

use std::io::BufWriter;

use arrow::array::RecordBatch;
use arrow::ipc::writer::{FileWriter, StreamWriter};
use foldtrace_columns::with_pandas;

use crate::encoder::{Encode, EncodeError, Shape, Watched};

/// Bytes collected before they are written.
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

/// The file behind the buffer, when the buffer is empty.
fn sent(buffer: BufWriter<Watched>) -> Result<Watched, EncodeError> {
    Ok(buffer.into_inner().map_err(|error| error.into_error())?)
}

//! Reads a document once, from its beginning to its end: everything before the quantities when it is opened, then the
//! quantities, block by block, together with the events of the DAG.

mod element;
mod lists;
mod preamble;
mod source;
mod stream;
mod units;

use std::mem;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use foldtrace_input::Bytes;
use foldtrace_trace::{
    ErrorKind, EventStream, Input, Place, StreamInfo, TraceError, TraceHead, TraceReader,
};

use preamble::Preamble;
use source::Source;
use stream::Stream;

/// A document whose DAG has been read.
pub(super) struct MtfReader {
    path: PathBuf,
    head: TraceHead,
    preamble: Preamble,
    is_repeatable: bool,
    /// The source, read up to the quantities, until a caller opens the stream.
    begun: Mutex<Option<Source>>,
}

impl MtfReader {
    /// Opens a document and reads everything before the quantities.
    pub fn open(input: Input) -> Result<Self, TraceError> {
        let path = input.path().to_owned();
        let bytes = Bytes::open(input)?;
        let (size, is_repeatable) = (bytes.size, bytes.is_repeatable);
        let mut source = Source::new(&path, bytes);
        let mut preamble = Preamble::read(&mut source)?;
        Ok(Self {
            path,
            head: TraceHead {
                definitions: mem::take(&mut preamble.definitions),
                streams: vec![StreamInfo {
                    location: None,
                    bytes: size,
                    part: None,
                }],
                ..TraceHead::default()
            },
            preamble,
            is_repeatable,
            begun: Mutex::new(Some(source)),
        })
    }

    /// Returns the source, read up to the quantities.
    fn begun(&self) -> Result<Source, TraceError> {
        let begun = self
            .begun
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(source) = begun {
            return Ok(source);
        }
        if !self.is_repeatable {
            let message = format!("{} can be read only once", self.path.display());
            return Err(TraceError::new(ErrorKind::Usage, message)
                .at(Place::file(&self.path))
                .hint("save it as a file first"));
        }
        let mut source = Source::new(&self.path, Bytes::open_file(&self.path)?);
        Preamble::read(&mut source)?;
        Ok(source)
    }
}

impl TraceReader for MtfReader {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        if index != 0 {
            let message = format!("this trace has one stream, there is no stream {index}");
            let error = TraceError::new(ErrorKind::Usage, message);
            return Err(error.at(Place::file(&self.path)));
        }
        Ok(Box::new(Stream::new(&self.preamble, self.begun()?)))
    }
}

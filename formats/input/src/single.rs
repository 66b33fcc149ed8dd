//! An open trace with a single stream, for formats that mix the events of all locations.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use foldtrace_trace::{
    Definitions, Diagnostics, ErrorKind, EventStream, Input, Place, ReadOptions, StreamInfo,
    TraceError, TraceHead, TraceReader,
};

/// A stream that starts at the beginning of its input.
pub trait SingleStream: EventStream + Send + Sized + 'static {
    /// Opens the input, reads up to the first event, and returns the definitions before it.
    ///
    /// # Errors
    /// If the input is missing, unreadable, or damaged before its first event.
    fn begin(
        input: Input,
        options: ReadOptions,
        diagnostics: &mut Diagnostics,
    ) -> Result<(Self, Definitions), TraceError>;

    /// Returns the size of the input in bytes; 0 if unknown.
    fn size(&self) -> u64;

    /// Returns whether the input can be opened a second time. A pipe cannot.
    fn is_repeatable(&self) -> bool;
}

/// An open trace with a single stream.
pub struct SingleReader<S> {
    path: PathBuf,
    options: ReadOptions,
    head: TraceHead,
    is_repeatable: bool,
    /// The stream that was read up to the first event, until a caller opens it.
    begun: Mutex<Option<S>>,
}

impl<S: SingleStream> SingleReader<S> {
    /// Opens a trace.
    ///
    /// # Errors
    /// The same errors as [`SingleStream::begin`].
    pub fn open(input: Input, options: ReadOptions) -> Result<Self, TraceError> {
        let mut diagnostics = Diagnostics::default();
        let path = input.path().to_owned();
        let (stream, definitions) = S::begin(input, options, &mut diagnostics)?;
        Ok(Self::begun(path, options, stream, definitions, diagnostics))
    }

    /// Creates a trace from an open stream, with the results of [`SingleStream::begin`].
    #[must_use]
    pub fn begun(
        path: PathBuf,
        options: ReadOptions,
        stream: S,
        definitions: Definitions,
        diagnostics: Diagnostics,
    ) -> Self {
        Self {
            path,
            options,
            head: TraceHead {
                definitions,
                diagnostics,
                streams: vec![StreamInfo {
                    location: None,
                    bytes: stream.size(),
                    part: None,
                }],
                ..TraceHead::default()
            },
            is_repeatable: stream.is_repeatable(),
            begun: Mutex::new(Some(stream)),
        }
    }
}

impl<S: SingleStream> TraceReader for SingleReader<S> {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let place = Place::file(&self.path);
        if index != 0 {
            let message = format!("this trace has no stream {index}, only stream 0");
            return Err(TraceError::new(ErrorKind::Usage, message).at(place));
        }
        let begun = self
            .begun
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let stream = match begun {
            Some(stream) => stream,
            None if self.is_repeatable => {
                let input = Input::Path(self.path.clone());
                S::begin(input, self.options, &mut Diagnostics::default())?.0
            }
            None => {
                let message = format!("{} can be read only once", self.path.display());
                return Err(TraceError::new(ErrorKind::Usage, message)
                    .at(place)
                    .hint("save it as a file first"));
            }
        };
        Ok(Box::new(stream))
    }
}

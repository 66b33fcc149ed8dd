//! Opening a text trace.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use foldtrace_trace::{
    Definitions, Diagnostics, ErrorKind, EventStream, Input, Place, ReadOptions, StreamInfo,
    TraceError, TraceReader,
};

use crate::source::Source;
use crate::stream::TextStream;

/// An open text trace. It has one stream, because lines of all locations may be mixed.
pub(crate) struct TextReader {
    path: PathBuf,
    options: ReadOptions,
    definitions: Definitions,
    diagnostics: Diagnostics,
    streams: [StreamInfo; 1],
    /// Whether the input can be opened a second time; what came through a pipe is gone.
    is_repeatable: bool,
    /// The stream that was read up to the first event, until somebody asks for it.
    stream: Mutex<Option<TextStream>>,
}

impl TextReader {
    pub(crate) fn open(input: Input, options: ReadOptions) -> Result<Self, TraceError> {
        let mut diagnostics = Diagnostics::default();
        let path = input.path().to_owned();
        let (stream, definitions) = begin(input, options, &mut diagnostics)?;
        let bytes = stream.source().size;
        let is_repeatable = stream.source().is_repeatable;
        Ok(Self {
            path,
            options,
            definitions,
            diagnostics,
            streams: [StreamInfo {
                location: None,
                bytes,
            }],
            is_repeatable,
            stream: Mutex::new(Some(stream)),
        })
    }
}

/// Opens the input and reads the definitions before the first event.
fn begin(
    input: Input,
    options: ReadOptions,
    diagnostics: &mut Diagnostics,
) -> Result<(TextStream, Definitions), TraceError> {
    let is_folder = matches!(&input, Input::Path(path) if path.is_dir());
    let mut stream = TextStream::new(Source::open(input)?, options.salvage, is_folder);
    let definitions = stream.read_definitions(diagnostics)?;
    Ok((stream, definitions))
}

impl TraceReader for TextReader {
    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    fn streams(&self) -> &[StreamInfo] {
        &self.streams
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let place = Place::file(&self.path);
        if index != 0 {
            let message = format!("a text trace has one stream, there is no stream {index}");
            return Err(TraceError::new(ErrorKind::Usage, message).at(place));
        }
        let begun = self
            .stream
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let stream = match begun {
            Some(stream) => stream,
            None if self.is_repeatable => {
                begin(
                    Input::Path(self.path.clone()),
                    self.options,
                    &mut Diagnostics::default(),
                )?
                .0
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

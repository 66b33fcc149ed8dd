//! Stores of traces that a test writes as text.

use std::io::Cursor;
use std::ops::Deref;

use foldtrace_convert::{ConvertOptions, to_store};
use foldtrace_store::{Origin, StoreReader};
use foldtrace_stream::read::Progress;
use foldtrace_text::TextFormat;
use foldtrace_trace::{Format, Input, ReadOptions};
use tempfile::TempDir;

/// A store in a temporary folder, which is removed when it is dropped.
#[derive(Debug)]
pub struct Stored {
    store: StoreReader,
    _folder: TempDir,
}

impl Stored {
    /// Stores a text trace.
    ///
    /// # Panics
    /// Panics if the text is no trace, or cannot be stored.
    #[must_use]
    pub fn new(text: String) -> Self {
        let input = Input::Stream {
            name: "program.trace".into(),
            head: Vec::new(),
            reader: Box::new(Cursor::new(text)),
        };
        let reader = TextFormat.open(input, &ReadOptions::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program.fold");
        let (origin, options) = (Origin::default(), ConvertOptions::default());
        to_store(&*reader, &origin, &path, &options, &Progress::default()).unwrap();
        Self {
            store: StoreReader::open(&path).unwrap(),
            _folder: folder,
        }
    }
}

impl Deref for Stored {
    type Target = StoreReader;

    fn deref(&self) -> &StoreReader {
        &self.store
    }
}

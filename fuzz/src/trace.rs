//! Checks what a reader returns against the contract of readers.

use std::fs;
use std::io;

use foldtrace_testing::{Events, collect};
use foldtrace_text::TextFormat;
use foldtrace_trace::{
    Definitions, Diagnostics, EventBatch, EventKind, EventStream, Format, Input, LocationId, Names,
    Output, Quantity, ReadOptions, Step, SymbolTable, TraceError, TraceReader, TraceWriter,
};
use tempfile::TempDir;

/// The result of reading a trace to its end.
#[derive(Debug, Default, PartialEq)]
pub struct Told {
    /// All definitions.
    pub definitions: Definitions,
    /// Events by location.
    pub events: Events,
    /// The diagnostics of the reader and its streams.
    pub diagnostics: Diagnostics,
    /// The errors, as texts.
    pub errors: Vec<String>,
    /// The trace as text, if all of it could be written.
    text: Vec<u8>,
}

/// Returns an input from a pipe, in one piece.
#[must_use]
pub fn piped(bytes: &[u8]) -> Input {
    Input::Stream {
        name: "-".into(),
        head: bytes.to_owned(),
        reader: Box::new(io::empty()),
    }
}

/// Reads an input without and with salvaging. If the input has no errors, both results must be equal.
///
/// # Panics
/// Panics if they are not, or if the reader violates the contract.
pub fn read_both(format: &dyn Format, input: impl Fn() -> Input) {
    let plain = read(format.open(input(), &ReadOptions::whole(false)));
    let salvaged = read(format.open(input(), &ReadOptions::whole(true)));
    plain.assert_written();
    if plain.errors.is_empty() {
        assert_eq!(plain, salvaged);
    } else {
        salvaged.assert_written();
    }
}

/// Reads all streams of a trace to their ends. After an error, reading continues, as the contract allows.
///
/// # Panics
/// Panics if the reader violates the contract.
pub fn read(opened: Result<Box<dyn TraceReader>, TraceError>) -> Told {
    let mut told = Told::default();
    let reader = match opened {
        Ok(reader) => reader,
        Err(error) => {
            told.fail(&error);
            return told;
        }
    };
    told.definitions = reader.definitions().clone();
    told.diagnostics = reader.diagnostics().clone();
    let mut text = TextOutput::new(reader.definitions());
    for (index, stream) in reader.streams().iter().enumerate() {
        match reader.open_stream(index) {
            Ok(mut open) => told.read_stream(&mut *open, stream.location, &mut text),
            Err(error) => told.fail(&error),
        }
    }
    told.text = text.finish();
    told.look_up();
    told
}

impl Told {
    fn fail(&mut self, error: &TraceError) {
        let source = error.source.as_ref().map(ToString::to_string);
        let TraceError {
            kind,
            message,
            place,
            hint,
            remedy,
            ..
        } = error;
        self.errors.push(format!(
            "{kind:?}: {message} at {place}, {source:?}, {hint:?}, {remedy:?}"
        ));
    }

    fn read_stream(
        &mut self,
        stream: &mut dyn EventStream,
        only: Option<LocationId>,
        text: &mut TextOutput,
    ) {
        let mut batch = EventBatch::default();
        loop {
            let symbols = stream.symbols().len();
            let read_before = stream.bytes_read();
            let step = stream.next_batch(&mut batch, &mut self.diagnostics);
            assert!(
                stream.symbols().len() >= symbols,
                "the table of symbols has shrunk"
            );
            assert!(
                stream.bytes_read() >= read_before,
                "what was read is unread"
            );
            self.definitions.append(&batch.definitions);
            text.write(&batch, stream.symbols());
            if !batch.is_empty() {
                assert!(only.is_none_or(|only| only == batch.location));
                check(&batch, stream.symbols());
                collect(&mut self.events, &batch, stream.symbols());
            }
            match step {
                Ok(Step::Batch) => assert!(!batch.is_empty(), "a batch has no event"),
                Ok(Step::End) => {
                    assert!(batch.is_empty(), "the end has events");
                    return;
                }
                Err(error) => self.fail(&error),
            }
        }
    }

    /// Looks up the name of every event, as a listing does, and checks the diagnostics and the clock.
    fn look_up(&self) {
        let names = Names::new(&self.definitions);
        for event in self.events.values().flatten() {
            let _ = names.called(&event.symbol);
        }
        for (_, group) in self.diagnostics.groups() {
            assert!(group.count >= group.cases.len() as u64);
            assert!(group.cases.iter().all(|case| !case.message.is_empty()));
        }
        let clock = self.definitions.clock();
        assert_ne!(clock.ticks_per_second, 0, "a clock that stands still");
    }

    /// Checks that the trace, written as text, reads back as the same events.
    ///
    /// # Panics
    /// Panics if it does not.
    pub fn assert_written(&self) {
        let again = TextFormat.open(piped(&self.text), &ReadOptions::default());
        let again = read(again);
        assert_eq!(
            again.errors,
            <[String; 0]>::default(),
            "{}",
            self.text.escape_ascii()
        );
        assert_eq!(again.events, self.events, "{}", self.text.escape_ascii());
    }
}

/// Checks the properties that every batch has.
fn check(batch: &EventBatch, symbols: &SymbolTable) {
    let events = batch.symbols.len();
    assert_eq!(batch.times.len(), events);
    assert!(batch.symbols.iter().all(|id| symbols.contains(*id)));
    let kinds: Vec<EventKind> = batch.symbols.iter().map(|&id| symbols.kind(id)).collect();
    for &quantity in Quantity::ALL {
        let having = kinds
            .iter()
            .filter(|kind| kind.quantities().contains(&quantity));
        assert_eq!(
            batch.quantities[quantity as usize].len(),
            having.count(),
            "{quantity:?}"
        );
    }
    let metrics = &batch.metrics;
    assert_eq!(metrics.member.len(), metrics.event.len());
    assert_eq!(metrics.value_type.len(), metrics.event.len());
    assert_eq!(metrics.value.len(), metrics.event.len());
    let attributes = &batch.attributes;
    assert_eq!(attributes.attribute.len(), attributes.event.len());
    assert_eq!(attributes.value_type.len(), attributes.event.len());
    assert_eq!(attributes.value.len(), attributes.event.len());
    for of in [&metrics.event, &attributes.event] {
        assert!(of.is_sorted());
        assert!(of.last().is_none_or(|&event| (event as usize) < events));
    }
}

/// A writer of a trace as text, into memory.
struct TextOutput {
    folder: TempDir,
    writer: Box<dyn TraceWriter>,
}

impl TextOutput {
    fn new(definitions: &Definitions) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let path = folder.path().join("out.trace");
        let output = Output::Path {
            path,
            replace: true,
        };
        let mut writer = TextFormat.create(output).unwrap();
        writer.definitions(definitions).unwrap();
        Self { folder, writer }
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) {
        self.writer.write(batch, symbols).unwrap();
    }

    fn finish(self) -> Vec<u8> {
        self.writer.finish().unwrap();
        fs::read(self.folder.path().join("out.trace")).unwrap()
    }
}

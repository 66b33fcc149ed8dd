//! Reading a stream to its end: stopped when someone says so, and over damage where that is wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use foldtrace_trace::{
    Definitions, Diagnostic, Diagnostics, ErrorKind, EventBatch, EventStream, Severity, Step,
    SymbolTable, TraceError, TraceReader,
};

/// How far a conversion is; shared with whoever shows it, and with whoever stops it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes of the source that were read.
    pub bytes: AtomicU64,
    /// Events that were read.
    pub events: AtomicU64,
    /// Set to stop at the next batch.
    pub stop: Arc<AtomicBool>,
}

impl Progress {
    /// # Errors
    /// If the work is to stop.
    pub fn check(&self) -> Result<(), TraceError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(TraceError::new(
                ErrorKind::Interrupted,
                "stopped; nothing was written",
            ));
        }
        Ok(())
    }

    /// So many more events were read, from where events are what is counted instead of bytes.
    pub fn count(&self, events: usize) {
        self.events.fetch_add(events as u64, Ordering::Relaxed);
        self.bytes.fetch_add(events as u64, Ordering::Relaxed);
    }

    /// A progress of its own that stops with this one, for work that counts something else.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self {
            stop: Arc::clone(&self.stop),
            ..Self::default()
        }
    }
}

/// What streams bring besides events.
#[derive(Debug, Default)]
pub struct Late {
    /// Definitions that arrived with batches.
    pub definitions: Definitions,
    /// Problems of the streams.
    pub diagnostics: Diagnostics,
}

impl Late {
    /// Adds what another stream has brought.
    pub fn merge(&mut self, other: Self) {
        self.definitions.append(&other.definitions);
        self.diagnostics.merge(other.diagnostics);
    }
}

/// A stream that is being read.
pub(crate) struct Reading<'a> {
    /// `None` if it could not be opened and that was salvaged.
    stream: Option<Box<dyn EventStream + 'a>>,
    salvage: bool,
    progress: &'a Progress,
    /// Bytes that progress has been told of.
    bytes: u64,
}

impl<'a> Reading<'a> {
    /// Opens stream number `index`; what is lost by that goes to `late`.
    ///
    /// # Errors
    /// If the stream is damaged and `salvage` is off.
    pub(crate) fn open(
        reader: &'a dyn TraceReader,
        index: usize,
        salvage: bool,
        progress: &'a Progress,
        late: &mut Late,
    ) -> Result<Self, TraceError> {
        let stream = match reader.open_stream(index) {
            Ok(stream) => Some(stream),
            Err(error) if salvage && error.is_salvageable() => {
                late.diagnostics.report(lost(&error));
                None
            }
            Err(error) if !salvage && reader.streams().len() > 1 && error.is_salvageable() => {
                return Err(error.hint("--salvage goes on without this location"));
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            stream,
            salvage,
            progress,
            bytes: 0,
        })
    }

    /// Asks for batches of no more than `events` events.
    pub(crate) fn batch_at_most(&mut self, events: usize) {
        if let Some(stream) = &mut self.stream {
            stream.batch_at_most(events);
        }
    }

    /// Fills `batch` anew; it may come back empty before the end. Its definitions and what was odd
    /// are in `late` as well.
    ///
    /// # Errors
    /// If the stream is damaged and not salvaged, or the work was stopped.
    pub(crate) fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        late: &mut Late,
    ) -> Result<Step, TraceError> {
        self.progress.check()?;
        let Some(stream) = &mut self.stream else {
            return Ok(Step::End);
        };
        let step = match stream.next_batch(batch, &mut late.diagnostics) {
            Ok(step) => step,
            Err(error) if self.salvage && error.is_salvageable() => {
                late.diagnostics.report(lost(&error));
                Step::Batch
            }
            Err(error) => return Err(error),
        };
        late.definitions.append(&batch.definitions);
        let bytes = stream.bytes_read();
        self.progress
            .bytes
            .fetch_add(bytes.saturating_sub(self.bytes), Ordering::Relaxed);
        self.progress
            .events
            .fetch_add(batch.len() as u64, Ordering::Relaxed);
        self.bytes = bytes;
        Ok(step)
    }

    /// The table that the symbols of the batches are ids of; `None` where nothing can be read.
    pub(crate) fn symbols(&self) -> Option<&SymbolTable> {
        self.stream.as_ref().map(|stream| stream.symbols())
    }
}

/// Reads a stream to its end, batch by batch into `consume`.
///
/// # Errors
/// If the stream is damaged and `salvage` is off, `consume` fails, or the work was stopped.
pub fn read_stream(
    reader: &dyn TraceReader,
    stream: usize,
    salvage: bool,
    progress: &Progress,
    mut consume: impl FnMut(&EventBatch, &SymbolTable) -> Result<(), TraceError>,
) -> Result<Late, TraceError> {
    let mut late = Late::default();
    let mut stream = Reading::open(reader, stream, salvage, progress, &mut late)?;
    let mut batch = EventBatch::default();
    loop {
        let step = stream.next_batch(&mut batch, &mut late)?;
        if let Some(symbols) = stream.symbols()
            && !(batch.is_empty() && batch.definitions.is_empty())
        {
            consume(&batch, symbols)?;
        }
        if step == Step::End {
            return Ok(late);
        }
    }
}

/// What an error cost, when what is whole was kept.
fn lost(error: &TraceError) -> Diagnostic {
    let mut message = error.message.clone();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        message = format!("{message}: {inner}");
        cause = inner.source();
    }
    Diagnostic::new(Severity::Loss, "salvage.lost", message).at((*error.place).clone())
}

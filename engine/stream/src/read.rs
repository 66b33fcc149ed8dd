//! Reads a stream to its end, until the work is stopped, and past damage if it is salvaged.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use foldtrace_trace::{
    Definitions, Diagnostic, Diagnostics, ErrorKind, EventBatch, EventStream, Position, Remedy,
    Severity, Step, SymbolTable, TraceError, TraceReader,
};

/// The progress of a conversion, shared with the threads that display it and that stop it.
#[derive(Debug, Default)]
pub struct Progress {
    /// The number of bytes of the source that were read.
    pub bytes: AtomicU64,
    /// The number of events that were read.
    pub events: AtomicU64,
    /// A flag that stops the work at the next batch.
    pub stop: Arc<AtomicBool>,
}

impl Progress {
    /// Checks that the work has not been stopped.
    ///
    /// # Errors
    /// Returns an error if the work has been stopped.
    pub fn check(&self) -> Result<(), TraceError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(TraceError::new(
                ErrorKind::Interrupted,
                "stopped; nothing was written",
            ));
        }
        Ok(())
    }

    /// Counts events that were read, for sources whose progress is measured in events instead of bytes.
    pub fn count(&self, events: usize) {
        self.events.fetch_add(events as u64, Ordering::Relaxed);
        self.bytes.fetch_add(events as u64, Ordering::Relaxed);
    }

    /// Returns a separate progress that stops with this one, for work that counts something else.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self {
            stop: Arc::clone(&self.stop),
            ..Self::default()
        }
    }
}

/// Definitions and problems that streams produce in addition to events.
#[derive(Debug, Default)]
pub struct Late {
    /// Definitions that came with batches.
    pub definitions: Definitions,
    /// Problems of the streams.
    pub diagnostics: Diagnostics,
}

impl Late {
    /// Adds the definitions and problems of another stream.
    pub fn merge(&mut self, other: Self) {
        self.definitions.append(&other.definitions);
        self.diagnostics.merge(other.diagnostics);
    }
}

/// A stream that is being read.
pub struct Reading<'a> {
    /// The stream; `None` if it could not be opened and the loss was salvaged.
    stream: Option<Box<dyn EventStream + 'a>>,
    salvage: bool,
    progress: &'a Progress,
    /// Bytes already reported as progress.
    bytes: u64,
}

impl<'a> Reading<'a> {
    /// Opens stream number `index`. If it cannot be opened and `salvage` is on, the loss is reported in `late`.
    ///
    /// # Errors
    /// Returns an error if the stream is damaged and `salvage` is off.
    pub fn open(
        reader: &'a dyn TraceReader,
        index: usize,
        salvage: bool,
        progress: &'a Progress,
        late: &mut Late,
    ) -> Result<Self, TraceError> {
        let opened = reader.open_stream(index);
        Self::opened(opened, reader, salvage, progress, late)
    }

    /// Opens stream number `index` for the events at `positions`; it may skip others. If it cannot be opened and
    /// `salvage` is on, the loss is reported in `late`.
    ///
    /// # Errors
    /// Returns an error if the stream is damaged and `salvage` is off.
    pub fn open_at(
        reader: &'a dyn TraceReader,
        index: usize,
        positions: Range<Position>,
        salvage: bool,
        progress: &'a Progress,
        late: &mut Late,
    ) -> Result<Self, TraceError> {
        let opened = reader.open_stream_at(index, positions);
        Self::opened(opened, reader, salvage, progress, late)
    }

    /// Opens a [piece](TraceReader::pieces) of stream number `index`. Its damage is not salvaged.
    ///
    /// # Errors
    /// Returns an error if the piece cannot be opened.
    pub fn open_piece(
        reader: &'a dyn TraceReader,
        index: usize,
        piece: usize,
        progress: &'a Progress,
        late: &mut Late,
    ) -> Result<Self, TraceError> {
        let opened = reader.open_piece(index, piece);
        Self::opened(opened, reader, false, progress, late)
    }

    fn opened(
        opened: Result<Box<dyn EventStream + 'a>, TraceError>,
        reader: &dyn TraceReader,
        salvage: bool,
        progress: &'a Progress,
        late: &mut Late,
    ) -> Result<Self, TraceError> {
        let stream = match opened {
            Ok(stream) => Some(stream),
            Err(error) if salvage && error.is_salvageable() => {
                late.diagnostics.report(lost(&error));
                None
            }
            Err(error) if !salvage && reader.streams().len() > 1 && error.is_salvageable() => {
                return Err(error.remedy(Remedy::Salvage));
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

    /// Requests batches of at most `events` events.
    pub fn batch_at_most(&mut self, events: usize) {
        if let Some(stream) = &mut self.stream {
            stream.batch_at_most(events);
        }
    }

    /// Replaces the contents of `batch`, which may be empty before the end. Its definitions and problems are also
    /// added to `late`.
    ///
    /// # Errors
    /// Returns an error if the stream is damaged and not salvaged, or the work was stopped.
    pub fn next_batch(
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

    /// Reads to the end, and passes each batch to `consume`.
    ///
    /// # Errors
    /// Returns an error if the stream is damaged and not salvaged, `consume` fails, or the work was stopped.
    pub fn to_end(
        mut self,
        late: &mut Late,
        mut consume: impl FnMut(&EventBatch, &SymbolTable) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let mut batch = EventBatch::default();
        loop {
            let step = self.next_batch(&mut batch, late)?;
            if let Some(symbols) = self.symbols()
                && !(batch.is_empty() && batch.definitions.is_empty())
            {
                consume(&batch, symbols)?;
            }
            if step == Step::End {
                return Ok(());
            }
        }
    }

    /// Returns the table of symbols to which the ids in batches refer; `None` if the stream could not be opened.
    pub fn symbols(&self) -> Option<&SymbolTable> {
        self.stream.as_ref().map(|stream| stream.symbols())
    }
}

/// Reads a stream to its end, and passes each batch to `consume`.
///
/// # Errors
/// Returns an error if the stream is damaged and `salvage` is off, `consume` fails, or the work was stopped.
pub fn read_stream(
    reader: &dyn TraceReader,
    stream: usize,
    salvage: bool,
    progress: &Progress,
    consume: impl FnMut(&EventBatch, &SymbolTable) -> Result<(), TraceError>,
) -> Result<Late, TraceError> {
    let mut late = Late::default();
    Reading::open(reader, stream, salvage, progress, &mut late)?.to_end(&mut late, consume)?;
    Ok(late)
}

/// Returns the diagnostic for the loss that an error caused, if everything intact was kept.
fn lost(error: &TraceError) -> Diagnostic {
    let mut message = error.message.clone();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        message = format!("{message}: {inner}");
        cause = inner.source();
    }
    Diagnostic::new(Severity::Loss, "salvage.lost", message).at((*error.place).clone())
}

//! A trace with corrected times.

use std::ops::{Deref, Range};

use foldtrace_trace::{
    Diagnostics, EventBatch, EventStream, Position, Step, SymbolTable, TraceError, TraceHead,
    TraceReader,
};

use crate::correction::Correction;

/// A trace whose events have corrected times. Everything else is that of the source.
///
/// The source is a reference to a trace, or a box with a trace, and the correction a reference or a box as well.
#[derive(Clone, Debug)]
pub struct Corrected<R, C> {
    reader: R,
    correction: C,
}

impl<R, C> Corrected<R, C>
where
    R: Deref<Target: TraceReader> + Sync + Send,
    C: Deref<Target = Correction> + Sync + Send,
{
    /// Corrects the times of the trace that `reader` reads.
    #[must_use]
    pub fn new(reader: R, correction: C) -> Self {
        Self { reader, correction }
    }
}

impl<R, C> TraceReader for Corrected<R, C>
where
    R: Deref<Target: TraceReader> + Sync + Send,
    C: Deref<Target = Correction> + Sync + Send,
{
    fn head(&self) -> &TraceHead {
        self.reader.head()
    }

    fn all_symbols(&self) -> Option<&SymbolTable> {
        self.reader.all_symbols()
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        Ok(Box::new(CorrectedStream {
            stream: self.reader.open_stream(index)?,
            correction: &self.correction,
        }))
    }

    fn open_stream_at(
        &self,
        index: usize,
        positions: Range<Position>,
    ) -> Result<Box<dyn EventStream + '_>, TraceError> {
        Ok(Box::new(CorrectedStream {
            stream: self.reader.open_stream_at(index, positions)?,
            correction: &self.correction,
        }))
    }
}

/// A stream with corrected times.
struct CorrectedStream<'a> {
    stream: Box<dyn EventStream + 'a>,
    correction: &'a Correction,
}

impl EventStream for CorrectedStream<'_> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        let step = self.stream.next_batch(batch, diagnostics);
        // Even if the step is an error, the batch contains the complete events before it.
        self.correction
            .correct(batch.location, batch.first, &mut batch.times);
        step
    }

    fn batch_at_most(&mut self, events: usize) {
        self.stream.batch_at_most(events);
    }

    fn symbols(&self) -> &SymbolTable {
        self.stream.symbols()
    }

    fn bytes_read(&self) -> u64 {
        self.stream.bytes_read()
    }
}

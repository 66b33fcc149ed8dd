//! Writes events to a part of a store and folds them to the loop models of their locations.

use foldtrace_trace::{Clock, EventBatch, LocationId, Place, SymbolId, SymbolTable, TraceError};

use super::model_writer::ModelWriter;
use super::writer::{PartEnd, PartWriter};
use crate::models::PartModels;

/// A part whose events are folded while they are written.
#[derive(Debug)]
pub struct Ingest<'a> {
    part: PartWriter<'a>,
    models: ModelWriter,
    symbols: Vec<SymbolId>,
}

impl<'a> Ingest<'a> {
    /// Creates an ingest that writes to `part`. Loop bodies have at most `max_body` terms; with 0, nothing is folded,
    /// and there are no models.
    #[must_use]
    pub fn new(part: PartWriter<'a>, max_body: usize) -> Self {
        Self {
            models: ModelWriter::new(part.models(), max_body),
            part,
            symbols: Vec::new(),
        }
    }

    /// Creates an ingest that writes a piece of the events of a location to `part`. The location is folded when all of its
    /// pieces are written, see [`StoreWriter::follow_pieces`](crate::StoreWriter::follow_pieces). `place` is that of its
    /// events in the source, which must be the same for all pieces.
    #[must_use]
    pub fn of_piece(mut part: PartWriter<'a>, place: Place) -> Self {
        part.is_piece_of(place);
        Self::new(part, 0)
    }

    /// Begins another stream: the next batch has another table of symbols.
    pub fn begin_stream(&mut self) {
        self.part.begin_stream();
    }

    /// Writes and folds a batch; `stream` is the table of symbols of its stream. A batch without events, which may have definitions,
    /// belongs to no location.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn write(&mut self, batch: &EventBatch, stream: &SymbolTable) -> Result<(), TraceError> {
        if batch.is_empty() {
            return Ok(());
        }
        self.part.write(batch, stream, &mut self.symbols)?;
        self.models
            .push(batch.location, &self.symbols, self.part.symbols())
    }

    /// Ends the events of a location.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn end(&mut self, location: LocationId) -> Result<(), TraceError> {
        self.models.end(location, self.part.symbols())
    }

    /// Completes the files and the models of the part. The models use the symbols of the part.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish(self, clock: Clock) -> Result<(PartEnd, PartModels), TraceError> {
        let models = self.models.finish(self.part.symbols())?;
        Ok((self.part.finish(clock)?, models))
    }
}

//! Writes events to a part of a store and folds them to the loop models of their locations.

use std::collections::BTreeMap;

use foldtrace_fold::{Folder, Shapes};
use foldtrace_trace::{Clock, EventBatch, LocationId, SymbolId, SymbolTable, TraceError};

use super::writer::{PartEnd, PartWriter};
use crate::models::{ModelSpill, PartModels};

/// A part whose events are folded while they are written.
#[derive(Debug)]
pub struct Ingest<'a> {
    part: PartWriter<'a>,
    max_body: usize,
    shapes: Shapes,
    /// The folders of the locations whose events have not ended. They are boxed, because there may be a million of them,
    /// and the nodes of the map are half empty if locations come in ascending order.
    folders: BTreeMap<LocationId, Box<Folder>>,
    models: ModelSpill,
    symbols: Vec<SymbolId>,
}

impl<'a> Ingest<'a> {
    /// Creates an ingest that writes to `part`. Loop bodies have at most `max_body` terms; with 0, nothing is folded,
    /// and there are no models.
    #[must_use]
    pub fn new(part: PartWriter<'a>, max_body: usize) -> Self {
        Self {
            models: part.models(),
            part,
            max_body,
            shapes: Shapes::default(),
            folders: BTreeMap::new(),
            symbols: Vec::new(),
        }
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
        if self.max_body == 0 {
            return Ok(());
        }
        self.shapes.update(self.part.symbols());
        let folder = self.folders.entry(batch.location);
        let folder = folder.or_insert_with(|| Box::new(Folder::new(self.max_body)));
        folder.push(&self.symbols, self.part.symbols(), &self.shapes);
        self.models.append(batch.location, &folder.take_settled())
    }

    /// Ends the events of a location.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn end(&mut self, location: LocationId) -> Result<(), TraceError> {
        let Some(folder) = self.folders.remove(&location) else {
            return Ok(());
        };
        let rest = folder.finish(self.part.symbols(), &self.shapes);
        self.models.append(location, &rest.constructs)
    }

    /// Completes the files and the models of the part. The models use the symbols of the part.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish(mut self, clock: Clock) -> Result<(PartEnd, PartModels), TraceError> {
        let open: Vec<LocationId> = self.folders.keys().copied().collect();
        open.into_iter()
            .try_for_each(|location| self.end(location))?;
        Ok((self.part.finish(clock)?, self.models.finish()?))
    }
}

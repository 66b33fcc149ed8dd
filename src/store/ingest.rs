//! Taking events in: into a part of a store, and into the loop models of their locations.

use std::collections::BTreeMap;

use foldtrace_trace::{Clock, EventBatch, LocationId, SymbolId, SymbolTable, TraceError};

use super::{PartEnd, PartWriter, StoredModel};
use crate::fold::{Folder, Shapes};

/// A part that is folded while it is written.
#[derive(Debug)]
pub struct Ingest {
    part: PartWriter,
    max_body: usize,
    shapes: Shapes,
    folders: BTreeMap<LocationId, Folder>,
    symbols: Vec<SymbolId>,
}

impl Ingest {
    /// Takes events into `part`; bodies of loops have up to `max_body` terms. With 0, nothing is
    /// folded, and there are no models.
    #[must_use]
    pub fn new(part: PartWriter, max_body: usize) -> Self {
        let (shapes, folders, symbols) = (Shapes::default(), BTreeMap::new(), Vec::new());
        Self {
            part,
            max_body,
            shapes,
            folders,
            symbols,
        }
    }

    /// The next batch is of another stream, with another table of symbols.
    pub fn begin_stream(&mut self) {
        self.part.begin_stream();
    }

    /// Takes a batch; `stream` is the table of its stream.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn write(&mut self, batch: &EventBatch, stream: &SymbolTable) -> Result<(), TraceError> {
        self.part.write(batch, stream, &mut self.symbols)?;
        if self.max_body == 0 {
            return Ok(());
        }
        self.shapes.update(self.part.symbols());
        self.folders
            .entry(batch.location)
            .or_insert_with(|| Folder::new(self.max_body))
            .push(&self.symbols, self.part.symbols(), &self.shapes);
        Ok(())
    }

    /// Completes the part's files and models, which are over the symbols of the part.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn finish(self, clock: Clock) -> Result<(PartEnd, Vec<StoredModel>), TraceError> {
        let (symbols, shapes) = (self.part.symbols(), &self.shapes);
        let models = self
            .folders
            .into_iter()
            .map(|(location, folder)| StoredModel {
                location,
                model: folder.finish(symbols, shapes),
            })
            .collect();
        Ok((self.part.finish(clock)?, models))
    }
}

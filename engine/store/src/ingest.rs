//! Taking events in: into a part of a store, and into the loop models of their locations.

use std::collections::BTreeMap;

use foldtrace_fold::{Folder, Shapes};
use foldtrace_trace::{Clock, EventBatch, LocationId, SymbolId, SymbolTable, TraceError};

use super::models::ModelSpill;
use super::{PartEnd, PartModels, PartWriter};

/// A part that is folded while it is written.
#[derive(Debug)]
pub struct Ingest {
    part: PartWriter,
    max_body: usize,
    shapes: Shapes,
    folders: BTreeMap<LocationId, Folder>,
    models: ModelSpill,
    symbols: Vec<SymbolId>,
}

impl Ingest {
    /// Takes events into `part`; bodies of loops have up to `max_body` terms. With 0, nothing is
    /// folded, and there are no models.
    #[must_use]
    pub fn new(part: PartWriter, max_body: usize) -> Self {
        Self {
            models: part.models(),
            part,
            max_body,
            shapes: Shapes::default(),
            folders: BTreeMap::new(),
            symbols: Vec::new(),
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
        let folder =
            (self.folders.entry(batch.location)).or_insert_with(|| Folder::new(self.max_body));
        folder.push(&self.symbols, self.part.symbols(), &self.shapes);
        self.models.append(batch.location, &folder.take_settled())
    }

    /// Completes the part's files and models, which are over the symbols of the part.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn finish(mut self, clock: Clock) -> Result<(PartEnd, PartModels), TraceError> {
        for (location, folder) in self.folders {
            let rest = folder.finish(self.part.symbols(), &self.shapes);
            self.models.append(location, &rest.constructs)?;
        }
        Ok((self.part.finish(clock)?, self.models.finish()?))
    }
}

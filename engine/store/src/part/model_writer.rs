//! Folds the events of locations to loop models, and writes these to disk.

use std::collections::BTreeMap;

use foldtrace_fold::{Folder, Shapes};
use foldtrace_trace::{LocationId, SymbolId, SymbolTable, TraceError};

use crate::models::{ModelSpill, PartModels};

/// A writer of the models of locations whose events have symbols of the same table.
#[derive(Debug)]
pub(super) struct ModelWriter {
    /// The maximum number of terms in the body of a loop; with 0, nothing is folded, and there are no models.
    max_body: usize,
    shapes: Shapes,
    /// The folders of the locations whose events have not ended. They are boxed, because there may be a million of them,
    /// and the nodes of the map are half empty if locations come in ascending order.
    folders: BTreeMap<LocationId, Box<Folder>>,
    models: ModelSpill,
}

impl ModelWriter {
    pub fn new(models: ModelSpill, max_body: usize) -> Self {
        Self {
            max_body,
            shapes: Shapes::default(),
            folders: BTreeMap::new(),
            models,
        }
    }

    /// Folds the next events of a location.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn push(
        &mut self,
        location: LocationId,
        events: &[SymbolId],
        symbols: &SymbolTable,
    ) -> Result<(), TraceError> {
        if self.max_body == 0 {
            return Ok(());
        }
        self.shapes.update(symbols);
        let folder = self.folders.entry(location);
        let folder = folder.or_insert_with(|| Box::new(Folder::new(self.max_body)));
        folder.push(events, symbols, &self.shapes);
        self.models.append(location, &folder.take_settled())
    }

    /// Ends the events of a location.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn end(&mut self, location: LocationId, symbols: &SymbolTable) -> Result<(), TraceError> {
        let Some(folder) = self.folders.remove(&location) else {
            return Ok(());
        };
        let rest = folder.finish(symbols, &self.shapes);
        self.models.append(location, &rest.constructs)
    }

    /// Ends the events of all locations, and completes the models.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn finish(mut self, symbols: &SymbolTable) -> Result<PartModels, TraceError> {
        let open: Vec<LocationId> = self.folders.keys().copied().collect();
        open.into_iter()
            .try_for_each(|location| self.end(location, symbols))?;
        self.models.finish()
    }
}

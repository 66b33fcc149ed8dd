//! Reading a store: its small tables at once, its events on demand.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use foldtrace_trace::{
    Definitions, Diagnostics, EventStream, LocationId, Names, Position, StreamInfo, SymbolTable,
    TraceError, TraceReader,
};

use super::index::Index;
use super::manifest::Manifest;
use super::models::{self, StoredModel};
use super::stream::LocationStream;
use super::{definitions, symbols};

/// An open store.
#[derive(Debug)]
pub struct StoreReader {
    path: PathBuf,
    manifest: Manifest,
    definitions: Definitions,
    names: OnceLock<Names>,
    symbols: SymbolTable,
    index: Index,
    streams: Vec<StreamInfo>,
    diagnostics: Diagnostics,
}

impl StoreReader {
    /// Opens the store at `path`.
    ///
    /// # Errors
    /// If it is no store, of a later version, or damaged.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let manifest = Manifest::read(path)?;
        let definitions = definitions::read(path)?;
        let index = Index::read(path)?;
        let streams = definitions::locations(&definitions, &index)
            .into_iter()
            .map(|location| StreamInfo {
                location: Some(location),
                bytes: index.events(location),
            })
            .collect();
        Ok(Self {
            path: path.to_owned(),
            manifest,
            symbols: symbols::read(path)?,
            names: OnceLock::new(),
            definitions,
            index,
            streams,
            diagnostics: Diagnostics::default(),
        })
    }

    /// The folder of the store.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The manifest.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What ids are called.
    pub fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::new(&self.definitions))
    }

    /// The symbols that topology and models refer to.
    #[must_use]
    pub fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// Which rows hold which positions.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// All locations, by id.
    pub fn locations(&self) -> impl ExactSizeIterator<Item = LocationId> + '_ {
        self.streams
            .iter()
            .map(|stream| stream.location.unwrap_or_default())
    }

    /// The events of a location from position `from` on.
    #[must_use]
    pub fn events(&self, location: LocationId, from: Position) -> LocationStream<'_> {
        LocationStream::new(&self.path, &self.symbols, self.index.of(location), from)
    }

    /// The loop models of all locations, by id.
    ///
    /// # Errors
    /// If the table is missing or damaged.
    pub fn models(&self) -> Result<Vec<StoredModel>, TraceError> {
        let locations: Vec<_> = self.locations().collect();
        models::read(&self.path, &locations, &self.index)
    }
}

impl TraceReader for StoreReader {
    fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    fn streams(&self) -> &[StreamInfo] {
        &self.streams
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        self.open_stream_at(index, Position(0))
    }

    fn open_stream_at(
        &self,
        index: usize,
        from: Position,
    ) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let location = self
            .streams
            .get(index)
            .and_then(|s| s.location)
            .unwrap_or_default();
        Ok(Box::new(self.events(location, from)))
    }
}

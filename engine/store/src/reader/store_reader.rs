//! Reads a store: its small tables when it is opened, its events on demand.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use foldtrace_fold::dag::Dag;
use foldtrace_trace::{
    Definitions, EventStream, LocationId, Names, OpenCalls, Position, StreamFrom, StreamInfo,
    SymbolTable, TimeRange, TraceError, TraceHead, TraceReader,
};

use crate::definitions;
use crate::events::{EventLookup, EventSource, LocationStream, TimeSeek};
use crate::folder::{Manifest, StoreFolder};
use crate::index::Index;
use crate::models::{Models, read_dag};

/// An open store.
#[derive(Debug)]
pub struct StoreReader {
    source: EventSource,
    head: TraceHead,
    names: OnceLock<Names>,
}

impl StoreReader {
    /// Opens the store at `path`.
    ///
    /// # Errors
    /// Returns an error if it is not a store, was written by a later version, or is damaged.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        Self::from_folder(StoreFolder::open(path)?)
    }

    /// Opens the store at `path`. Missing files, or files of another size, are errors only when they are read.
    ///
    /// # Errors
    /// Returns an error if there is no store, if it was written by a later version, or if its manifest, definitions,
    /// symbols or index are damaged.
    pub fn open_damaged(path: &Path) -> Result<Self, TraceError> {
        Self::from_folder(StoreFolder::open_damaged(path)?)
    }

    /// Reads the small tables of a store.
    pub(crate) fn from_folder(folder: StoreFolder) -> Result<Self, TraceError> {
        let definitions = definitions::read(&folder)?;
        let source = EventSource::open(folder)?;
        let locations = definitions::locations(&definitions, source.index());
        Ok(Self::new(source, definitions, locations))
    }

    pub(super) fn new(
        source: EventSource,
        definitions: Definitions,
        locations: impl IntoIterator<Item = LocationId>,
    ) -> Self {
        let streams = locations.into_iter().map(|location| StreamInfo {
            location: Some(location),
            bytes: source.index().events(location),
            part: source.index().part(location),
        });
        Self {
            head: TraceHead {
                streams: streams.collect(),
                definitions,
                wide_fields: source.folder().manifest().wide_fields(),
                ..TraceHead::default()
            },
            source,
            names: OnceLock::new(),
        }
    }

    /// Sets the names of the definitions.
    pub(super) fn with_names(self, names: Names) -> Self {
        Self {
            names: OnceLock::from(names),
            ..self
        }
    }

    /// Returns the path of the store's folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder().path()
    }

    /// Returns the parts of the store from which its events are read.
    pub(super) fn source(&self) -> &EventSource {
        &self.source
    }

    /// Returns the open folder of the store.
    pub(crate) fn folder(&self) -> &StoreFolder {
        self.source.folder()
    }

    /// Returns the manifest.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        self.folder().manifest()
    }

    /// Returns the names of ids, from the definitions.
    pub fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::new(self.definitions()))
    }

    /// Returns the table of symbols that topology and models refer to.
    #[must_use]
    pub fn symbols(&self) -> &SymbolTable {
        self.source.symbols()
    }

    /// Returns the canonical rows of the symbols: the first ones that are equal except for repeated definitions. None if the reader
    /// has all symbols, from which they follow.
    #[must_use]
    pub fn canonical_rows(&self) -> &HashMap<u32, u32> {
        self.source.canonical()
    }

    /// Returns the index of positions.
    #[must_use]
    pub fn index(&self) -> &Index {
        self.source.index()
    }

    /// Returns all locations, sorted by id.
    pub fn locations(&self) -> impl ExactSizeIterator<Item = LocationId> + '_ {
        self.streams()
            .iter()
            .map(|stream| stream.location.unwrap_or_default())
    }

    /// Returns the location of a stream.
    fn location(&self, index: usize) -> LocationId {
        let stream = self.streams().get(index);
        stream.and_then(|s| s.location).unwrap_or_default()
    }

    /// Returns a stream of the events of a location, beginning at position `from`.
    #[must_use]
    pub fn events(&self, location: LocationId, from: Position) -> LocationStream<'_> {
        self.events_in(location, from..Position(u64::MAX))
    }

    /// Returns a stream of the events of a location at `positions`.
    #[must_use]
    pub fn events_in(
        &self,
        location: LocationId,
        positions: Range<Position>,
    ) -> LocationStream<'_> {
        let segments = self.index().of(location);
        LocationStream::new(&self.source, segments, positions)
    }

    /// Returns the positions of the events of a location in a range of time: from the first event that is not earlier, to the
    /// next one that is not in the range. Times are found by their statistics.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn positions_in(
        &self,
        location: LocationId,
        range: TimeRange,
    ) -> Result<Range<Position>, TraceError> {
        let segments = self.index().of(location);
        let mut seek = TimeSeek::new(&self.source);
        let begin = match range.from {
            Some(from) => seek.first(segments, Position(0), from)?,
            None => Position(0),
        };
        let end = match range.to {
            Some(to) => seek.first(segments, begin, to)?,
            None => Position(u64::MAX),
        };
        Ok(begin..end)
    }

    /// Returns a lookup of single events, one or many at once.
    ///
    /// ```
    /// use foldtrace_store::StoreReader;
    /// use foldtrace_trace::{LocationId, Position};
    ///
    /// let store = StoreReader::open("../../tests/data/stores/v2/ring-4.fold".as_ref())?;
    /// let mut lookup = store.lookup();
    /// if let Some(event) = lookup.get(LocationId(0), Position(10))? {
    ///     let text = event.text(store.names(), store.symbols()).to_string();
    ///     assert_eq!(text, "3 recv 0 1 time=508699 bytes=512");
    /// }
    /// let places = [12, 3, 1_000_000].map(|position| (LocationId(0), Position(position)));
    /// let events = lookup.get_many(&places)?;
    /// assert_eq!(events[0].as_ref().map(|event| event.position), Some(Position(12)));
    /// assert_eq!(events[2], None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn lookup(&self) -> EventLookup<'_> {
        EventLookup::new(&self.source)
    }

    /// Returns the calls of a location that are open before its event at position `at`. Only symbols are read, no
    /// quantities.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn open_calls(&self, location: LocationId, at: Position) -> Result<OpenCalls, TraceError> {
        let mut before = self.events_in(location, Position(0)..at);
        let mut calls = OpenCalls::default();
        let mut symbols = Vec::new();
        loop {
            before.next_symbols(&mut symbols)?;
            if symbols.is_empty() {
                return Ok(calls);
            }
            for &symbol in &symbols {
                calls.take(symbol, self.symbols());
            }
        }
    }

    /// Returns the ordered DAG of all call trees; `None` if it was not derived.
    ///
    /// # Errors
    /// Returns an error if a table of the DAG is missing or damaged.
    pub fn dag(&self) -> Result<Option<Dag>, TraceError> {
        read_dag(self.folder(), self.symbols(), self.index())
    }

    /// Returns the loop models of all locations, sorted by id.
    ///
    /// # Errors
    /// Returns an error if the table is missing or damaged.
    pub fn models(&self) -> Result<Models<'_>, TraceError> {
        self.models_of(self.locations().collect())
    }

    /// Returns the loop models of some locations, sorted by id. Of a large table, only the parts that may contain
    /// them are read.
    ///
    /// # Errors
    /// Returns an error if the table is missing or damaged.
    pub fn models_of(&self, locations: Vec<LocationId>) -> Result<Models<'_>, TraceError> {
        Models::open(self.folder(), locations, self.symbols(), self.index())
    }
}

impl TraceReader for StoreReader {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn all_symbols(&self) -> Option<&SymbolTable> {
        Some(self.symbols())
    }

    fn all_names(&self) -> Option<&Names> {
        Some(self.names())
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        Ok(Box::new(self.events(self.location(index), Position(0))))
    }

    /// The pieces of a location are its parts, so that another store made from this one has the same parts.
    fn pieces(&self, index: usize) -> Vec<u64> {
        let parts: Vec<_> = self.index().parts(self.location(index)).collect();
        let events = |part: &Range<Position>| part.end.0 - part.start.0;
        match &parts[..] {
            [_] => Vec::new(),
            parts => parts.iter().map(events).collect(),
        }
    }

    fn open_piece(
        &self,
        index: usize,
        piece: usize,
    ) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let location = self.location(index);
        let positions = self.index().parts(location).nth(piece);
        let positions = positions.ok_or_else(|| TraceError::no_piece(index, piece))?;
        Ok(Box::new(self.events_in(location, positions)))
    }

    fn open_stream_at(
        &self,
        index: usize,
        positions: Range<Position>,
    ) -> Result<Box<dyn EventStream + '_>, TraceError> {
        Ok(Box::new(self.events_in(self.location(index), positions)))
    }

    /// Opens a stream that begins at the first event of the range and ends with the last one. Times are found by
    /// their statistics; of the events before the range, only the symbols are read.
    fn open_stream_in(&self, index: usize, range: TimeRange) -> Result<StreamFrom<'_>, TraceError> {
        let location = self.location(index);
        let positions = self.positions_in(location, range)?;
        Ok(StreamFrom {
            open: self
                .open_calls(location, positions.start)?
                .entered()
                .collect(),
            stream: Box::new(self.events_in(location, positions)),
        })
    }
}

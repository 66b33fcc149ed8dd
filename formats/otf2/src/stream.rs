//! The events of one location, batch by batch.

use foldtrace_trace::{
    Diagnostic, Diagnostics, EventBatch, EventStream, LocationId, Place, Position, Severity, Step,
    SymbolTable, TraceError, UNDEFINED,
};

use crate::cache::SymbolCache;
use crate::decode::{Filled, Filler, StreamState};
use crate::errors::{self, Damage};
use crate::nesting::Nesting;
use crate::reader::{Location, Reader};
use crate::wire::ChunkReader;

/// An open location.
pub(crate) struct Stream<'a> {
    file: ChunkReader,
    state: StreamState<'a>,
    /// What the location's definition promises.
    promised: u64,
    delivered: u64,
    done: bool,
}

impl<'a> Stream<'a> {
    /// Opens the files of a location.
    pub(crate) fn open(reader: &'a Reader, location: Location) -> Result<Self, TraceError> {
        let id = LocationId(location.id);
        let path = reader.paths.events(location.id);
        let located = |mut error: TraceError| {
            *error.place = error.place.clone().location(id);
            error
        };
        errors::readable(&path).map_err(located)?;
        let file = ChunkReader::open(&path, reader.anchor.event_chunk, true)
            .map_err(|error| located(TraceError::unreadable(&path, error)))?;
        Ok(Self {
            file,
            state: StreamState {
                location: id,
                file: path,
                regions: &reader.regions,
                symbols: SymbolTable::default(),
                cache: SymbolCache::new(),
                nesting: Nesting::default(),
                corrections: reader.corrections(location),
                raw_time: 0,
                last_time: 0,
            },
            promised: location.events,
            delivered: 0,
            done: false,
        })
    }

    /// The error that ends the location.
    fn damaged(&mut self, damage: Damage) -> TraceError {
        self.done = true;
        let message = match self.file.length() {
            0 => "the file of events is empty".to_owned(),
            _ => format!("the events are damaged after {} whole ones", self.delivered),
        };
        errors::damaged(damage, message, self.state.place(self.delivered))
    }

    /// What is to say at the end of the file.
    fn finish(&mut self, diagnostics: &mut Diagnostics) {
        self.done = true;
        if self.promised != self.delivered && self.promised != UNDEFINED {
            let message = format!(
                "location {} should have {} events by its definition and has {}",
                self.state.location, self.promised, self.delivered
            );
            diagnostics.report(
                Diagnostic::new(Severity::Note, "otf2.event_count", message)
                    .at(Place::file(&self.state.file).location(self.state.location)),
            );
        }
        if let [.., innermost] = self.state.nesting.open() {
            let message = format!(
                "{} regions are not left at the end, the innermost is region {}",
                self.state.nesting.open().len(),
                self.state.region(*innermost),
            );
            let place = self.state.place(self.delivered);
            diagnostics.report(
                Diagnostic::new(Severity::Warning, "otf2.unclosed_region", message).at(place),
            );
        }
    }
}

impl EventStream for Stream<'_> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        batch.reset(self.state.location, Position(self.delivered));
        if self.done {
            return Ok(Step::End);
        }
        let mut filler = Filler {
            state: &mut self.state,
            batch,
            diagnostics,
        };
        let filled = filler.fill(&mut self.file);
        self.delivered += batch.len() as u64;
        match filled {
            Err(damage) => Err(self.damaged(damage)),
            // The end is told by the next call if there are events before it.
            Ok(Filled::EndOfFile) if batch.is_empty() => {
                self.finish(diagnostics);
                Ok(Step::End)
            }
            Ok(_) => Ok(Step::Batch),
        }
    }

    fn symbols(&self) -> &SymbolTable {
        &self.state.symbols
    }

    fn bytes_read(&self) -> u64 {
        if self.done {
            return self.file.length();
        }
        self.file.offset()
    }
}

/// The stream of a location that has no events and no file.
pub(crate) fn empty(location: LocationId) -> impl EventStream {
    struct Empty(LocationId, SymbolTable);

    impl EventStream for Empty {
        fn next_batch(
            &mut self,
            batch: &mut EventBatch,
            _diagnostics: &mut Diagnostics,
        ) -> Result<Step, TraceError> {
            batch.reset(self.0, Position(0));
            Ok(Step::End)
        }

        fn symbols(&self) -> &SymbolTable {
            &self.1
        }

        fn bytes_read(&self) -> u64 {
            0
        }
    }

    Empty(location, SymbolTable::default())
}

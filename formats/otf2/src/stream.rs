//! The events of one location, batch by batch.

use foldtrace_trace::{
    Diagnostic, Diagnostics, EventBatch, EventKind, EventStream, LocationId, Place, Position,
    Severity, Step, SymbolId, SymbolTable, Timestamp, TraceError, UNDEFINED,
};

use crate::cache::SymbolCache;
use crate::decode::{BATCH, Filled, Filler, StreamState};
use crate::errors::{self, Damage};
use crate::nesting::Nesting;
use crate::reader::{Location, Reader};
use crate::silent::Silent;
use crate::skip::Skipper;
use crate::undefined::Undefined;
use crate::wire::ChunkReader;

/// An open location.
pub(crate) struct Stream<'a> {
    file: ChunkReader,
    state: StreamState<'a>,
    undefined: Undefined<'a>,
    silent: Silent<'a>,
    /// What the location's definition promises.
    promised: u64,
    /// Events so far, with those that were skipped.
    delivered: u64,
    /// Where nobody needs more events.
    to: Option<Timestamp>,
    /// What was met in skipping, until it is told.
    damage: Option<Damage>,
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
                batch: BATCH,
                regions: &reader.regions,
                symbols: SymbolTable::default(),
                cache: SymbolCache::new(),
                nesting: Nesting::default(),
                corrections: reader.corrections(location),
                raw_time: 0,
                last_time: 0,
            },
            undefined: Undefined::new(&reader.defined),
            silent: Silent::new(&reader.regions),
            promised: location.events,
            delivered: 0,
            to: None,
            damage: None,
            done: false,
        })
    }

    /// Skips all events before the first one at or after `from`. Gives what is open there, as
    /// symbols of the enters. Damage that is met is told with the next batch.
    pub(crate) fn skip(&mut self, from: Timestamp) -> Vec<SymbolId> {
        let mut skipper = Skipper::new(&mut self.state, from);
        self.damage = skipper.skip(&mut self.file).err();
        self.delivered += skipper.skipped;
        let open = skipper.into_open();
        for call in open.iter().filter(|call| call.kind == EventKind::Enter) {
            self.state.nesting.enter(call.operands[0]);
        }
        let symbols = &mut self.state.symbols;
        open.into_iter().map(|call| symbols.intern(call)).collect()
    }

    /// Ends the stream with the first event at or after `to`.
    pub(crate) fn end_at(&mut self, to: Timestamp) {
        self.to = Some(to);
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
                "the definition promises {} events, the file has {}",
                self.promised, self.delivered
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
        if let Some(damage) = self.damage.take() {
            return Err(self.damaged(damage));
        }
        let mut filler = Filler {
            state: &mut self.state,
            batch,
            diagnostics,
        };
        let filled = match self.to {
            None => filler.fill(&mut self.file),
            Some(to) => filler.fill_until(&mut self.file, to),
        };
        self.delivered += batch.len() as u64;
        let file = Place::file(&self.state.file);
        self.undefined
            .report(batch, &self.state.symbols, &file, diagnostics);
        self.silent.listen(batch, &self.state.symbols);
        let is_late = |to| batch.times.last().is_some_and(|&time| time >= to);
        self.done = self.to.is_some_and(is_late);
        let step = match filled {
            Err(damage) => Err(self.damaged(damage)),
            // The end is told by the next call if there are events before it.
            Ok(Filled::EndOfFile) if batch.is_empty() => {
                self.finish(diagnostics);
                Ok(Step::End)
            }
            Ok(_) => Ok(Step::Batch),
        };
        if self.done {
            let place = file.location(self.state.location);
            self.silent.report(&place, diagnostics);
        }
        step
    }

    fn batch_at_most(&mut self, events: usize) {
        self.state.batch = events.clamp(1, BATCH);
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

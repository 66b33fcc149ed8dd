//! The events of one location, batch by batch.

use foldtrace_trace::{
    Diagnostic, Diagnostics, ErrorKind, EventBatch, EventStream, LocationId, Place, Position,
    Severity, Step, SymbolTable, TraceError, UNDEFINED,
};
use otf2_sys::safe::EventReader;

use crate::batch::{Filler, StreamState};
use crate::cache::SymbolCache;
use crate::errors::{self, SALVAGE};
use crate::layout::{self, Layout, Records};
use crate::nesting::Nesting;
use crate::reader::{Location, Reader, open_archive};

/// Events a batch.
const BATCH: u64 = 65_536;

/// An open location.
pub(crate) struct Stream<'a> {
    /// The library's reader; none if there is no whole event for it to read.
    events: Option<EventReader>,
    state: StreamState<'a>,
    /// What the location's definition promises.
    promised: u64,
    /// What the file holds; `None` if its frame cannot be seen, as in compressed archives.
    layout: Option<Layout>,
    chunk: u64,
    delivered: u64,
    bytes: u64,
    done: bool,
}

impl<'a> Stream<'a> {
    /// Opens the files of a location with a handle of its own.
    pub(crate) fn open(reader: &'a Reader, location: Location) -> Result<Self, TraceError> {
        let id = LocationId(location.id);
        let file = reader.paths.events(location.id);
        errors::readable(&file).map_err(|mut error| {
            *error.place = error.place.clone().location(id);
            error
        })?;
        let chunk = reader.anchor.event_chunk;
        let layout = if reader.anchor.plain_files && chunk > 0 {
            let layout = layout::scan(&file, Records::Events, chunk);
            Some(layout.map_err(|error| TraceError::unreadable(&file, error))?)
        } else {
            None
        };
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        let events = match layout {
            Some(Layout { records: 0, .. }) => None,
            _ => {
                let archive = open_archive(&reader.paths)?;
                let events = archive.into_events(location.id, location.local_definitions);
                Some(events.map_err(|error| {
                    let message = format!("location {id} cannot be opened");
                    errors::library(error, message, Place::file(&file).location(id))
                })?)
            }
        };
        Ok(Self {
            events,
            state: StreamState {
                location: id,
                file,
                regions: &reader.regions,
                symbols: SymbolTable::default(),
                cache: SymbolCache::new(),
                nesting: Nesting::default(),
                last_time: 0,
            },
            promised: location.events,
            layout,
            chunk,
            delivered: 0,
            bytes,
            done: false,
        })
    }

    /// What is left when all whole events are delivered: the end, or the damage behind them.
    fn finish(&mut self, diagnostics: &mut Diagnostics) -> Result<Step, TraceError> {
        self.done = true;
        let place = self.state.place(self.delivered);
        if let Some(Layout {
            damage: Some(damage),
            bytes,
            ..
        }) = self.layout
        {
            let message = match bytes {
                0 => "the file of events is empty".to_owned(),
                _ => format!("the events are damaged after {} whole ones", self.delivered),
            };
            return Err(errors::damaged(damage, message, place));
        }
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
            diagnostics.report(
                Diagnostic::new(Severity::Warning, "otf2.unclosed_region", message).at(place),
            );
        }
        Ok(Step::End)
    }

    /// The library gave up in a record whose frame is whole.
    fn unreadable_record(&self, error: otf2_sys::safe::LibraryError) -> TraceError {
        let mut place = self.state.place(self.delivered);
        if self.layout.is_some() {
            place.byte = layout::offset(
                &self.state.file,
                Records::Events,
                self.chunk,
                self.delivered,
            )
            .ok();
        }
        let message = format!(
            "event {} of location {} cannot be read",
            self.delivered, self.state.location
        );
        errors::library(error, message, place).hint(SALVAGE)
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
        let left = self.layout.map_or(BATCH, |layout| {
            layout.records.saturating_sub(self.delivered)
        });
        let Some(events) = self.events.as_mut().filter(|_| left > 0) else {
            return self.finish(diagnostics);
        };
        let mut filler = Filler {
            state: &mut self.state,
            batch,
            diagnostics,
        };
        let result = events.read(left.min(BATCH), &mut filler);
        self.delivered += batch.len() as u64;
        if let Err(error) = result {
            self.done = true;
            return Err(self.unreadable_record(error));
        }
        if batch.is_empty() {
            if self.layout.is_some() {
                self.done = true;
                let message = format!(
                    "the events end after {}, {left} more are there",
                    self.delivered
                );
                return Err(TraceError::new(ErrorKind::Malformed, message)
                    .at(self.state.place(self.delivered))
                    .hint(SALVAGE));
            }
            return self.finish(diagnostics);
        }
        Ok(Step::Batch)
    }

    fn symbols(&self) -> &SymbolTable {
        &self.state.symbols
    }

    fn bytes_read(&self) -> u64 {
        match self.layout {
            _ if self.done => self.bytes,
            // Records are of much the same size all over a file.
            Some(layout) if layout.records > 0 => {
                (u128::from(self.bytes) * u128::from(self.delivered) / u128::from(layout.records))
                    as u64
            }
            _ => 0,
        }
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

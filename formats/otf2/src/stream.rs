//! Reads the events of one location, batch by batch.
//!
//! After damage, a stream resumes where a record begins for certain: directly after a record whose length
//! is known, or else in the next chunk. Positions count the events that were read, so lost events leave no
//! gap.

use std::collections::VecDeque;

use foldtrace_trace::{
    Diagnostic, Diagnostics, ErrorKind, EventBatch, EventKind, EventStream, LocationCheck,
    LocationId, Place, Position, Remedy, Severity, Step, SymbolId, SymbolTable, Timestamp,
    TraceError, UNDEFINED,
};

use crate::archive::Archive;
use crate::cache::SymbolCache;
use crate::checks::EventCheck;
use crate::decode::{BATCH, DamagedEvent, Filled, Filler, StreamState};
use crate::errors::{self, Damage, counted};
use crate::locations::Location;
use crate::pieces::{Border, Piece};
use crate::skip::Skipper;
use crate::wire::{ChunkReader, Fault, Resumption};

/// Maximum number of damaged places that are reported for skipped events.
const MOST_SKIPPED: usize = 1000;

/// An open location.
pub(crate) struct Stream<'a> {
    file: ChunkReader,
    piece: Piece,
    state: StreamState,
    /// The check of all events; a piece has none.
    check: Option<EventCheck<'a>>,
    /// The number of events according to the definition of the location.
    declared: u64,
    /// Number of events so far, including skipped ones.
    delivered: u64,
    /// The time from which on no more events are needed.
    to: Option<Timestamp>,
    /// Damage in skipped events that is not reported yet, with the number of events before it.
    skipped: VecDeque<(Damage, u64)>,
    /// How to resume after damage that was reported.
    resume: Option<Resume>,
    is_damaged: bool,
    done: bool,
}

/// How to resume after damage.
#[derive(Clone, Copy, Debug)]
struct Resume {
    from: Resumption,
    /// Whether the damaged event is delivered first, without its operands.
    is_kept: bool,
}

impl Resume {
    const NEVER: Self = Self {
        from: Resumption::Nowhere,
        is_kept: false,
    };
}

impl From<&DamagedEvent> for Resume {
    fn from(damaged: &DamagedEvent) -> Self {
        Self {
            from: damaged.resumption,
            is_kept: damaged.is_kept,
        }
    }
}

impl<'a> Stream<'a> {
    /// Opens the files of a location.
    pub(crate) fn open(archive: &'a Archive, location: Location) -> Result<Self, TraceError> {
        let mut stream = Self::open_piece(archive, location, Piece::default())?;
        let file = Place::file(&stream.state.file).location(stream.state.location);
        stream.check = Some(archive.checks.of(file));
        Ok(stream)
    }

    /// Opens a piece of the events of a location.
    pub(crate) fn open_piece(
        archive: &'a Archive,
        location: Location,
        piece: Piece,
    ) -> Result<Self, TraceError> {
        let id = LocationId(location.id);
        let path = archive.paths.events(location.id);
        let located = |mut error: TraceError| {
            *error.place = error.place.clone().location(id);
            if path.symlink_metadata().is_err() {
                error = error
                    .hint("a file of the archive is missing; the other locations may be intact");
            }
            error
        };
        errors::readable(&path).map_err(located)?;
        let file = ChunkReader::open(&path, archive.anchor.event_chunk, true)
            .map_err(|error| located(TraceError::unreadable(&path, error)))?;
        let Border { byte, events } = piece.begin;
        let end = piece.end.map_or(u64::MAX, |end| end.byte);
        Ok(Self {
            file: file.within(byte..end, events),
            piece,
            state: StreamState {
                location: id,
                file: path,
                batch: BATCH,
                symbols: SymbolTable::default(),
                cache: SymbolCache::new(),
                corrections: archive.corrections(location),
                raw_time: 0,
                last_time: 0,
                is_cut: false,
            },
            check: None,
            declared: location.events,
            delivered: events,
            to: None,
            skipped: VecDeque::new(),
            resume: None,
            is_damaged: false,
            done: false,
        })
    }

    /// Skips all events before the first one at or after `from`. Returns the calls that are open there,
    /// as the symbols of their enters. The next batches report damage in the skipped events.
    pub(crate) fn skip(&mut self, from: Timestamp) -> Vec<SymbolId> {
        let mut skipper = Skipper::new(&mut self.state, from);
        while let Err(damaged) = skipper.skip(&mut self.file) {
            let before = self.delivered + skipper.skipped;
            if damaged.is_kept {
                skipper.pass_damaged(&mut self.file);
            }
            let mut record_damage = |damage| {
                if self.skipped.len() < MOST_SKIPPED {
                    self.skipped.push_back((damage, before));
                }
            };
            record_damage(damaged.damage);
            let goes_on = self.file.go_on(damaged.resumption, |byte, fault| {
                record_damage(Damage { byte, fault });
            });
            if !goes_on {
                self.resume = Some(Resume::NEVER);
                break;
            }
        }
        self.delivered += skipper.skipped;
        let open = skipper.into_open();
        for call in open.iter().filter(|call| call.kind == EventKind::Enter) {
            if let Some(check) = &mut self.check {
                check.enter(call.operands[0]);
            }
        }
        let symbols = &mut self.state.symbols;
        open.into_iter().map(|call| symbols.intern(call)).collect()
    }

    /// Ends the stream with the first event at or after `to`.
    pub(crate) fn end_at(&mut self, to: Timestamp) {
        self.to = Some(to);
    }

    /// Fills `batch`, after resuming from damage that was reported.
    fn fill(
        &mut self,
        batch: &mut EventBatch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Filled, DamagedEvent> {
        let mut filler = Filler {
            state: &mut self.state,
            batch,
            diagnostics,
        };
        if let Some(Resume { from, is_kept }) = self.resume.take() {
            if is_kept {
                filler.keep_damaged(&mut self.file);
            }
            match self.file.resume(from) {
                Ok(true) => {}
                Ok(false) => {
                    self.resume = Some(Resume::NEVER);
                    return Ok(Filled::EndOfFile);
                }
                Err(fault) => return Err(DamagedEvent::between(fault, &self.file)),
            }
        }
        match self.to {
            None => filler.fill(&mut self.file),
            Some(to) => filler.fill_until(&mut self.file, to),
        }
    }

    /// Returns the error for damage after `events` complete events.
    fn damaged(&mut self, damage: Damage, events: u64) -> TraceError {
        self.is_damaged = true;
        let message = match self.file.length() {
            0 => "the file of events is empty".to_owned(),
            _ => {
                let complete = counted(events, "complete event");
                format!("the events are damaged after {complete}")
            }
        };
        errors::damaged(damage, message, self.state.place(events))
    }

    /// Returns an error if events are missing at the end of the file: if the header of the last chunk and
    /// the definition of the location agree on a larger number.
    fn missing(&mut self) -> Option<TraceError> {
        let declared = Some(self.declared).filter(|&declared| declared > self.delivered);
        if self.is_damaged || declared.is_none() || declared != self.file.claimed() {
            return None;
        }
        self.resume = Some(Resume::NEVER);
        let fault = "the last chunk and the definition of the location declare more events";
        let damage = Damage {
            byte: self.file.offset(),
            fault: Fault::Malformed(fault),
        };
        Some(self.damaged(damage, self.delivered))
    }

    /// Ends a piece that another one follows.
    ///
    /// # Errors
    /// Returns an error if the events of the next piece are not those that follow, or if they need to know those of this one.
    fn finish_piece(
        &mut self,
        next: Border,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), TraceError> {
        self.done = true;
        let byte = self.file.offset();
        self.file.go_beyond();
        let mut skipper = Skipper::new(&mut self.state, Timestamp(0));
        if let Err(damaged) = skipper.skip(&mut self.file) {
            return Err(self.damaged(damaged.damage, self.delivered));
        }
        let time = self.state.raw_time;
        let contradiction = if self.delivered != next.events || self.state.is_cut {
            Some("its chunks have other events than their headers declare")
        } else if !self.state.corrections.clock.is_same_from(time) {
            Some("its times go back over a measured clock offset")
        } else {
            None
        };
        if let Some(contradiction) = contradiction {
            let message = format!("the file cannot be read in pieces: {contradiction}");
            let place = self.state.place(self.delivered).byte(byte);
            return Err(TraceError::new(ErrorKind::Malformed, message)
                .at(place)
                .remedy(Remedy::Salvage));
        }
        let time = self.state.corrections.clock.apply(time);
        if time < self.state.last_time {
            let place = self.state.place(self.delivered);
            diagnostics.report(self.state.time_backwards(time).at(place));
        }
        self.report_miscount(diagnostics);
        Ok(())
    }

    /// Ends the stream. Reports lost events, wrong counts, trailing bytes and regions that are not left.
    fn finish(&mut self, diagnostics: &mut Diagnostics) {
        self.done = true;
        let file = Place::file(&self.state.file).location(self.state.location);
        if self.is_damaged {
            self.report_lost(file.clone(), diagnostics);
        } else {
            self.report_counts(file.clone(), diagnostics);
        }
        if self.resume.is_none() {
            errors::trailing(&self.file, file, diagnostics);
        }
        if self.state.is_cut {
            let message = "attributes at the end of the file belong to no event";
            let place = self.state.place(self.delivered);
            diagnostics
                .report(Diagnostic::new(Severity::Loss, "otf2.lost_attributes", message).at(place));
        }
        if let Some(check) = &mut self.check {
            check.finish(diagnostics);
        }
    }
}

impl Stream<'_> {
    /// Reports the number of events lost by damage, if it is known.
    fn report_lost(&self, file: Place, diagnostics: &mut Diagnostics) {
        let declared = (self.declared != UNDEFINED).then_some(self.declared);
        let Some(all) = declared.max(self.file.claimed()) else {
            return;
        };
        if let Some(lost) = all.checked_sub(self.delivered).filter(|&lost| lost > 0) {
            let message = format!(
                "{} of {all} events are kept, {lost} are lost",
                self.delivered
            );
            diagnostics
                .report(Diagnostic::new(Severity::Loss, "otf2.lost_events", message).at(file));
        }
    }

    /// Reports a number of events that differs from the definition, or from the header of a chunk.
    fn report_counts(&self, file: Place, diagnostics: &mut Diagnostics) {
        if self.declared != self.delivered && self.declared != UNDEFINED {
            let message = format!(
                "the definition of the location declares {}, but its file contains {}",
                counted(self.declared, "event"),
                self.delivered
            );
            diagnostics
                .report(Diagnostic::new(Severity::Note, "otf2.event_count", message).at(file));
        }
        self.report_miscount(diagnostics);
    }

    /// Reports a number of events that differs from the header of a chunk.
    fn report_miscount(&self, diagnostics: &mut Diagnostics) {
        if let Some(miscount) = self.file.miscount() {
            let message = format!(
                "a chunk ends with event {} according to its header, but with event {} in fact",
                miscount.claimed, miscount.counted
            );
            // If there are fewer events than claimed, some may be lost, unless the definition confirms
            // their number.
            let is_short = miscount.counted < miscount.claimed;
            let diagnostic = if is_short && self.declared != self.delivered {
                Diagnostic::new(Severity::Warning, "otf2.chunk_count", message)
            } else {
                Diagnostic::new(Severity::Note, "otf2.chunk_count", message)
            };
            let file = Place::file(&self.state.file).location(self.state.location);
            diagnostics.report(diagnostic.at(file.byte(miscount.byte)));
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
        if let Some((damage, before)) = self.skipped.pop_front() {
            return Err(self.damaged(damage, before));
        }
        let filled = self.fill(batch, diagnostics);
        self.delivered += batch.len() as u64;
        if let Some(check) = &mut self.check {
            check.check(
                batch.first,
                &batch.symbols,
                &self.state.symbols,
                diagnostics,
            );
        }
        let is_late = |to| batch.times.last().is_some_and(|&time| time >= to);
        self.done = self.to.is_some_and(is_late);
        if self.done
            && let Some(check) = &mut self.check
        {
            check.stop(diagnostics);
        }
        match filled {
            Err(damaged) => {
                self.resume = Some(Resume::from(&damaged));
                Err(self.damaged(damaged.damage, self.delivered))
            }
            // The end is reported by the next call if there are events before it.
            Ok(Filled::EndOfFile) if batch.is_empty() => {
                if let Some(next) = self.piece.end {
                    self.finish_piece(next, diagnostics)?;
                } else if let Some(error) = self.missing() {
                    return Err(error);
                } else {
                    self.finish(diagnostics);
                }
                Ok(Step::End)
            }
            Ok(_) => Ok(Step::Batch),
        }
    }

    fn batch_at_most(&mut self, events: usize) {
        self.state.batch = events.clamp(1, BATCH);
    }

    fn symbols(&self) -> &SymbolTable {
        &self.state.symbols
    }

    fn bytes_read(&self) -> u64 {
        let end = self.piece.end.map_or(self.file.length(), |end| end.byte);
        let read = if self.done { end } else { self.file.offset() };
        read.saturating_sub(self.piece.begin.byte)
    }
}

/// Returns a stream for a location that has no events and no file.
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

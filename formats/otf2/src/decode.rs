//! Decodes events from their file into the columns of a batch.

use std::num::NonZeroU64;
use std::path::PathBuf;

use foldtrace_trace::{
    Diagnostic, Diagnostics, EventBatch, EventKind, LocationId, MAX_OPERANDS, Place, Position,
    Quantity, Severity, Symbol, SymbolTable, Timestamp, ValueType,
};

use crate::cache::SymbolCache;
use crate::definitions::Corrections;
use crate::errors::Damage;
use crate::ids::IdKind;
use crate::records::events::{self, Destination, EVENTS, Take, TrailingList};
use crate::wire::{
    ATTRIBUTE_LIST, ChunkReader, Cursor, Fault, Mark, Resumption, TIMESTAMP, Wire, read_value,
};

/// Number of events per batch, unless the consumer asks for fewer.
pub(crate) const BATCH: usize = 65_536;

/// The state of a stream that is kept between batches.
#[derive(Debug)]
pub(crate) struct StreamState {
    pub(crate) location: LocationId,
    pub(crate) file: PathBuf,
    /// Number of events per batch.
    pub(crate) batch: usize,
    pub(crate) symbols: SymbolTable,
    pub(crate) cache: SymbolCache,
    /// The corrections from the location's own definitions.
    pub(crate) corrections: Corrections,
    /// The last time stamp as stored in the file, and the last time after clock correction.
    pub(crate) raw_time: u64,
    pub(crate) last_time: u64,
    /// Whether the last attributes are followed by no event.
    pub(crate) is_cut: bool,
}

impl StreamState {
    /// Returns the report that an event has a time before the last one.
    #[cold]
    pub(crate) fn time_backwards(&self, time: u64) -> Diagnostic {
        let message = format!(
            "the time goes back by {} ticks, from {} to {time}",
            self.last_time - time,
            self.last_time,
        );
        Diagnostic::new(Severity::Warning, "otf2.time_backwards", message)
    }

    /// Returns the place of an event.
    pub(crate) fn place(&self, position: u64) -> Place {
        Place::file(&self.file).event(self.location, Position(position))
    }
}

/// The reason why the filling of a batch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filled {
    /// The batch is full.
    Batch,
    /// The file has no more events.
    EndOfFile,
}

/// The state of an event before its record is decoded. Offsets are never 0: a file begins with the header
/// of a chunk. Without a tag for `None`, all of it stays in registers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prelude {
    /// Offset of the first byte that belongs to the event.
    begin: Option<NonZeroU64>,
    /// Offset after its time stamp.
    stamp: Option<NonZeroU64>,
    /// Whether the type of its record was read.
    is_event: bool,
}

impl Prelude {
    /// Returns the type of the next record, or `None` at the end of the file.
    #[inline(always)]
    pub(crate) fn next(&mut self, file: &mut ChunkReader) -> Result<Option<u8>, Fault> {
        let code = match file.next() {
            Ok(Mark::Record(code)) => code,
            Ok(Mark::EndOfFile) => return Ok(None),
            Err(fault) => {
                // A damaged chunk is reported where it is, not where an event began before it.
                if !matches!(fault, Fault::Truncated) {
                    self.begin = None;
                }
                return Err(fault);
            }
        };
        if self.begin.is_none() {
            self.begin = NonZeroU64::new(file.offset() - 1);
        }
        Ok(Some(code))
    }

    /// Returns whether the record whose type `code` was just read is a time stamp. If it directly follows
    /// another time stamp, libotf2 takes it for a record of an unknown type.
    #[inline(always)]
    pub(crate) fn is_stamp(&self, code: u8, file: &ChunkReader) -> bool {
        code == TIMESTAMP && self.stamp != NonZeroU64::new(file.offset() - 1)
    }

    /// Reads a time stamp.
    #[inline(always)]
    pub(crate) fn stamp(&mut self, file: &mut ChunkReader) -> Result<u64, Fault> {
        let time = file.time()?;
        self.stamp = NonZeroU64::new(file.offset());
        Ok(time)
    }

    /// Returns the offset of the first byte that belongs to the event, if any was read.
    pub(crate) fn begin(&self) -> Option<u64> {
        self.begin.map(NonZeroU64::get)
    }

    /// Records that the type of the event's record was read.
    #[inline(always)]
    pub(crate) fn begins_event(&mut self) {
        self.is_event = true;
    }

    /// Creates the description of damage in this event.
    #[cold]
    pub(crate) fn damage(self, fault: Fault, file: &ChunkReader) -> DamagedEvent {
        let has_end = matches!(fault, Fault::Contained(_) | Fault::Truncated);
        DamagedEvent {
            resumption: fault.resumption(),
            is_kept: self.is_event && has_end,
            damage: Damage {
                byte: self.begin().unwrap_or_else(|| file.offset()),
                fault,
            },
        }
    }
}

/// Damage in a file of events.
#[derive(Debug)]
pub(crate) struct DamagedEvent {
    pub(crate) damage: Damage,
    /// The place where reading can resume.
    pub(crate) resumption: Resumption,
    /// Whether the damage is within the record of an event. The event is then kept without its operands,
    /// because libotf2 counts it too.
    pub(crate) is_kept: bool,
}

impl DamagedEvent {
    /// Creates the description of damage that belongs to no event.
    pub(crate) fn between(fault: Fault, file: &ChunkReader) -> Self {
        Self {
            resumption: fault.resumption(),
            is_kept: false,
            damage: Damage {
                byte: file.offset(),
                fault,
            },
        }
    }
}

/// A decoder that fills one batch.
pub(crate) struct Filler<'a> {
    pub(crate) state: &'a mut StreamState,
    pub(crate) batch: &'a mut EventBatch,
    pub(crate) diagnostics: &'a mut Diagnostics,
}

impl Filler<'_> {
    /// Fills the batch with the next events of `file`.
    ///
    /// # Errors
    /// Returns an error if the file is damaged. The batch then contains the complete events before the damage.
    pub(crate) fn fill(&mut self, file: &mut ChunkReader) -> Result<Filled, DamagedEvent> {
        self.fill_while(file, |_| true)
    }

    /// Fills the batch up to and including the first event at or after `to`.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`fill`](Self::fill).
    pub(crate) fn fill_until(
        &mut self,
        file: &mut ChunkReader,
        to: Timestamp,
    ) -> Result<Filled, DamagedEvent> {
        let last = |batch: &EventBatch| batch.times.last().copied();
        self.fill_while(file, |batch| last(batch).is_none_or(|time| time < to))
    }

    #[inline(always)]
    fn fill_while(
        &mut self,
        file: &mut ChunkReader,
        goes_on: impl Fn(&EventBatch) -> bool,
    ) -> Result<Filled, DamagedEvent> {
        while self.batch.len() < self.state.batch && goes_on(self.batch) {
            let mut prelude = Prelude::default();
            match self.event(file, &mut prelude) {
                Ok(Filled::Batch) => {}
                Ok(Filled::EndOfFile) => {
                    self.state.is_cut |= self.forget_event();
                    return Ok(Filled::EndOfFile);
                }
                Err(fault) => {
                    self.forget_event();
                    return Err(prelude.damage(fault, file));
                }
            }
        }
        Ok(Filled::Batch)
    }

    /// Decodes the next event.
    #[inline(always)]
    fn event(&mut self, file: &mut ChunkReader, prelude: &mut Prelude) -> Result<Filled, Fault> {
        loop {
            let Some(code) = prelude.next(file)? else {
                return Ok(Filled::EndOfFile);
            };
            if prelude.is_stamp(code, file) {
                self.state.raw_time = prelude.stamp(file)?;
                continue;
            }
            if code == ATTRIBUTE_LIST {
                self.attributes(file)?;
                continue;
            }
            prelude.begins_event();
            // The time stamp is corrected before any other time of the event, because clock corrections only move
            // forward.
            let time = self.state.corrections.clock.apply(self.state.raw_time);
            let mut event = Event {
                filler: self,
                file,
                time,
            };
            match events::dispatch(code, &mut event) {
                Some(taken) => taken?,
                None => {
                    file.record()?;
                    self.unknown_record(code);
                    self.push(Symbol::new(EventKind::Unknown, &[]), time);
                }
            }
            file.count_event();
            return Ok(Filled::Batch);
        }
    }

    /// Adds an event whose record is damaged. Only its time is known.
    pub(crate) fn keep_damaged(&mut self, file: &mut ChunkReader) {
        let time = self.state.corrections.clock.apply(self.state.raw_time);
        self.push(Symbol::new(EventKind::Unknown, &[]), time);
        file.count_event();
    }

    fn metric_values(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let index = self.index();
        for member in 0..u32::from(cursor.byte()?) {
            let (code, value) = (cursor.byte()?, cursor.number(Wire::U64)?);
            let value_type = self.value_type(code);
            self.batch.metrics.push(index, member, value_type, value);
        }
        Ok(())
    }

    fn arguments(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let index = self.index();
        let count = cursor.number(Wire::U32)?;
        for number in 0..cursor.count(count)? as u64 {
            let string = cursor.number(Wire::U32)?;
            let string = self.state.corrections.ids.apply(IdKind::String, string);
            let attributes = &mut self.batch.attributes;
            attributes.push(index, number, ValueType::Argument, string);
        }
        Ok(())
    }

    /// Completes the event by adding its symbol and its time.
    #[inline(always)]
    fn push(&mut self, symbol: Symbol, time: u64) {
        if time < self.state.last_time {
            let backwards = self.state.time_backwards(time);
            self.diagnostics.report(backwards.at(self.place()));
        }
        self.state.last_time = time;
        let id = self.state.cache.intern(&mut self.state.symbols, symbol);
        self.batch.symbols.push(id);
        self.batch.times.push(Timestamp(time));
    }

    /// Returns the index of the current event.
    fn index(&self) -> u32 {
        self.batch.symbols.len() as u32
    }

    fn place(&self) -> Place {
        self.state
            .place(self.batch.first.0 + u64::from(self.index()))
    }

    /// Decodes the attributes of the next event.
    #[cold]
    fn attributes(&mut self, file: &mut ChunkReader) -> Result<(), Fault> {
        let index = self.index();
        let mut cursor = file.record()?;
        let count = cursor.number(Wire::U32)?;
        for _ in 0..cursor.count(count)? {
            let attribute = cursor.number(Wire::U32)?;
            let code = cursor.byte()?;
            let value_type = self.value_type(code);
            let mut value = read_value(&mut cursor, value_type)?;
            let ids = &self.state.corrections.ids;
            if let Some(kind) = IdKind::of_value(value_type) {
                value = ids.apply(kind, value);
            }
            let attribute = ids.apply(IdKind::Attribute, attribute);
            let attributes = &mut self.batch.attributes;
            attributes.push(index, attribute, value_type, value);
        }
        Ok(())
    }

    /// Removes the metric values and attributes of an incomplete event. Returns whether there are any.
    #[cold]
    fn forget_event(&mut self) -> bool {
        let index = self.index();
        let lengths =
            |batch: &EventBatch| (batch.metrics.event.len(), batch.attributes.event.len());
        let before = lengths(self.batch);
        self.batch.metrics.truncate(index);
        self.batch.attributes.truncate(index);
        lengths(self.batch) != before
    }

    /// Returns the type with that code, or [`ValueType::None`] if the code is unknown.
    fn value_type(&mut self, code: u8) -> ValueType {
        ValueType::from_code(code).unwrap_or_else(|| {
            self.unknown_type(code);
            ValueType::None
        })
    }

    #[cold]
    fn unknown_type(&mut self, code: u8) {
        let message = format!("a value has the unknown type {code}; its bits are kept");
        self.diagnostics.report(
            Diagnostic::new(Severity::Warning, "otf2.unknown_type", message).at(self.place()),
        );
    }

    #[cold]
    fn unknown_record(&mut self, code: u8) {
        let message = format!("a record has the unknown type {code}; its operands are lost");
        self.diagnostics.report(
            Diagnostic::new(Severity::Loss, "otf2.unknown_record", message)
                .at(self.place())
                .hint("a newer version of foldtrace may support it"),
        );
    }
}

/// An event that is being decoded.
struct Event<'a, 'b> {
    filler: &'a mut Filler<'b>,
    file: &'a mut ChunkReader,
    time: u64,
}

impl Take for Event<'_, '_> {
    #[inline(always)]
    fn take<const ROW: usize>(&mut self) -> Result<(), Fault> {
        let record = const { &EVENTS[ROW] };
        let Self { filler, file, time } = self;
        let mut cursor = record.cursor(file)?;
        let mut operands = [0; MAX_OPERANDS];
        let mut quantities = [0; Quantity::COUNT];
        for field in record.fields {
            let value = cursor.number(field.wire)?;
            let corrections = &mut filler.state.corrections;
            match field.destination {
                Destination::Operand(slot, ids) => {
                    let mapped = ids.map(|kind| corrections.ids.apply(kind, value));
                    operands[slot] = mapped.unwrap_or(value);
                }
                // The only numbers of full width are times.
                Destination::Quantity(quantity) if field.wire == Wire::Full64 => {
                    quantities[quantity as usize] = corrections.clock.apply(value);
                }
                Destination::Quantity(quantity) => quantities[quantity as usize] = value,
            }
        }
        match record.trailing_list {
            TrailingList::None => {}
            TrailingList::MetricValues => filler.metric_values(&mut cursor)?,
            TrailingList::Arguments => filler.arguments(&mut cursor)?,
        }
        for &quantity in record.kind.quantities() {
            let value = quantities[quantity as usize];
            filler.batch.quantities[quantity as usize].push(value);
        }
        let kind = record.kind;
        filler.push(Symbol { kind, operands }, *time);
        Ok(())
    }
}

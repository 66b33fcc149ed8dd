//! Writes the events of one location to its file; the inverse of `decode`.

use std::path::PathBuf;

use foldtrace_trace::{
    EventBatch, EventRef, LocationId, Place, Symbol, SymbolTable, TraceError, ValueType,
};

use crate::errors;
use crate::records::events::{self, Destination, EventRecord, TrailingList};
use crate::wire::{ATTRIBUTE_LIST, ChunkWriter, Encoder, TooWide, Wire, write_value};

/// Number of bytes that are collected before they are sent to the file.
const BLOCK: usize = 1 << 18;

/// The counts of a location that was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// Number of events.
    pub(crate) events: u64,
    /// Number of events left out because OTF2 has no record for them.
    pub(crate) left_out: u64,
    /// Number of arguments left out because they do not belong to the beginning of the program.
    pub(crate) arguments: u64,
    /// The first and the last time, if there are events.
    pub(crate) times: Option<(u64, u64)>,
}

/// The file of events of a location.
#[derive(Debug)]
pub(crate) struct EventFile {
    location: LocationId,
    file: ChunkWriter,
    left_out: u64,
    arguments: u64,
    times: Option<(u64, u64)>,
}

impl EventFile {
    /// Creates the file of `location` at `path`.
    pub(crate) fn new(location: LocationId, path: PathBuf, chunk: u64) -> Self {
        Self {
            location,
            file: ChunkWriter::new(path, chunk, true),
            left_out: 0,
            arguments: 0,
            times: None,
        }
    }

    /// Appends the events of a batch.
    pub(crate) fn write(
        &mut self,
        batch: &EventBatch,
        symbols: &SymbolTable,
    ) -> Result<(), TraceError> {
        let (mut attributes, mut metrics) = (0, 0);
        for event in batch.iter(symbols) {
            let of_event = |events: &[u32], from: usize| {
                let rows = events.get(from..).unwrap_or_default();
                from..from + rows.iter().take_while(|&&e| e == event.index).count()
            };
            let extras = Extras {
                batch,
                attributes: of_event(&batch.attributes.event, attributes),
                metrics: of_event(&batch.metrics.event, metrics),
            };
            (attributes, metrics) = (extras.attributes.end, extras.metrics.end);
            let symbol = symbols.symbol(event.symbol);
            let Some(record) = events::by_kind(symbol.kind) else {
                self.left_out += 1;
                continue;
            };
            if !extras.attributes.is_empty() && record.trailing_list != TrailingList::Arguments {
                let arguments = rows(&extras).filter(|row| row.1 == ValueType::Argument);
                self.arguments += arguments.count() as u64;
            }
            let time = event.time.0;
            self.file.begin_at(time);
            push(&mut self.file.encoder, record, symbol, &event, &extras)
                .map_err(|error| errors::too_wide(error, symbol.kind.name(), self.place(&event)))?;
            self.file.end().map_err(|error| {
                let name = symbol.kind.name();
                errors::unwritten(error, self.file.path(), name, self.place(&event))
            })?;
            self.times = match self.times {
                None => Some((time, time)),
                Some((first, last)) => Some((first.min(time), last.max(time))),
            };
        }
        if self.file.waiting() >= BLOCK {
            self.send()?;
        }
        Ok(())
    }

    /// Returns the number of bytes not sent yet.
    pub(crate) fn waiting(&self) -> usize {
        self.file.waiting()
    }

    /// Sends the waiting bytes to the file.
    pub(crate) fn send(&mut self) -> Result<(), TraceError> {
        let sent = self.file.send();
        sent.map_err(|error| TraceError::unwritable(self.file.path(), error))
    }

    /// Completes the file.
    pub(crate) fn finish(self) -> Result<(LocationId, Written), TraceError> {
        let (left_out, arguments, times) = (self.left_out, self.arguments, self.times);
        let path = self.file.path().to_owned();
        let events = self.file.finish();
        let events = events.map_err(|error| TraceError::unwritable(&path, error))?;
        let written = Written {
            events,
            left_out,
            arguments,
            times,
        };
        Ok((self.location, written))
    }

    fn place(&self, event: &EventRef) -> Place {
        Place::file(self.file.path()).event(self.location, event.position)
    }
}

/// The data of an event besides its operands and quantities: rows of the batch's columns.
struct Extras<'a> {
    batch: &'a EventBatch,
    attributes: std::ops::Range<usize>,
    metrics: std::ops::Range<usize>,
}

/// Appends an event: its attributes, then its record.
#[inline(always)]
fn push(
    encoder: &mut Encoder,
    record: &EventRecord,
    symbol: Symbol,
    event: &EventRef,
    extras: &Extras<'_>,
) -> Result<(), TooWide> {
    if !extras.attributes.is_empty() {
        push_attributes(encoder, extras)?;
    }
    encoder.byte(record.code);
    if record.single {
        return push_fields(encoder, record, symbol, event);
    }
    let length = encoder.begin();
    push_fields(encoder, record, symbol, event)?;
    match record.trailing_list {
        TrailingList::None => {}
        TrailingList::MetricValues => {
            let metrics = &extras.batch.metrics;
            let count = extras.metrics.len() as u64;
            encoder.byte(u8::try_from(count).map_err(|_| TooWide(count))?);
            let rows = extras.metrics.clone();
            let types = metrics.value_type.get(rows.clone()).unwrap_or_default();
            let values = metrics.value.get(rows).unwrap_or_default();
            for (&value_type, &value) in types.iter().zip(values) {
                encoder.byte(value_type as u8);
                encoder.number(Wire::U64, value)?;
            }
        }
        TrailingList::Arguments => {
            let arguments = || rows(extras).filter(|row| row.1 == ValueType::Argument);
            encoder.number(Wire::U32, arguments().count() as u64)?;
            for (_, _, string) in arguments() {
                encoder.number(Wire::U32, string)?;
            }
        }
    }
    encoder.end(length);
    Ok(())
}

#[inline(always)]
fn push_fields(
    encoder: &mut Encoder,
    record: &EventRecord,
    symbol: Symbol,
    event: &EventRef,
) -> Result<(), TooWide> {
    for field in record.fields {
        let value = match field.destination {
            Destination::Operand(slot, _) => symbol.operands[slot % symbol.operands.len()],
            Destination::Quantity(quantity) => event.quantities[quantity as usize],
        };
        encoder.number(field.wire, value)?;
    }
    Ok(())
}

/// Returns the attributes of an event: id, type and bits of each.
fn rows<'a>(extras: &Extras<'a>) -> impl Iterator<Item = (u64, ValueType, u64)> + 'a {
    let attributes = &extras.batch.attributes;
    let rows = extras.attributes.clone();
    let ids = attributes.attribute.get(rows.clone()).unwrap_or_default();
    let types = attributes.value_type.get(rows.clone()).unwrap_or_default();
    let values = attributes.value.get(rows).unwrap_or_default();
    let rows = ids.iter().zip(types).zip(values);
    rows.map(|((&id, &value_type), &value)| (id, value_type, value))
}

#[cold]
fn push_attributes(encoder: &mut Encoder, extras: &Extras<'_>) -> Result<(), TooWide> {
    // Arguments are not attributes in OTF2.
    let attributes = || rows(extras).filter(|row| row.1 != ValueType::Argument);
    let count = attributes().count() as u64;
    if count == 0 {
        return Ok(());
    }
    encoder.byte(ATTRIBUTE_LIST);
    let length = encoder.begin();
    encoder.number(Wire::U32, count)?;
    for (id, value_type, value) in attributes() {
        encoder.number(Wire::U32, id)?;
        encoder.byte(value_type as u8);
        write_value(encoder, value_type, value)?;
    }
    encoder.end(length);
    Ok(())
}

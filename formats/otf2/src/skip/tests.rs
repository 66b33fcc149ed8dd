//! Compares skipping with reading everything.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, ErrorKind, EventBatch, EventStream, LocationId,
    OpenCalls, Place, Position, Quantity, ReadOptions, Step, SymbolTable, TimeRange, TraceReader,
    TraceWriter, UNDEFINED, ValueType,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use tempfile::TempDir;

use super::{ATTRIBUTE_LIST, EventKind, MAX_OPERANDS, Symbol, Timestamp};
use crate::ids::IdKind;
use crate::reader::Reader;
use crate::wire::{CHUNK_HEADER, END_OF_BUFFER, END_OF_FILE, HEADER, LITTLE_ENDIAN, TIMESTAMP};
use crate::writer::Writer;

/// Size of a chunk of events: smaller than in any real archive, so that short traces have several chunks.
const CHUNK: u64 = 256;

/// An event with all its data.
#[derive(Clone, Debug, PartialEq)]
struct Event {
    symbol: Symbol,
    time: u64,
    quantities: [u64; Quantity::COUNT],
    metrics: Vec<u64>,
    attributes: Vec<u64>,
}

/// A location: its events, and its definitions of ids and times.
#[derive(Clone, Debug)]
struct LocationTrace {
    events: Vec<Event>,
    regions: Vec<(u64, u64)>,
    offsets: Vec<(u64, i64)>,
}

fn event() -> impl Strategy<Value = Event> {
    use EventKind::{
        BufferFlush, CallingContextEnter, CallingContextLeave, Enter, Leave, Metric,
        MpiCollectiveBegin, MpiIsendComplete, MpiSend, ProgramBegin,
    };
    let kind = prop_oneof![
        3 => select(vec![Enter, Leave, CallingContextEnter, CallingContextLeave]),
        2 => select(vec![
            BufferFlush, Metric, MpiCollectiveBegin, MpiIsendComplete, MpiSend, ProgramBegin,
        ]),
    ];
    let some =
        || prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(any::<u64>(), 1..3)];
    let operand = prop_oneof![9 => 0..4_u64, 1 => Just(UNDEFINED)];
    (kind, operand, 0..120_u64, 0..6_u64, some(), some()).prop_map(
        |(kind, operand, value, step, metrics, attributes)| {
            let mut quantities = [UNDEFINED; Quantity::COUNT];
            for &quantity in kind.quantities() {
                quantities[quantity as usize] = value;
            }
            let is_metric = kind == Metric;
            Event {
                symbol: Symbol::new(kind, &[operand; MAX_OPERANDS]),
                time: step,
                quantities,
                metrics: if is_metric { metrics } else { Vec::new() },
                attributes,
            }
        },
    )
}

/// Generates locations whose times often stay the same, and sometimes go back.
fn location_trace() -> impl Strategy<Value = LocationTrace> {
    let regions = prop_oneof![
        Just(Vec::new()),
        prop::collection::vec((0..4_u64, 0..4_u64), 1..4)
    ];
    let offsets = prop_oneof![
        Just(Vec::new()),
        prop::collection::vec((0..60_u64, -9..9_i64), 1..5)
    ];
    (prop::collection::vec(event(), 0..60), regions, offsets).prop_map(
        |(mut events, regions, offsets)| {
            let mut time: u64 = 10;
            for event in &mut events {
                time = match event.time {
                    5 => time - time.min(7),
                    step => time + step,
                };
                event.time = time;
            }
            LocationTrace {
                events,
                regions,
                offsets,
            }
        },
    )
}

fn definitions(all: &[LocationTrace]) -> Definitions {
    let mut definitions = Definitions::default();
    for (id, location) in (0..).zip(all) {
        // The number of events in the definition is right for some locations and wrong for others.
        definitions.push(DefinitionKind::Location, &[id, 0, 1, 20, 0], &[], "");
        let mut define = |code: u64, values: &[u64]| {
            let fields = [id, code];
            definitions.push(DefinitionKind::LocalDefinition, &fields, values, "");
        };
        if !location.regions.is_empty() {
            for kind in [IdKind::Region, IdKind::CallingContext] {
                let pairs = location
                    .regions
                    .iter()
                    .flat_map(|&(local, global)| [local, global]);
                let values: Vec<_> = [id, kind as u64].into_iter().chain(pairs).collect();
                define(5, &values);
            }
        }
        for &(time, offset) in &location.offsets {
            define(6, &[id, time, offset.cast_unsigned(), 0]);
        }
    }
    definitions
}

fn batch(location: u64, events: &[Event], symbols: &mut SymbolTable) -> EventBatch {
    let mut batch = EventBatch::default();
    batch.reset(LocationId(location), Position(0));
    for (index, event) in (0..).zip(events) {
        let quantities = event.symbol.kind.quantities().iter();
        let quantities: Vec<_> = quantities
            .map(|&q| (q, event.quantities[q as usize]))
            .collect();
        batch.push(
            symbols.intern(event.symbol),
            Timestamp(event.time),
            &quantities,
        );
        for (member, &value) in (0..).zip(&event.metrics) {
            batch.metrics.push(index, member, ValueType::Uint64, value);
        }
        for (id, &value) in (0..).zip(&event.attributes) {
            batch.attributes.push(index, id, ValueType::Uint64, value);
        }
    }
    batch
}

/// Creates an archive whose files of events have small chunks.
fn archive(all: &[LocationTrace]) -> (TempDir, Reader) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.otf2");
    let mut writer = Writer::create(&path, false).unwrap();
    let usual = std::mem::replace(&mut writer.anchor.event_chunk, CHUNK);
    writer.definitions(&definitions(all)).unwrap();
    for (id, location) in (0..).zip(all) {
        let mut symbols = SymbolTable::default();
        let batch = batch(id, &location.events, &mut symbols);
        writer.write(&batch, &symbols).unwrap();
    }
    writer.anchor.event_chunk = usual;
    Box::new(writer).finish().unwrap();
    let mut reader = Reader::open(&path, &ReadOptions::default()).unwrap();
    reader.archive.anchor.event_chunk = CHUNK;
    (folder, reader)
}

/// An error and its place.
type ReportedError = (ErrorKind, String, Place);

/// Everything that a stream returns.
#[derive(Debug, PartialEq)]
struct Read {
    events: Vec<(Position, Event)>,
    warnings: Vec<(Option<Position>, String)>,
    errors: Vec<ReportedError>,
    bytes: u64,
}

fn read(stream: &mut dyn EventStream) -> Read {
    let (mut events, mut errors) = (Vec::new(), Vec::new());
    let mut diagnostics = Diagnostics::default();
    let mut batch = EventBatch::default();
    loop {
        let step = stream.next_batch(&mut batch, &mut diagnostics);
        for event in batch.iter(stream.symbols()) {
            let metrics = batch.metrics.rows(event.index);
            let attributes = batch.attributes.rows(event.index);
            let whole = Event {
                symbol: stream.symbols().symbol(event.symbol),
                time: event.time.0,
                quantities: event.quantities,
                metrics: batch.metrics.value[metrics].to_vec(),
                attributes: batch.attributes.value[attributes].to_vec(),
            };
            events.push((event.position, whole));
        }
        match step {
            Ok(Step::Batch) => assert!(!batch.is_empty()),
            Ok(Step::End) => break,
            Err(error) => errors.push((error.kind, error.message.clone(), *error.place)),
        }
    }
    // An undefined id is reported at the first event that has it, which may be a skipped one.
    let groups = diagnostics
        .groups()
        .filter(|(key, _)| *key != "otf2.undefined_id");
    let cases = groups.flat_map(|(_, group)| &group.cases);
    let cases = cases.map(|case| (case.place.position, case.message.clone()));
    let mut warnings: Vec<_> = cases.collect();
    warnings.sort();
    let bytes = stream.bytes_read();
    Read {
        events,
        warnings,
        errors,
        bytes,
    }
}

/// Returns the expected result for a range, from reading everything: the open calls, and the rest.
fn expected(reader: &Reader, index: usize, range: TimeRange) -> (Vec<Symbol>, Read) {
    let mut read = read(&mut *reader.open_stream(index).unwrap());
    let events = &read.events;
    let first = |begin: usize, time: Timestamp| {
        let found = events[begin..]
            .iter()
            .position(|(_, event)| event.time >= time.0);
        found.map(|index| begin + index)
    };
    let begin = range
        .from
        .map_or(Some(0), |from| first(0, from))
        .unwrap_or(events.len());
    let last = range.to.and_then(|to| first(begin, to));

    let (mut symbols, mut calls) = (SymbolTable::default(), OpenCalls::default());
    for (_, event) in &events[..begin] {
        calls.take(symbols.intern(event.symbol), &symbols);
    }
    let open = calls.entered().map(|id| symbols.symbol(id)).collect();

    // Diagnostics at the end belong to no event.
    let is_at_end = |p: Option<Position>| p.is_none_or(|p| p.0 >= events.len() as u64);
    read.warnings.retain(|&(position, _)| match position {
        position if is_at_end(position) => last.is_none(),
        Some(position) => {
            let index = position.0 as usize;
            index >= begin && last.is_none_or(|last| index <= last)
        }
        None => true,
    });
    if let Some(last) = last {
        read.events.truncate(last + 1);
        read.errors.retain(|error| !is_after(error, last as u64));
    }
    read.events.drain(..begin);
    (open, read)
}

/// Returns whether an error comes after the event at `position`.
fn is_after((_, _, place): &ReportedError, position: u64) -> bool {
    place.position.is_some_and(|place| place.0 > position)
}

/// Returns the result for a range, from skipping: the open calls, and the rest.
fn skipped(reader: &Reader, index: usize, range: TimeRange) -> (Vec<Symbol>, Read) {
    let mut begun = reader.open_stream_in(index, range).unwrap();
    let table = begun.stream.symbols();
    let open = begun.open.iter().map(|&id| table.symbol(id)).collect();
    (open, read(&mut *begun.stream))
}

fn range() -> impl Strategy<Value = TimeRange> {
    let side = || prop::option::weighted(0.8, (0..130_u64).prop_map(Timestamp));
    (side(), side()).prop_map(|(from, to)| TimeRange { from, to })
}

/// A part of a file that no library writes: records in nearly any order, and chunks that end anywhere.
#[derive(Clone, Debug)]
enum Piece {
    Time(u64),
    Attribute(u64),
    Event(u8, u8),
    EndOfChunk,
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        (0..130_u64).prop_map(Piece::Time),
        (0..9_u64).prop_map(Piece::Attribute),
        (12..14_u8, 0..3_u8).prop_map(|(code, region)| Piece::Event(code, region)),
        Just(Piece::EndOfChunk),
    ]
}

fn file(pieces: &[Piece]) -> Vec<u8> {
    let mut chunks: Vec<Vec<u8>> = Vec::new();
    let mut events = 0_u64;
    let begin = |chunks: &mut Vec<Vec<u8>>, events: u64| {
        let header = [
            &[CHUNK_HEADER, LITTLE_ENDIAN][..],
            &(events + 1).to_le_bytes(),
            &events.to_le_bytes(),
        ];
        chunks.push(header.concat());
    };
    begin(&mut chunks, 0);
    let mut stamped = None;
    for piece in pieces {
        let is_full = chunks.last().unwrap().len() + 20 > CHUNK as usize;
        if is_full || matches!(piece, Piece::EndOfChunk) {
            chunks.last_mut().unwrap().resize(CHUNK as usize, 0);
            begin(&mut chunks, events);
            stamped = None;
        }
        let chunk = chunks.last_mut().unwrap();
        match *piece {
            // Directly after another time stamp, it would be a record of an unknown type.
            Piece::Time(_) if stamped == Some(chunk.len()) => {}
            Piece::Time(time) => {
                chunk.push(TIMESTAMP);
                chunk.extend(time.to_le_bytes());
                stamped = Some(chunk.len());
            }
            // One attribute: id, type, value.
            Piece::Attribute(id) => chunk.extend([ATTRIBUTE_LIST, 7, 1, 1, 1, id as u8, 4, 1, 9]),
            Piece::Event(code, region) => {
                chunk.extend([code, 1, region]);
                events += 1;
                chunk[10..HEADER].copy_from_slice(&events.to_le_bytes());
            }
            Piece::EndOfChunk => {}
        }
    }
    let mut bytes = chunks.concat();
    bytes.extend([END_OF_FILE, END_OF_BUFFER]);
    bytes
}

fn two_locations() -> impl Strategy<Value = Vec<LocationTrace>> {
    prop::collection::vec(location_trace(), 2)
}

proptest! {
    #[test]
    fn skipping_gives_what_reading_everything_gives(all in two_locations(), range in range()) {
        let (_folder, reader) = archive(&all);
        for index in 0..all.len() {
            prop_assert_eq!(skipped(&reader, index, range), expected(&reader, index, range));
        }
    }

    #[test]
    fn a_file_that_ends_early_ends_at_the_same_place(all in two_locations(), range in range(), at in any::<Index>()) {
        let (_folder, reader) = archive(&all);
        let path = reader.archive.paths.events(0);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..at.index(whole.len())]).unwrap();
        prop_assert_eq!(skipped(&reader, 0, range), expected(&reader, 0, range));
    }

    /// Checks that only damage in skipped fields is missed, and that everything else is the same as when reading.
    #[test]
    fn damage_is_reported_where_it_matters(
        all in two_locations(), range in range(), damage in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4)
    ) {
        let (_folder, reader) = archive(&all);
        let path = reader.archive.paths.events(0);
        let mut bytes = fs::read(&path).unwrap();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        fs::write(&path, &bytes).unwrap();
        let (expected, actual) = (expected(&reader, 0, range), skipped(&reader, 0, range));
        if expected.1.errors.is_empty() {
            prop_assert_eq!(&actual, &expected);
        }
        prop_assert_eq!(&actual.0, &expected.0);
        prop_assert_eq!(&actual.1.events, &expected.1.events);
        // Skipping does not decode attributes, so damage in them may be missed or reported at
        // another byte: only kinds and positions are compared.
        let is_known = |(kind, _, place): &ReportedError| {
            let mut all = expected.1.errors.iter();
            all.any(|(other, _, at)| (*other, at.position) == (*kind, place.position))
        };
        // Reading reports the events lost by missed damage at the damage; skipping reports them at the end.
        let are_missing_at_end = |(_, message, _): &ReportedError| {
            message.contains("declare more events") && !expected.1.errors.is_empty()
        };
        for error in &actual.1.errors {
            prop_assert!(is_known(error) || are_missing_at_end(error), "{:?}", error);
        }
    }

    #[test]
    fn time_stamps_and_attributes_may_be_in_earlier_chunks(
        pieces in prop::collection::vec(piece(), 0..60), range in range()
    ) {
        let (_folder, reader) = archive(&[LocationTrace { events: Vec::new(), regions: Vec::new(), offsets: Vec::new() }]);
        let path = reader.archive.paths.events(0);
        fs::write(&path, file(&pieces)).unwrap();
        prop_assert_eq!(skipped(&reader, 0, range), expected(&reader, 0, range));
    }
}

//! Generated archives for tests, and everything that their streams return.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;
use std::path::Path;

use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, ErrorKind, EventBatch, EventKind, EventStream,
    LocationId, MAX_OPERANDS, Place, Position, Quantity, ReadOptions, Step, Symbol, SymbolTable,
    Timestamp, TraceWriter, UNDEFINED, ValueType,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use tempfile::TempDir;

use crate::ids::IdKind;
use crate::reader::Reader;
use crate::wire::{
    ATTRIBUTE_LIST, CHUNK_HEADER, END_OF_BUFFER, END_OF_FILE, HEADER, LITTLE_ENDIAN, TIMESTAMP,
};
use crate::writer::Writer;

/// Size of a chunk of events: smaller than in any real archive, so that short traces have several chunks.
pub(crate) const CHUNK: u64 = 256;

/// An event with all its data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) symbol: Symbol,
    pub(crate) time: u64,
    pub(crate) quantities: [u64; Quantity::COUNT],
    pub(crate) metrics: Vec<u64>,
    pub(crate) attributes: Vec<u64>,
}

/// A location: its events, and its definitions of ids and times.
#[derive(Clone, Debug)]
pub(crate) struct LocationTrace {
    pub(crate) events: Vec<Event>,
    pub(crate) regions: Vec<(u64, u64)>,
    pub(crate) offsets: Vec<(u64, i64)>,
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
pub(crate) fn archive(all: &[LocationTrace]) -> (TempDir, Reader) {
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
pub(crate) type ReportedError = (ErrorKind, String, Place);

/// Everything that a stream returns.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Read {
    pub(crate) events: Vec<(Position, Event)>,
    pub(crate) warnings: Vec<(Option<Position>, String)>,
    pub(crate) errors: Vec<ReportedError>,
    pub(crate) bytes: u64,
}

pub(crate) fn read(stream: &mut dyn EventStream) -> Read {
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
    let mut warnings: Vec<_> = warnings(&diagnostics).collect();
    warnings.sort();
    let bytes = stream.bytes_read();
    Read {
        events,
        warnings,
        errors,
        bytes,
    }
}

/// Returns the problems in the events, with their positions.
pub(crate) fn warnings(
    diagnostics: &Diagnostics,
) -> impl Iterator<Item = (Option<Position>, String)> {
    // An undefined id is reported at the first event that has it, which may be a skipped one.
    let groups = diagnostics
        .groups()
        .filter(|(key, _)| *key != "otf2.undefined_id");
    let cases = groups.flat_map(|(_, group)| &group.cases);
    cases.map(|case| (case.place.position, case.message.clone()))
}

/// A part of a file that no library writes: records in nearly any order, and chunks that end anywhere.
#[derive(Clone, Debug)]
pub(crate) enum FilePart {
    Time(u64),
    Attribute(u64),
    Event(u8, u8),
    EndOfChunk,
}

pub(crate) fn file_part() -> impl Strategy<Value = FilePart> {
    prop_oneof![
        (0..130_u64).prop_map(FilePart::Time),
        (0..9_u64).prop_map(FilePart::Attribute),
        (12..14_u8, 0..3_u8).prop_map(|(code, region)| FilePart::Event(code, region)),
        Just(FilePart::EndOfChunk),
    ]
}

pub(crate) fn file(parts: &[FilePart]) -> Vec<u8> {
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
    for part in parts {
        let is_full = chunks.last().unwrap().len() + 20 > CHUNK as usize;
        if is_full || matches!(part, FilePart::EndOfChunk) {
            chunks.last_mut().unwrap().resize(CHUNK as usize, 0);
            begin(&mut chunks, events);
            stamped = None;
        }
        let chunk = chunks.last_mut().unwrap();
        match *part {
            // Directly after another time stamp, it would be a record of an unknown type.
            FilePart::Time(_) if stamped == Some(chunk.len()) => {}
            FilePart::Time(time) => {
                chunk.push(TIMESTAMP);
                chunk.extend(time.to_le_bytes());
                stamped = Some(chunk.len());
            }
            // One attribute: id, type, value.
            FilePart::Attribute(id) => {
                chunk.extend([ATTRIBUTE_LIST, 7, 1, 1, 1, id as u8, 4, 1, 9])
            }
            FilePart::Event(code, region) => {
                chunk.extend([code, 1, region]);
                events += 1;
                chunk[10..HEADER].copy_from_slice(&events.to_le_bytes());
            }
            FilePart::EndOfChunk => {}
        }
    }
    let mut bytes = chunks.concat();
    bytes.extend([END_OF_FILE, END_OF_BUFFER]);
    bytes
}

pub(crate) fn two_locations() -> impl Strategy<Value = Vec<LocationTrace>> {
    prop::collection::vec(location_trace(), 2)
}

/// Changes some bytes of a file.
pub(crate) fn damage(path: &Path, changes: Vec<(Index, u8)>) {
    let mut bytes = fs::read(path).unwrap();
    for (at, byte) in changes {
        let at = at.index(bytes.len());
        bytes[at] = byte;
    }
    fs::write(path, &bytes).unwrap();
}

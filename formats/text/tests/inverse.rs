//! Writing and reading back gives what was there, whatever it was.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Events, collect, read};
use foldtrace_text::TextFormat;
use foldtrace_trace::{
    DefinitionKind, Definitions, EventBatch, EventKind, EventText, Format, LocationId, Names,
    Output, Position, Quantity, Symbol, SymbolTable, Timestamp, UNDEFINED, ValueType,
};
use proptest::prelude::*;
use proptest::sample::select;

/// Few distinct ids, so that they meet, and some at the edges.
fn id() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0u64..5, 1 => Just(UNDEFINED), 1 => any::<u64>()]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec![
            "main",
            "call MPI_Isend",
            "enter x",
            "operator=",
            "",
            "a time=5",
            "local",
            "x #y",
            " z"
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,8}",
        any::<String>(),
    ]
}

type Record = (DefinitionKind, Vec<u64>, Vec<u64>, String);

fn record() -> impl Strategy<Value = Record> {
    use DefinitionKind::{Comm, Group, Location, LocationGroup, Region, String};
    let kind = prop_oneof![
        4 => select(vec![String, String, Region, Location, LocationGroup, Group, Comm]),
        1 => select(DefinitionKind::ALL),
    ];
    (
        kind,
        prop::collection::vec(id(), 12),
        prop::collection::vec(id(), 0..6),
        text(),
    )
}

fn definitions(records: &[Record]) -> Definitions {
    let mut definitions = Definitions::default();
    for (kind, fields, list, text) in records {
        definitions.push(*kind, &fields[..kind.fields().len()], list, text);
    }
    definitions
}

#[derive(Clone, Debug)]
struct Event {
    symbol: Symbol,
    time: u64,
    quantities: Vec<u64>,
    metrics: Vec<(u32, ValueType, u64)>,
    attributes: Vec<(u64, ValueType, u64)>,
}

fn event() -> impl Strategy<Value = Event> {
    use EventKind::{Enter, Local, MpiCollectiveEnd, MpiIrecv, MpiRecv, MpiSend};
    let kind = prop_oneof![
        1 => select(vec![Enter, Local, MpiSend, MpiRecv, MpiIrecv, MpiCollectiveEnd]),
        1 => select(EventKind::ALL),
    ];
    let metric = (0u32..3, select(ValueType::ALL), any::<u64>());
    let attribute = (id(), select(ValueType::ALL), any::<u64>());
    (
        (kind, prop::array::uniform4(id())),
        prop_oneof![0u64..100, any::<u64>()],
        prop::collection::vec(id(), Quantity::COUNT),
        prop::collection::vec(metric, 0..2),
        prop::collection::vec(attribute, 0..2),
    )
        .prop_map(
            |((kind, operands), time, quantities, metrics, attributes)| {
                let symbol = Symbol::new(kind, &operands);
                Event {
                    symbol,
                    time,
                    quantities,
                    metrics,
                    attributes,
                }
            },
        )
}

#[derive(Clone, Debug)]
struct Part {
    location: u64,
    definitions: Vec<Record>,
    events: Vec<Event>,
}

fn part() -> impl Strategy<Value = Part> {
    let late = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(record(), 1..4)];
    (id(), late, prop::collection::vec(event(), 0..8)).prop_map(
        |(location, definitions, events)| Part {
            location,
            definitions,
            events,
        },
    )
}

fn check(records: &[Record], parts: &[Part], name: &str) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = TextFormat.create(output).unwrap();
    let mut all = definitions(records);
    writer.definitions(&all).unwrap();
    let mut symbols = SymbolTable::default();
    let mut events = Events::default();
    for part in parts {
        let location = LocationId(part.location);
        let mut batch = EventBatch::default();
        let first = events
            .get(&location)
            .map_or(0, |events| events.len() as u64);
        batch.reset(location, Position(first));
        batch.definitions = definitions(&part.definitions);
        all.append(&batch.definitions);
        fill(&mut batch, &part.events, &mut symbols);
        if !batch.is_empty() {
            collect(&mut events, &batch, &symbols);
        }
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
    let read = read(&path, false).unwrap();
    let errors: Vec<_> = read
        .errors
        .iter()
        .map(|e| format!("{} {e}", e.place))
        .collect();
    let written = if name.ends_with('/') {
        String::new()
    } else {
        std::fs::read_to_string(&path).unwrap()
    };
    prop_assert!(errors.is_empty(), "{:?}\n{}", errors, written);
    prop_assert_eq!(&read.events, &events, "\n{}", written);
    prop_assert_eq!(&read.definitions, &all, "\n{}", written);
    Ok(())
}

/// What `EventText` says of an event is what the reader takes, though the writer has its own way.
fn check_event_text(records: &[Record], parts: &[Part]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.trace");
    let mut writer = TextFormat
        .create(Output::Path {
            path: path.clone(),
            replace: false,
        })
        .unwrap();
    let all = definitions(records);
    writer.definitions(&all).unwrap();
    writer.finish().unwrap();
    let mut text = std::fs::read_to_string(&path).unwrap();
    let header = text.len();
    let names = Names::new(&all);
    let mut symbols = SymbolTable::default();
    let mut events = Events::default();
    let output = Output::Path {
        path: path.clone(),
        replace: true,
    };
    let mut writer = TextFormat.create(output).unwrap();
    writer.definitions(&all).unwrap();
    for part in parts {
        let (location, mut batch) = (LocationId(part.location), EventBatch::default());
        let first = events
            .get(&location)
            .map_or(0, |events| events.len() as u64);
        batch.reset(location, Position(first));
        fill(&mut batch, &part.events, &mut symbols);
        if !batch.is_empty() {
            collect(&mut events, &batch, &symbols);
        }
        for event in batch.iter(&symbols) {
            let line = EventText::new(&names, &batch, event, &symbols).to_string();
            prop_assert!(!line.contains('\n'));
            text.push_str(&line);
            text.push('\n');
        }
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    for (line, written) in text[header..].lines().zip(written[header..].lines()) {
        // Only descriptions are shorter where their texts suffice.
        prop_assert!(
            line == written || line.contains(" string="),
            "{}\n{}",
            line,
            written
        );
    }
    std::fs::write(&path, &text).unwrap();
    let read = read(&path, false).unwrap();
    prop_assert!(read.errors.is_empty(), "{:?}\n{}", read.errors, text);
    prop_assert_eq!(&read.events, &events, "\n{}", text);
    prop_assert_eq!(&read.definitions, &all, "\n{}", text);
    Ok(())
}

fn fill(batch: &mut EventBatch, events: &[Event], symbols: &mut SymbolTable) {
    for (index, event) in (0..).zip(events) {
        let kind = event.symbol.kind;
        let symbol = symbols.intern(event.symbol);
        let quantities: Vec<_> = kind
            .quantities()
            .iter()
            .map(|&q| (q, event.quantities[q as usize]))
            .collect();
        batch.push(symbol, Timestamp(event.time), &quantities);
        for &(member, value_type, bits) in &event.metrics {
            batch.metrics.push(index, member, value_type, bits);
        }
        for &(id, value_type, bits) in &event.attributes {
            batch.attributes.push(index, id, value_type, bits);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_file_reads_back(
        records in prop::collection::vec(record(), 0..40),
        parts in prop::collection::vec(part(), 0..8),
    ) {
        check(&records, &parts, "out.trace")?;
    }

    #[test]
    fn event_texts_read_back(
        records in prop::collection::vec(record(), 0..40),
        parts in prop::collection::vec(part(), 0..4),
    ) {
        check_event_text(&records, &parts)?;
    }

    #[test]
    fn a_folder_reads_back(
        records in prop::collection::vec(record(), 0..30),
        parts in prop::collection::vec(part(), 0..8),
    ) {
        check(&records, &parts, "out/")?;
    }

    #[test]
    fn no_input_makes_the_reader_hang_or_panic(
        lines in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..30),
                "[0-3@.]{1,4} (send|recv|sync|isync|local) [ -~]{0,20}".prop_map(String::into_bytes),
                "#: (comm|group|region|location|string) [ -~]{0,20}".prop_map(String::into_bytes),
                "#: (comm|group|location) id=[0-3] (group|members|location_group)=[0-3]".prop_map(String::into_bytes),
                "[0-3] (send [0-3] [0-3]|local enter [a-b]|sync MPI_Barrier [0-1](-[0-3])?)( time=[0-9])?".prop_map(String::into_bytes),
            ],
            0..30,
        ),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.trace");
        std::fs::write(&path, lines.join(&b'\n')).unwrap();
        let kept = read(&path, true).unwrap();
        prop_assert!(kept.errors.is_empty());
        if let Ok(whole) = read(&path, false) {
            prop_assert_eq!(whole.errors.len() as u64, kept.diagnostics.count("text.bad_line"));
            prop_assert_eq!(whole.events, kept.events, "what is kept does not depend on salvage");
        }
    }
}

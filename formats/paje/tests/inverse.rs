//! Writing and reading back gives what was there, whatever it was.

#![allow(clippy::unwrap_used, clippy::panic)]

use foldtrace_paje::Paje;
use foldtrace_testing::{
    Event, Events, Part, Record, collect, definitions, event, fill, id, part, read, record,
};
use foldtrace_trace::{
    DefinitionKind, EventBatch, EventKind, Format, LocationId, Output, Position, Symbol,
    SymbolTable,
};
use proptest::prelude::*;

fn check(records: &[Record], parts: &[Part]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.paje");
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = Paje.create(output).unwrap();
    let mut all = definitions(records);
    writer.definitions(&all).unwrap();
    // The table is complete before the first event.
    let mut symbols = SymbolTable::default();
    for event in parts.iter().flat_map(|part| &part.events) {
        symbols.intern(event.symbol);
    }
    let mut events = Events::default();
    for part in parts {
        let location = LocationId(part.location);
        let mut batch = EventBatch::default();
        let first = events.get(&location).map_or(0, Vec::len);
        batch.reset(location, Position(first as u64));
        batch.definitions = definitions(&part.definitions);
        all.append(&batch.definitions);
        fill(&mut batch, &part.events, &mut symbols);
        if !batch.is_empty() {
            collect(&mut events, &batch, &symbols);
        }
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
    let written = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
    let read = read(&Paje, &path, false).unwrap();
    let errors: Vec<_> = read
        .errors
        .iter()
        .map(|e| format!("{} {e}", e.place))
        .collect();
    prop_assert!(errors.is_empty(), "{:?}\n{}", errors, written);
    prop_assert_eq!(&read.events, &events, "\n{}", written);
    prop_assert_eq!(&read.definitions, &all, "\n{}", written);
    Ok(())
}

/// Calls of few regions, nested or not.
fn call() -> impl Strategy<Value = Event> {
    let kind = prop_oneof![Just(EventKind::Enter), Just(EventKind::Leave)];
    (event(), kind, 0u64..2, 0u64..50, any::<bool>()).prop_map(
        |(event, kind, region, time, is_plain)| {
            let symbol = Symbol::new(kind, &[region]);
            let (metrics, mut attributes) = (Vec::new(), event.attributes);
            if is_plain {
                attributes.clear();
            }
            Event {
                symbol,
                time,
                metrics,
                attributes,
                ..event
            }
        },
    )
}

fn calls() -> impl Strategy<Value = Part> {
    (0u64..2, prop::collection::vec(call(), 0..10)).prop_map(|(location, events)| Part {
        location,
        definitions: Vec::new(),
        events,
    })
}

/// A clock, which decides how times are written.
fn clock() -> impl Strategy<Value = Record> {
    let ticks = prop_oneof![
        Just(1),
        Just(1000),
        Just(1_000_000_000),
        Just(2_399_999_999),
        id()
    ];
    (ticks, id()).prop_map(|(ticks_per_second, offset)| {
        let mut fields = vec![ticks_per_second, offset];
        fields.resize(12, 0);
        (
            DefinitionKind::ClockProperties,
            fields,
            Vec::new(),
            String::new(),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn anything_reads_back(
        mut records in prop::collection::vec(record(), 0..40),
        clock in clock(),
        parts in prop::collection::vec(part(), 0..8),
    ) {
        records.insert(0, clock);
        check(&records, &parts)?;
    }

    #[test]
    fn calls_read_back(parts in prop::collection::vec(calls(), 0..8)) {
        check(&[], &parts)?;
    }
}

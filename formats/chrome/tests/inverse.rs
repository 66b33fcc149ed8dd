//! Writing and reading back gives what was there, whatever it was; and what is written is JSON that
//! others take.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::HashMap;

use foldtrace_chrome::Chrome;
use foldtrace_testing::{Events, collect, read};
use foldtrace_trace::{
    DefinitionKind, Definitions, EventBatch, EventKind, Format, LocationId, Output, Position,
    Quantity, Symbol, SymbolTable, Timestamp, UNDEFINED, ValueType,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

/// Few distinct ids, so that they meet, and some at the edges.
fn id() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0u64..4, 1 => Just(UNDEFINED), 1 => any::<u64>()]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(vec!["main", "bytes", "value.1", "MPI_Bcast", "\"a\"\n", "", "9007199254740993"])
            .prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

type Record = (DefinitionKind, Vec<u64>, Vec<u64>, String);

fn record() -> impl Strategy<Value = Record> {
    use DefinitionKind::{
        Attribute, CallingContext, ClockProperties, Location, LocationGroup, MetricClass,
        MetricInstance, MetricMember, Region, String,
    };
    let kind = prop_oneof![
        4 => select(vec![
            String, String, String, Region, Region, Location, LocationGroup, Attribute, Attribute,
            MetricMember, MetricClass, MetricInstance, CallingContext, ClockProperties,
        ]),
        1 => select(DefinitionKind::ALL),
    ];
    let fields = prop::collection::vec(id(), 12);
    let list = prop::collection::vec(id(), 0..3);
    (kind, fields, list, text(), select(ValueType::ALL)).prop_map(
        |(kind, mut fields, list, text, value_type)| {
            match kind {
                Attribute => fields[3] = value_type as u64,
                MetricMember => fields[5] = value_type as u64,
                _ => {}
            }
            (kind, fields, list, text)
        },
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

fn value() -> impl Strategy<Value = u64> {
    prop_oneof![
        id(),
        any::<f64>().prop_map(f64::to_bits),
        any::<i32>().prop_map(|value| i64::from(value) as u64),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    use EventKind::{
        CallingContextEnter, CallingContextLeave, Enter, Leave, Local, Metric, MpiCollectiveEnd,
        MpiIrecv, MpiSend,
    };
    let kind = prop_oneof![
        4 => select(vec![
            Enter, Enter, Leave, Leave, Leave, CallingContextEnter, CallingContextLeave, Local,
            Metric, Metric, MpiSend, MpiIrecv, MpiCollectiveEnd,
        ]),
        1 => select(EventKind::ALL),
    ];
    let metric = (0u32..3, select(ValueType::ALL), value());
    let attribute = (id(), select(ValueType::ALL), value());
    (
        (kind, prop::array::uniform4(id())),
        prop_oneof![0u64..100, any::<u64>()],
        prop::collection::vec(id(), Quantity::COUNT),
        prop::collection::vec(metric, 0..3),
        prop::collection::vec(attribute, 0..3),
    )
        .prop_map(
            |((kind, operands), time, quantities, mut metrics, attributes)| {
                if kind != Metric {
                    metrics.truncate(usize::from(time == 1));
                }
                Event {
                    symbol: Symbol::new(kind, &operands),
                    time,
                    quantities,
                    metrics,
                    attributes,
                }
            },
        )
}

type Part = (u64, Vec<Record>, Vec<Event>);

fn part() -> impl Strategy<Value = Part> {
    let late = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(record(), 1..4)];
    (id(), late, prop::collection::vec(event(), 0..12))
}

fn fill(batch: &mut EventBatch, events: &[Event], symbols: &mut SymbolTable) {
    for (index, event) in (0..).zip(events) {
        let kind = event.symbol.kind;
        let symbol = symbols.intern(event.symbol);
        let quantities = kind.quantities().iter();
        let quantities: Vec<_> = quantities
            .map(|&quantity| (quantity, event.quantities[quantity as usize]))
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

fn check(records: &[Record], parts: &[Part], name: &str) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = Chrome.create(output).unwrap();
    let mut all = definitions(records);
    writer.definitions(&all).unwrap();
    let mut symbols = SymbolTable::default();
    let mut events = Events::default();
    for (location, late, of_part) in parts {
        let location = LocationId(*location);
        let mut batch = EventBatch::default();
        let first = events.get(&location).map_or(0, Vec::len);
        batch.reset(location, Position(first as u64));
        batch.definitions = definitions(late);
        all.append(&batch.definitions);
        fill(&mut batch, of_part, &mut symbols);
        if !batch.is_empty() {
            collect(&mut events, &batch, &symbols);
        }
        writer.write(&batch, &symbols).unwrap();
    }
    let dropped = writer.finish().unwrap();
    prop_assert_eq!(dropped.groups().count(), 0);
    let read = read(&Chrome, &path, false).unwrap();
    let written = if name.ends_with(".json") {
        std::fs::read_to_string(&path).unwrap()
    } else {
        String::new()
    };
    let errors: Vec<_> = read
        .errors
        .iter()
        .map(|e| format!("{} {e}", e.place))
        .collect();
    prop_assert!(errors.is_empty(), "{:?}\n{}", errors, written);
    prop_assert_eq!(&read.events, &events, "\n{}", written);
    prop_assert_eq!(&read.definitions, &all, "\n{}", written);
    if !written.is_empty() {
        check_json(&written);
    }
    Ok(())
}

/// What viewers count on: threads within 32 bits that have names, slices that nest, and counters that
/// are numbers.
fn check_json(written: &str) {
    let json: Value = serde_json::from_str(written).unwrap();
    let mut open = HashMap::new();
    let mut named = Vec::new();
    for event in json["traceEvents"].as_array().unwrap() {
        let place = (
            event["pid"].as_u64().unwrap(),
            event["tid"].as_u64().unwrap(),
        );
        assert!(place.0 <= i32::MAX as u64 && place.1 <= i32::MAX as u64);
        let phase = event["ph"].as_str().unwrap();
        if phase == "M" {
            if event["name"] == "thread_name" {
                assert!(!named.contains(&place), "{event}");
                named.push(place);
            }
            continue;
        }
        assert!(named.contains(&place), "{event}");
        assert!(event["ts"].is_number());
        let depth: &mut u64 = open.entry(place).or_default();
        match phase {
            "B" => *depth += 1,
            "E" => *depth = depth.checked_sub(1).unwrap(),
            "C" => {
                for value in event["args"].as_object().unwrap().values() {
                    let is_large = value.as_str().is_some_and(|v| v.parse::<f64>().is_ok());
                    assert!(value.is_number() || is_large, "{event}");
                }
            }
            "s" | "f" => assert!(event["id"].as_str().unwrap().starts_with("0x")),
            "i" => assert_eq!(event["s"], "t"),
            _ => panic!("{event}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_file_reads_back(
        records in prop::collection::vec(record(), 0..40),
        parts in prop::collection::vec(part(), 0..6),
        name in select(vec!["a.json", "a.json", "a.json.gz", "a.json.zst"]),
    ) {
        check(&records, &parts, name)?;
    }
}

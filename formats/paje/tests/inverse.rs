//! Checks that any trace is unchanged after writing and reading it.

use foldtrace_paje::Paje;
use foldtrace_testing::{Event, Part, Record, check_reads_back, event, id, part, record, write};
use foldtrace_trace::{DefinitionKind, EventKind, Symbol};
use proptest::prelude::*;

fn check(records: &[Record], parts: &[Part]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.paje");
    let written = write(&Paje, &path, records, parts, true);
    let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
    check_reads_back(&Paje, &path, &written, &text)
}

/// Generates calls of a few regions, nested or not.
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

/// Generates a clock, which determines the form of times.
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
    fn any_trace_reads_back(
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

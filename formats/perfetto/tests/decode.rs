//! Checks that an output, decoded with the messages of the schema, corresponds to the trace.

use std::collections::{BTreeMap, HashMap};

use foldtrace_perfetto::Perfetto;
use foldtrace_perfetto::messages::{
    AnnotationValue, InternedData, NEEDS_STATE, STATE_CLEARED, Trace, TracePacket, Type,
};
use foldtrace_trace::{
    Clock, EventKind, Format, Operand, Output, Quantity, SymbolTable, UNDEFINED,
};
use proptest::prelude::*;
use prost::Message;

use crate::common::{
    self,
    random::{Trace as Random, kinds, trace},
};

/// A track event, with its names.
#[derive(Clone, Debug, PartialEq)]
struct DecodedEvent {
    event_type: Type,
    time: u64,
    category: Option<String>,
    annotations: Vec<(String, Option<AnnotationValue>)>,
    flows: [usize; 2],
}

/// The interned names of a sequence: categories, events, annotations, strings.
type Names = [HashMap<u64, String>; 4];

fn add_names(names: &mut Names, data: &InternedData) {
    let tables = [
        &data.event_categories,
        &data.event_names,
        &data.debug_annotation_names,
        &data.debug_annotation_string_values,
    ];
    for (known, new) in names.iter_mut().zip(tables) {
        for name in new {
            let twice = known.insert(name.iid.unwrap(), name.name.clone().unwrap());
            assert!(twice.is_none(), "a name is sent only once");
        }
    }
}

/// Reads packets as a reader does: the names of an event must be sent before the event.
fn decode(packets: &[TracePacket]) -> BTreeMap<u32, Vec<DecodedEvent>> {
    let mut names: HashMap<u32, Names> = HashMap::new();
    let mut tracks = std::collections::HashSet::new();
    let mut seen = BTreeMap::<u32, Vec<DecodedEvent>>::new();
    for packet in packets {
        if let Some(track) = &packet.track_descriptor {
            tracks.insert(track.uuid.unwrap());
            if let Some(parent) = track.parent_uuid {
                assert!(tracks.contains(&parent), "a track follows its parent");
            }
        }
        let Some(sequence) = packet.trusted_packet_sequence_id else {
            continue;
        };
        match packet.sequence_flags.unwrap() {
            STATE_CLEARED => assert!(names.insert(sequence, Names::default()).is_none()),
            flags => assert_eq!(flags, NEEDS_STATE),
        }
        let names = names.get_mut(&sequence).unwrap();
        if let Some(data) = &packet.interned_data {
            add_names(names, data);
        }
        let Some(event) = &packet.track_event else {
            continue;
        };
        assert!(tracks.contains(&event.track_uuid.unwrap()));
        if let Some(name) = event.name_iid {
            assert!(names[1].contains_key(&name));
        }
        let annotations = event.debug_annotations.iter().map(|annotation| {
            let name = names[2][&annotation.name_iid.unwrap()].clone();
            if let Some(AnnotationValue::StringIid(iid)) = annotation.value {
                assert!(names[3].contains_key(&iid));
            }
            (name, annotation.value.clone())
        });
        seen.entry(sequence).or_default().push(DecodedEvent {
            event_type: event.r#type(),
            time: packet.timestamp.unwrap(),
            category: event.category_iids.first().map(|iid| names[0][iid].clone()),
            annotations: annotations.collect(),
            flows: [event.flow_ids.len(), event.terminating_flow_ids.len()],
        });
    }
    seen
}

fn write(trace: &Random) -> Trace {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = Perfetto.create(output).unwrap();
    writer.definitions(&trace.definitions()).unwrap();
    trace.each_batch(|batch, symbols| writer.write(batch, symbols).unwrap());
    writer.finish().unwrap();
    Trace::decode(std::fs::read(&path).unwrap().as_slice()).unwrap()
}

fn nanoseconds(clock: Clock, ticks: u64) -> u64 {
    let nanoseconds = u128::from(ticks) * 1_000_000_000 / u128::from(clock.ticks_per_second);
    u64::try_from(nanoseconds)
        .unwrap_or(u64::MAX)
        .min(i64::MAX as u64)
}

/// Returns the expected events, except for the names of the objects that operands refer to.
fn expected(trace: &Random) -> Vec<Vec<DecodedEvent>> {
    let clock = trace.definitions().clock();
    let mut locations = Vec::<u64>::new();
    let mut all = Vec::<Vec<DecodedEvent>>::new();
    let mut open = HashMap::<u64, Vec<(EventKind, u64)>>::new();
    trace.each_batch(|batch, symbols: &SymbolTable| {
        let index = locations
            .iter()
            .position(|&known| known == batch.location.0);
        let index = index.unwrap_or_else(|| {
            locations.push(batch.location.0);
            all.push(Vec::new());
            locations.len() - 1
        });
        let (own, open) = (&mut all[index], open.entry(batch.location.0).or_default());
        for event in batch.iter(symbols) {
            let symbol = symbols.symbol(event.symbol);
            let kind = symbol.kind;
            let time = nanoseconds(clock, event.time.0);
            let push = |own: &mut Vec<DecodedEvent>,
                        event_type,
                        names: Vec<&str>,
                        category: Option<&str>| {
                own.push(DecodedEvent {
                    event_type,
                    time,
                    category: category.map(str::to_owned),
                    annotations: names
                        .iter()
                        .map(|name| ((*name).to_owned(), None))
                        .collect(),
                    flows: [0; 2],
                });
            };
            if kind == EventKind::Metric {
                for _ in batch.metrics.rows(event.index) {
                    push(own, Type::Counter, Vec::new(), None);
                }
                continue;
            }
            let mut names = Vec::new();
            for &quantity in kind.quantities() {
                let is_signed = quantity == Quantity::Value && kind.has_signed_value();
                if is_signed || event.quantities[quantity as usize] != UNDEFINED {
                    names.push(quantity.name());
                }
            }
            let attributes = batch.attributes.rows(event.index);
            // Their names depend on definitions.
            names.extend(attributes.map(|_| "?"));
            let enter = match kind {
                EventKind::Leave => Some((EventKind::Enter, Operand::Region)),
                EventKind::CallingContextLeave => {
                    Some((EventKind::CallingContextEnter, Operand::CallingContext))
                }
                _ => None,
            };
            let is_enter = matches!(kind, EventKind::Enter | EventKind::CallingContextEnter);
            let left = enter.and_then(|(enter, _)| {
                open.iter()
                    .rposition(|&call| call == (enter, symbol.operands[0]))
            });
            if let Some(depth) = left {
                let within = open.len() - depth - 1;
                open.remove(depth);
                push(own, Type::SliceEnd, names, None);
                (0..within).for_each(|_| push(own, Type::SliceEnd, Vec::new(), None));
                for (kind, _) in &open[depth..] {
                    push(own, Type::SliceBegin, Vec::new(), Some(kind.name()));
                }
                continue;
            }
            if is_enter {
                open.push((kind, symbol.operands[0]));
                push(own, Type::SliceBegin, names, Some(kind.name()));
                continue;
            }
            let operands = kind.operands().iter().zip(symbol.operands);
            let known = operands.filter(|(_, value)| *value != UNDEFINED);
            let mut all: Vec<&str> = known.map(|(operand, _)| operand.name()).collect();
            all.extend(names);
            push(own, Type::Instant, all, Some(kind.name()));
        }
    });
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_event_is_written_with_its_names(trace in trace(kinds())) {
        let seen: Vec<Vec<DecodedEvent>> = decode(&write(&trace).packet).into_values().collect();
        let expected = expected(&trace);
        let expected: Vec<_> = expected.into_iter().filter(|own| !own.is_empty()).collect();
        prop_assert_eq!(seen.len(), expected.len());
        for (seen, expected) in seen.iter().zip(&expected) {
            prop_assert_eq!(seen.len(), expected.len());
            for (seen, expected) in seen.iter().zip(expected) {
                prop_assert_eq!((seen.event_type, seen.time), (expected.event_type, expected.time));
                prop_assert_eq!(&seen.category, &expected.category);
                prop_assert_eq!(seen.annotations.len(), expected.annotations.len());
                for (a, b) in seen.annotations.iter().zip(&expected.annotations) {
                    prop_assert!(b.0 == "?" || a.0 == b.0, "{:?} {:?}", a, b);
                }
            }
        }
    }
}

#[test]
fn ends_of_messages_have_one_flow_and_numbers_keep_their_values() {
    let example = common::recorded();
    let ring = example
        .iter()
        .find(|path| path.to_string_lossy().contains("ring-4"))
        .unwrap();
    let reader = foldtrace_otf2::Otf2
        .open(
            foldtrace_trace::Input::Path(ring.clone()),
            &Default::default(),
        )
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.pftrace");
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = Perfetto.create(output).unwrap();
    writer.definitions(reader.definitions()).unwrap();
    let mut bytes = Vec::new();
    for stream in 0..reader.streams().len() {
        common::each_batch(reader.as_ref(), stream, |batch, symbols| {
            bytes.extend(batch.quantities[Quantity::Bytes as usize].iter().copied());
            writer.write(batch, symbols).unwrap();
        });
    }
    writer.finish().unwrap();
    let trace = Trace::decode(std::fs::read(&path).unwrap().as_slice()).unwrap();
    let events: Vec<_> = decode(&trace.packet).into_values().flatten().collect();
    let written: Vec<u64> = events
        .iter()
        .flat_map(|event| &event.annotations)
        .filter(|(name, _)| name == "bytes")
        .map(|(_, value)| match value {
            Some(AnnotationValue::Uint(bytes)) => *bytes,
            other => panic!("expected a number of bytes, found {other:?}"),
        })
        .collect();
    assert_eq!(written, bytes);
    let flows = |receives| {
        let packets = trace
            .packet
            .iter()
            .filter_map(|packet| packet.track_event.as_ref());
        let mut flows: Vec<u64> = packets
            .flat_map(|event| {
                if receives {
                    &event.terminating_flow_ids
                } else {
                    &event.flow_ids
                }
            })
            .copied()
            .collect();
        flows.sort_unstable();
        flows
    };
    assert!(!flows(false).is_empty());
    assert_eq!(
        flows(false),
        flows(true),
        "the flow of every message begins and ends"
    );
}

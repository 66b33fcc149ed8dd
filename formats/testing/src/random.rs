//! Generates arbitrary traces, as far as the model allows.

use foldtrace_trace::{
    DefinitionKind, Definitions, EventBatch, EventKind, Quantity, Symbol, SymbolTable, Timestamp,
    UNDEFINED, ValueType,
};
use proptest::prelude::*;
use proptest::sample::select;

use crate::Event;

/// Generates ids: few distinct values, so that ids coincide, and some extreme values.
pub fn id() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0u64..5, 1 => Just(UNDEFINED), 1 => any::<u64>()]
}

/// Generates texts, some of which a grammar may mistake for other syntax.
pub fn text() -> impl Strategy<Value = String> {
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
            " z",
            "bytes",
            "value.1",
            "MPI_Bcast",
            "\"a\"\n",
            "9007199254740993",
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,8}",
        any::<String>(),
    ]
}

/// The kind, the fields, the list and the text of a definition.
pub type Record = (DefinitionKind, Vec<u64>, Vec<u64>, String);

/// Generates definitions of any kind, more often of kinds that others refer to.
pub fn record() -> impl Strategy<Value = Record> {
    use DefinitionKind::{
        Attribute, CallingContext, ClockProperties, Comm, Group, Location, LocationGroup,
        MetricClass, MetricInstance, MetricMember, Region, String,
    };
    let kind = prop_oneof![
        4 => select(vec![String, String, Region, Location, LocationGroup, Group, Comm]),
        2 => select(vec![
            String, Attribute, MetricMember, MetricClass, MetricInstance, CallingContext,
            ClockProperties,
        ]),
        1 => select(DefinitionKind::ALL),
    ];
    let fields = prop::collection::vec(id(), 12);
    let list = prop::collection::vec(id(), 0..6);
    // Types are usually valid.
    let value_type = prop::option::weighted(0.9, select(ValueType::ALL));
    (kind, fields, list, text(), value_type).prop_map(
        |(kind, mut fields, list, text, value_type)| {
            let slot = match kind {
                Attribute => kind.slot("type"),
                MetricMember => kind.slot("value_type"),
                _ => None,
            };
            if let (Some(slot), Some(value_type)) = (slot, value_type) {
                fields[slot] = value_type as u64;
            }
            (kind, fields, list, text)
        },
    )
}

/// Returns the definitions of these records.
pub fn definitions(records: &[Record]) -> Definitions {
    let mut definitions = Definitions::default();
    for (kind, fields, list, text) in records {
        definitions.push(*kind, &fields[..kind.fields().len()], list, text);
    }
    definitions
}

/// Generates the bits of values: any, or those of numbers that a person would write.
fn value() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        id(),
        any::<f64>().prop_map(f64::to_bits),
        any::<i32>().prop_map(|value| i64::from(value) as u64),
    ]
}

/// Generates events of any kind, with any valid fields and some others.
pub fn event() -> impl Strategy<Value = Event> {
    use EventKind::{
        CallingContextEnter, CallingContextLeave, Enter, Leave, Local, Metric, MpiCollectiveEnd,
        MpiIrecv, MpiRecv, MpiSend,
    };
    let kind = prop_oneof![
        2 => select(vec![Enter, Local, MpiSend, MpiRecv, MpiIrecv, MpiCollectiveEnd]),
        2 => select(vec![Enter, Leave, Leave, CallingContextEnter, CallingContextLeave, Metric]),
        1 => select(EventKind::ALL),
    ];
    let metric = (0u32..3, select(ValueType::ALL), value());
    let attribute = (id(), select(ValueType::ALL), value());
    (
        (kind, prop::array::uniform4(id())),
        prop_oneof![0u64..100, any::<u64>()],
        prop::array::uniform5(id()),
        prop::collection::vec(metric, 0..3),
        prop::collection::vec(attribute, 0..3),
    )
        .prop_map(
            |((kind, operands), time, values, mut metrics, attributes)| {
                let mut quantities = [UNDEFINED; Quantity::COUNT];
                for &quantity in kind.quantities() {
                    quantities[quantity as usize] = values[quantity as usize];
                }
                if kind != Metric {
                    metrics.truncate(usize::from(time % 4 == 1));
                }
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

/// Events of a location, with the definitions that accompany them.
#[derive(Clone, Debug)]
pub struct Part {
    /// The id of the location.
    pub location: u64,
    /// The definitions that become known with the events.
    pub definitions: Vec<Record>,
    /// The events.
    pub events: Vec<Event>,
}

/// Generates a few events of a location, possibly with late definitions.
pub fn part() -> impl Strategy<Value = Part> {
    let late = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(record(), 1..4)];
    (id(), late, prop::collection::vec(event(), 0..12)).prop_map(
        |(location, definitions, events)| Part {
            location,
            definitions,
            events,
        },
    )
}

/// Fills an empty batch.
pub fn fill(batch: &mut EventBatch, events: &[Event], symbols: &mut SymbolTable) {
    for (index, event) in (0..).zip(events) {
        push(batch, symbols, index, event);
    }
}

/// Appends an event as number `index` of a batch.
pub fn push(batch: &mut EventBatch, symbols: &mut SymbolTable, index: u32, event: &Event) {
    let quantities = event.symbol.kind.quantities().iter();
    let quantities: Vec<_> = quantities
        .map(|&quantity| (quantity, event.quantities[quantity as usize]))
        .collect();
    let symbol = symbols.intern(event.symbol);
    batch.push(symbol, Timestamp(event.time), &quantities);
    for &(member, value_type, bits) in &event.metrics {
        batch.metrics.push(index, member, value_type, bits);
    }
    for &(id, value_type, bits) in &event.attributes {
        batch.attributes.push(index, id, value_type, bits);
    }
}

//! Traces of anything at all, as far as the model allows it.

use foldtrace_trace::{
    DefinitionKind, Definitions, EventBatch, EventKind, Quantity, Symbol, SymbolTable, Timestamp,
    UNDEFINED, ValueType,
};
use proptest::prelude::*;
use proptest::sample::select;

/// Few distinct ids, so that they meet, and some at the edges.
pub fn id() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0u64..5, 1 => Just(UNDEFINED), 1 => any::<u64>()]
}

/// Texts, among them some that a grammar may take for something else.
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
            " z"
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,8}",
        any::<String>(),
    ]
}

/// Kind, fields, list and text of a definition.
pub type Record = (DefinitionKind, Vec<u64>, Vec<u64>, String);

/// A definition of any kind, more often of those that others refer to.
pub fn record() -> impl Strategy<Value = Record> {
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

/// The definitions of these records.
pub fn definitions(records: &[Record]) -> Definitions {
    let mut definitions = Definitions::default();
    for (kind, fields, list, text) in records {
        definitions.push(*kind, &fields[..kind.fields().len()], list, text);
    }
    definitions
}

/// An event that is not in a batch yet.
#[derive(Clone, Debug)]
pub struct Event {
    /// What happened.
    pub symbol: Symbol,
    /// When.
    pub time: u64,
    /// A value a quantity.
    pub quantities: Vec<u64>,
    /// Member, type and bits.
    pub metrics: Vec<(u32, ValueType, u64)>,
    /// Id, type and bits.
    pub attributes: Vec<(u64, ValueType, u64)>,
}

/// An event of any kind, with anything it can have and more.
pub fn event() -> impl Strategy<Value = Event> {
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

/// Events of a location, with what becomes known with them.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its id.
    pub location: u64,
    /// What becomes known.
    pub definitions: Vec<Record>,
    /// What happens.
    pub events: Vec<Event>,
}

/// A few events of a location, perhaps with definitions that come late.
pub fn part() -> impl Strategy<Value = Part> {
    let late = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(record(), 1..4)];
    (id(), late, prop::collection::vec(event(), 0..8)).prop_map(
        |(location, definitions, events)| Part {
            location,
            definitions,
            events,
        },
    )
}

/// Fills a batch that is empty.
pub fn fill(batch: &mut EventBatch, events: &[Event], symbols: &mut SymbolTable) {
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

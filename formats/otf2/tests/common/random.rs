//! Random traces that an archive can represent unchanged: every kind of event and of definition, with numbers from
//! the whole range of their fields.

use foldtrace_trace::{
    DefinitionKind, Definitions, EventBatch, EventKind, Field, FieldType, LocationId, MAX_OPERANDS,
    Operand, Position, Symbol, SymbolTable, Timestamp, UNDEFINED, ValueType,
};
use proptest::prelude::*;
use proptest::sample::select;

use super::Event;

/// A definition before it is added.
#[derive(Clone, Debug)]
pub struct Record {
    pub kind: DefinitionKind,
    pub fields: Vec<u64>,
    pub list: Vec<u64>,
    pub text: String,
}

/// A trace: its definitions, and events in batches that are interleaved between locations.
#[derive(Clone, Debug)]
pub struct Trace {
    pub records: Vec<Record>,
    pub batches: Vec<(u64, Vec<(Event, EventKind)>)>,
}

impl Trace {
    pub fn definitions(&self) -> Definitions {
        let mut definitions = Definitions::default();
        for record in &self.records {
            definitions.push(record.kind, &record.fields, &record.list, &record.text);
        }
        definitions
    }

    /// Calls `visit` with each batch, with consecutive positions per location.
    pub fn each_batch(&self, mut visit: impl FnMut(&EventBatch, &SymbolTable)) {
        let mut symbols = SymbolTable::default();
        let mut batch = EventBatch::default();
        let mut positions = std::collections::BTreeMap::<u64, u64>::new();
        for (location, events) in &self.batches {
            let position = positions.entry(*location).or_default();
            batch.reset(LocationId(*location), Position(*position));
            *position += events.len() as u64;
            for (event, kind) in events {
                fill(&mut batch, &mut symbols, event, *kind);
            }
            visit(&batch, &symbols);
        }
    }
}

fn fill(batch: &mut EventBatch, symbols: &mut SymbolTable, event: &Event, kind: EventKind) {
    let index = batch.len() as u32;
    for (member, &(code, bits)) in (0..).zip(&event.metrics) {
        batch.metrics.push(index, member, value_type(code), bits);
    }
    for (number, &string) in (0..).zip(&event.arguments) {
        let attributes = &mut batch.attributes;
        attributes.push(index, number, ValueType::Argument, string);
    }
    for &(attribute, code, bits) in &event.attributes {
        let attributes = &mut batch.attributes;
        attributes.push(index, attribute, value_type(code), bits);
    }
    let quantities = kind.quantities().iter().copied();
    let quantities: Vec<_> = quantities.zip(event.quantities.iter().copied()).collect();
    let symbol = symbols.intern(Symbol::new(kind, &event.operands));
    batch.push(symbol, Timestamp(event.time), &quantities);
}

fn value_type(code: u8) -> ValueType {
    ValueType::from_code(code).unwrap()
}

/// Generates a number of `bits` bits: small, near the maximum, undefined, or any other.
fn number(bits: u32) -> BoxedStrategy<u64> {
    let end = u64::MAX >> (64 - bits);
    prop_oneof![
        6 => 0..5_u64,
        1 => Just(end - 1),
        1 => Just(UNDEFINED),
        1 => 0..end,
    ]
    .boxed()
}

/// Returns the number of bits of an operand.
fn operand(kind: EventKind, operand: Operand) -> u32 {
    use Operand::{
        AtomicType, IoParadigm, Lock, LockType, Mode, Model, Operation, SyncType, Whence,
    };
    match operand {
        Operation | LockType | SyncType | AtomicType | Model | Mode | Whence | IoParadigm => 8,
        Lock if kind.name().starts_with("rma") => 64,
        _ => 32,
    }
}

/// Returns the number of bits of a kind's own number; all other quantities have 64.
fn value(kind: EventKind) -> u32 {
    use EventKind::{
        CallingContextEnter, CallingContextSample, OmpAcquireLock, OmpFork, OmpReleaseLock,
        ThreadAcquireLock, ThreadFork, ThreadReleaseLock, ThreadTaskComplete, ThreadTaskCreate,
        ThreadTaskSwitch,
    };
    match kind {
        OmpFork | OmpAcquireLock | OmpReleaseLock | ThreadFork | ThreadAcquireLock
        | ThreadReleaseLock | ThreadTaskCreate | ThreadTaskSwitch | ThreadTaskComplete
        | CallingContextEnter | CallingContextSample => 32,
        _ => 64,
    }
}

/// Generates the bits of a value of that type.
fn bits(value_type: ValueType) -> BoxedStrategy<u64> {
    let signed = |bits: u32| {
        prop_oneof![
            any::<i64>().prop_map(move |n| (n >> (64 - bits)).cast_unsigned()),
            Just((i64::MIN >> (64 - bits)).cast_unsigned()),
            Just(UNDEFINED),
        ]
        .boxed()
    };
    let unsigned = |bits: u32| {
        let end = u64::MAX >> (64 - bits);
        prop_oneof![0..=end, Just(end), Just(0)].boxed()
    };
    match value_type {
        ValueType::Uint8 => unsigned(8),
        ValueType::Uint16 => unsigned(16),
        ValueType::Uint32 | ValueType::Float => unsigned(32),
        ValueType::Uint64 | ValueType::Double => unsigned(64),
        ValueType::Int8 => signed(8),
        ValueType::Int16 => signed(16),
        ValueType::Int32 => signed(32),
        ValueType::Int64 => signed(64),
        ValueType::Location => number(64),
        _ => number(32),
    }
}

/// Generates a type of values that archives have.
fn types() -> impl Strategy<Value = ValueType> {
    let all: Vec<_> = ValueType::ALL
        .iter()
        .copied()
        .filter(|&t| t != ValueType::None && t != ValueType::Argument)
        .collect();
    select(all)
}

fn typed() -> impl Strategy<Value = (u8, u64)> {
    types().prop_flat_map(|value_type| (Just(value_type as u8), bits(value_type)))
}

/// Generates events of the given kinds, all with the same probability.
pub fn event(kinds: Vec<EventKind>) -> impl Strategy<Value = (Event, EventKind)> {
    select(kinds).prop_flat_map(|kind| {
        let operands: Vec<_> = kind
            .operands()
            .iter()
            .map(|&o| number(operand(kind, o)))
            .collect();
        assert!(operands.len() <= MAX_OPERANDS);
        let quantities: Vec<_> = kind
            .quantities()
            .iter()
            .map(|q| number(if q.name() == "value" { value(kind) } else { 64 }))
            .collect();
        let most = |kinds: EventKind, most: usize| if kind == kinds { most } else { 0 };
        let metrics = prop::collection::vec(
            (select(vec![4_u8, 8, 10]), any::<u64>()),
            0..=most(EventKind::Metric, 5),
        );
        let arguments = prop::collection::vec(number(32), 0..=most(EventKind::ProgramBegin, 4));
        let attributes = prop_oneof![
            3 => Just(Vec::new()),
            1 => prop::collection::btree_map(0..u64::from(u32::MAX), typed(), 1..5)
                .prop_map(|all| all.into_iter().map(|(id, (t, v))| (id, t, v)).collect()),
        ];
        let time = prop_oneof![8 => 0..1000_u64, 1 => any::<u64>()];
        (time, operands, quantities, metrics, arguments, attributes).prop_map(
            move |(time, operands, quantities, metrics, arguments, attributes)| {
                let event = Event {
                    kind: kind.name().to_owned(),
                    time,
                    operands,
                    quantities,
                    metrics,
                    arguments,
                    attributes,
                };
                (event, kind)
            },
        )
    })
}

/// Returns the number of bits of a field whose type does not determine it.
fn plain(kind: DefinitionKind, field: &str) -> u32 {
    match field {
        "ticks_per_second" | "global_offset" | "trace_length" | "realtime_timestamp" => 64,
        "number_of_events" | "period" | "time" | "duration" | "scope" | "baseline" => 64,
        "flags" | "begin_line" | "end_line" | "line" | "size" | "status_flags" | "rank" => 32,
        _ if kind == DefinitionKind::Snapshot => 64,
        _ => 8,
    }
}

fn field(kind: DefinitionKind, field: &Field) -> BoxedStrategy<u64> {
    match field.field_type {
        FieldType::Id | FieldType::Ref(_) => match (kind, field.field_type) {
            (DefinitionKind::Location, FieldType::Id)
            | (_, FieldType::Ref(DefinitionKind::Location)) => (0..u64::MAX - 1).boxed(),
            (DefinitionKind::IoParadigm, FieldType::Id)
            | (_, FieldType::Ref(DefinitionKind::IoParadigm)) => number(8),
            _ => number(32),
        },
        FieldType::Number => number(plain(kind, field.name)),
        FieldType::Signed | FieldType::Double | FieldType::Value => any::<u64>().boxed(),
        FieldType::Type => types().prop_map(|value_type| value_type as u64).boxed(),
    }
}

fn list(kind: DefinitionKind) -> BoxedStrategy<Vec<u64>> {
    match kind {
        DefinitionKind::IoParadigm => prop::collection::vec((number(8), typed()), 0..4)
            .prop_map(|all| {
                all.into_iter()
                    .flat_map(|(p, (t, v))| [p, t.into(), v])
                    .collect()
            })
            .boxed(),
        DefinitionKind::Group => prop::collection::vec(number(64), 0..300).boxed(),
        _ if kind.list().is_some() => prop::collection::vec(number(32), 0..=255).boxed(),
        _ => Just(Vec::new()).boxed(),
    }
}

/// Generates a global definition of that kind.
fn record(kind: DefinitionKind) -> impl Strategy<Value = Record> {
    let fields: Vec<_> = kind.fields().iter().map(|f| field(kind, f)).collect();
    let text = if kind.has_text() {
        "[^\0]{0,12}".boxed()
    } else {
        Just(String::new()).boxed()
    };
    (fields, list(kind), text, typed()).prop_map(move |(mut fields, list, text, (code, bits))| {
        let value = kind
            .fields()
            .iter()
            .position(|f| f.field_type == FieldType::Value);
        if let Some(value) = value {
            (fields[value - 1], fields[value]) = (code.into(), bits);
        }
        Record {
            kind,
            fields,
            list,
            text,
        }
    })
}

/// Returns the kinds of definitions in the file of all locations.
pub fn global() -> Vec<DefinitionKind> {
    let all = DefinitionKind::ALL.iter().copied();
    all.filter(|kind| {
        !matches!(
            kind,
            DefinitionKind::TraceProperty
                | DefinitionKind::MappingTable
                | DefinitionKind::ClockOffset
                | DefinitionKind::LocalDefinition
                | DefinitionKind::MarkerGroup
                | DefinitionKind::MarkerCategory
                | DefinitionKind::Marker
                | DefinitionKind::Snapshot
                | DefinitionKind::SnapshotAttribute
                | DefinitionKind::Thumbnail
                | DefinitionKind::ThumbnailDescription
                | DefinitionKind::ThumbnailSample
        )
    })
    .collect()
}

/// Returns the kinds of events that archives have a record for; the last four were added in OTF2 3.2.
pub fn kinds() -> Vec<EventKind> {
    let all = EventKind::ALL.iter().copied();
    all.filter(|kind| !matches!(kind, EventKind::Unknown | EventKind::Local))
        .collect()
}

/// Returns the kinds of events that libotf2 3.0 supports.
pub fn kinds_of_3_0() -> Vec<EventKind> {
    let newer = ["mpi_probe", "mpi_mrecv", "mpi_imrecv_request", "mpi_imrecv"];
    kinds()
        .into_iter()
        .filter(|kind| !newer.contains(&kind.name()))
        .collect()
}

/// Generates markers with their categories, as they follow the global definitions.
fn markers() -> impl Strategy<Value = Vec<Record>> {
    use DefinitionKind::{Marker, MarkerCategory, MarkerGroup};
    let category =
        (record(MarkerGroup), record(MarkerCategory)).prop_map(|(mut group, category)| {
            group.fields[0] = category.fields[0];
            vec![group, category]
        });
    let marker = record(Marker).prop_map(|marker| vec![marker]);
    prop::collection::vec(prop_oneof![category, marker], 0..4).prop_map(|all| all.concat())
}

/// Generates traces with events of these kinds.
pub fn trace(kinds: Vec<EventKind>) -> impl Strategy<Value = Trace> {
    let locations = prop::collection::btree_set(0..u64::MAX - 1, 1..4);
    let records = prop::collection::vec(select(global()).prop_flat_map(record), 0..40);
    let sizes = prop::collection::vec((any::<prop::sample::Index>(), 1..30_usize), 0..8);
    let events = prop::collection::vec(event(kinds), 240);
    let clock = record(DefinitionKind::ClockProperties);
    (locations, clock, records, markers(), sizes, events).prop_map(
        |(locations, clock, mut records, markers, sizes, events)| {
            let locations: Vec<u64> = locations.into_iter().collect();
            records.insert(0, clock);
            // If a location declares its number of events, the writer keeps that number.
            let plain = |&id: &u64| Record {
                kind: DefinitionKind::Location,
                fields: vec![id, 0, 1, 7, UNDEFINED],
                list: Vec::new(),
                text: String::new(),
            };
            records.extend(locations.iter().map(plain));
            for record in &mut records {
                if record.kind == DefinitionKind::Location && record.fields[3] == UNDEFINED {
                    record.fields[3] = 0;
                }
            }
            records.extend(markers);
            let mut events = events.into_iter();
            let batches = sizes
                .into_iter()
                .map(|(index, size)| {
                    let location = locations[index.index(locations.len())];
                    (location, events.by_ref().take(size).collect())
                })
                .collect();
            Trace { records, batches }
        },
    )
}

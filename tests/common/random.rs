//! Random traces: any kinds of events, ids and definitions, however odd, in any order.

use std::collections::BTreeMap;
use std::path::PathBuf;

use foldtrace::store::FoldFormat;
use foldtrace_testing::{Event, fill};
use foldtrace_trace::{
    DefinitionKind, Definitions, EventBatch, EventKind, Format, LocationId, Output, Position,
    Quantity, Symbol, SymbolTable, TraceWriter, UNDEFINED, ValueType,
};
use proptest::prelude::*;
use tempfile::TempDir;

#[derive(Clone, Debug)]
pub struct Definition {
    pub kind: DefinitionKind,
    pub fields: Vec<u64>,
    pub list: Vec<u64>,
    pub text: String,
}

/// A batch to be written.
#[derive(Clone, Debug)]
pub struct Piece {
    pub location: usize,
    /// The stream whose table its symbols are of.
    pub stream: usize,
    pub events: Vec<Event>,
    pub definitions: Vec<Definition>,
}

/// A whole trace.
#[derive(Clone, Debug)]
pub struct Trace {
    pub locations: Vec<u64>,
    pub definitions: Vec<Definition>,
    pub pieces: Vec<Piece>,
}

/// Numbers as traces have them: small ones, undefined ones, and all others.
pub fn number() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..6_u64, 1 => Just(UNDEFINED), 1 => any::<u64>()]
}

pub fn value_type() -> impl Strategy<Value = ValueType> {
    prop::sample::select(ValueType::ALL)
}

/// A type and bits that it can have: a float is in the low half, and quiet if it is no number.
pub fn typed() -> impl Strategy<Value = (ValueType, u64)> {
    const QUIET: u32 = 1 << 22;
    (value_type(), prop_oneof![number(), any::<u64>()]).prop_map(|(value_type, bits)| {
        let float = match f32::from_bits(bits as u32) {
            value if value.is_nan() => value.to_bits() | QUIET,
            value => value.to_bits(),
        };
        match value_type {
            ValueType::Float => (value_type, u64::from(float)),
            _ => (value_type, bits),
        }
    })
}

pub fn metrics() -> impl Strategy<Value = Vec<(u32, ValueType, u64)>> {
    let one = (prop_oneof![0..3_u32, any::<u32>()], typed()).prop_map(|(m, (t, v))| (m, t, v));
    prop_oneof![6 => Just(Vec::new()), 1 => prop::collection::vec(one, 1..4)]
}

pub fn attributes() -> impl Strategy<Value = Vec<(u64, ValueType, u64)>> {
    let one = (number(), typed()).prop_map(|(a, (t, v))| (a, t, v));
    prop_oneof![6 => Just(Vec::new()), 1 => prop::collection::vec(one, 1..4)]
}

pub fn event() -> impl Strategy<Value = Event> {
    let kind = prop::sample::select(EventKind::ALL);
    let operands = prop::array::uniform4(number());
    let quantities = prop::array::uniform5(number());
    (kind, operands, quantities, time(), metrics(), attributes()).prop_map(
        |(kind, operands, values, time, metrics, attributes)| {
            let mut quantities = [UNDEFINED; Quantity::COUNT];
            for &quantity in kind.quantities() {
                quantities[quantity as usize] = values[quantity as usize];
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

pub fn time() -> impl Strategy<Value = u64> {
    prop_oneof![3 => 0..1000_u64, 1 => any::<u64>()]
}

/// Events, often with some of them over and over, so that there is something to fold.
pub fn events() -> impl Strategy<Value = Vec<Event>> {
    (prop::collection::vec(event(), 0..9), 1..5_usize)
        .prop_map(|(events, times)| vec![events; times].concat())
}

pub fn definition() -> impl Strategy<Value = Definition> {
    let kind = prop::sample::select(DefinitionKind::ALL);
    let fields = prop::collection::vec(number(), 10);
    let list = prop::collection::vec(number(), 0..5);
    (kind, fields, list, ".{0,6}").prop_map(|(kind, mut fields, mut list, mut text)| {
        fields.truncate(kind.fields().len());
        if kind.list().is_none() {
            list.clear();
        }
        if !kind.has_text() {
            text.clear();
        }
        Definition {
            kind,
            fields,
            list,
            text,
        }
    })
}

pub fn definitions(most: usize) -> impl Strategy<Value = Vec<Definition>> {
    prop::collection::vec(definition(), 0..=most)
}

prop_compose! {
    pub fn trace()(
        locations in prop::collection::btree_set(number(), 1..5),
    )(
        pieces in prop::collection::vec(
            (0..locations.len(), 0..3_usize, events(), definitions(2)), 0..12),
        definitions in definitions(12),
        locations in Just(locations),
    ) -> Trace {
        let pieces = pieces.into_iter().map(|(location, stream, events, definitions)| {
            Piece { location, stream, events, definitions }
        });
        Trace { locations: locations.into_iter().collect(), definitions, pieces: pieces.collect() }
    }
}

pub fn push_all(into: &mut Definitions, definitions: &[Definition]) {
    for d in definitions {
        into.push(d.kind, &d.fields, &d.list, &d.text);
    }
}

impl Trace {
    /// Writes it; gives the store with the folder that it lives in.
    pub fn write(&self) -> (TempDir, PathBuf) {
        let (folder, path, mut writer) = new_store();
        let mut first = Definitions::default();
        push_all(&mut first, &self.definitions);
        writer.definitions(&first).unwrap();
        let mut tables = [(); 3].map(|()| SymbolTable::default());
        let mut next = vec![0; self.locations.len()];
        let mut batch = EventBatch::default();
        for piece in &self.pieces {
            let location = LocationId(self.locations[piece.location]);
            batch.reset(location, Position(next[piece.location]));
            let table = &mut tables[piece.stream];
            fill(&mut batch, &piece.events, table);
            push_all(&mut batch.definitions, &piece.definitions);
            next[piece.location] += piece.events.len() as u64;
            writer.write(&batch, table).unwrap();
        }
        writer.finish().unwrap();
        (folder, path)
    }

    /// The events of each location that has any.
    pub fn events(&self) -> BTreeMap<LocationId, Vec<&Event>> {
        let mut events: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for piece in self.pieces.iter().filter(|p| !p.events.is_empty()) {
            let location = LocationId(self.locations[piece.location]);
            events.entry(location).or_default().extend(&piece.events);
        }
        events
    }

    /// All definitions, in the order in which they were written.
    pub fn definitions(&self) -> Definitions {
        let mut all = Definitions::default();
        push_all(&mut all, &self.definitions);
        for piece in &self.pieces {
            push_all(&mut all, &piece.definitions);
        }
        all
    }
}

pub fn new_store() -> (TempDir, PathBuf, Box<dyn TraceWriter>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.fold");
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    (folder, path, FoldFormat.create(output).unwrap())
}

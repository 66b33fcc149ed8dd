//! What is written to a store is what is read from it, for every trace: events with all they carry,
//! definitions, models, from any position on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use foldtrace::convert::{ConvertOptions, Progress, to_store};
use foldtrace::store::{self, FileEntry, Form, Layout, Origin, StoreReader, verify};
use foldtrace_testing::{Event, push};
use foldtrace_trace::{
    DefinitionKind, Diagnostics, EventBatch, EventKind, EventStream, LocationId, OpenCalls,
    Position, Quantity, Step, Symbol, SymbolTable, TimeRange, Timestamp, TraceReader, UNDEFINED,
    ValueType,
};
use proptest::prelude::*;
use proptest::sample::Index;
use tempfile::TempDir;

use crate::common::random::{Piece, Trace, new_store, time, trace};

/// The events of a location from a position on, read with at most `most` in a batch.
fn read(store: &StoreReader, location: LocationId, from: u64, most: u64) -> Vec<Event> {
    let mut stream = store.events(location, Position(from)).with_batch_size(most);
    let mut batch = EventBatch::default();
    let mut diagnostics = Diagnostics::default();
    let mut events = Vec::new();
    while stream.next_batch(&mut batch, &mut diagnostics).unwrap() == Step::Batch {
        assert_eq!(batch.location, location);
        assert_eq!(batch.first, Position(from + events.len() as u64));
        assert!(batch.len() as u64 <= most);
        let symbols = store.symbols();
        let whole = |event| Event::new(&event, symbols, &batch.metrics, &batch.attributes);
        events.extend(batch.iter(stream.symbols()).map(whole));
    }
    assert!(diagnostics.is_empty());
    events
}

/// A store, or the archive that is made of it.
fn write_as(trace: &Trace, form: Form) -> (TempDir, PathBuf) {
    let (folder, store) = trace.write();
    if form == Form::Plain {
        return (folder, store);
    }
    let archive = folder.path().join("archive.fold");
    convert(&store, &archive, form);
    (folder, archive)
}

/// Makes a store of a store.
fn convert(from: &Path, to: &Path, form: Form) {
    let options = ConvertOptions {
        layout: Layout::default().with_form(form),
        ..ConvertOptions::default()
    };
    let store = StoreReader::open(from).unwrap();
    let origin = Origin::store(&store).unwrap();
    to_store(&store, &origin, to, &options, &Progress::default()).unwrap();
}

fn forms() -> impl Strategy<Value = Form> {
    prop_oneof![Just(Form::Plain), Just(Form::Archive)]
}

/// Symbols and times alone.
fn read_times(store: &StoreReader, location: LocationId, from: u64) -> Vec<(Symbol, u64)> {
    let mut stream = store.events(location, Position(from));
    let (mut symbols, mut times) = (Vec::new(), Vec::new());
    let mut read = Vec::new();
    loop {
        stream.next_times(&mut symbols, &mut times).unwrap();
        assert_eq!(symbols.len(), times.len());
        if symbols.is_empty() {
            return read;
        }
        let symbols = symbols.iter().map(|&symbol| store.symbols().symbol(symbol));
        read.extend(symbols.zip(times.iter().map(|time| time.0)));
    }
}

/// An event that was looked up, and which one it says that it is.
fn found(store: &StoreReader, found: &store::Event) -> ((LocationId, Position), Event) {
    let text = found.text(store.names(), store.symbols());
    let event = Event::new(
        &text.event,
        store.symbols(),
        &found.metrics,
        &found.attributes,
    );
    ((found.location, found.position), event)
}

fn is_as_written(path: &Path) -> bool {
    verify(path).unwrap().findings.is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn events_come_back(trace in trace(), form in forms(), most in 1..40_u64) {
        let (_folder, path) = write_as(&trace, form);
        let store = StoreReader::open(&path).unwrap();
        let expected = trace.events();
        for (&location, events) in &expected {
            let back = read(&store, location, 0, most);
            prop_assert_eq!(back.iter().collect::<Vec<_>>(), events.clone());
        }
        let total: usize = expected.values().map(Vec::len).sum();
        prop_assert_eq!(store.manifest().counts.events, total as u64);
        prop_assert!(is_as_written(&path));
    }

    #[test]
    fn events_come_back_from_any_position(
        trace in trace(),
        form in forms(),
        places in prop::collection::vec(any::<Index>(), 6),
        most in 1..40_u64,
    ) {
        let (_folder, path) = write_as(&trace, form);
        let store = StoreReader::open(&path).unwrap();
        for (&location, events) in &trace.events() {
            for place in &places {
                // One beyond the last event is a position without an event.
                let from = place.index(events.len() + 1);
                let back = read(&store, location, from as u64, most);
                prop_assert_eq!(back.iter().collect::<Vec<_>>(), events[from..].to_vec());
                let times: Vec<_> = events[from..].iter().map(|e| (e.symbol, e.time)).collect();
                prop_assert_eq!(read_times(&store, location, from as u64), times);
                let to = Position(most);
                let mut slice = store.events_in(location, Position(from as u64)..to);
                let (mut symbols, mut count) = (Vec::new(), 0);
                while { slice.next_symbols(&mut symbols).unwrap(); !symbols.is_empty() } {
                    count += symbols.len();
                }
                prop_assert_eq!(count, events.len().min(most as usize).saturating_sub(from));
            }
        }
    }

    #[test]
    fn events_are_found_in_any_order(
        trace in trace(),
        form in forms(),
        places in prop::collection::vec(any::<(Index, Index)>(), 0..60),
    ) {
        let (_folder, path) = write_as(&trace, form);
        let store = StoreReader::open(&path).unwrap();
        let events = trace.events();
        let (places, expected): (Vec<_>, Vec<_>) = places
            .iter()
            .map(|(location, position)| {
                let location = LocationId(trace.locations[location.index(trace.locations.len())]);
                let events = events.get(&location).map_or(&[][..], Vec::as_slice);
                // One beyond the last event is a position without an event.
                let at = position.index(events.len() + 1);
                let place = (location, Position(at as u64));
                (place, events.get(at).map(|&event| (place, event.clone())))
            })
            .unzip();
        let mut lookup = store.lookup();
        let together = lookup.get_many(&places).unwrap();
        let one_by_one: Vec<_> =
            places.iter().map(|&(l, p)| lookup.get(l, p).unwrap()).collect();
        for all in [together, one_by_one] {
            let all: Vec<_> = all.iter().map(|e| e.as_ref().map(|e| found(&store, e))).collect();
            prop_assert_eq!(&all, &expected);
        }
    }

    /// Times go back and forth here, and use all 64 bits.
    #[test]
    fn a_range_of_time_is_from_the_first_event_in_it_to_the_first_behind(
        trace in trace(),
        form in forms(),
        from in prop::option::of(time()),
        to in prop::option::of(time()),
    ) {
        let (_folder, path) = write_as(&trace, form);
        let store = StoreReader::open(&path).unwrap();
        let range = TimeRange { from: from.map(Timestamp), to: to.map(Timestamp) };
        for (index, location) in store.locations().enumerate() {
            let events = trace.events().remove(&location).unwrap_or_default();
            let first = |begin: usize, time: u64| {
                let found = events[begin..].iter().position(|event| event.time >= time);
                begin + found.unwrap_or(events.len() - begin)
            };
            let begin = from.map_or(0, |from| first(0, from));
            let end = to.map_or(events.len(), |to| first(begin, to));

            let mut begun = store.open_stream_in(index, range).unwrap();
            let mut found = Vec::new();
            let mut batch = EventBatch::default();
            while begun.stream.next_batch(&mut batch, &mut Diagnostics::default()).unwrap() == Step::Batch {
                prop_assert_eq!(batch.first.0 as usize, begin + found.len());
                found.extend(batch.times.iter().map(|time| time.0));
            }
            let expected: Vec<_> = events[begin..end].iter().map(|event| event.time).collect();
            prop_assert_eq!(found, expected);

            let (mut table, mut calls) = (SymbolTable::default(), OpenCalls::default());
            for event in &events[..begin] {
                calls.take(table.intern(event.symbol), &table);
            }
            let open: Vec<_> = calls.entered().map(|id| table.symbol(id)).collect();
            let told: Vec<_> = begun.open.iter().map(|&id| store.symbols().symbol(id)).collect();
            prop_assert_eq!(told, open);
        }
    }

    #[test]
    fn definitions_come_back(trace in trace()) {
        let (_folder, path) = trace.write();
        let store = StoreReader::open(&path).unwrap();
        prop_assert_eq!(store.definitions(), &trace.definitions());
        let defined = (trace.definitions().records(DefinitionKind::Location))
            .map(|record| LocationId(record.get(0)))
            .collect::<BTreeSet<_>>();
        let all: BTreeSet<_> = trace.events().into_keys().chain(defined).collect();
        prop_assert!(store.locations().eq(all));
    }

    #[test]
    fn models_expand_to_the_topology(trace in trace()) {
        let (_folder, path) = trace.write();
        let store = StoreReader::open(&path).unwrap();
        let expected = trace.events();
        let models = store.models().unwrap().collect::<Result<Vec<_>, _>>().unwrap();
        prop_assert_eq!(models.len(), store.locations().len());
        for stored in &models {
            let events = expected.get(&stored.location).map_or(&[][..], Vec::as_slice);
            prop_assert_eq!(stored.model.events, events.len() as u64);
            let expanded: Vec<_> = (stored.model.expand(store.symbols()))
                .map(|id| store.symbols().symbol(id))
                .collect();
            let topology: Vec<_> = events.iter().map(|event| event.symbol).collect();
            prop_assert_eq!(expanded, topology);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Stores of the same layout: the first was written as one part, the second a part a location.
    #[test]
    fn an_archive_is_the_same_store_again(trace in trace()) {
        let (folder, first) = trace.write();
        let [plain, archive, again] =
            ["plain.fold", "archive.fold", "again.fold"].map(|name| folder.path().join(name));
        convert(&first, &plain, Form::Plain);
        convert(&plain, &archive, Form::Archive);
        convert(&archive, &again, Form::Plain);
        prop_assert!(is_as_written(&archive));
        let files = |store: &Path| StoreReader::open(store).unwrap().manifest().files.clone();
        let same = |file: &FileEntry| file.path != "views.sql";
        let (plain, again) = (files(&plain), files(&again));
        prop_assert!(plain.iter().filter(|f| same(f)).eq(again.iter().filter(|f| same(f))));
    }
}

/// A single event of a kind, with every operand and quantity told apart.
#[test]
fn every_kind_keeps_its_operands_and_quantities() {
    let events = EventKind::ALL.iter().map(|&kind| {
        let mut quantities = [UNDEFINED; Quantity::COUNT];
        for &quantity in kind.quantities() {
            quantities[quantity as usize] = 100 + quantity as u64;
        }
        Event {
            symbol: Symbol::new(kind, &[1, 2, 3, 4]),
            time: u64::MAX - kind as u64,
            quantities,
            metrics: Vec::new(),
            attributes: Vec::new(),
        }
    });
    one_location_comes_back(events.collect());
}

/// Bits of every type, where they are easily lost: signs, infinities, what is no number.
#[test]
fn every_type_of_value_keeps_its_bits() {
    let floats = [
        0.0,
        -0.0,
        1.5,
        f32::MIN_POSITIVE / 2.0,
        f32::INFINITY,
        f32::NAN,
    ];
    let floats = floats.map(|value| u64::from(value.to_bits()));
    let quiet_and_signalling = [0x7fc0_0001, 0xffc1_2345, 0x7f80_0001, 0xffbf_ffff];
    let doubles = [0.0, -0.0, 1.5, f64::MIN_POSITIVE / 2.0, f64::NEG_INFINITY];
    let doubles = doubles.map(f64::to_bits).into_iter();
    let doubles = doubles.chain([0x7ff8_0000_0000_0001, 0x7ff0_0000_0000_0001, UNDEFINED]);
    let numbers = [0, 1, 127, 128, i64::MAX as u64, i64::MIN as u64, UNDEFINED];
    let mut values: Vec<(ValueType, u64)> = Vec::new();
    for &value_type in ValueType::ALL {
        let bits: Vec<u64> = match value_type {
            ValueType::Float => floats.into_iter().chain(quiet_and_signalling).collect(),
            ValueType::Double => doubles.clone().collect(),
            _ => numbers.to_vec(),
        };
        values.extend(bits.into_iter().map(|bits| (value_type, bits)));
    }
    let events = values.into_iter().map(|(value_type, bits)| Event {
        symbol: Symbol::new(EventKind::Metric, &[0]),
        time: 0,
        quantities: [UNDEFINED; Quantity::COUNT],
        metrics: vec![(0, value_type, bits)],
        attributes: vec![(7, value_type, bits)],
    });
    one_location_comes_back(events.collect());
}

fn one_location_comes_back(events: Vec<Event>) {
    let trace = Trace {
        locations: vec![3],
        definitions: Vec::new(),
        pieces: vec![Piece {
            location: 0,
            stream: 0,
            events,
            definitions: Vec::new(),
        }],
    };
    let (_folder, path) = trace.write();
    let store = StoreReader::open(&path).unwrap();
    let back = read(&store, LocationId(3), 0, 1000);
    for (event, expected) in back.iter().zip(&trace.pieces[0].events) {
        assert_eq!(event, expected);
    }
    assert_eq!(back.len(), trace.pieces[0].events.len());
    assert!(is_as_written(&path));
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let (folder, path, mut writer) = new_store();
    let mut table = SymbolTable::default();
    let mut batch = EventBatch::default();
    let symbol = table.intern(Symbol::new(EventKind::Enter, &[1]));
    batch.push(symbol, Timestamp(0), &[]);
    writer.write(&batch, &table).unwrap();
    drop(writer);
    assert!(!path.exists());
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn positions_with_a_gap_are_refused() {
    let (_folder, _path, mut writer) = new_store();
    let mut table = SymbolTable::default();
    let mut batch = EventBatch::default();
    let symbol = table.intern(Symbol::new(EventKind::Enter, &[1]));
    for (first, is_fine) in [(0, true), (1, true), (3, false)] {
        batch.reset(LocationId(0), Position(first));
        batch.push(symbol, Timestamp(0), &[]);
        assert_eq!(writer.write(&batch, &table).is_ok(), is_fine, "{first}");
    }
}

/// Two locations that take turns for more events than a row group has.
mod several_row_groups {
    use super::*;

    const EACH: u64 = 150_000;
    const BATCH: u64 = 2500;
    const LOCATIONS: [u64; 2] = [5, 1 << 40];

    /// What a location does at a position: it sends, and measures after every thousandth message.
    fn expected(location: u64, position: u64) -> Event {
        let mut quantities = [UNDEFINED; Quantity::COUNT];
        let mut metrics = Vec::new();
        let mut attributes = Vec::new();
        let symbol = if position % 1001 == 1000 {
            metrics.push((0, ValueType::Uint64, position));
            attributes.push((2, ValueType::String, location));
            Symbol::new(EventKind::Metric, &[1])
        } else {
            quantities[Quantity::Bytes as usize] = position * 3;
            Symbol::new(EventKind::MpiSend, &[position % 4, 0, location % 11])
        };
        Event {
            symbol,
            time: position * 10 + location,
            quantities,
            metrics,
            attributes,
        }
    }

    fn write() -> (TempDir, PathBuf) {
        let (folder, path, mut writer) = new_store();
        let mut table = SymbolTable::default();
        let mut batch = EventBatch::default();
        for first in (0..EACH).step_by(BATCH as usize) {
            for location in LOCATIONS {
                batch.reset(LocationId(location), Position(first));
                for index in 0..BATCH {
                    let event = expected(location, first + index);
                    push(&mut batch, &mut table, index as u32, &event);
                }
                writer.write(&batch, &table).unwrap();
            }
        }
        writer.finish().unwrap();
        (folder, path)
    }

    #[test]
    fn come_back_whole_and_in_slices() {
        let (_folder, path) = write();
        let store = StoreReader::open(&path).unwrap();
        assert_eq!(store.manifest().counts.events, 2 * EACH);
        for location in LOCATIONS.map(LocationId) {
            let segments = store.index().of(location);
            let groups: BTreeSet<_> = segments.iter().map(|s| s.row_group).collect();
            assert!(groups.len() > 1, "{segments:?}");
            let is_as_expected = |from: u64, events: &[Event]| {
                let mut events = (from..).zip(events);
                events.all(|(position, event)| *event == expected(location.0, position))
            };
            let all = read(&store, location, 0, 10_000);
            assert_eq!(all.len() as u64, EACH);
            assert!(is_as_expected(0, &all));
            let border = segments[1].first.0;
            for from in [1, border - 1, border, border + 1, 149_000, EACH - 1, EACH] {
                let back = read(&store, location, from, 70_000);
                assert_eq!(back.len() as u64, EACH - from);
                assert!(is_as_expected(from, &back), "from {from}");
            }
        }
        // Backwards, so that they have to be sorted, with what stands beside the events among them.
        let places: Vec<_> = (0..EACH)
            .rev()
            .filter(|position| position % 487 == 0 || position % 5005 == 5004)
            .flat_map(|position| LOCATIONS.map(|l| (LocationId(l), Position(position))))
            .collect();
        let events = store.lookup().get_many(&places).unwrap();
        for (&place, event) in places.iter().zip(&events) {
            let event = found(&store, event.as_ref().unwrap());
            assert_eq!(event, (place, expected(place.0.0, place.1.0)));
        }
        for stored in store.models().unwrap() {
            let stored = stored.unwrap();
            let expanded = (stored.model.expand(store.symbols()))
                .map(|id| store.symbols().symbol(id))
                .zip(0..)
                .filter(|(symbol, at)| *symbol == expected(stored.location.0, *at).symbol);
            assert_eq!(expanded.count() as u64, EACH);
        }
    }
}

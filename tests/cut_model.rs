//! Cuts of generated traces, against what a cut means said the short and slow way: whatever the
//! reader, however its events come in batches, and from a store, which begins where the range does.

use std::collections::BTreeMap;

use foldtrace::cut::{Cut, Filter, Kinds, Pattern, TimeSpan};
use foldtrace::store::{FoldFormat, StoreReader};
use foldtrace_trace::{
    DefinitionKind, Definitions, Diagnostics, EventBatch, EventKind, EventStream, Format,
    LocationId, Operand, Output, Position, Quantity, Step, StreamInfo, Symbol, SymbolTable,
    Timestamp, TraceError, TraceHead, TraceReader, UNDEFINED, ValueType,
};
use proptest::prelude::*;

/// An event with everything it carries.
#[derive(Clone, Debug, PartialEq)]
struct Event {
    symbol: Symbol,
    time: u64,
    quantities: [u64; Quantity::COUNT],
    metrics: Vec<(u32, u64)>,
    attributes: Vec<(u64, u64)>,
}

/// The events of each location.
type Trace = BTreeMap<u64, Vec<Event>>;

const REGIONS: [&str; 4] = ["main", "MPI_Send", "MPI_Recv", "work, twice"];

/// Calling contexts by id: region and parent.
const CONTEXTS: [(u64, Option<u64>); 4] = [(0, None), (1, Some(0)), (2, Some(1)), (3, Some(0))];

const KINDS: [EventKind; 9] = [
    EventKind::Enter,
    EventKind::Leave,
    EventKind::CallingContextEnter,
    EventKind::CallingContextLeave,
    EventKind::MpiSend,
    EventKind::MpiIsend,
    EventKind::MpiCollectiveEnd,
    EventKind::Metric,
    EventKind::ProgramEnd,
];

const LOCATIONS: u64 = 3;

fn definitions() -> Definitions {
    let mut all = Definitions::default();
    for (id, name) in REGIONS.iter().enumerate() {
        let id = id as u64;
        all.push(DefinitionKind::String, &[id], &[], name);
        all.push(DefinitionKind::Region, &[id, id], &[], "");
    }
    for (id, (region, parent)) in CONTEXTS.iter().enumerate() {
        let fields = [id as u64, *region, UNDEFINED, parent.unwrap_or(UNDEFINED)];
        all.push(DefinitionKind::CallingContext, &fields, &[], "");
    }
    for id in 0..LOCATIONS {
        all.push(DefinitionKind::LocationGroup, &[id, 0, 1], &[], "");
        all.push(DefinitionKind::Location, &[id, 0, 1, 2, id], &[], "");
    }
    all
}

fn event() -> impl Strategy<Value = Event> {
    // Entering and leaving more often than the rest.
    let kind = prop_oneof![3 => 0..4_usize, 2 => 4..KINDS.len()];
    let side = || prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec((0..3_u32, any::<u64>()), 1..3)];
    let quantities = prop::array::uniform5(0..1000_u64);
    (kind, 0..4_u64, quantities, 0..6_u64, side(), side()).prop_map(
        |(kind, operand, values, step, metrics, attributes)| {
            let kind = KINDS[kind];
            let mut quantities = [UNDEFINED; Quantity::COUNT];
            for &quantity in kind.quantities() {
                quantities[quantity as usize] = values[quantity as usize];
            }
            Event {
                symbol: Symbol::new(kind, &[operand; 4]),
                time: step,
                quantities,
                metrics,
                attributes: attributes.into_iter().map(|(a, v)| (a.into(), v)).collect(),
            }
        },
    )
}

/// Events whose time goes forwards, but for some.
fn events() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec(event(), 0..30).prop_map(|mut events| {
        let mut time: u64 = 0;
        for event in &mut events {
            time = match event.time {
                5 => time.saturating_sub(4),
                step => time + step / 2,
            };
            event.time = time;
        }
        events
    })
}

fn trace() -> impl Strategy<Value = Trace> {
    prop::collection::vec(events(), LOCATIONS as usize).prop_map(|all| (0..).zip(all).collect())
}

/// What to keep, in terms that need no parsing.
#[derive(Clone, Debug)]
struct Wanted {
    from: Option<u64>,
    to: Option<u64>,
    locations: Vec<u64>,
    regions: Vec<usize>,
    kinds: Vec<EventKind>,
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let sides = prop_oneof![
        1 => Just((None, None)),
        1 => (0..35_u64).prop_map(|from| (Some(from), None)),
        1 => (1..35_u64).prop_map(|to| (None, Some(to))),
        4 => (0..30_u64, 1..20_u64).prop_map(|(from, length)| (Some(from), Some(from + length))),
    ];
    let often_none = |most: usize| prop_oneof![2 => Just(0..=0), 1 => Just(1..=most)];
    let pick = |from: Vec<usize>, most| {
        often_none(most).prop_flat_map(move |count| prop::sample::subsequence(from.clone(), count))
    };
    let locations = pick((0..LOCATIONS as usize).collect(), 2);
    let regions = pick((0..REGIONS.len()).collect(), 2);
    let kinds = pick((0..KINDS.len()).collect(), 4);
    (sides, locations, regions, kinds).prop_map(|((from, to), locations, regions, kinds)| Wanted {
        from,
        to,
        locations: locations.into_iter().map(|l| l as u64).collect(),
        regions,
        kinds: kinds.into_iter().map(|k| KINDS[k]).collect(),
    })
}

fn span(from: Option<u64>, to: Option<u64>) -> TimeSpan {
    let side = |side: Option<u64>| side.map(|t| t.to_string()).unwrap_or_default();
    TimeSpan::parse(&format!("{}..{}", side(from), side(to))).unwrap()
}

impl Wanted {
    fn filter(&self) -> Filter {
        let kinds: Vec<_> = self.kinds.iter().map(|k| k.name().to_owned()).collect();
        let name = |&region: &usize| Pattern::new(&REGIONS[region].replace(',', "?"));
        Filter {
            time: span(self.from, self.to),
            locations: self.locations.iter().map(|l| format!("@{l}")).collect(),
            processes: Vec::new(),
            regions: self.regions.iter().map(name).collect(),
            kinds: Kinds::parse(&kinds).unwrap(),
        }
    }

    fn wants(&self, call: Symbol) -> bool {
        let id = call.operands[0];
        let region = match call.kind {
            EventKind::Enter => id,
            _ => CONTEXTS[id as usize].0,
        };
        self.regions.contains(&(region as usize))
    }
}

/// The calls that are open behind `events`, as symbols of their enters.
fn open(events: &[Event]) -> Vec<Symbol> {
    let mut open: Vec<Symbol> = Vec::new();
    for Event { symbol, .. } in events {
        let enter = match symbol.kind {
            EventKind::Enter | EventKind::CallingContextEnter => {
                open.push(*symbol);
                continue;
            }
            EventKind::Leave => EventKind::Enter,
            EventKind::CallingContextLeave => EventKind::CallingContextEnter,
            _ => continue,
        };
        let enter = Symbol::new(enter, &symbol.operands[..1]);
        if let Some(depth) = open.iter().rposition(|call| *call == enter) {
            open.remove(depth);
        }
    }
    open
}

fn bare(symbol: Symbol, time: u64) -> Event {
    Event {
        symbol,
        time,
        quantities: [UNDEFINED; Quantity::COUNT],
        metrics: Vec::new(),
        attributes: Vec::new(),
    }
}

/// A context and all around it.
fn path(context: u64) -> Vec<u64> {
    let parent = CONTEXTS[context as usize].1;
    let outer = parent.map(path).unwrap_or_default();
    [vec![context], outer].concat()
}

/// Which events are within a wanted call, or begin or end one that is.
fn belongs_to_a_wanted_call(events: &[Event], wanted: &Wanted) -> Vec<bool> {
    let is_within = |index: usize| open(&events[..index]).into_iter().any(|c| wanted.wants(c));
    let mut belongs: Vec<bool> = (0..events.len()).map(is_within).collect();
    // A call that is entered within one is left as it was entered.
    for (enter, Event { symbol, .. }) in events.iter().enumerate() {
        let is_call = open(&events[enter..=enter]).len() == 1;
        if !is_call {
            continue;
        }
        belongs[enter] |= wanted.wants(*symbol);
        let times = |index: usize| {
            open(&events[..index])
                .iter()
                .filter(|c| *c == symbol)
                .count()
        };
        let around = times(enter);
        let is_left = |index: &usize| times(index + 1) == around;
        if let Some(leave) = (enter + 1..events.len()).find(is_left) {
            belongs[leave] = belongs[enter];
        }
    }
    belongs
}

/// What is kept of the events of a location.
fn cut_by_hand(events: &[Event], wanted: &Wanted) -> Vec<Event> {
    let first_at = |time: u64| {
        let found = events.iter().position(|event| event.time >= time);
        found.unwrap_or(events.len())
    };
    let (begin, end) = (
        wanted.from.map_or(0, first_at),
        wanted.to.map_or(events.len(), first_at),
    );
    let mut run = Vec::new();
    if let Some(from) = wanted.from {
        run.extend(
            open(&events[..begin])
                .into_iter()
                .map(|call| bare(call, from)),
        );
    }
    let made = run.len();
    run.extend_from_slice(&events[begin..end]);
    if let Some(to) = wanted.to {
        run.extend(open(&events[..end]).into_iter().rev().map(|call| {
            let kind = match call.kind {
                EventKind::Enter => EventKind::Leave,
                _ => EventKind::CallingContextLeave,
            };
            bare(Symbol::new(kind, &call.operands[..1]), to)
        }));
    }
    let belongs = belongs_to_a_wanted_call(&run, wanted);
    let is_kept = |index: usize| {
        (wanted.regions.is_empty() || belongs[index])
            && (wanted.kinds.is_empty() || wanted.kinds.contains(&run[index].symbol.kind))
    };
    let mut kept = Vec::new();
    let mut previous: Option<u64> = None;
    for index in (0..run.len()).filter(|&index| is_kept(index)) {
        let mut event = run[index].clone();
        let context = event.symbol.get(Operand::CallingContext);
        if let (Some(context), true) = (context, index < made) {
            let known = previous.map(path).unwrap_or_default();
            let new = path(context).into_iter().filter(|c| !known.contains(c));
            event.quantities[Quantity::Value as usize] = new.count() as u64 + 1;
        }
        if index < made {
            previous = context;
        }
        kept.push(event);
    }
    kept
}

/// A trace in memory, in one stream or in a stream a location.
struct Memory {
    trace: Trace,
    head: TraceHead,
    batch: usize,
}

impl Memory {
    fn new(trace: &Trace, is_mixed: bool, batch: usize) -> Self {
        let stream = |location| StreamInfo {
            location,
            ..StreamInfo::default()
        };
        let streams = match is_mixed {
            true => vec![stream(None)],
            false => trace.keys().map(|&l| stream(Some(LocationId(l)))).collect(),
        };
        Self {
            trace: trace.clone(),
            head: TraceHead {
                // A mixed trace defines everything late, with its first batch.
                definitions: if is_mixed {
                    Definitions::default()
                } else {
                    definitions()
                },
                streams,
                ..TraceHead::default()
            },
            batch,
        }
    }
}

impl TraceReader for Memory {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let location = self.streams()[index].location;
        let mut batches = Vec::new();
        let mut first = 0;
        // The locations take turns.
        loop {
            let before = batches.len();
            for (&id, events) in &self.trace {
                let is_here = location.is_none_or(|location| location.0 == id);
                let rest = events.get(first..).unwrap_or_default();
                if is_here && !rest.is_empty() {
                    batches.push((id, first, &rest[..self.batch.min(rest.len())]));
                }
            }
            first += self.batch;
            if batches.len() == before {
                break;
            }
        }
        batches.reverse();
        let late = if location.is_none() {
            definitions()
        } else {
            Definitions::default()
        };
        Ok(Box::new(MemoryStream {
            batches,
            symbols: SymbolTable::default(),
            late,
        }))
    }
}

struct MemoryStream<'a> {
    batches: Vec<(u64, usize, &'a [Event])>,
    symbols: SymbolTable,
    late: Definitions,
}

fn fill(batch: &mut EventBatch, events: &[Event], symbols: &mut SymbolTable) {
    for event in events {
        let index = batch.len() as u32;
        let kind = event.symbol.kind;
        let quantities = kind.quantities().iter();
        let quantities: Vec<_> = quantities
            .map(|&q| (q, event.quantities[q as usize]))
            .collect();
        batch.push(
            symbols.intern(event.symbol),
            Timestamp(event.time),
            &quantities,
        );
        for &(member, value) in &event.metrics {
            batch.metrics.push(index, member, ValueType::Uint64, value);
        }
        for &(attribute, value) in &event.attributes {
            batch
                .attributes
                .push(index, attribute, ValueType::Uint64, value);
        }
    }
}

impl EventStream for MemoryStream<'_> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        _: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        let Some((location, first, events)) = self.batches.pop() else {
            batch.reset(LocationId(0), Position(0));
            batch.definitions = std::mem::take(&mut self.late);
            return Ok(Step::End);
        };
        batch.reset(LocationId(location), Position(first as u64));
        batch.definitions = std::mem::take(&mut self.late);
        fill(batch, events, &mut self.symbols);
        Ok(Step::Batch)
    }

    fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    fn bytes_read(&self) -> u64 {
        0
    }
}

/// A store of a trace; the folder goes away when dropped.
fn store_of(trace: &Trace) -> (tempfile::TempDir, StoreReader) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.fold");
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = FoldFormat.create(output).unwrap();
    writer.definitions(&definitions()).unwrap();
    for (&location, events) in trace.iter().filter(|(_, events)| !events.is_empty()) {
        let mut symbols = SymbolTable::default();
        let mut batch = EventBatch::default();
        batch.reset(LocationId(location), Position(0));
        fill(&mut batch, events, &mut symbols);
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
    let store = StoreReader::open(&path).unwrap();
    (folder, store)
}

/// All events of a reader, and what it found wrong. Positions must follow each other.
fn read(reader: &dyn TraceReader) -> (Trace, Diagnostics) {
    let mut all = Trace::new();
    let mut diagnostics = reader.diagnostics().clone();
    for index in 0..reader.streams().len() {
        let mut stream = reader.open_stream(index).unwrap();
        let mut batch = EventBatch::default();
        while stream.next_batch(&mut batch, &mut diagnostics).unwrap() == Step::Batch {
            assert!(!batch.is_empty(), "a batch has an event");
            let events = all.entry(batch.location.0).or_default();
            assert_eq!(batch.first.0, events.len() as u64, "positions have no gap");
            for event in batch.iter(stream.symbols()) {
                let metrics = batch.metrics.rows(event.index);
                let attributes = batch.attributes.rows(event.index);
                events.push(Event {
                    symbol: stream.symbols().symbol(event.symbol),
                    time: event.time.0,
                    quantities: event.quantities,
                    metrics: metrics
                        .map(|r| (batch.metrics.member[r], batch.metrics.value[r]))
                        .collect(),
                    attributes: attributes
                        .map(|r| (batch.attributes.attribute[r], batch.attributes.value[r]))
                        .collect(),
                });
            }
        }
        assert!(batch.is_empty(), "nothing comes with the end");
    }
    (all, diagnostics)
}

fn cut_of(reader: impl TraceReader + 'static, filter: Filter) -> (Trace, Diagnostics) {
    read(&Cut::new(Box::new(reader), filter).unwrap())
}

fn expected(trace: &Trace, wanted: &Wanted) -> Trace {
    let is_here = |l: &u64| wanted.locations.is_empty() || wanted.locations.contains(l);
    let kept = trace.iter().filter(|(location, _)| is_here(location));
    kept.map(|(&location, events)| (location, cut_by_hand(events, wanted)))
        .filter(|(_, events)| !events.is_empty())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_cut_is_what_it_means(
        trace in trace(), wanted in wanted(), is_mixed in any::<bool>(), batch in 1..9_usize
    ) {
        let expected = expected(&trace, &wanted);
        let (found, diagnostics) = cut_of(Memory::new(&trace, is_mixed, batch), wanted.filter());
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(diagnostics.count("cut.empty"), u64::from(expected.is_empty()));
    }

    #[test]
    fn nothing_is_open_at_the_end_of_a_range(
        trace in trace(), wanted in wanted(), to in 1..35_u64, batch in 1..9_usize
    ) {
        let from = wanted.from.filter(|&from| from < to);
        let wanted = Wanted { from, to: Some(to), kinds: Vec::new(), ..wanted };
        for (location, events) in cut_of(Memory::new(&trace, false, batch), wanted.filter()).0 {
            prop_assert_eq!(open(&events), vec![], "location {}", location);
        }
    }

    #[test]
    fn a_cut_of_a_cut_is_the_cut(
        trace in trace(), from in 0..20_u64, before in 0..9_u64, length in 1..9_u64, behind in 0..9_u64
    ) {
        let inner = Filter { time: span(Some(from), Some(from + length)), ..Filter::default() };
        let (begin, end) = (from.saturating_sub(before), from + length + behind);
        let outer = Filter { time: span(Some(begin), Some(end)), ..Filter::default() };
        let memory = Memory::new(&trace, false, 4);
        let wide = Cut::new(Box::new(memory), outer).unwrap();
        let (found, _) = cut_of(wide, inner.clone());
        prop_assert_eq!(found, cut_of(Memory::new(&trace, false, 4), inner).0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_store_is_cut_as_any_trace(trace in trace(), wanted in wanted()) {
        let (_folder, store) = store_of(&trace);
        let (found, _) = cut_of(store, wanted.filter());
        prop_assert_eq!(found, expected(&trace, &wanted));
    }
}

/// Events of which a location fills several pages of a store, whose time now and then goes back.
fn long_trace() -> Trace {
    let location = |id: u64| {
        let events = (0..40_000_u64).map(|n| {
            let symbol = match n % 4 {
                0 => Symbol::new(EventKind::Enter, &[n / 4 % 4]),
                3 if n % 400 != 3 => Symbol::new(EventKind::Leave, &[n / 4 % 4]),
                _ => Symbol::new(EventKind::MpiSend, &[1, 0, n % 7]),
            };
            let mut event = bare(
                symbol,
                n * 10 + id - if n % 5_000 < 40 { n.min(3_000) } else { 0 },
            );
            for &quantity in symbol.kind.quantities() {
                event.quantities[quantity as usize] = n;
            }
            event
        });
        (id, events.collect())
    };
    (0..LOCATIONS).map(location).collect()
}

#[test]
fn times_are_found_in_a_store_page_by_page() {
    let trace = long_trace();
    let (folder, _) = store_of(&trace);
    let ranges = [
        (Some(163_835), Some(163_845)),
        (Some(0), Some(1)),
        (Some(195_000), Some(215_000)),
        (Some(49_990), Some(50_001)),
        (Some(399_999), None),
        (Some(500_000), Some(500_001)),
        (None, Some(327_681)),
    ];
    for (from, to) in ranges {
        let wanted = Wanted {
            from,
            to,
            locations: vec![],
            regions: vec![],
            kinds: vec![],
        };
        let store = StoreReader::open(&folder.path().join("trace.fold")).unwrap();
        let (found, _) = cut_of(store, wanted.filter());
        for location in trace.keys() {
            let found = found.get(location).cloned().unwrap_or_default();
            let expected = cut_by_hand_fast(&trace[location], &wanted);
            assert!(found == expected, "location {location}, {from:?} to {to:?}");
        }
    }
}

/// [`cut_by_hand`] of a range of time alone, which need not look at each event twice.
fn cut_by_hand_fast(events: &[Event], wanted: &Wanted) -> Vec<Event> {
    let first_at = |time: u64| {
        let found = events.iter().position(|event| event.time >= time);
        found.unwrap_or(events.len())
    };
    let begin = wanted.from.map_or(0, first_at);
    let end = wanted.to.map_or(events.len(), first_at);
    let enters = open(&events[..begin]).into_iter();
    let enters = enters.filter_map(|call| Some(bare(call, wanted.from?)));
    let leaves = open(&events[..end]).into_iter().rev();
    let leaves = leaves.filter_map(|call| {
        Some(bare(
            Symbol::new(EventKind::Leave, &call.operands[..1]),
            wanted.to?,
        ))
    });
    enters
        .chain(events[begin..end].iter().cloned())
        .chain(leaves)
        .collect()
}

//! The events of all locations in the order of time, compared with a stable sort.

use std::collections::BTreeMap;

use foldtrace::read::Progress;
use foldtrace::store::StoreReader;
use foldtrace::timeline::Timeline;
use foldtrace::{formats, read::Late};
use foldtrace_trace::{
    Diagnostics, ErrorKind, EventBatch, EventKind, EventStream, LocationId, Position, Quantity,
    ReadOptions, Step, StreamInfo, Symbol, SymbolTable, Timestamp, TraceError, TraceHead,
    TraceReader, UNDEFINED,
};
use proptest::prelude::*;

use crate::common;
use crate::common::Folder;

/// An event of a trace in memory: when, and how many bytes it sends, or nothing for an enter.
type Made = (u64, Option<u64>);

/// A trace in memory, a stream a location, which gives batches of any size.
struct InMemory {
    head: TraceHead,
    events: Vec<Vec<Made>>,
    batch: usize,
}

impl InMemory {
    fn new(events: Vec<Vec<Made>>, batch: usize) -> Self {
        // Ids that run against the order of the streams.
        let location = |stream: usize| Some(LocationId(100 - stream as u64));
        let streams = (0..events.len()).map(|stream| StreamInfo {
            location: location(stream),
            ..StreamInfo::default()
        });
        Self {
            head: TraceHead {
                streams: streams.collect(),
                ..TraceHead::default()
            },
            events,
            batch,
        }
    }
}

impl TraceReader for InMemory {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        Ok(Box::new(Events {
            location: self.streams()[index].location.unwrap(),
            events: &self.events[index],
            next: 0,
            batch: self.batch,
            symbols: SymbolTable::default(),
        }))
    }
}

struct Events<'a> {
    location: LocationId,
    events: &'a [Made],
    next: usize,
    batch: usize,
    symbols: SymbolTable,
}

impl EventStream for Events<'_> {
    fn next_batch(
        &mut self,
        batch: &mut EventBatch,
        _: &mut Diagnostics,
    ) -> Result<Step, TraceError> {
        batch.reset(self.location, Position(self.next as u64));
        for &(time, bytes) in self.events[self.next..].iter().take(self.batch) {
            let time = Timestamp(time);
            match bytes {
                Some(bytes) => {
                    let send = self.symbols.intern(Symbol::new(EventKind::MpiSend, &[]));
                    batch.push(send, time, &[(Quantity::Bytes, bytes)]);
                }
                None => {
                    let enter = self.symbols.intern(Symbol::new(EventKind::Enter, &[]));
                    batch.push(enter, time, &[]);
                }
            }
            self.next += 1;
        }
        Ok(if batch.is_empty() {
            Step::End
        } else {
            Step::Batch
        })
    }

    fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    fn bytes_read(&self) -> u64 {
        self.next as u64
    }
}

/// (location, position, time, bytes) of every event.
type Row = (u64, u64, u64, u64);

fn rows(reader: &dyn TraceReader) -> (Vec<Row>, Late) {
    let progress = Progress::default();
    let mut timeline = Timeline::new(reader, false, &progress).unwrap();
    let mut rows = Vec::new();
    while let Some(next) = timeline.next().unwrap() {
        let event = next.event;
        let kind = timeline.symbols(next.stream).kind(event.symbol);
        let bytes = event.quantities[Quantity::Bytes as usize];
        let has_bytes = kind.quantities().contains(&Quantity::Bytes);
        assert_eq!(has_bytes, bytes != UNDEFINED, "{kind}");
        let batch = timeline.batch(next.stream).unwrap();
        assert_eq!(batch.location, next.location);
        assert_eq!(batch.times[event.index as usize], event.time);
        rows.push((next.location.0, event.position.0, event.time.0, bytes));
    }
    assert!(timeline.next().unwrap().is_none(), "the end stays the end");
    (rows, timeline.into_late())
}

/// What must come: sorted by the latest time so far, then by location; the sort is stable.
fn sorted(trace: &InMemory) -> Vec<Row> {
    let mut keyed = Vec::new();
    for (info, events) in trace.streams().iter().zip(&trace.events) {
        let (location, mut latest) = (info.location.unwrap().0, 0);
        for (position, &(time, bytes)) in events.iter().enumerate() {
            latest = time.max(latest);
            let row = (location, position as u64, time, bytes.unwrap_or(UNDEFINED));
            keyed.push((latest, location, row));
        }
    }
    keyed.sort_by_key(|&(latest, location, _)| (latest, location));
    keyed.into_iter().map(|(_, _, row)| row).collect()
}

proptest! {
    #[test]
    fn it_is_a_stable_sort_by_time(
        events in prop::collection::vec(
            prop::collection::vec((0u64..20, prop::option::of(0u64..9)), 0..30), 0..6),
        batch in 1usize..8,
    ) {
        let trace = InMemory::new(events, batch);
        prop_assert_eq!(rows(&trace).0, sorted(&trace));
    }
}

proptest! {
    /// Wanted events come in the same order as without a choice, and each location waits for its wanted event.
    #[test]
    fn only_wanted_events_come(
        events in prop::collection::vec(
            prop::collection::vec((0u64..20, prop::option::of(0u64..9)), 0..30), 0..6),
        batch in 1usize..8,
        wanted in prop::collection::vec(any::<bool>(), 7),
    ) {
        let trace = InMemory::new(events, batch);
        let is_wanted = |location: u64, position: u64| wanted[(5 * location + position) as usize % 7];
        let progress = Progress::default();
        let mut timeline = Timeline::new(&trace, false, &progress).unwrap();
        let mut passed: BTreeMap<u64, u64> = BTreeMap::new();
        let mut rows = Vec::new();
        loop {
            let next = timeline.next_of(|event, _| {
                let count = passed.entry(event.location.0).or_default();
                assert_eq!(event.position.0, *count);
                *count += 1;
                is_wanted(event.location.0, event.position.0)
            });
            let Some(next) = next.unwrap() else { break };
            let event = next.event;
            assert_eq!(passed[&next.location.0], event.position.0 + 1);
            let bytes = event.quantities[Quantity::Bytes as usize];
            rows.push((next.location.0, event.position.0, event.time.0, bytes));
        }
        prop_assert_eq!(passed.values().sum::<u64>(), sorted(&trace).len() as u64);
        let mut expected = sorted(&trace);
        expected.retain(|&(location, position, ..)| is_wanted(location, position));
        prop_assert_eq!(rows, expected);
    }
}

#[test]
fn a_store_and_its_archive_have_the_same_order() {
    let folder = Folder::with_store("stencil-9");
    let store = StoreReader::open(&folder.path("stencil-9.fold")).unwrap();
    let options = ReadOptions::default();
    let input = common::example("stencil-9");
    let archive = formats::open(&input, None, &options, &Progress::default().stop).unwrap();
    let (of_store, _) = rows(&store);
    let (of_archive, late) = rows(&*archive.reader);
    assert_eq!(of_store.len(), 8406);
    assert!(of_store.is_sorted_by_key(|row| (row.2, row.0, row.1)));
    assert_eq!(of_store, of_archive);
    assert!(late.diagnostics.count("otf2.event_count") > 0);
}

#[test]
fn mixed_locations_are_refused() {
    let folder = Folder::new();
    folder.write("pair.trace", "0 send 1 17\n0 recv 1 17\n");
    let (options, progress) = (ReadOptions::default(), Progress::default());
    let input = folder.path("pair.trace");
    let text = formats::open(&input, None, &options, &progress.stop).unwrap();
    let error = Timeline::new(&*text.reader, false, &progress)
        .err()
        .unwrap();
    assert_eq!(error.kind, ErrorKind::Usage);
}

#[test]
fn work_that_is_to_stop_stops() {
    let trace = InMemory::new(vec![vec![(1, None), (2, None)]], 1);
    let progress = Progress::default();
    let mut timeline = Timeline::new(&trace, false, &progress).unwrap();
    assert!(timeline.next().unwrap().is_some());
    progress
        .stop
        .store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(timeline.next().unwrap_err().kind, ErrorKind::Interrupted);
}

//! Checks what becomes of the traces of other programs, and reading after damage.

use std::fs;
use std::io::{self, Read};

use foldtrace_perfetto::Perfetto;
use foldtrace_testing::{Event, collect, read};
use foldtrace_trace::{
    DefinitionKind, Diagnostics, ErrorKind, EventBatch, EventKind, Format, Input, Names,
    ReadOptions, Step, TraceError, ValueType,
};
use proptest::prelude::*;

use crate::cases;
use crate::packets::{BEGIN, INSTANT, Message, begin, end, event, file, on, thread, track};

/// Writes bytes to a file and reads it.
fn read_bytes(bytes: &[u8], salvage: bool) -> Result<foldtrace_testing::Read, TraceError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.pftrace");
    fs::write(&path, bytes).unwrap();
    read(&Perfetto, &path, salvage)
}

/// Returns an event as words: `+main@10`, `-main@20`, `mark@5`, `memory=3@7`, followed by its attributes, `key=value`.
fn words(names: &Names, event: &Event) -> String {
    let sign = match event.symbol.kind {
        EventKind::Enter => "+",
        EventKind::Leave => "-",
        _ => "",
    };
    let text = |value_type: ValueType, bits: u64| match value_type {
        ValueType::String => names.string(bits).to_owned(),
        ValueType::Double => format!("{:?}", f64::from_bits(bits)),
        ValueType::Int64 => bits.cast_signed().to_string(),
        _ => bits.to_string(),
    };
    let called = names.title(&event.symbol).unwrap_or("?");
    let values = event
        .metrics
        .iter()
        .map(|&(_, value_type, bits)| format!("={}", text(value_type, bits)));
    let values: String = values.collect();
    let mut words = format!("{sign}{called}{values}@{}", event.time);
    for &(id, value_type, bits) in &event.attributes {
        let name = names.name(DefinitionKind::Attribute, id).unwrap();
        words.push_str(&format!(" {name}={}", text(value_type, bits)));
    }
    words
}

/// Returns each location with its events as words.
fn told(read: &foldtrace_testing::Read) -> Vec<String> {
    let names = Names::new(&read.definitions);
    let locations = read.events.iter().map(|(&location, events)| {
        let name = names.name(DefinitionKind::Location, location.0).unwrap();
        let events: Vec<_> = events.iter().map(|event| words(&names, event)).collect();
        format!("{name}: {}", events.join(", "))
    });
    locations.collect()
}

#[test]
fn tracks_become_locations_and_counters_belong_to_the_track_around_them() {
    let read = read_bytes(&cases::tracks(), false).unwrap();
    let expected = [
        "worker: +step@100, thread_time=7000@100, read=4096@110, read=3072@140, mark@150 cat=a,b, \
         thread_time=7050@200, -step@200, -?@500",
        "queue 0: +kernel@300, -kernel@400",
        "app: memory=3.0@120, memory=2.5@130",
        "other: of a process@160",
        "global: of no track@170",
    ];
    assert_eq!(told(&read), expected);
    let names = Names::new(&read.definitions);
    let ranks = read
        .events
        .keys()
        .map(|&location| names.rank(location).unwrap());
    // The main thread, which has no events, is thread 0.
    assert_eq!(
        ranks.collect::<Vec<_>>(),
        [(0, 1), (0, 2), (0, 3), (1, 0), (2, 0)]
    );
    assert_eq!(read.diagnostics.count("perfetto.unmatched_end"), 1);
    let units = read.definitions.records(DefinitionKind::MetricMember);
    let units: Vec<_> = units.map(|member| names.string(member.get(8))).collect();
    assert_eq!(units, ["ns", "MB", "bytes"]);
}

#[test]
fn annotations_become_typed_attributes_and_flows_their_ids() {
    let read = read_bytes(&cases::annotations(), false).unwrap();
    let expected = format!(
        "main: +call@10 bool=true unsigned={} signed=-5 double=1.25 text=words pointer=255 json={{\"k\":[1]}} \
         none=null outer.inner.a=1 outer.inner.b=2 array=[-1,\"t\\\"w\\\"o\",{{\"c\":3}},0.5,true] nested.x=5 \
         nested.list=[\"y\",1.5], -call@20 flow_id=7 flow_id=8 terminating_flow_id=9 terminating_flow_id=10 \
         correlation_id=11",
        u64::MAX
    );
    assert_eq!(told(&read), [expected]);
}

#[test]
fn times_are_those_of_the_clock_and_names_those_of_the_state() {
    let read = read_bytes(&cases::incremental(), false).unwrap();
    let attributes = "cat=category key=value";
    let expected = format!(
        "main: +first@1001000 {attributes}, +first@1002000 {attributes}, on another clock@1003500, \
         -first@1004000, -first@1007000, +second@1010000 {attributes}"
    );
    assert_eq!(told(&read), [expected]);
    assert!(read.diagnostics.is_empty());
}

#[test]
fn older_events_keep_their_phases() {
    let read = read_bytes(&cases::legacy(), false).unwrap();
    let expected = [
        "renderer: +begin@1001000, +complete@1002000, instant@1003000, -complete@1004000, \
         -begin@1006000, asynchronous@1007000 ph=b id=77 id_scope=scope",
        "thread 9: +in another thread@1008000",
    ];
    assert_eq!(told(&read), expected);
    let names = Names::new(&read.definitions);
    let process = names.process(0).unwrap();
    let name = names.name(DefinitionKind::LocationGroup, process.group);
    assert_eq!(name, Some("browser"));
}

#[test]
fn compressed_packets_are_read_in_their_place() {
    let read = read_bytes(&cases::compressed(), false).unwrap();
    assert_eq!(told(&read), ["main: +a@1, +b@2, -b@3, -a@4"]);
}

#[test]
fn everything_that_is_lost_or_left_out_is_reported() {
    let read = read_bytes(&cases::incomplete(), false).unwrap();
    let expected = "main: before@5, after@5, (no name)@6, -?@7, clock@8, fields@9";
    assert_eq!(told(&read), [expected]);
    let groups = read.diagnostics.groups();
    let mut counts: Vec<_> = groups.map(|(key, group)| (key, group.count)).collect();
    counts.sort_unstable();
    let expected = [
        ("perfetto.description", 1),
        ("perfetto.gap", 1),
        ("perfetto.left_out", 3),
        ("perfetto.unknown_clock", 1),
        ("perfetto.unknown_name", 1),
        ("perfetto.unmatched_end", 1),
        ("perfetto.without_state", 2),
    ];
    assert_eq!(counts, expected);
}

#[test]
fn a_process_tree_may_come_before_the_tracks_that_it_describes() {
    let process = Message::new().number(1, 7).text(3, "/opt/solver");
    let named = Message::new().number(1, 8).text(2, "worker").number(3, 7);
    let tree = Message::new().message(1, process).message(2, named);
    let described = Message::new().number(1, 7);
    let bytes = file([
        Message::new().message(2, tree),
        track(Message::new().number(1, 10).message(3, described)),
        thread(11, 10, (7, 8), ""),
        begin(1, 11, "a"),
    ]);
    let read = read_bytes(&bytes, false).unwrap();
    assert_eq!(told(&read), ["worker: +a@1"]);
    let names = Names::new(&read.definitions);
    let group = names.process(0).unwrap().group;
    assert_eq!(
        names.name(DefinitionKind::LocationGroup, group),
        Some("solver")
    );
}

#[test]
fn counter_values_without_a_track_are_counted() {
    let event = event(1, on(1, INSTANT).text(23, "a").number(12, 5).number(12, 6));
    let read = read_bytes(&file([event]), false).unwrap();
    assert_eq!(told(&read), ["track 1: a@1"]);
    assert_eq!(read.diagnostics.count("perfetto.left_out"), 2);
}

#[test]
fn packed_numbers_that_are_cut_off_are_damage() {
    let flows = on(1, INSTANT).text(23, "a").bytes(47, &[1, 2, 3]);
    let error = read_bytes(&file([event(1, flows)]), false).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Malformed);
}

#[test]
fn a_duration_that_is_too_long_is_damage() {
    let complete = |duration| {
        let legacy = Message::new()
            .number(2, u64::from(b'X'))
            .number(3, duration);
        file([event(
            1,
            Message::new()
                .text(23, "a")
                .message(6, legacy)
                .number(11, 1),
        )])
    };
    let longest = (1 << 62) / 1000;
    let read = read_bytes(&complete(longest), false).unwrap();
    assert_eq!(read.events.values().map(Vec::len).sum::<usize>(), 2);
    for duration in [longest + 1, i64::MAX as u64] {
        let error = read_bytes(&complete(duration), false).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed);
    }
}

#[test]
fn packets_that_are_compressed_and_cut_off_do_not_make_the_file_truncated() {
    let whole = file([begin(1, 1, "a"), begin(2, 1, "b")]);
    for rest in 1..whole.len() / 2 {
        let cut = zstd::encode_all(&whole[..whole.len() - rest], 0).unwrap();
        let bytes = file([Message::new().bytes(133, &cut), end(3, 1)]);
        let error = read_bytes(&bytes, false).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed);
        let read = read_bytes(&bytes, true).unwrap();
        assert_eq!(told(&read), ["track 1: +a@1, -a@3"]);
    }
}

#[test]
fn times_before_0_shift_all_times() {
    let snapshot = Message::new()
        .message(1, crate::packets::clock(6, 100))
        .message(1, crate::packets::clock(3, 500));
    let early = begin(300, 1, "early").number(58, 3);
    let bytes = file([Message::new().message(6, snapshot), early, end(50, 1)]);
    let read = read_bytes(&bytes, false).unwrap();
    assert_eq!(told(&read), ["track 1: +early@0, -early@150"]);
    assert_eq!(read.diagnostics.count("perfetto.negative_time"), 1);
}

#[test]
fn a_damaged_packet_is_left_out_and_the_next_one_is_read() {
    let bad = Message(b"\x0f\xff".to_vec());
    let bytes = file([begin(1, 1, "a"), bad, end(3, 1)]);
    let error = read_bytes(&bytes, false).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Malformed);
    let read = read_bytes(&bytes, true).unwrap();
    assert_eq!(told(&read), ["track 1: +a@1, -a@3"]);
    assert_eq!(read.diagnostics.count("perfetto.bad_packet"), 1);
}

#[test]
fn files_that_are_cut_off_are_truncated_and_keep_their_whole_packets() {
    let packets: Vec<_> = (0..5).map(|time| begin(time, 1, "slice")).collect();
    let whole = file(packets.clone());
    let length = whole.len() / packets.len();
    for cut in 0..whole.len() {
        match read_bytes(&whole[..cut], false) {
            Ok(_) => assert_eq!(cut % length, 0),
            Err(error) => assert_eq!(error.kind, ErrorKind::Truncated, "{cut}"),
        }
        let read = read_bytes(&whole[..cut], true).unwrap();
        let kept: usize = read.events.values().map(Vec::len).sum();
        assert_eq!(kept, cut / length);
    }
}

#[test]
fn deeply_nested_annotations_are_left_out() {
    let mut annotation = Message::new().text(10, "a").number(3, 1);
    for _ in 0..2000 {
        annotation = Message::new().text(10, "a").message(11, annotation);
    }
    let bytes = file([event(1, on(1, INSTANT).message(4, annotation))]);
    let read = read_bytes(&bytes, false).unwrap();
    assert_eq!(read.diagnostics.count("perfetto.left_out"), 1);
}

#[test]
fn keys_of_annotations_without_a_value_are_counted() {
    let value = |number| Message::new().signed(5, number);
    let nested = Message::new()
        .number(1, 1)
        .text(2, "a")
        .message(3, value(1))
        .text(2, "b")
        .text(2, "c");
    let annotation = Message::new().text(10, "nested").message(8, nested);
    let bytes = file([event(1, on(1, INSTANT).message(4, annotation))]);
    let read = read_bytes(&bytes, false).unwrap();
    assert_eq!(read.diagnostics.count("perfetto.left_out"), 2);
}

/// A reader that returns only a few bytes at a time.
struct Trickle(io::Cursor<Vec<u8>>, usize);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}

#[test]
fn a_pipe_is_read_in_any_pieces() {
    for bytes in [cases::tracks(), cases::compressed(), cases::written()] {
        let expected = read_bytes(&bytes, false).unwrap().events;
        for size in [1, 7] {
            let input = Input::Stream {
                name: "-".into(),
                head: bytes[..3].to_owned(),
                reader: Box::new(Trickle(io::Cursor::new(bytes[3..].to_owned()), size)),
            };
            let reader = Perfetto.open(input, &ReadOptions::default()).unwrap();
            let (mut events, mut batch) =
                (foldtrace_testing::Events::default(), EventBatch::default());
            for index in 0..reader.streams().len() {
                let mut stream = reader.open_stream(index).unwrap();
                while stream
                    .next_batch(&mut batch, &mut Diagnostics::default())
                    .unwrap()
                    != Step::End
                {
                    collect(&mut events, &batch, stream.symbols());
                }
            }
            assert_eq!(events, expected);
        }
    }
}

proptest! {
    #[test]
    fn slices_of_different_tracks_may_be_in_any_order(
        order in Just((0..60u64).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let packet = |turn: u64| {
            let (track, time) = (turn % 3 + 1, 10 * (turn / 3));
            if (turn / 3).is_multiple_of(2) {
                begin(time, track, "call")
            } else {
                end(time, track)
            }
        };
        let tracks = (1..4).map(|tid| thread(tid, 0, (1, tid), "t"));
        let sorted = read_bytes(&file(tracks.clone().chain((0..60).map(packet))), false).unwrap();
        let other = read_bytes(&file(tracks.chain(order.into_iter().map(packet))), false).unwrap();
        prop_assert_eq!(told(&sorted), told(&other));
        prop_assert!(other.diagnostics.is_empty());
    }

    #[test]
    fn garbage_does_not_panic(
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 0..12),
        which in 0usize..4,
    ) {
        let make = [cases::tracks, cases::incremental, cases::annotations, cases::written][which];
        let mut whole = make();
        let at = at.index(whole.len());
        whole.splice(at..(at + bytes.len() / 2).min(whole.len()), bytes);
        let _ = read_bytes(&whole, false);
        prop_assert!(read_bytes(&whole, true).is_ok());
    }
}

#[test]
fn events_of_another_program_after_those_of_foldtrace_are_counted() {
    let written = read_bytes(&cases::written(), false).unwrap();
    let bytes = [cases::written(), file([begin(1, 1, "a"), end(2, 1)])].concat();
    let read = read_bytes(&bytes, false).unwrap();
    assert_eq!(read.events, written.events);
    assert_eq!(read.diagnostics.count("perfetto.left_out"), 2);
}

#[test]
fn a_slice_that_is_never_ended_stays_open() {
    let read = read_bytes(&file([event(1, on(1, BEGIN))]), false).unwrap();
    assert_eq!(told(&read), ["track 1: +(no name)@1"]);
}

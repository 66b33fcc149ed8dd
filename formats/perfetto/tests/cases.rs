//! The cases of the corpus `tests/data/perfetto`, which these functions write: with `FOLDTRACE_BLESS=1` in the
//! environment, the test writes the files.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use foldtrace_perfetto::Perfetto;
use foldtrace_trace::{
    EventBatch, EventKind, Format, LocationId, Minter, Output, Position, Quantity, Symbol,
    SymbolTable, Timestamp, ValueType,
};

use crate::packets::{
    BEGIN, COUNTER, END, INSTANT, Message, begin, clock, counter, end, event, file, interned, on,
    process, thread, track,
};

/// Processes, threads and a GPU queue: nested slices, instants and counters with units.
pub fn tracks() -> Vec<u8> {
    let queue = Message::new()
        .number(1, 12)
        .number(5, 10)
        .text(2, "queue 0");
    let megabytes = Message::new().text(6, "MB");
    let thread_time = Message::new().number(1, 1);
    let delta = Message::new().number(3, 3).number(4, 1024).number(5, 1);
    let extra = |event: Message, time| event.number(31, 21).number(12, time);
    file([
        thread(11, 10, (40, 41), "worker"),
        thread(13, 10, (40, 40), "main"),
        process(10, 40, "app"),
        track(queue),
        counter(20, 10, "memory", megabytes),
        counter(21, 11, "", thread_time),
        counter(22, 11, "read", delta),
        process(30, 50, "other"),
        // The end of a slice may come before its begin in the file.
        end(400, 12),
        begin(300, 12, "kernel"),
        event(100, extra(on(11, BEGIN).text(23, "step"), 7000)),
        event(200, extra(on(11, END), 7050)),
        event(
            150,
            on(11, INSTANT).text(23, "mark").text(22, "a").text(22, "b"),
        ),
        event(120, on(20, COUNTER).signed(30, 3)),
        event(130, on(20, COUNTER).double(44, 2.5)),
        event(110, on(22, COUNTER).signed(30, 4)),
        event(140, on(22, COUNTER).signed(30, -1)),
        event(160, on(30, INSTANT).text(23, "of a process")),
        event(
            170,
            Message::new().number(9, INSTANT).text(23, "of no track"),
        ),
        end(500, 11),
    ])
}

/// Annotations with values of all types, and flows.
pub fn annotations() -> Vec<u8> {
    let named = |name: &str| Message::new().text(10, name);
    let entry = |name: &str, value: u64| Message::new().text(10, name).number(3, value);
    let element = Message::new;
    let inner = named("inner")
        .message(11, entry("a", 1))
        .message(11, entry("b", 2));
    let array = element()
        .message(12, element().signed(4, -1))
        .message(12, element().text(6, "t\"w\"o"))
        .message(12, element().message(11, entry("c", 3)))
        .message(12, element().double(5, 0.5))
        .message(12, element().number(2, 1));
    let nested = Message::new()
        .number(1, 1)
        .text(2, "x")
        .message(3, Message::new().signed(5, 5))
        .text(2, "list")
        .message(
            3,
            Message::new()
                .number(1, 2)
                .message(4, Message::new().text(8, "y"))
                .message(4, Message::new().double(6, 1.5)),
        );
    let all = on(1, BEGIN)
        .text(23, "call")
        .message(4, named("bool").number(2, 1))
        .message(4, named("unsigned").number(3, u64::MAX))
        .message(4, named("signed").signed(4, -5))
        .message(4, named("double").double(5, 1.25))
        .message(4, named("text").text(6, "words"))
        .message(4, named("pointer").number(7, 0xff))
        .message(4, named("json").text(9, "{\"k\":[1]}"))
        .message(4, named("none"))
        .message(4, named("outer").message(11, inner))
        .message(4, Message(array.0).text(10, "array"))
        .message(4, named("nested").message(8, nested));
    let flows = on(1, END)
        .fixed(47, 7)
        .number(36, 8)
        .fixed(48, 9)
        .number(42, 10)
        .number(52, 11);
    file([
        thread(1, 0, (1, 1), "main"),
        event(10, all),
        event(20, flows),
    ])
}

/// Interned names and defaults, times of incremental clocks with a unit, and a state that is cleared. Lengths are longer
/// than necessary.
pub fn incremental() -> Vec<u8> {
    let own = clock(64, 5).number(3, 1).number(4, 1000);
    let snapshot = Message::new()
        .message(1, clock(6, 1_000_000))
        .message(1, clock(3, 900_000))
        .message(1, own);
    let event_defaults = Message::new().number(11, 1);
    let defaults = Message::new().number(58, 64).message(11, event_defaults);
    let names = |name| {
        Message::new()
            .message(1, interned(1, "category"))
            .message(2, interned(1, name))
            .message(3, interned(1, "key"))
            .message(29, interned(1, "value"))
    };
    let packet = |flags| Message::new().number(10, 1).number(13, flags);
    let annotation = || Message::new().number(1, 1).number(17, 1);
    let call = |time, names: Option<Message>| {
        let event = Message::new().number(9, BEGIN).number(3, 1).number(10, 1);
        let packet = packet(2)
            .number(8, time)
            .message(11, event.message(4, annotation()));
        match names {
            Some(names) => packet.message(12, names),
            None => packet,
        }
    };
    let leave = |time| {
        let event = Message::new().number(9, END);
        packet(2).number(8, time).message(11, event)
    };
    let monotonic = Message::new()
        .number(9, INSTANT)
        .text(23, "on another clock");
    let mut bytes = file([
        packet(1)
            .message(6, snapshot.clone())
            .message(59, defaults.clone()),
        thread(1, 0, (1, 1), "main"),
        call(1, Some(names("first"))),
        call(1, None),
        leave(2),
        leave(3),
        packet(2)
            .number(8, 903_500)
            .number(58, 3)
            .message(11, monotonic),
        packet(1).message(6, snapshot).message(59, defaults),
        call(10, Some(names("second"))),
    ]);
    // A packet of two bytes whose length has four bytes.
    bytes.extend_from_slice(&[0x0a, 0x82, 0x80, 0x80, 0x00, 0x50, 0x01]);
    bytes
}

/// Threads without tracks, and events of Chrome's older tracing.
pub fn legacy() -> Vec<u8> {
    let thread = Message::new()
        .number(1, 7)
        .number(2, 8)
        .text(5, "renderer")
        .number(6, 1000);
    let process = Message::new()
        .number(1, 7)
        .text(2, "/opt/browser")
        .text(2, "--type=gpu");
    let phase = |phase: u8, name: &str| {
        let legacy = Message::new().number(2, u64::from(phase));
        (legacy, Message::new().text(23, name))
    };
    let packet = |time: i64, (legacy, event): (Message, Message)| {
        let event = event.signed(1, time).message(6, legacy);
        Message::new().number(10, 3).message(11, event)
    };
    let complete =
        |(legacy, event): (Message, Message), duration| (legacy.number(3, duration), event);
    let with_id =
        |(legacy, event): (Message, Message)| (legacy.number(6, 77).text(7, "scope"), event);
    let elsewhere = |(legacy, event): (Message, Message)| (legacy.number(19, 9), event);
    file([
        Message::new()
            .number(10, 3)
            .number(41, 1)
            .message(44, thread),
        Message::new().number(10, 3).message(43, process),
        packet(1, phase(b'B', "begin")),
        packet(1, complete(phase(b'X', "complete"), 2)),
        packet(1, phase(b'I', "instant")),
        packet(3, phase(b'E', "begin")),
        packet(1, with_id(phase(b'b', "asynchronous"))),
        packet(1, elsewhere(phase(b'B', "in another thread"))),
    ])
}

/// Packets that are compressed together, by zlib and by Zstandard.
pub fn compressed() -> Vec<u8> {
    let first = file([
        thread(1, 0, (1, 1), "main"),
        begin(1, 1, "a"),
        begin(2, 1, "b"),
    ]);
    let second = file([end(3, 1), end(4, 1)]);
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(&first).unwrap();
    let zlib = zlib.finish().unwrap();
    let zstd = zstd::encode_all(second.as_slice(), 0).unwrap();
    file([
        Message::new().bytes(50, &zlib),
        Message::new().bytes(133, &zstd),
    ])
}

/// What a recording leaves when packets were lost, and packets with other data.
pub fn incomplete() -> Vec<u8> {
    let packet = |flags| Message::new().number(10, 1).number(13, flags);
    let interned_event = Message::new()
        .number(9, INSTANT)
        .number(10, 1)
        .number(11, 1);
    let named = |flags| {
        packet(flags)
            .number(8, 5)
            .message(11, interned_event.clone())
    };
    let names = |name| Message::new().message(2, interned(1, name));
    file([
        packet(1).number(42, 1).message(12, names("before")),
        thread(1, 0, (1, 1), "main"),
        named(2),
        named(2).number(42, 1),
        named(2),
        packet(1).message(12, names("after")),
        named(2),
        event(6, on(1, INSTANT).number(10, 99)),
        event(7, on(1, END)),
        event(8, on(1, INSTANT).text(23, "clock")).number(58, 5),
        event(
            9,
            on(1, INSTANT)
                .text(23, "fields")
                .message(33, Message::new().number(1, 1)),
        ),
        Message::new().message(33, Message::new()),
        Message::new().message(1, Message::new()),
        Message::new().message(300, Message::new()),
    ])
}

/// A file of foldtrace, with calls that do not nest, messages, metrics and attributes.
pub fn written() -> Vec<u8> {
    let mut minter = Minter::default();
    let locations: Vec<LocationId> = (0..2)
        .map(|rank| {
            let process = minter.process(&format!("rank {rank}"));
            minter.location("main", process)
        })
        .collect();
    let world = minter.world(&locations);
    let regions = ["solve", "MPI_Send"].map(|name| minter.region(name));
    let metric = minter.metric("instructions", "#", ValueType::Uint64);
    let attribute = minter.attribute("level", ValueType::Double);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = Perfetto.create(output).unwrap();
    writer.definitions(&minter.take()).unwrap();
    let mut symbols = SymbolTable::default();
    for (rank, &location) in (0..2).zip(&locations) {
        let mut batch = EventBatch::default();
        batch.reset(location, Position(0));
        let mut push = |kind, operands: &[u64], time, quantities: &[(Quantity, u64)]| {
            let symbol = symbols.intern(Symbol::new(kind, operands));
            batch.push(symbol, Timestamp(time), quantities);
        };
        let kind = [EventKind::MpiSend, EventKind::MpiRecv][rank as usize];
        push(EventKind::Enter, &[regions[0]], 10, &[]);
        push(EventKind::Enter, &[regions[1]], 20, &[]);
        push(kind, &[1 - rank, world, 5], 25, &[(Quantity::Bytes, 64)]);
        push(EventKind::Leave, &[regions[0]], 30, &[]);
        push(EventKind::Metric, &[metric], 35, &[]);
        push(EventKind::Leave, &[regions[1]], 40, &[]);
        batch
            .attributes
            .push(2, attribute, ValueType::Double, 1.5f64.to_bits());
        batch.metrics.push(4, 0, ValueType::Uint64, u64::MAX - 1);
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap();
    fs::read(path).unwrap()
}

/// Returns a file of three packets whose second one has been replaced.
fn around(second: Message) -> Vec<u8> {
    file([begin(1, 1, "before"), second, begin(3, 1, "after")])
}

type Case = (&'static str, Vec<u8>);

/// All cases that are read without an error.
fn good() -> Vec<Case> {
    vec![
        ("annotations", annotations()),
        ("compressed", compressed()),
        ("incomplete", incomplete()),
        ("incremental", incremental()),
        ("legacy", legacy()),
        ("tracks", tracks()),
        ("written", written()),
    ]
}

/// All damaged cases.
fn bad() -> Vec<Case> {
    let cut = |bytes: Vec<u8>, rest| bytes[..bytes.len() - rest].to_owned();
    let other = [&tracks()[..], b"\x0b other bytes"].concat();
    let long = [&tracks()[..], b"\x0a\xff\xff\xff\xff\x0f"].concat();
    let newer = |bytes: Vec<u8>| {
        // The version is the first number of the file's first packet.
        let at = bytes
            .windows(2)
            .position(|pair| pair == [0x08, 0x01])
            .unwrap();
        let mut newer = bytes;
        newer[at + 1] = 2;
        newer
    };
    vec![
        ("cut_off", cut(tracks(), 3)),
        (
            "damaged_compression",
            file([Message::new().bytes(50, b"no zlib"), begin(1, 1, "after")]),
        ),
        ("no_counter_value", around(event(2, on(1, COUNTER)))),
        (
            "no_time",
            around(Message::new().number(10, 1).message(11, on(1, BEGIN))),
        ),
        ("other_bytes", other),
        (
            "packet_of_other_bytes",
            around(Message(b"\x0f\xff".to_vec())),
        ),
        ("time_too_large", around(begin(u64::MAX, 1, "late"))),
        ("too_long", long),
        ("written_cut_off", cut(written(), 30)),
        ("written_newer", newer(written())),
        ("written_twice", [written(), written()].concat()),
    ]
}

#[test]
fn the_corpus_consists_of_these_cases() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/perfetto");
    let is_blessed = std::env::var_os("FOLDTRACE_BLESS").is_some();
    for (folder, cases) in [("good", good()), ("bad", bad())] {
        for (name, bytes) in cases {
            let case = corpus.join(folder).join(name);
            let path = case.join("input.pftrace");
            if is_blessed {
                fs::create_dir_all(&case).unwrap();
                fs::write(path, bytes).unwrap();
            } else {
                let found = fs::read(&path).unwrap_or_default();
                assert!(
                    found == bytes,
                    "{}: run with FOLDTRACE_BLESS=1",
                    path.display()
                );
            }
        }
    }
}

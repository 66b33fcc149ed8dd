//! Checks how traces of PyTorch's profiler are read: ranks, process groups, operations, clocks.

use std::fs;
use std::path::Path;

use foldtrace_chrome::Kineto;
use foldtrace_testing::{Event, Events, Read, collect, read};
use foldtrace_trace::{
    DefinitionKind, Diagnostics, EventBatch, EventKind, Format, Input, LocationId, Names, Operand,
    PathKind, Probe, Quantity, Ranks, ReadOptions, Step, UNDEFINED, ValueType,
};

const BASE: u64 = 1_735_632_360_000_000_000;

/// A trace in a folder.
struct Folder(tempfile::TempDir);

impl Folder {
    /// Writes a file for each rank. `events` returns the events of a rank.
    fn new(ranks: u64, events: impl Fn(u64) -> String) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for rank in 0..ranks {
            let info =
                format!("\"distributedInfo\": {{\"rank\": {rank}, \"world_size\": {ranks}}}");
            folder.write(&format!("{rank}.json"), &info, &events(rank));
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, info: &str, events: &str) {
        let text = format!(
            "{{\"schemaVersion\": 1, {info}, \"traceEvents\": [{events}], \"baseTimeNanoseconds\": {BASE}}}"
        );
        fs::write(self.path().join(name), text).unwrap();
    }

    fn read(&self) -> Read {
        read(&Kineto, self.path(), false).unwrap()
    }
}

fn keys(read: &Read) -> Vec<&str> {
    read.diagnostics.groups().map(|(key, _)| key).collect()
}

/// Returns a call on the host of an operation in a group.
fn host(at: u64, operation: &str, ranks: &str, more: &str) -> String {
    let arguments = arguments(operation, ranks, more);
    format!(
        r#"{{"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":9,"tid":9,"ts":{at},"dur":2,"args":{{{arguments}}}}}"#
    )
}

/// Returns a kernel of an operation in a group.
fn kernel(stream: u64, at: u64, operation: &str, ranks: &str, more: &str) -> String {
    let arguments = arguments(operation, ranks, more);
    format!(
        r#"{{"ph":"X","cat":"kernel","name":"ncclDevKernel_Generic_4()","pid":0,"tid":{stream},"ts":{at},"dur":2,"args":{{{arguments}}}}}"#
    )
}

fn arguments(operation: &str, ranks: &str, more: &str) -> String {
    format!(
        r#""Collective name":"{operation}","In msg nelems":10,"Out msg nelems":20,"dtype":"BFloat16","Process Group Name":"{ranks}","Process Group Ranks":"{ranks}"{more}"#
    )
}

/// Returns the events of a kind, with the ranks and threads of their locations.
fn of_kind(read: &Read, kind: EventKind) -> Vec<((u64, u64), Event)> {
    let names = Names::new(&read.definitions);
    let events = read.events.iter().flat_map(|(&location, events)| {
        let place = names.rank(location).unwrap();
        events.iter().map(move |event| (place, event.clone()))
    });
    events
        .filter(|(_, event)| event.symbol.kind == kind)
        .collect()
}

#[test]
fn collective_operations_are_those_of_kernels_in_the_communicator_of_their_group() {
    let folder = Folder::new(4, |rank| {
        let half = if rank % 2 == 0 { "[0, 2]" } else { "[1, 3]" };
        let all = "[0, 1, 2, 3]";
        [
            host(1, "allreduce", all, ""),
            host(4, "_allgather_base", half, ""),
            kernel(7, 10 + rank, "allreduce", all, ""),
            kernel(8, 20, "_allgather_base", half, ""),
        ]
        .join(",")
    });
    let read = folder.read();
    assert!(read.diagnostics.is_empty());
    let names = Names::new(&read.definitions);
    let ranks = Ranks::new(&read.definitions, &names);
    let ends = of_kind(&read, EventKind::MpiCollectiveEnd);
    assert_eq!(ends.len(), 8);
    assert_eq!(of_kind(&read, EventKind::MpiCollectiveBegin).len(), 8);
    for ((rank, _), end) in &ends {
        let communicator = end.symbol.get(Operand::Communicator).unwrap();
        let size = ranks.size(communicator).unwrap();
        match end.symbol.get(Operand::Operation) {
            Some(11) => assert_eq!((size, end.time), (4, BASE + 12_000 + 1000 * rank)),
            Some(6) => {
                assert_eq!(size, 2);
                let own = rank / 2;
                assert_eq!(ranks.rank(Some(communicator), own, None), *rank);
            }
            other => panic!("operation {other:?}"),
        }
        assert_eq!(end.quantities[Quantity::Bytes as usize], 20);
        assert_eq!(end.quantities[Quantity::BytesReceived as usize], 40);
    }
}

#[test]
fn messages_have_peers_in_their_group() {
    let folder = Folder::new(4, |rank| match rank {
        1 => kernel(7, 10, "send", "[3, 1]", r#","Dst Rank":3"#),
        _ => kernel(7, 11, "recv", "[3, 1]", r#","Src Rank":1"#),
    });
    let read = folder.read();
    let sends = of_kind(&read, EventKind::MpiSend);
    let receives = of_kind(&read, EventKind::MpiRecv);
    // Ranks 0 and 2 are not in the group.
    assert_eq!(keys(&read), ["kineto.other_group"]);
    assert_eq!((sends.len(), receives.len()), (1, 1));
    let (_, send) = &sends[0];
    assert_eq!(send.symbol.get(Operand::Peer), Some(0));
    assert_eq!((send.time, send.quantities[0]), (BASE + 10_000, 20));
    let (place, receive) = &receives[0];
    assert_eq!(
        (*place, receive.symbol.get(Operand::Peer)),
        ((3, 0), Some(1))
    );
    assert_eq!((receive.time, receive.quantities[0]), (BASE + 13_000, 40));
}

#[test]
fn messages_of_a_joined_kernel_are_those_of_the_host() {
    let folder = Folder::new(2, |rank| {
        let (first, second) = (
            r#","Dst Rank":1,"Src Rank":1"#,
            r#","Dst Rank":0,"Src Rank":0"#,
        );
        let more = if rank == 0 { first } else { second };
        [
            host(1, "send", "[0, 1]", more),
            host(5, "recv", "[0, 1]", more),
            kernel(7, 10, "recv", "[0, 1]", more),
        ]
        .join(",")
    });
    let read = folder.read();
    for kind in [EventKind::MpiSend, EventKind::MpiRecv] {
        let places: Vec<_> = of_kind(&read, kind)
            .into_iter()
            .map(|(place, _)| place)
            .collect();
        assert_eq!(places, [(0, 0), (1, 0)], "{kind}");
    }
}

#[test]
fn operations_that_some_files_lack_are_calls_only() {
    let folder = Folder::new(3, |rank| {
        let operation = |seq: u64| {
            let more = format!(",\"Seq\":{seq}");
            kernel(7, seq * 10, "allreduce", "[0, 1, 2]", &more)
        };
        let all: Vec<_> = (3 + rank..9).map(operation).collect();
        all.join(",")
    });
    let read = folder.read();
    assert_eq!(keys(&read), ["kineto.unequal_begin"]);
    assert_eq!(of_kind(&read, EventKind::MpiCollectiveEnd).len(), 3 * 4);
    assert_eq!(of_kind(&read, EventKind::Enter).len(), 6 + 5 + 4);
}

#[test]
fn a_rank_has_its_threads_streams_and_other_rows_in_one_process() {
    let folder = Folder::new(2, |rank| {
        format!(
            r#"{{"ph":"M","name":"process_labels","pid":{rank},"tid":0,"args":{{"labels":"GPU {rank}"}}}},
               {{"ph":"M","name":"process_labels","pid":7,"tid":0,"args":{{"labels":"GPU 7"}}}},
               {{"ph":"M","name":"thread_name","pid":{rank},"tid":20,"args":{{"name":"stream 20 "}}}},
               {{"ph":"X","cat":"kernel","name":"k","pid":{rank},"tid":20,"ts":1,"dur":1}},
               {{"ph":"X","cat":"cpu_op","name":"f","pid":9,"tid":10,"ts":1,"dur":1}},
               {{"ph":"X","cat":"cpu_op","name":"f","pid":9,"tid":9,"ts":1,"dur":1}},
               {{"ph":"X","cat":"Trace","name":"span","pid":"Spans","tid":"x","ts":1,"dur":1}}"#
        )
    });
    let read = folder.read();
    let names = Names::new(&read.definitions);
    assert_eq!(names.processes().len(), 2);
    for (process, rank) in names.processes().iter().zip(0..) {
        let name = |kind, id| names.name(kind, id).unwrap().to_owned();
        assert_eq!(
            name(DefinitionKind::LocationGroup, process.group),
            format!("rank {rank}")
        );
        let locations = process.locations.iter();
        let locations: Vec<_> = locations
            .map(|it| name(DefinitionKind::Location, it.0))
            .collect();
        assert_eq!(
            locations,
            ["thread 9", "thread 10", "stream 20", "thread x"]
        );
    }
    let types = |kind: DefinitionKind| {
        let field = kind.slot("type").unwrap();
        let records = read.definitions.records(kind);
        records.map(|record| record.get(field)).collect::<Vec<_>>()
    };
    // A process, an accelerator with its stream, and others.
    assert_eq!(types(DefinitionKind::LocationGroup), [1, 2, 0].repeat(2));
    assert_eq!(types(DefinitionKind::Location), [1, 1, 2, 1].repeat(2));
}

#[test]
fn a_malformed_kernel_does_not_make_a_stream_of_the_next_thread() {
    let folder = Folder::new(1, |_| {
        r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":"long"},
           {"ph":"i","name":"mark","pid":9,"tid":9,"ts":2}"#
            .to_owned()
    });
    let read = read(&Kineto, folder.path(), true).unwrap();
    assert_eq!(keys(&read), ["chrome.bad_event"]);
    let kind = DefinitionKind::LocationGroup;
    let field = kind.slot("type").unwrap();
    let groups = read.definitions.records(kind);
    let types: Vec<_> = groups.map(|record| record.get(field)).collect();
    assert_eq!(types, [1]);
}

#[test]
fn malformed_kernels_do_not_replace_calls_on_the_host() {
    let folder = Folder::new(2, |_| {
        let kernel = kernel(7, 10, "allreduce", "[0, 1]", "");
        let malformed = kernel.replace("\"dur\":2", "\"dur\":\"long\"");
        [host(1, "allreduce", "[0, 1]", ""), malformed].join(",")
    });
    let read = read(&Kineto, folder.path(), true).unwrap();
    assert_eq!(keys(&read), ["chrome.bad_event"]);
    let ends = of_kind(&read, EventKind::MpiCollectiveEnd);
    let times: Vec<_> = ends.iter().map(|(_, end)| end.time - BASE).collect();
    assert_eq!(times, [3000, 3000]);
}

#[test]
fn steps_are_calls_of_one_region_with_their_number() {
    let step = |n: u64| {
        format!(
            r#"{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{n}","pid":9,"tid":9,"ts":{n},"dur":1}}"#
        )
    };
    let read = Folder::new(1, |_| [step(4), step(5)].join(",")).read();
    let enters = of_kind(&read, EventKind::Enter);
    assert_eq!(enters[0].1.symbol, enters[1].1.symbol);
    // The category is an attribute, too, but not a number.
    let number = |event: &Event| {
        event
            .attributes
            .iter()
            .find(|it| it.1 == ValueType::Int64)
            .map(|it| it.2)
    };
    let numbers: Vec<_> = enters
        .iter()
        .filter_map(|(_, event)| number(event))
        .collect();
    assert_eq!(numbers, [4, 5]);
}

#[test]
fn times_of_files_count_from_their_bases() {
    let folder = Folder::new(1, |_| kernel(7, 10, "allreduce", "[0, 1]", ""));
    let later = format!(
        "{{\"deviceProperties\": [], \"baseTimeNanoseconds\": {}, \"distributedInfo\": {{\"rank\": 1}}, \
         \"traceEvents\": [{}]}}",
        BASE + 5000,
        kernel(7, 10, "allreduce", "[0, 1]", "")
    );
    fs::write(folder.path().join("1.json"), later).unwrap();
    let read = folder.read();
    let begins = of_kind(&read, EventKind::MpiCollectiveBegin);
    let times: Vec<_> = begins.iter().map(|(_, event)| event.time).collect();
    assert_eq!(times, [BASE + 10_000, BASE + 15_000]);
    let clock = read
        .definitions
        .records(DefinitionKind::ClockProperties)
        .next()
        .unwrap();
    assert_eq!(
        [0, 1, 2, 3].map(|field| clock.get(field)),
        [1_000_000_000, BASE + 10_000, 7000, BASE + 10_000]
    );
}

#[test]
fn folders_are_recognised_by_the_content_of_their_files() {
    let folder = Folder(tempfile::tempdir().unwrap());
    let probe = |path| {
        Kineto.sniff(&Probe {
            path,
            kind: PathKind::Folder,
            head: &[],
        })
    };
    assert!(!probe(folder.path()));
    fs::write(folder.path().join("rank0.json"), "{\"traceEvents\": []}").unwrap();
    assert!(!probe(folder.path()));
    let error = read(&Kineto, folder.path(), false).unwrap_err();
    assert!(
        error
            .message
            .contains("contains no trace of PyTorch's profiler")
    );
    folder.write("rank1.json", "\"deviceProperties\": []", "");
    assert!(probe(folder.path()));
    assert_eq!(keys(&folder.read()), ["kineto.other_file"]);
}

#[test]
fn batches_of_any_length_have_the_same_events() {
    let folder = Folder::new(2, |rank| {
        let peers = format!(",\"Dst Rank\":{0},\"Src Rank\":{0}", 1 - rank);
        let operation = |at| {
            let name = ["allreduce", "send", "recv"][at as usize % 3];
            kernel(7, at, name, "[0, 1]", &peers)
        };
        (0..30).map(operation).collect::<Vec<_>>().join(",")
    });
    let reader = Kineto
        .open(
            Input::Path(folder.path().to_owned()),
            &ReadOptions::default(),
        )
        .unwrap();
    let events = |most: usize| {
        let mut events = Events::new();
        for index in 0..reader.streams().len() {
            let mut stream = reader.open_stream(index).unwrap();
            stream.batch_at_most(most);
            let mut batch = EventBatch::default();
            while stream
                .next_batch(&mut batch, &mut Diagnostics::default())
                .unwrap()
                != Step::End
            {
                assert!(batch.len() <= most);
                collect(&mut events, &batch, stream.symbols());
            }
        }
        events
    };
    let all = events(usize::MAX);
    assert_eq!(
        all.values().map(Vec::len).sum::<usize>(),
        2 * (60 + 20 + 10 + 10)
    );
    assert!((1..5).all(|most| events(most) == all));
    // Each operation is within its call.
    for events in all.values() {
        let (mut open, mut begun) = (0u32, 0u32);
        for event in events {
            match event.symbol.kind {
                EventKind::Enter => open += 1,
                EventKind::Leave => open -= 1,
                EventKind::MpiCollectiveBegin => begun += 1,
                EventKind::MpiCollectiveEnd => begun -= 1,
                _ => {}
            }
            assert!(open > 0 || event.symbol.kind == EventKind::Leave);
        }
        assert_eq!((open, begun), (0, 0));
    }
}

#[test]
fn groups_without_members_in_the_trace_have_no_operations() {
    let folder = Folder::new(1, |_| kernel(7, 10, "allreduce", "[5, 6]", ""));
    let read = folder.read();
    assert!(keys(&read).contains(&"kineto.other_group"));
    assert!(of_kind(&read, EventKind::MpiCollectiveEnd).is_empty());
    let sent = |event: &Event| event.quantities[Quantity::Bytes as usize];
    assert!(
        read.events[&LocationId(0)]
            .iter()
            .all(|event| sent(event) == UNDEFINED)
    );
}

//! What is written reads back.

use std::fs;
use std::path::Path;

use foldtrace_paraver::Paraver;
use foldtrace_testing::{Read, push, read};
use foldtrace_trace::{
    Definitions, Diagnostics, EventBatch, EventKind, Format, LocationId, Minter, Output, Position,
    Quantity, Symbol, SymbolTable, Timestamp, UNDEFINED, ValueType,
};
use proptest::prelude::*;

use crate::reading::{Trace, shown};
use crate::records::{LABELS, action, has_ties, records};

/// Writes the events of a trace in the order of time.
fn write(trace: &Read, path: &Path) -> Diagnostics {
    let output = Output::Path {
        path: path.to_owned(),
        replace: true,
    };
    let mut writer = Paraver.create(output).unwrap();
    writer.definitions(&trace.definitions).unwrap();
    let mut symbols = SymbolTable::default();
    let events = trace.events.iter().flat_map(|(&location, events)| {
        (0..)
            .zip(events)
            .map(move |(position, event)| (event.time, location, position, event))
    });
    let mut events: Vec<_> = events.collect();
    events.sort_by_key(|&(time, location, position, _)| (time, location, position));
    let mut batch = EventBatch::default();
    for (_, location, position, event) in events {
        batch.reset(location, Position(position));
        push(&mut batch, &mut symbols, 0, event);
        writer.write(&batch, &symbols).unwrap();
    }
    writer.finish().unwrap()
}

/// Writes a trace and reads it back.
fn again(trace: &Read) -> (Read, Diagnostics) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.prv");
    let diagnostics = write(trace, &path);
    let read = read(&Paraver, &path, false).unwrap();
    assert!(read.errors.is_empty(), "{:?}", read.errors);
    (read, diagnostics)
}

proptest! {
    #[test]
    fn traces_that_were_read_are_written_and_read_back(
        actions in prop::collection::vec(action(), 0..80),
    ) {
        prop_assume!(!has_ties(&actions));
        let (text, _) = records(&actions);
        let trace = Trace::with_labels(&text, LABELS).read();
        let (read, _) = again(&trace);
        // Ends of calls that did not begin are left out.
        let without_strays = |events: Vec<Vec<String>>| -> Vec<Vec<String>> {
            let stray = |event: &String| event.ends_with("leave ?");
            let of_task = |events: Vec<String>| events.into_iter().filter(|it| !stray(it));
            events.into_iter().map(|events| of_task(events).collect()).collect()
        };
        prop_assert_eq!(without_strays(shown(&read)), without_strays(shown(&trace)));
    }
}

/// A trace of two processes of two nodes, with a thread more.
struct Program {
    definitions: Definitions,
    locations: Vec<LocationId>,
    world: u64,
    region: u64,
    broadcast: u64,
    metric: u64,
}

fn program() -> Program {
    let mut minter = Minter::default();
    let nodes = ["left", "right"].map(|name| minter.machine(name, "node", UNDEFINED));
    let mut locations = Vec::new();
    for (rank, node) in nodes.into_iter().enumerate() {
        let process = minter.process_on(&format!("rank {rank}"), node);
        locations.push(minter.location("master", process));
        if rank == 1 {
            locations.push(minter.location("worker\nof two", process));
        }
    }
    let world = minter.world(&[locations[0], locations[1]]);
    let region = minter.region("solve");
    let broadcast = minter.region("mpi_bcast_");
    let metric = minter.counter("PAPI_L2_TCM", "", ValueType::Double);
    Program {
        definitions: minter.take(),
        locations,
        world,
        region,
        broadcast,
        metric,
    }
}

/// An event: its location, time, symbol, quantities, and the value of its metric.
type Happening<'a> = (usize, u64, Symbol, &'a [(Quantity, u64)], Option<f64>);

/// Writes events of the program. Returns the three files, and the diagnostics.
fn written(program: &Program, events: &[Happening<'_>]) -> ([String; 3], Diagnostics) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prv");
    let mut writer = Paraver
        .create(Output::Path {
            path: path.clone(),
            replace: false,
        })
        .unwrap();
    writer.definitions(&program.definitions).unwrap();
    let mut symbols = SymbolTable::default();
    for &(location, time, symbol, quantities, metric) in events {
        let mut batch = EventBatch::default();
        batch.reset(program.locations[location], Position(0));
        batch.push(symbols.intern(symbol), Timestamp(time), quantities);
        if let Some(value) = metric {
            batch.metrics.push(0, 0, ValueType::Double, value.to_bits());
        }
        writer.write(&batch, &symbols).unwrap();
    }
    let diagnostics = writer.finish().unwrap();
    let file = |extension| fs::read_to_string(path.with_extension(extension)).unwrap();
    (["prv", "pcf", "row"].map(file), diagnostics)
}

#[test]
fn records_are_those_of_extrae() {
    let program = program();
    let symbol = |kind, operands: &[u64]| Symbol::new(kind, operands);
    let enter = |region| symbol(EventKind::Enter, &[region]);
    let leave = |region| symbol(EventKind::Leave, &[region]);
    let bytes: &[(Quantity, u64)] = &[(Quantity::Bytes, 8)];
    let both: &[(Quantity, u64)] = &[(Quantity::Bytes, 4), (Quantity::BytesReceived, 0)];
    let none: &[(Quantity, u64)] = &[];
    let send = symbol(EventKind::MpiSend, &[1, program.world, 17]);
    let receive = symbol(EventKind::MpiRecv, &[0, program.world, 17]);
    let begin = symbol(EventKind::MpiCollectiveBegin, &[]);
    let end = symbol(EventKind::MpiCollectiveEnd, &[1, program.world, 0]);
    let metric = symbol(EventKind::Metric, &[program.metric]);
    let lost = symbol(EventKind::MpiSend, &[1, program.world, 3]);
    let ([records, labels, rows], diagnostics) = written(
        &program,
        &[
            (0, 0, enter(program.region), none, None),
            (
                2,
                1,
                symbol(EventKind::OmpFork, &[]),
                &[(Quantity::Value, 2)],
                None,
            ),
            (0, 2, metric, none, Some(7.5)),
            (1, 3, receive, bytes, None),
            (0, 5, send, bytes, None),
            (0, 6, enter(program.broadcast), none, None),
            (0, 7, begin, none, None),
            (0, 8, end, both, None),
            (0, 9, leave(program.broadcast), none, None),
            (0, 10, lost, bytes, None),
            (0, 12, leave(program.region), none, None),
        ],
    );
    assert_eq!(
        records,
        "\
#Paraver (01/01/1970 at 00:00):12_ns:2(1,2):1:2(1:1,2:2),1
c:1:1:2:1:2
#foldtrace: states follow from calls
1:0:1:1:1:0:6:1
2:0:1:1:1:0:60000019:1
2:0:1:2:2:1:92000000:1
2:0:1:1:1:2:42000000:8
3:0:1:1:1:5:5:0:1:2:1:3:3:8:17
2:0:1:1:1:6:50000002:7:50100001:4:50100002:0:50100003:1:50100004:1
1:0:1:1:1:6:9:13
2:0:1:1:1:9:50000002:0
1:0:1:1:1:9:12:1
2:0:1:1:1:12:60000019:0
"
    );
    for block in [
        "EVENT_TYPE\n0    60000019    User function\nVALUES\n0      End\n1      solve\n",
        "EVENT_TYPE\n0    50000002    MPI Collective Comm\nVALUES\n0      End\n7      mpi_bcast_\n",
        "EVENT_TYPE\n0    42000000    PAPI_L2_TCM\n",
        "EVENT_TYPE\n0    92000000    omp_fork\nVALUES\n1      omp_fork\n",
        "\n13    Group Communication\n",
    ] {
        assert!(labels.contains(block), "{block}\n{labels}");
    }
    assert_eq!(
        rows,
        "LEVEL NODE SIZE 2\nleft\nright\n\nLEVEL TASK SIZE 2\nrank 0\nrank 1\n\n\
         LEVEL THREAD SIZE 3\nmaster\nmaster\nworker of two\n\n"
    );
    let message = &diagnostics.groups().next().unwrap().1.cases[0].message;
    assert_eq!(
        message,
        "left out: 1 value of omp_fork, 1 fraction of a value of a metric, 1 message with one end"
    );
}

#[test]
fn a_trace_without_locations_has_a_task() {
    let empty = Program {
        definitions: Definitions::default(),
        locations: Vec::new(),
        world: 0,
        region: 0,
        broadcast: 0,
        metric: 0,
    };
    let ([records, _, rows], _) = written(&empty, &[]);
    assert!(
        records.starts_with("#Paraver (01/01/1970 at 00:00):0_ns:0:1:1(1:0),0\n"),
        "{records}"
    );
    assert!(
        rows.ends_with("LEVEL TASK SIZE 1\n\n\nLEVEL THREAD SIZE 1\n\n\n"),
        "{rows}"
    );
}

#[test]
fn a_trace_needs_names_for_three_files() {
    let stdout = Paraver.create(Output::Stdout).err().unwrap();
    assert!(stdout.to_string().contains("three files"), "{stdout}");
    let folder = tempfile::tempdir().unwrap();
    let labels = Output::Path {
        path: folder.path().join("a.pcf"),
        replace: false,
    };
    assert!(Paraver.create(labels).is_err());
    // A trace that is not finished leaves nothing.
    let path = folder.path().join("b.prv");
    let output = Output::Path {
        path,
        replace: false,
    };
    drop(Paraver.create(output).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

//! The meaning of tables of all kinds.

use std::collections::BTreeMap;

use foldtrace_nsight::Nsight;
use foldtrace_trace::{
    DefinitionKind, EventKind, Format, Input, Names, PathKind, Probe, ReadOptions,
};
use rusqlite::Connection;

use crate::databases::{keys, read_sql, read_whole, sample, shown};

#[test]
fn a_program_with_mpi_and_cuda_has_all_its_events() {
    let trace = read_whole(&sample("good/program"));
    let locations = shown(&trace);
    let names: Vec<_> = locations.iter().map(|(name, _)| &**name).collect();
    assert_eq!(
        names,
        [
            "0.0 main",
            "0.1 thread 2002",
            "0.2 GPU 0, context 1: waits",
            "0.3 GPU 0, context 1, stream 7",
            "0.4 GPU 0, context 1, stream 8",
            "1.0 main",
            "1.1 thread 2001",
            "1.2 GPU 0, context 1: waits",
            "1.3 GPU 0, context 1, stream 7",
            "1.4 GPU 0, context 1, stream 8",
            "0.5 metrics of GPU 0",
        ]
    );
    let of = |name: &str| &locations.iter().find(|(own, _)| own == name).unwrap().1;
    assert_eq!(
        of("1.0 main")[..16],
        [
            "900 CPU=4",
            "1000 enter solver, color=2130771712, domain=physics, category=iteration",
            "1100 enter step 1, int64Value=42",
            "1200 enter cudaLaunchKernel_v7000, correlation=200",
            "1250 CPU cycles=300000, cpu=4, threadState=1",
            "1400 leave cudaLaunchKernel_v7000",
            "1500 enter cudaMemcpyAsync_v3020, correlation=201, returnValue=1",
            "1600 leave cudaMemcpyAsync_v3020",
            "2000 enter halo exchange, rangeId=17, endGlobalTid=281508531144657",
            "2250 CPU cycles=310000, cpu=4, threadState=1",
            "2500 local converged",
            "4000 leave step 1",
            "4050 enter MPI_Recv",
            "4250 mpi_recv 0 in 0 tag 17 bytes 800",
            "4250 leave MPI_Recv",
            "4300 enter MPI_Irecv",
        ]
    );
    for event in [
        "4100 mpi_send 1 in 0 tag 17 bytes 800",
        "4300 mpi_isend 1 in 0 tag 18 bytes 1600",
    ] {
        assert!(of("0.0 main").iter().any(|it| it == event), "{event}");
    }
    for main in ["0.0 main", "1.0 main"] {
        for event in [
            "4900 MPI_Allreduce in 0 root -1 bytes 8 8",
            "5100 MPI_Bcast in 1 root 1 bytes 64 64",
        ] {
            assert!(of(main).iter().any(|it| it == event), "{main}: {event}");
        }
    }
    assert!(
        of("1.0 main")
            .iter()
            .any(|it| it == "4500 mpi_irecv 0 in 0 tag 18 bytes 1600")
    );
    assert_eq!(
        of("0.3 GPU 0, context 1, stream 7")[1..],
        [
            "3000 leave jacobi(double*, int)",
            "3000 enter [CUDA memcpy Host-to-Device], correlation=101, bytes=65536, srcKind=0, dstKind=2",
            "3500 leave [CUDA memcpy Host-to-Device]",
        ]
    );
    assert_eq!(
        of("0.5 metrics of GPU 0")[3],
        "2000 GR Active [Throughput %]=21"
    );
    assert_eq!(
        keys(&trace),
        [("nsight.left_out", 2), ("nsight.overlapping_call", 2)]
    );
}

#[test]
fn definitions_have_machines_processes_accelerators_and_communicators() {
    let trace = read_whole(&sample("good/program"));
    let definitions = &trace.definitions;
    let names = Names::new(definitions);
    let groups: Vec<_> = definitions
        .records(DefinitionKind::LocationGroup)
        .map(|group| {
            (
                names
                    .name(DefinitionKind::LocationGroup, group.get(0))
                    .unwrap(),
                group.get(2),
            )
        })
        .collect();
    let (process, accelerator) = (1, 2);
    assert_eq!(
        groups,
        [
            ("./solver", process),
            ("./solver", process),
            ("GPU 0: H100", accelerator),
            ("GPU 0: H100", accelerator),
            ("metrics of GPU 0", accelerator),
        ]
    );
    let mut types: Vec<_> = definitions
        .records(DefinitionKind::Location)
        .map(|it| it.get(2))
        .collect();
    types.dedup();
    assert_eq!(
        types,
        [1, 2, 1, 2, 3],
        "threads and streams of two processes, and metrics"
    );
    let machines = definitions.records(DefinitionKind::SystemTreeNode);
    let machines: Vec<_> = machines.map(|it| names.string(it.get(1))).collect();
    assert_eq!(machines, ["node17"]);
    let members: Vec<_> = definitions
        .records(DefinitionKind::Group)
        .map(|it| it.list().to_vec())
        .collect();
    assert_eq!(members, [vec![0, 5], vec![0, 1], vec![1, 0]]);
    let properties = definitions.records(DefinitionKind::TraceProperty);
    let properties: Vec<_> = properties.map(|it| it.text()).collect();
    assert_eq!(
        properties,
        ["nsight.version=2024.5.1.113", "nsight.message=a remark"]
    );
    let clock = definitions.clock();
    assert_eq!(
        (
            clock.ticks_per_second,
            clock.global_offset,
            clock.trace_length
        ),
        (1_000_000_000, 50, 9_451)
    );
    let date = definitions
        .records(DefinitionKind::ClockProperties)
        .next()
        .unwrap()
        .get(3);
    assert_eq!(date, 1_700_000_000_000_000_050);
}

#[test]
fn old_versions_have_fewer_columns_and_rows_in_any_order() {
    let trace = read_whole(&sample("good/old"));
    let locations = shown(&trace);
    assert_eq!(locations[0].0, "0.0 thread 31");
    let events: Vec<_> = locations[0].1.iter().map(|it| &**it).collect();
    assert_eq!(
        events[..4],
        [
            "0 enter early",
            "50 enter MPI_Send",
            "100 leave MPI_Send",
            "200 leave early"
        ]
    );
    assert_eq!(
        locations[1].0, "0.1 GPU 0, context 1, stream 7",
        "of the only process"
    );
    let copy = "350 enter [CUDA memcpy Device-to-Host], correlation=5, bytes=128";
    assert!(locations[1].1.iter().any(|it| it == copy));
    let copy = "370 enter [CUDA memcpy kind 99], correlation=6, bytes=256";
    assert!(locations[1].1.iter().any(|it| it == copy));
    assert_eq!(keys(&trace), [("nsight.negative_time", 1)]);
}

#[test]
fn irregular_rows_are_kept_and_counted() {
    let trace = read_whole(&sample("good/irregular"));
    assert_eq!(
        keys(&trace),
        [
            ("nsight.no_time", 1),
            ("nsight.overlapping_call", 1),
            ("nsight.ends_before_begin", 1),
            ("nsight.open_call", 1),
            ("nsight.unknown_name", 1),
            ("nsight.other_nvtx", 1),
            ("nsight.unknown_communicator", 4),
            ("nsight.incomplete_request", 3),
        ]
    );
    let locations = shown(&trace);
    for event in [
        "100 leave poll",
        "400 enter string 9999",
        "500 enter unnamed",
        "610 enter overlaps, domain=5",
    ] {
        assert!(locations[0].1.iter().any(|it| it == event), "{event}");
    }
    assert_eq!(locations[1].0, "0.1 unknown thread");
}

#[test]
fn every_call_of_every_table_is_there_once() {
    for case in ["good/program", "good/old", "good/irregular"] {
        let path = sample(case);
        let connection = Connection::open(&path).unwrap();
        let tables = "SELECT m.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE c.name = 'end'";
        let mut statement = connection.prepare(tables).unwrap();
        let tables = statement
            .query_map([], |row| row.get::<_, String>(0))
            .unwrap();
        let count = |table: rusqlite::Result<String>| {
            let table = table.unwrap();
            let ranges = if table == "NVTX_EVENTS" {
                "eventType IN (59, 60)"
            } else {
                "1"
            };
            let sql = format!(
                "SELECT count(*) FROM {table} WHERE start IS NOT NULL AND end IS NOT NULL AND {ranges}"
            );
            connection
                .query_row(&sql, [], |row| row.get::<_, i64>(0))
                .unwrap()
        };
        let rows: i64 = tables.map(count).sum();
        let trace = read_whole(&path);
        let leaves = trace.events.values().flatten();
        let leaves = leaves
            .filter(|event| event.symbol.kind == EventKind::Leave)
            .count();
        assert_eq!(leaves as i64, rows, "{case}");
    }
}

#[test]
fn without_ranks_processes_that_communicate_have_the_order_of_their_ids() {
    let process = |number: i64| 1_i64 << 48 | number << 24 | number;
    let trace = read_sql(&format!(
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); \
         INSERT INTO StringIds VALUES (1, 'MPI_Send'), (2, 'MPI_Recv'); \
         CREATE TABLE MPI_P2P_EVENTS (start INT, end INT, globalTid INT, textId INT, commHandle INT, tag INT, \
         remoteRank INT, size INT); \
         INSERT INTO MPI_P2P_EVENTS VALUES (1, 2, {}, 1, 99, 0, 1, 8), (1, 3, {}, 2, 98, 0, 0, 8);",
        process(4),
        process(9)
    ));
    let locations = shown(&trace);
    assert_eq!(locations[0].1[1], "1 mpi_send 1 in 0 tag 0 bytes 8");
    assert_eq!(locations[1].1[1], "3 mpi_recv 0 in 0 tag 0 bytes 8");
}

#[test]
fn the_report_of_one_rank_of_several_has_no_communicator() {
    let thread = 1_i64 << 48 | 4 << 24 | 4;
    let trace = read_sql(&format!(
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES (1, 'MPI_Send'); \
         CREATE TABLE MPI_RANKS (globalTid INT, rank INT); INSERT INTO MPI_RANKS VALUES ({thread}, 3); \
         CREATE TABLE MPI_P2P_EVENTS (start INT, end INT, globalTid INT, textId INT, commHandle INT, tag INT, \
         remoteRank INT, size INT); INSERT INTO MPI_P2P_EVENTS VALUES (1, 2, {thread}, 1, 99, 0, 0, 8);"
    ));
    assert_eq!(shown(&trace)[0].1[1], "1 mpi_send 0 in -1 tag 0 bytes 8");
    assert_eq!(keys(&trace), [("nsight.unknown_communicator", 1)]);
}

#[test]
fn samples_whose_value_is_no_integer_are_left_out() {
    let trace = read_sql(
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); \
         CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT); \
         INSERT INTO GPU_METRICS VALUES (1, 0, 3, 5), (2, 0, 3, NULL), (3, 0, 3, 0.5);",
    );
    assert_eq!(shown(&trace)[0].1, ["1 metric 3=5"]);
    assert_eq!(keys(&trace), [("nsight.left_out", 2)]);
}

#[test]
fn names_of_regions_decide_on_their_paradigm() {
    let trace = read_whole(&sample("good/program"));
    let names = Names::new(&trace.definitions);
    let regions = trace.definitions.records(DefinitionKind::Region);
    let paradigms: BTreeMap<_, _> = regions
        .map(|region| (names.string(region.get(1)), region.field("paradigm")))
        .collect();
    for (name, paradigm) in [
        ("solver", Some(1)),
        ("MPI_Send", Some(4)),
        ("jacobi(double*, int)", Some(5)),
        ("cudaLaunchKernel_v7000", Some(5)),
        ("pthread_mutex_lock", Some(7)),
        ("poll", None),
    ] {
        assert_eq!(paradigms[name], paradigm, "{name}");
    }
}

#[test]
fn a_view_that_is_named_like_a_table_is_not_read() {
    let trace = read_sql(
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); \
         CREATE VIEW OSRT_API AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n) \
         SELECT start, start AS end, 1 AS globalTid, 1 AS nameId FROM n;",
    );
    assert!(trace.events.is_empty());
}

#[test]
fn only_databases_with_the_right_tables_are_recognised() {
    let path = sample("good/program");
    let head = std::fs::read(&path).unwrap();
    let probe = |kind, head| Probe {
        path: &path,
        kind,
        head,
    };
    assert!(Nsight.sniff(&probe(PathKind::File, &head)));
    assert!(!Nsight.sniff(&probe(PathKind::Folder, &[])));
    let pipe = probe(PathKind::Stream, &head);
    assert!(Nsight.sniff(&pipe) && !Nsight.is_certain(&pipe));
    let other = path
        .parent()
        .unwrap()
        .join("../../../rocpd/good/process/input.db");
    let probe = Probe {
        path: &other,
        kind: PathKind::File,
        head: &head,
    };
    assert!(!Nsight.sniff(&probe));
}

#[test]
fn a_pipe_is_refused() {
    let input = Input::Stream {
        name: "-".into(),
        head: b"SQLite format 3\0".to_vec(),
        reader: Box::new(std::io::empty()),
    };
    let error = Nsight.open(input, &ReadOptions::default()).err().unwrap();
    assert_eq!(error.message, "a database cannot be read from a pipe");
    assert!(error.hint.unwrap().contains("file"));
}

//! The meaning of tables of all kinds.

use foldtrace_rocpd::Rocpd;
use foldtrace_trace::{DefinitionKind, Format, Input, Names, PathKind, Probe, ReadOptions};

use crate::databases::{keys, read_sql, read_whole, sample, shown};

const KERNEL: [&str; 3] = [
    "1000350 enter k(), correlation=7, dispatch_id=1, workgroup_size_x=256, workgroup_size_y=1, workgroup_size_z=1, \
     grid_size_x=1024, grid_size_y=1, grid_size_z=1, private_segment_size=0, group_segment_size=2048",
    "1000350 SQ_WAVES=512",
    "1000800 leave k()",
];

#[test]
fn a_process_has_all_its_events() {
    let trace = read_whole(&sample("good/process"));
    let locations = shown(&trace);
    let [(main, calls), (copies, copied), (queue, kernels)] = &locations[..] else {
        panic!("{locations:?}");
    };
    assert_eq!(main, "0.0 main");
    assert_eq!(
        calls[..],
        [
            "1000050 enter MPI_Init",
            "1000060 leave MPI_Init",
            "1000070 enter [memory alloc real], size=1048576, agent_id=2, address=4096",
            "1000090 leave [memory alloc real]",
            "1000100 enter time step",
            "1000150 local time step",
            "1000150 SQ_WAVES=0.5",
            "1000160 local memory usage",
            "1000200 enter hipLaunchKernel, correlation=7",
            "1000400 leave hipLaunchKernel",
            "1000450 enter hipMemcpy, correlation=8",
            "1000600 leave hipMemcpy",
            "1000900 leave time step",
        ]
    );
    assert_eq!(copies, "0.1 GPU 4, Default Stream: copies");
    assert_eq!(
        copied[..],
        [
            "1000500 enter MEMORY_COPY_HOST_TO_DEVICE, correlation=8, size=65536, src_agent_id=1, dst_agent_id=2",
            "1000590 leave MEMORY_COPY_HOST_TO_DEVICE",
        ]
    );
    assert_eq!(queue, "0.2 GPU 4, Queue 1, Default Stream");
    assert_eq!(kernels[..], KERNEL);
    assert_eq!(
        keys(&trace),
        [("rocpd.left_out", 1)],
        "the argument of a call"
    );
}

#[test]
fn definitions_have_machines_processes_and_accelerators() {
    let trace = read_whole(&sample("good/process"));
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
    assert_eq!(groups, [("./solver 0", 1), ("GPU 4: MI300A", 2)]);
    let machines = definitions.records(DefinitionKind::SystemTreeNode);
    let machines: Vec<_> = machines.map(|it| names.string(it.get(1))).collect();
    assert_eq!(machines, ["node17"]);
    let clock = definitions.clock();
    assert_eq!((clock.global_offset, clock.trace_length), (1_000_050, 851));
}

#[test]
fn a_merged_database_has_a_process_for_each_set_of_tables() {
    let trace = read_whole(&sample("good/merged"));
    let locations = shown(&trace);
    let names: Vec<_> = locations.iter().map(|(name, _)| &**name).collect();
    assert_eq!(
        names,
        [
            "0.0 main",
            "0.1 GPU 4, Default Stream: copies",
            "0.2 GPU 4, Queue 1, Default Stream",
            "1.0 main",
            "1.1 GPU 4, Default Stream: copies",
            "1.2 GPU 4, Queue 1, Default Stream",
        ]
    );
    assert_eq!(locations[3].1[0], "1000060 enter MPI_Init");
    assert_eq!(locations[5].1[1], "1000360 SQ_WAVES=512");
}

#[test]
fn times_and_places_may_be_rows_of_their_own() {
    let trace = read_whole(&sample("good/tracks"));
    let locations = shown(&trace);
    assert_eq!(
        locations[0].1[..],
        [
            "1000100 enter time step",
            "1000200 enter hipLaunchKernel, correlation=7",
            "1000400 leave hipLaunchKernel",
            "1000900 leave time step",
        ]
    );
    assert_eq!(locations[1].0, "0.1 GPU 4, Queue 1, Default Stream");
    assert_eq!(locations[1].1[1..], KERNEL[1..]);
}

#[test]
fn irregular_rows_are_kept_and_counted() {
    let trace = read_sql(
        "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT); INSERT INTO rocpd_string VALUES (1, 'f'); \
         CREATE TABLE rocpd_region (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, name_id INT); \
         INSERT INTO rocpd_region VALUES (1, 7, 8, 10, 5, 1), (2, 7, 8, NULL, 5, 1), (3, 7, 8, 20, NULL, 99), \
         (4, 7, 8, 30, 50, 1), (5, 7, 8, 40, 60, 1);",
    );
    assert_eq!(
        keys(&trace),
        [
            ("rocpd.no_time", 1),
            ("rocpd.overlapping_call", 1),
            ("rocpd.ends_before_begin", 1),
            ("rocpd.open_call", 1),
            ("rocpd.unknown_name", 1),
        ]
    );
    let locations = shown(&trace);
    assert_eq!(locations[0].0, "0.0 unknown thread");
    assert_eq!(locations[0].1[2], "20 enter name 99");
}

#[test]
fn an_event_that_many_kernels_claim_has_its_counters_once() {
    let kernels: Vec<_> = (1..=2_000)
        .map(|id| format!("({id}, 1, 1, {id}, {id}, 5, 7)"))
        .collect();
    let counters: Vec<_> = (1..=2_000).map(|id| format!("({id}, 7, 1, 0.5)")).collect();
    let trace = read_sql(&format!(
        "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT); \
         CREATE TABLE rocpd_kernel_dispatch (id INTEGER PRIMARY KEY, pid INT, agent_id INT, start INT, end INT, \
         kernel_id INT, event_id INT); INSERT INTO rocpd_kernel_dispatch VALUES {}; \
         CREATE TABLE rocpd_pmc_event (id INTEGER PRIMARY KEY, event_id INT, pmc_id INT, value REAL); \
         INSERT INTO rocpd_pmc_event VALUES {};",
        kernels.join(", "),
        counters.join(", ")
    ));
    let events: usize = trace.events.values().map(Vec::len).sum();
    assert_eq!(events, 2 * 2_000 + 2_000);
}

#[test]
fn counters_without_a_value_or_with_another_event_are_left_out() {
    let trace = read_sql(
        "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT); \
         CREATE TABLE rocpd_kernel_dispatch (id INTEGER PRIMARY KEY, pid INT, agent_id INT, start INT, end INT, \
         kernel_id INT, event_id INT); INSERT INTO rocpd_kernel_dispatch VALUES (1, 1, 1, 10, 20, NULL, 7); \
         CREATE TABLE rocpd_pmc_event (id INTEGER PRIMARY KEY, event_id INT, pmc_id INT, value REAL); \
         INSERT INTO rocpd_pmc_event VALUES (1, 7, 1, 0.5), (2, 7, 1, NULL), (3, 8, 1, 0.5);",
    );
    let events: usize = trace.events.values().map(Vec::len).sum();
    assert_eq!(events, 3);
    assert_eq!(keys(&trace), [("rocpd.left_out", 2)]);
}

#[test]
fn a_suffix_may_be_empty_beside_others() {
    let trace = read_sql(
        "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT); \
         CREATE TABLE rocpd_string_a (id INTEGER PRIMARY KEY, string TEXT); INSERT INTO rocpd_string_a VALUES (1, 'f'); \
         CREATE TABLE rocpd_region_a (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, name_id INT); \
         INSERT INTO rocpd_region_a VALUES (1, 7, 8, 10, 50, 1);",
    );
    assert_eq!(shown(&trace)[0].1, ["10 enter f", "50 leave f"]);
    assert!(keys(&trace).is_empty(), "{:?}", keys(&trace));
}

#[test]
fn only_databases_with_the_right_tables_are_recognised() {
    let path = sample("good/process");
    let head = std::fs::read(&path).unwrap();
    let probe = |kind, head| Probe {
        path: &path,
        kind,
        head,
    };
    assert!(Rocpd.sniff(&probe(PathKind::File, &head)));
    let pipe = probe(PathKind::Stream, &head);
    assert!(Rocpd.sniff(&pipe) && !Rocpd.is_certain(&pipe));
    let other = path
        .parent()
        .unwrap()
        .join("../../../nsight/good/program/input.sqlite");
    let probe = Probe {
        path: &other,
        kind: PathKind::File,
        head: &head,
    };
    assert!(!Rocpd.sniff(&probe));
}

#[test]
fn a_pipe_is_refused() {
    let input = Input::Stream {
        name: "-".into(),
        head: b"SQLite format 3\0".to_vec(),
        reader: Box::new(std::io::empty()),
    };
    let error = Rocpd.open(input, &ReadOptions::default()).err().unwrap();
    assert_eq!(error.message, "a database cannot be read from a pipe");
}

//! Skeletons are built and run: they end, with as many processes as were recorded and with others, and
//! send what was predicted.

use std::collections::BTreeMap;
use std::process::Output;

use foldtrace::logical::model::{Communicator, Construct, Guard, Logical};
use foldtrace::skeleton::c::skeleton_c;
use foldtrace::skeleton::{Sending, Skeleton, skeleton};
use foldtrace::topology::recognition::{DirectionId, Topology};

use crate::common;
use crate::common::Folder;
use crate::common::mpi::mpirun;
use crate::common::skeletons::*;

const STRICT: [&str; 7] = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Werror",
    "-O2",
];

/// Compiles `skel.c` to `skel`.
#[track_caller]
fn compile(folder: &Folder) {
    let mut compiler = folder.command("mpicc");
    let output = compiler
        .args(STRICT)
        .args(["-o", "skel", "skel.c"])
        .output();
    let output = output.expect("mpicc is of the package libopenmpi-dev");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
}

/// A skeleton that was built in a folder.
struct Built {
    folder: Folder,
    skeleton: Skeleton,
}

impl Built {
    fn of(logical: &Logical, scale: f64) -> Self {
        let skeleton = skeleton(logical, scale).unwrap();
        let folder = Folder::new();
        folder.write("skel.c", skeleton_c(&skeleton, "run.fold"));
        compile(&folder);
        Self { folder, skeleton }
    }

    /// Runs it with so many processes; a deadlock ends after a while. Nothing is computed.
    fn run(&self, processes: usize) -> Output {
        self.run_within("", processes)
    }

    fn run_within(&self, tool: &str, processes: usize) -> Output {
        mpirun(&self.folder, processes, &format!("{tool} ./skel"))
    }

    #[track_caller]
    fn ends_with(self, processes: &[usize]) -> Self {
        for &processes in processes {
            let output = self.run(processes);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{processes} processes: {said}");
            assert!(said.contains("skeleton: "), "{said}");
        }
        self
    }

    #[track_caller]
    fn refuses(&self, processes: usize, why: &str) {
        let output = self.run(processes);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    }
}

/// Sends in all directions and receives from them, as stencils do; tags tell directions apart.
fn exchange(built: &Logical) -> Vec<Item> {
    let directions = 0..built.topology.directions.len() as u32;
    let reverse = |direction: u32| {
        built.topology.directions[direction as usize]
            .reverse
            .clone()
    };
    let tag = |direction: u32| i64::from(direction.min(reverse(direction)[0].0));
    let sends = directions.clone().map(|it| Send(it, tag(it)));
    let receives = directions.map(|it| Receive(it, tag(it)));
    sends.chain(receives).collect()
}

fn exchanging(topology: Topology) -> Logical {
    let items = exchange(&logical(topology.clone(), &[]));
    logical(
        topology,
        &[Collective(1, 0), Repeat(20, items), Collective(11, 0)],
    )
}

#[test]
fn rings_run_with_any_number_of_processes() {
    let built = Built::of(&exchanging(topology(4, "4 ring")), 0.5);
    assert_eq!(built.skeleton.sending, Sending::Waiting);
    built.ends_with(&[1, 2, 3, 4, 7]);
}

#[test]
fn grids_run_with_any_number_of_processes() {
    Built::of(&exchanging(topology(9, "3x3 grid")), 0.5).ends_with(&[4, 6, 9, 12, 5]);
    Built::of(&exchanging(topology(9, "3x3 torus")), 0.5).ends_with(&[4, 9, 6]);
}

#[test]
fn hypercubes_run_with_powers_of_two() {
    let built = Built::of(&exchanging(topology(8, "8 hypercube")), 0.5).ends_with(&[8, 4, 16, 2]);
    built.refuses(6, "a power of two processes, not 6");
}

#[test]
fn cg_runs_with_powers_of_two() {
    let built = Built::of(&exchanging(topology(8, "8 CG stencil")), 0.5).ends_with(&[8, 16, 4]);
    built.refuses(9, "a power of two processes, not 9");
}

#[test]
fn all_to_all_runs_with_more_processes_than_directions() {
    Built::of(&exchanging(topology(5, "5 all-to-all")), 0.5).ends_with(&[5, 3, 8]);
    Built::of(&exchanging(topology(4, "4 all-to-all")), 0.5).ends_with(&[4, 6]);
}

/// Gathers from children, answers them, and goes up.
fn gathering(topology: Topology) -> Logical {
    let children = 1..topology.directions.len() as u32;
    let up = children.clone().map(|it| Receive(it, 8));
    let down = children.map(|it| Send(it, 9));
    let own = [Send(0, 8), Receive(0, 9)];
    let body: Vec<Item> = up.chain(own).chain(down).collect();
    logical(topology, &[Repeat(20, body), Collective(0, 0)])
}

#[test]
fn trees_run_with_any_number_of_processes() {
    let built = Built::of(&gathering(topology(7, "7 binary tree")), 0.5);
    assert_eq!(built.skeleton.sending, Sending::Blocking);
    built.ends_with(&[7, 3, 10]);
    Built::of(&gathering(topology(16, "16 4-ary merge tree")), 0.5).ends_with(&[16, 9, 2]);
    Built::of(&gathering(topology(9, "9 3-ary merge tree")), 0.5).ends_with(&[9, 12]);
    Built::of(&gathering(topology(5, "5 star")), 0.5).ends_with(&[5, 3, 8]);
}

#[test]
fn lists_of_edges_run_as_recorded() {
    let pairs = [
        Send(0, 0),
        Send(1, 0),
        Send(2, 0),
        Receive(0, 0),
        Receive(1, 0),
        Receive(2, 0),
    ];
    let built = Built::of(&logical(edges(), &[Repeat(9, pairs.to_vec())]), 1.0).ends_with(&[5]);
    built.refuses(4, "5 processes, not 4");
}

#[test]
fn all_operations_on_rows_and_columns_are_called() {
    let topology = topology(6, "3x2 grid");
    let all = (0..17).flat_map(|operation| (0..4).map(move |it| Collective(operation, it)));
    let mut program: Vec<Item> = all.collect();
    program.extend(exchange(&logical(topology.clone(), &[])));
    let mut logical = logical(topology, &program);
    let colors = |colors: [u32; 6]| Communicator {
        name: None,
        colors: colors.map(Some).to_vec(),
    };
    logical.communicators.push(colors([0, 0, 1, 1, 2, 2]));
    logical.communicators.push(colors([4, 5, 4, 5, 4, 5]));
    logical.communicators.push(colors([0, 0, 0, 1, 1, 1]));
    let built = Built::of(&logical, 1.0).ends_with(&[6, 4]);
    let said = built.run(4).stderr;
    assert!(String::from_utf8_lossy(&said).contains("group_3 are skipped"));
}

#[test]
fn sends_before_all_receives_do_not_wait() {
    let program = [
        Repeat(500, vec![Send(0, 1)]),
        Repeat(500, vec![Receive(1, 1)]),
    ];
    let built = Built::of(&logical(topology(4, "4 ring"), &program), 1.0);
    assert_eq!(built.skeleton.sending, Sending::Free);
    built.ends_with(&[4, 3]);
}

#[test]
fn ranks_find_their_nodes() {
    let mut logical = exchanging(topology(6, "3x2 grid"));
    logical.nodes = vec![5, 3, 1, 0, 2, 4];
    Built::of(&logical, 1.0).ends_with(&[6, 4]);
}

/// The matrix of a run that EZTrace records is the one that was predicted.
#[track_caller]
fn records_what_was_predicted(logical: &Logical, scale: f64) {
    let built = Built::of(logical, scale);
    let processes = logical.ranks.len();
    let output = built.run_within("eztrace -t openmpi -o recorded", processes);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let folder = &built.folder;
    folder
        .say("convert -q recorded/skel_trace/eztrace_log.otf2 skel.fold")
        .exits(0);
    let matrix = folder.say("matrix -q --json skel.fold").exits(0).json();
    let pairs = matrix["pairs"].as_array().unwrap().iter();
    let found = pairs.map(|pair| {
        let number = |name: &str| pair[name].as_u64().unwrap();
        let ends = ["sender", "receiver"].map(|end| number(end) as u32);
        ((ends[0], ends[1]), number("messages"))
    });
    let found: BTreeMap<(u32, u32), u64> = found.collect();
    assert_eq!(found, built.skeleton.matrix());
}

#[test]
fn what_is_recorded_of_a_run_is_what_was_predicted() {
    records_what_was_predicted(&exchanging(topology(6, "3x2 grid")), 0.5);
    records_what_was_predicted(&gathering(topology(5, "5 star")), 0.3);
    let ahead = [
        Repeat(50, vec![Send(0, 1)]),
        Repeat(50, vec![Receive(1, 1)]),
    ];
    records_what_was_predicted(&logical(topology(4, "4 ring"), &ahead), 0.2);
}

#[test]
fn the_source_of_a_ring_is_as_people_write_it() {
    let body = vec![Receive(1, 10), Send(0, 10)];
    let ring = [
        Collective(1, 0),
        Send(0, 10),
        Repeat(500, body),
        Receive(1, 10),
        Collective(0, 0),
    ];
    let skeleton = skeleton(&logical(topology(4, "4 ring"), &ring), 0.5).unwrap();
    insta::assert_snapshot!(skeleton_c(&skeleton, "ring.fold"));
}

#[test]
fn the_source_of_a_grid_is_as_people_write_it() {
    let mut grid = exchanging(topology(9, "3x3 grid"));
    grid.nodes.reverse();
    let skeleton = skeleton(&grid, 0.5).unwrap();
    insta::assert_snapshot!(skeleton_c(&skeleton, "grid.fold"));
}

#[test]
fn a_deadlock_is_refused() {
    let program = [Receive(1, 1), Send(0, 1)];
    let error = skeleton(&logical(topology(3, "3 ring"), &program), 1.0).unwrap_err();
    let expected = "the processes of the skeleton would wait forever: rank 0 receives from 2, rank 1 receives \
                    from 0, rank 2 receives from 1";
    assert_eq!(error.to_string(), expected);
}

/// It takes the time that was asked for, if nothing else runs on the machine.
#[test]
fn a_skeleton_takes_about_the_time_of_what_it_computes() {
    let logical = logical(
        topology(4, "4 ring"),
        &[Repeat(500, vec![Send(0, 1), Receive(1, 1)])],
    );
    let skeleton = skeleton(&logical, 1.0).unwrap();
    let mean = |phase: &Vec<f64>| phase.iter().sum::<f64>() / phase.len() as f64;
    let seconds: f64 = skeleton.phases.iter().map(mean).sum::<f64>() * 500.0;
    // All 4000 instances of both calls were measured to take 37.5 us.
    assert!((seconds * 4.0 - 0.3).abs() < 0.001, "{seconds}");
}

#[test]
fn what_only_some_send_is_received_from_them_alone() {
    let mut logical = logical(topology(9, "3x3 grid"), &[Send(0, 5), Send(2, 6)]);
    // Of the six that have a neighbour to the right, four have one above, too.
    let both = [DirectionId(0), DirectionId(2)];
    for (construct, is_there) in logical.program.iter_mut().zip([false, true]) {
        if let Construct::Call(call) = construct {
            call.guard = Some(Guard::Neighbours {
                directions: both,
                is_there,
            });
        }
    }
    let built = Built::of(&logical, 1.0).ends_with(&[9, 6]);
    let messages: Vec<u64> = built.skeleton.sent.iter().map(|sent| sent.kept).collect();
    assert_eq!(messages, [2, 0, 4, 0]);
    assert_eq!(built.skeleton.matrix().values().sum::<u64>(), 6);
}

/// What a skeleton of a text trace says, and the exit code.
fn of_trace(folder: &Folder, trace: &str) -> common::Ran {
    folder.write("any.trace", trace);
    folder.say("convert -q any.trace any.fold --force").exits(0);
    folder.say("skeleton any.fold -o skel.c --force --scale 100%")
}

/// Every rank sends to all others, in the order of ranks, and receives from all: an exchange of all with all.
fn all_with_all(ranks: usize, send: &str, receive: &str) -> String {
    let pairs = |line: fn(usize, usize, &str) -> String, verb: &str| -> String {
        let all = (0..ranks).flat_map(|one| (0..ranks).map(move |other| (one, other)));
        let all = all.filter(|(one, other)| one != other);
        all.map(|(one, other)| line(one, other, verb)).collect()
    };
    pairs(|one, other, verb| format!("{one} {verb} {other} 1\n"), send)
        + &pairs(
            |one, other, verb| format!("{other} {verb} {one} 1\n"),
            receive,
        )
}

/// In an exchange of all with all, the direction n/2 of n processes is its own way back.
#[test]
fn exchanges_of_all_with_all_send_every_message() {
    let folder = Folder::new();
    for ranks in [4, 9, 10, 12, 16] {
        for (send, receive) in [("isend", "irecv"), ("send", "recv")] {
            let said = of_trace(&folder, &all_with_all(ranks, send, receive)).exits(0);
            let messages = ranks * (ranks - 1);
            let expected = format!("{messages} of {messages} messages");
            assert!(said.stdout.contains(&expected), "{ranks}: {said:#?}");
            let text = std::fs::read_to_string(folder.path("skel.c")).unwrap();
            assert!(text.contains("receive("), "{text}");
        }
    }
}

/// A program with calls on listed ranks is built and runs.
#[test]
fn calls_on_listed_ranks_run() {
    let folder = Folder::new();
    of_trace(&folder, &all_with_all(6, "send", "recv")).exits(0);
    compile(&folder);
    let text = std::fs::read_to_string(folder.path("skel.c")).unwrap();
    assert!(text.contains("ROLES"), "{text}");
    let output = mpirun(&folder, 6, "./skel");
    assert!(output.status.success(), "{output:?}");
}

/// A skeleton without calls is an error that says why.
#[test]
fn an_empty_skeleton_is_refused() {
    let folder = Folder::new();
    let receives = "0 recv 1 1\n1 recv 2 1\n2 recv 0 1\n";
    for (trace, why) in [
        (receives, "receives without a send: "),
        (
            "0 local a\n1 local a\n",
            "neither send messages nor take part",
        ),
    ] {
        let ran = of_trace(&folder, trace).exits(4);
        assert!(
            ran.stderr.contains("the skeleton would be empty"),
            "{ran:#?}"
        );
        assert!(ran.stderr.contains(why), "{ran:#?}");
        assert!(!folder.path("skel.c").exists());
    }
}

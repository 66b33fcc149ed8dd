//! Skeletons are built and run: they end, with as many processes as were recorded and with others, and
//! send what was predicted.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail"
)]

mod common;
#[path = "common/skeletons.rs"]
mod skeletons;

use std::process::Output;

use common::Folder;
use foldtrace::analysis::logical::{Communicator, Logical};
use foldtrace::analysis::skeleton::{Sending, Skeleton, skeleton};
use foldtrace::export::skeleton::skeleton_c;
use skeletons::*;

const STRICT: [&str; 7] = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Werror",
    "-O2",
];

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
        let mut compiler = folder.command("mpicc");
        let output = compiler
            .args(STRICT)
            .args(["-o", "skel", "skel.c"])
            .output();
        let output = output.expect("mpicc is of the package libopenmpi-dev");
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{messages}");
        Self { folder, skeleton }
    }

    /// Runs it with so many processes; a deadlock ends after a while. Nothing is computed.
    fn run(&self, processes: usize) -> Output {
        self.run_within("", processes)
    }

    fn run_within(&self, tool: &str, processes: usize) -> Output {
        let mut command = self.folder.command("timeout");
        let command = command
            .args([
                "60",
                "mpirun",
                "--oversubscribe",
                "--allow-run-as-root",
                "-np",
            ])
            .arg(processes.to_string())
            .args(tool.split_whitespace())
            .arg("./skel")
            .env("SKELETON_RATE", "0");
        command.output().unwrap()
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

fn exchanging(topology: foldtrace::analysis::topology::Topology) -> Logical {
    let items = exchange(&logical(topology.clone(), &[]));
    logical(
        topology,
        &[Collective(1, 0), Repeat(20, items), Collective(11, 0)],
    )
}

#[test]
fn rings_run_with_any_number_of_processes() {
    let built = Built::of(&exchanging(ring(4)), 0.5);
    assert_eq!(built.skeleton.sending, Sending::Waiting);
    built.ends_with(&[1, 2, 3, 4, 7]);
}

#[test]
fn grids_run_with_any_number_of_processes() {
    Built::of(&exchanging(grid(3, 3, false)), 0.5).ends_with(&[4, 6, 9, 12, 5]);
    Built::of(&exchanging(grid(3, 3, true)), 0.5).ends_with(&[4, 9, 6]);
}

#[test]
fn hypercubes_run_with_powers_of_two() {
    let built = Built::of(&exchanging(hypercube(3)), 0.5).ends_with(&[8, 4, 16, 2]);
    built.refuses(6, "a power of two processes, not 6");
}

#[test]
fn cg_runs_with_powers_of_two() {
    let built = Built::of(&exchanging(cg(8)), 0.5).ends_with(&[8, 16, 4]);
    built.refuses(9, "a power of two processes, not 9");
}

#[test]
fn all_to_all_runs_with_more_processes_than_directions() {
    Built::of(&exchanging(all_to_all(5)), 0.5).ends_with(&[5, 3, 8]);
    Built::of(&exchanging(all_to_all(4)), 0.5).ends_with(&[4, 6]);
}

/// Gathers from children, answers them, and goes up.
fn gathering(topology: foldtrace::analysis::topology::Topology) -> Logical {
    let children = 1..topology.directions.len() as u32;
    let up = children.clone().map(|it| Receive(it, 8));
    let down = children.map(|it| Send(it, 9));
    let own = [Send(0, 8), Receive(0, 9)];
    let body: Vec<Item> = up.chain(own).chain(down).collect();
    logical(topology, &[Repeat(20, body), Collective(0, 0)])
}

#[test]
fn trees_run_with_any_number_of_processes() {
    let built = Built::of(&gathering(tree(7, 2)), 0.5);
    assert_eq!(built.skeleton.sending, Sending::Blocking);
    built.ends_with(&[7, 3, 10]);
    Built::of(&gathering(merge_tree(4, 4, 1)), 0.5).ends_with(&[4, 9, 2]);
    Built::of(&gathering(merge_tree(9, 3, 2)), 0.5).ends_with(&[9, 12]);
    Built::of(&gathering(star(5)), 0.5).ends_with(&[5, 3, 8]);
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
    let topology = grid(2, 3, false);
    let all = (0..17).flat_map(|operation| (0..4).map(move |it| Collective(operation, it)));
    let mut program: Vec<Item> = all.collect();
    program.extend(exchange(&logical(topology.clone(), &[])));
    let mut logical = logical(topology, &program);
    let colors = |colors: [u32; 6]| Communicator {
        name: None,
        colors: colors.map(Some).to_vec(),
    };
    logical.communicators.push(colors([0, 0, 0, 1, 1, 1]));
    logical.communicators.push(colors([4, 5, 6, 4, 5, 6]));
    logical.communicators.push(colors([0, 0, 1, 1, 2, 2]));
    let built = Built::of(&logical, 1.0).ends_with(&[6, 4]);
    let said = built.run(4).stderr;
    assert!(String::from_utf8_lossy(&said).contains("group_3 are left out"));
}

#[test]
fn sends_before_all_receives_do_not_wait() {
    let program = [
        Repeat(500, vec![Send(0, 1)]),
        Repeat(500, vec![Receive(1, 1)]),
    ];
    let built = Built::of(&logical(ring(4), &program), 1.0);
    assert_eq!(built.skeleton.sending, Sending::Free);
    built.ends_with(&[4, 3]);
}

#[test]
fn ranks_find_their_nodes() {
    let mut logical = exchanging(grid(2, 3, false));
    logical.nodes = vec![5, 3, 1, 0, 2, 4];
    Built::of(&logical, 1.0).ends_with(&[6, 4]);
}
